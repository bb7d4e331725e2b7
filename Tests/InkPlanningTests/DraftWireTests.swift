import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkPlanning

/// Drafts as bytes: what is read is what was written, and bytes of strangers harm nobody.
@Suite("Drafts on the wire") struct DraftWireTests {
    @Test("A draft of any project comes back as it was, and passes the check", arguments: 0..<6)
    func roundTrip(group: UInt64) throws {
        var count = 0
        for seed in (20 * group)..<(20 * group + 20) {
            guard let sample = try DraftSample.random(seed) else { continue }
            count += 1
            try compare(sample, "seed \(seed)")
        }
        #expect(count > 5, "too few projects of group \(group) can be shown")
    }

    @Test func everythingComesBack() throws {
        let sample = try DraftSample.rich()
        // What the other tests rely on.
        #expect(sample.draft.pictures.count > 8)
        #expect(sample.draft.images.contains { !$0.scalings.isEmpty })
        #expect(sample.draft.pictures.contains { $0.source.isDrawn })
        try compare(sample, "the rich one")
    }

    private func compare(_ sample: DraftSample, _ name: String) throws {
        let parts = try sample.draft.encodedParts()
        let again = try sample.decoded(parts)
        #expect(try again.encodedParts() == parts, "\(name)")
        #expect(again.fault(for: sample.order, blocks: sample.blocks) == nil, "\(name)")
        #expect(again.blocks == sample.draft.blocks && again.blocks.isSubset(of: sample.blocks.keys), "\(name)")
        for (one, other) in zip(sample.draft.pictures, again.pictures) {
            #expect(one.costs.perRow == other.costs.perRow && one.costs.strokesPerRow == other.costs.strokesPerRow)
            let decisive = [one, other].map { picture in
                picture.scene.layers.flatMap { Self.decisive(of: $0) }
            }
            #expect(decisive[0].map(\.digests) == decisive[1].map(\.digests), "\(name)")
            #expect(decisive[0].map(\.runs.numbers) == decisive[1].map(\.runs.numbers), "\(name)")
            #expect(decisive[0].map(\.runs.roundings) == decisive[1].map(\.runs.roundings), "\(name)")
        }
        for keepsResults in [false, true] {
            let expected = try sample.draft.rehearsed(keepsResults: keepsResults)
            let planned = try again.rehearsed(keepsResults: keepsResults)
            #expect(planned.tasks == expected.tasks, "\(name)")
            #expect(planned.plan.heads == expected.plan.heads, "\(name)")
            #expect(planned.plan.pictures.map(\.grid) == expected.plan.pictures.map(\.grid), "\(name)")
            #expect(planned.plan.tileNanoseconds == expected.plan.tileNanoseconds, "\(name)")
            #expect(planned.begun == expected.begun, "\(name)")
            for (one, other) in zip(planned.plan.pictures, expected.plan.pictures) {
                #expect(one.drawings.map(\.?.marks) == other.drawings.map(\.?.marks), "\(name)")
                #expect(one.drawings.map(\.?.cost) == other.drawings.map(\.?.cost), "\(name)")
            }
        }
    }

    private static func decisive(of layer: SceneLayer<SceneImage<Int>, MarkBlockIndex>) -> [DecisiveMarks] {
        layer.marks.compactMap(\.decisive) + layer.children.flatMap { decisive(of: $0) }
    }

    @Test("A thumbnail takes what an image was scaled to for its own size")
    func thumbnailsHaveTheirOwnScaling() throws {
        let sample = try DraftSample.rich()
        let plan = try sample.draft.rehearsed(keepsResults: false).plan
        let index = try #require(sample.draft.images.firstIndex { !$0.scalings.isEmpty })
        let request = sample.draft.images[index]
        for picture in plan.pictures where picture.source == .whole || picture.source == .thumbnail {
            let scaling = try #require(request.scalings.first { $0.output == picture.scene.output })
            let contents = picture.scene.layers.compactMap(\.content)
            #expect(contents.map(\.source.part) == [scaling.part(of: request.size, as: .color)])
        }
        #expect(request.scalings.count > 1)
    }

    @Test func strokesTakeFewBytes() throws {
        let strokes = (0..<2000).map { index -> Stroke in
            let (x, y) = (Double(index % 100), Double(index % 300))
            return Stroke.line(from: (x, 5), to: (x + 9, y + 9))
        }
        let order = DraftOrder(
            name: "a", picture: PictureSpec(size: .exact(PixelSize(width: 200, height: 400))))
        let project = Project(canvasSize: PixelSize(width: 200, height: 400), layers: [Layer(strokes: strokes)])
        func byteCount(digests: Bool) throws -> Int {
            let output = PixelSize(width: 200, height: 400)
            let sample = try DraftSample(project, order, output: output, digests: digests)
            return try sample.draft.encodedParts().reduce(0) { $0 + $1.count }
        }
        let (plain, digested) = (try byteCount(digests: false), try byteCount(digests: true))
        // Extents of up to 9 bytes, and the rows.
        #expect(plain < 2000 * 9 + 401 * 8 + 1000)
        // 32 of a digest and 2 of a run.
        #expect(digested - plain <= 2000 * 34)
    }

    // MARK: - Parts

    @Test func partsOfOtherSizesAreRefused() throws {
        let sample = try DraftSample.rich()
        let whole = try #require(try sample.draft.encodedParts().first)
        let (front, back) = (Array(whole[..<9]), Array(whole[9...]))
        let bad: [[[UInt8]]] = [
            [], [[]], [whole, []], [front, back], [whole, whole],
            Array(repeating: [], count: ProtocolLimits.draftParts + 1),
        ]
        for parts in bad { #expect(throws: ProtocolError.self) { try sample.decoded(parts) } }
    }

    @Test func aDraftOfOtherLimitsIsRefused() throws {
        let sample = try DraftSample.rich()
        var order = sample.order
        order.limits.imagePixels -= 1
        let parts = try sample.draft.encodedParts()
        #expect(throws: ProtocolError.self) { try PictureDraft(decoding: parts, for: order) }
    }

    // MARK: - Bytes of strangers

    /// The first byte of each chooses the order in `Fuzz/Sources/FuzzDrafts`. Written anew with `INK_WRITE_SEEDS=1`.
    @Test("The inputs that fuzzing begins with are drafts of this form", arguments: FuzzSeed.all)
    fileprivate func seeds(seed: FuzzSeed) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let file = folder.appendingPathComponent("../../Fuzz/Seeds/FuzzDrafts/\(seed.name)")
        let sample = try seed.sample()
        let part = try #require(try sample.draft.encodedParts().first)
        if ProcessInfo.processInfo.environment["INK_WRITE_SEEDS"] != nil {
            try Data([seed.orderNumber] + part).write(to: file)
        }
        #expect(Array(try Data(contentsOf: file)) == [seed.orderNumber] + part)
        let (picture, limits) = (sample.order.picture, sample.order.limits)
        #expect(try DraftRehearsal.run([part], of: picture, name: "fuzz", limits: limits) == nil)
    }

    @Test("Bytes that were tampered with are refused, or planned without harm", arguments: 0..<6)
    func tamperedBytes(group: UInt64) throws {
        for seed in (25 * group)..<(25 * group + 25) {
            let sample = try seed % 5 == 0 ? .rich() : DraftSample.random(seed)
            guard let sample else { continue }
            let whole = try #require(try sample.draft.encodedParts().first)
            var random = SeededGenerator(seed: seed)
            for _ in 0..<15 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) { change(&bytes, &random) }
                try tryOut(bytes, sample, seed: seed)
            }
        }
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let index = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0...6, using: &random) {
        case 0 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2 where index < bytes.count: bytes[index] = Bool.random(using: &random) ? 0xFF : 0
        // Numbers are small, and many bytes are numbers.
        case 3 where index < bytes.count: bytes[index] &+= 1
        case 4: bytes.removeSubrange(index...)
        case 5: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: 8) + [1], at: index)
        default:
            let other = Int.random(in: 0...bytes.count, using: &random)
            bytes = Array(bytes[..<index] + bytes[other...])
        }
    }

    @Test("No beginning of a draft is one") func cuts() throws {
        let sample = try DraftSample.rich()
        let whole = try #require(try sample.draft.encodedParts().first)
        for count in stride(from: 0, to: whole.count, by: 97) {
            #expect(throws: ProtocolError.self) { try sample.decoded([Array(whole[..<count])]) }
        }
    }

    private func tryOut(_ bytes: [UInt8], _ sample: DraftSample, seed: UInt64) throws {
        let draft: PictureDraft
        do throws(ProtocolError) {
            draft = try sample.decoded([bytes])
        } catch {
            #expect(!"\(error)".contains("\n"), "seed \(seed)")
            return
        }
        let parts = try draft.encodedParts()
        #expect(try sample.decoded(parts).encodedParts() == parts, "seed \(seed)")
        guard draft.fault(for: sample.order, blocks: sample.blocks) == nil else { return }
        // Tasks go to workers, which read them with the same care.
        for keepsResults in [false, true] {
            for task in try draft.rehearsed(keepsResults: keepsResults).tasks {
                let task = WorkerTask.render(task)
                #expect(try WorkerTask(decoding: task.encoded()) == task, "seed \(seed)")
            }
        }
    }
}

/// A draft that fuzzing begins with.
private struct FuzzSeed: Sendable, CustomTestStringConvertible {
    var name: String
    /// The place of the order in `Fuzz/Sources/FuzzDrafts`.
    var orderNumber: UInt8
    var formats: [PictureFormat]
    var layers: [Layer] = []

    var testDescription: String { name }

    static let all: [FuzzSeed] = {
        let strokes = [
            Stroke.line(from: (3, 3), to: (40, 20), brush: Brush(type: .solid, lineWidth: 2)),
            .line(from: (10, 40), to: (50, 5)),
        ]
        let picture = Layer(
            name: "a", maskImage: .fake("mask", width: 16, height: 12), contentImage: .fake("b", width: 64, height: 48))
        var group = Layer(name: "group")
        group.kind = .group([Layer(name: "base", strokes: strokes), picture], isPassThrough: false)
        var shapes = Layer(name: "shapes")
        var square = ShapePath()
        square.move(to: Point(x: 4, y: 4))
        for (x, y) in [(30.0, 4.0), (30, 30), (4, 30)] { square.line(to: Point(x: x, y: y)) }
        square.close()
        let gradient = Gradient(
            kind: .radial(center: Point(x: 9, y: 9), radius: 8), stops: [Gradient.Stop(offset: 0.5, color: .black)])
        shapes.shapes = [Shape(path: square, text: "a square")]
        var glow = Layer(name: "glow")
        glow.kind = .fill(.gradient(gradient))
        glow.maskShapes = shapes.shapes
        let masked = Layer(name: "masked", maskImage: .fake("m", width: 16, height: 12), strokes: strokes)
        return [
            FuzzSeed(name: "least", orderNumber: 0, formats: [.png]),
            FuzzSeed(name: "strokes", orderNumber: 0, formats: [.png], layers: [Layer(strokes: strokes)]),
            FuzzSeed(name: "shapes", orderNumber: 2, formats: [.svg, .png], layers: [shapes, glow]),
            FuzzSeed(name: "images", orderNumber: 0, formats: [.png], layers: [picture]),
            FuzzSeed(name: "layers", orderNumber: 1, formats: [.psd, .ora], layers: [group, masked]),
            FuzzSeed(name: "drawing", orderNumber: 2, formats: [.svg, .png], layers: [masked]),
            FuzzSeed(
                name: "drawings", orderNumber: 3, formats: [.vectorPDF, .plot], layers: [Layer(strokes: strokes)]),
            FuzzSeed(name: "jpeg", orderNumber: 4, formats: [.jpeg], layers: [Layer(strokes: strokes)]),
        ]
    }()

    func sample() throws -> DraftSample {
        let canvas = PixelSize(width: 64, height: 48)
        var options = PictureOptions()
        options.files = formats.map { PictureFileOptions(encoding: PictureEncoding(format: $0)) }
        var limits = Limits()
        (limits.edgePixels, limits.imagePixels, limits.layers) = (512, 1 << 20, 50)
        let order = DraftOrder(
            name: "fuzz", picture: PictureSpec(size: .named("1x"), options: options), limits: limits)
        return try DraftSample(Project(canvasSize: canvas, layers: layers), order, output: canvas)
    }
}
