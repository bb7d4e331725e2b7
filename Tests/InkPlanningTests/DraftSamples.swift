import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport

@testable import InkPlanning

/// A draft, the order that it was made for and the blocks that came with it.
struct DraftSample {
    var order: DraftOrder
    var draft: PictureDraft
    var blocks: [BlockID: Int]

    init(_ project: Project, _ order: DraftOrder, output: PixelSize, digests: Bool = false) throws(EngineError) {
        var made: [EncodedBlock] = []
        let picture = PictureOrder(output: output, options: order.picture.options, software: order.software)
        draft = try PictureDraft(
            project, order: picture, name: order.name, limits: order.limits,
            encoder: digests ? FakeBlocks.encoder.digestingStrokes : FakeBlocks.encoder, blocks: &made)
        self.order = order
        blocks = Dictionary(made.map { ($0.id, $0.frame.count) }) { first, _ in first }
    }

    /// A random project in random formats with random options; nil for a project that the formats cannot show.
    static func random(_ seed: UInt64) throws -> DraftSample? {
        var random = SeededGenerator(seed: seed)
        let kinds: [RandomProject.Options] = [.everything, .version12, .version13, .layerTrees, .smallPlacedPictures]
        let made = RandomProject.make(seed: seed, options: kinds[Int(seed) % kinds.count])
        var project = made.project
        project.metadata.author = Bool.random(using: &random) ? "A" : nil
        project.metadata.exif = Bool.random(using: &random) ? [1, 2, 3] : nil
        var options = PictureOptions()
        options.files = encodings(&random).map {
            PictureFileOptions(encoding: $0, digest: Bool.random(using: &random) ? Array(repeating: 7, count: 32) : nil)
        }
        options.view = made.viewport.map {
            .place(center: $0.center, zoom: $0.zoom, rotation: $0.rotation, size: $0.size)
        }
        options.includesBaseImage = Bool.random(using: &random)
        options.fillsSuggested = Bool.random(using: &random)
        options.hasMetadata = Bool.random(using: &random)
        options.dotsPerInch = Bool.random(using: &random) ? 300 : nil
        options.background = Bool.random(using: &random) ? .transparent : nil
        options.colorMode = Bool.random(using: &random) ? .automatic : .rgb
        options.tile = Bool.random(using: &random) ? PixelSize(width: 48, height: 32) : nil
        // The first and the last step of the loaders: a size by its name is one in pixels when the canvas is known.
        let place = Place(file: "random")
        let canvas = try options.canvas(of: project, place: place)
        let named = ["100x80", "0.5x", "1x"].randomElement(using: &random).flatMap { ExportSize($0) }
        var (size, output) = (SizeSpec.exact(made.output), made.output)
        if Bool.random(using: &random), let named {
            size = .named(named.name)
            output = try named.outputSize(canvas: canvas, limits: Limits(), place: place)
        }
        let order = DraftOrder(
            name: "random", picture: PictureSpec(size: size, options: options), software: "ink 1.0")
        do throws(EngineError) {
            return try DraftSample(project, order, output: output, digests: Bool.random(using: &random))
        } catch {
            return nil
        }
    }

    private static func encodings(_ random: inout SeededGenerator) -> [PictureEncoding] {
        let codecs = PictureCodecs.all + [PictureCodecs.plot, PictureCodecs.vectorPDF]
        let count = [1, 1, 2, 4].randomElement(using: &random) ?? 1
        var encodings: [PictureEncoding] = []
        for _ in 0..<count {
            guard let codec = codecs.randomElement(using: &random) else { continue }
            var encoding = PictureEncoding(
                format: codec.format, effort: EncodingEffort.allCases.randomElement(using: &random) ?? .fast)
            if codec.settings.contains(.quality) { encoding.quality = .random(in: 1...100, using: &random) }
            if count == 1, codec.settings.contains(.maxBytes), Bool.random(using: &random) { encoding.bytesMax = 9999 }
            encodings.append(encoding)
        }
        return encodings
    }

    /// Everything that a draft can have: strokes, erased ones too, placed images, masks, groups, clipping, and files of
    /// all kinds. Its large image is scaled when it is decoded.
    static func rich() throws -> DraftSample {
        let brush = Brush(type: .solid, lineWidth: 2)
        let lines = [
            Stroke.line(from: (10, 50), to: (100, 50), brush: brush),
            Stroke(brush: brush, mode: .erase, points: [StrokePoint(x: 20, y: 50), StrokePoint(x: 30, y: 60)]),
            .line(from: (10, 50), to: (100, 390), brush: brush),
        ]
        var placed = Layer(
            name: "placed", contentImage: .fake("content", width: 900, height: 900), strokes: lines)
        placed.contentPlacement = Placement(x: 10, y: 10, width: 40, height: 40)
        let masked = Layer(
            name: "masked", maskImage: .fake("mask", width: 200, height: 400), blendMode: .multiply,
            strokes: Array(lines[..<2]))
        var group = Layer(name: "group", maskImage: .fake("group's mask", width: 20, height: 40))
        var clipped = Layer(name: "clipped", opacity: 0.5, strokes: lines)
        clipped.isClipped = true
        group.kind = .group([Layer(name: "base", strokes: lines), clipped], isPassThrough: false)
        let project = Project(
            name: "All", canvasSize: PixelSize(width: 200, height: 400),
            baseImage: .fake("base", width: 200, height: 400), layers: [placed, masked, group])
        var options = PictureOptions(dotsPerInch: 300)
        options.files = [PictureFormat.png, .psd, .ora, .svg].map {
            PictureFileOptions(encoding: PictureEncoding(format: $0))
        }
        let size = PixelSize(width: 300, height: 600)
        // So low that a test can exceed them.
        var limits = Limits()
        (limits.layers, limits.strokes, limits.shapes) = (20, 100, 100)
        let order = DraftOrder(
            name: "rich", picture: PictureSpec(size: .exact(size), options: options), software: "ink 1.0",
            limits: limits)
        return try DraftSample(project, order, output: size, digests: true)
    }

    func decoded(_ parts: [[UInt8]]) throws(ProtocolError) -> PictureDraft {
        try PictureDraft(decoding: parts, for: order)
    }

    /// What the reader or the check has against a draft; nil if it is planned.
    func fault(of draft: PictureDraft) -> String? {
        do throws(ProtocolError) {
            return try decoded(draft.encodedParts()).fault(for: order, blocks: blocks)
        } catch {
            return "\(error)"
        }
    }
}
