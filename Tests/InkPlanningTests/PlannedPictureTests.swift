import InkCodecs
import InkEngine
import InkReference
import InkTestSupport
import Testing

@testable import InkPlanning

/// Whole pictures by way of drafts, plans and tile tasks, as the farm makes them, against the reference renderer.
@Suite("Planned pictures") struct PlannedPictureTests {
    @Test("Groups, fills, clipping and passing through come out as the specification has them", arguments: 0..<40)
    func layerTrees(seed: UInt64) throws {
        try compare(RandomProject.make(seed: seed, options: .layerTrees)) { $0.isWithinSpecification }
    }

    @Test("Placed pictures are within one step of the specification's nearly everywhere", arguments: 0..<40)
    func placedPictures(seed: UInt64) throws {
        try compare(RandomProject.make(seed: seed, options: .placedPictures)) { $0.isWithinOneStep }
    }

    @Test("Viewports of all kinds of drawings come out as the specification has them", arguments: 0..<40)
    func viewports(seed: UInt64) throws {
        var options = RandomProject.Options.version12
        options.viewportShare = 1
        try compare(RandomProject.make(seed: seed, options: options)) { $0.isWithinSpecification }
    }

    @Test("What version 1.3 adds comes out as the specification has it", arguments: 0..<20)
    func version13(seed: UInt64) throws {
        try compare(RandomProject.make(seed: seed, options: .version13)) { $0.isWithinSpecification }
    }

    @Test(
        "How a picture is cut into tiles does not show in trees, placements, viewports and shapes", arguments: 0..<40,
        [RandomProject.Options.version12, .version13])
    func tilesDoNotShow(seed: UInt64, options: RandomProject.Options) throws {
        let random = RandomProject.make(seed: seed, options: options)
        let whole = try PlannedPicture(random).pixels
        for tile in [PixelSize(width: 4096, height: 16), PixelSize(width: 37, height: 53)] {
            #expect(try PlannedPicture(random, tile: tile).pixels == whole, "tiles of \(tile), \(random)")
        }
    }

    @Test("Whether pictures are scaled when they are decoded or in the tiles does not show", arguments: 0..<4)
    func scalingWhenDecodedDoesNotShow(group: UInt64) throws {
        var scaledCount = 0
        for seed in (10 * group)..<(10 * group + 10) {
            let random = RandomProject.make(seed: seed, options: .smallPlacedPictures)
            let scaled = try PlannedPicture(random)
            scaledCount += scaled.scaledCount
            let whole = try PlannedPicture(random, scales: false)
            #expect(whole.scaledCount == 0)
            #expect(scaled.pixels == whole.pixels, "\(random)")
            let tiled = try PlannedPicture(random, tile: PixelSize(width: 37, height: 53))
            #expect(tiled.pixels == whole.pixels, "\(random)")
        }
        #expect(scaledCount > 0)
    }

    @Test(
        "Pictures that are placed small are within one step of the specification's nearly everywhere", arguments: 0..<20
    )
    func smallPlacedPictures(seed: UInt64) throws {
        try compare(RandomProject.make(seed: seed, options: .smallPlacedPictures)) { $0.isWithinOneStep }
    }

    private func compare(_ random: RandomProject, _ isGood: (PictureComparison) -> Bool) throws {
        let expected = ReferenceRenderer.render(
            project: random.project, viewport: random.viewport, images: random.images, output: random.output)
        let comparison = PictureComparison(
            actual: try PlannedPicture(random).pixels, expected: expected.rgba8(), size: random.output, channels: 4)
        #expect(isGood(comparison), "\(comparison) of \(random)")
    }
}

/// The pixels of a random project, made by its tile tasks.
private struct PlannedPicture {
    var pixels: [UInt8]
    /// Images that were scaled when they were decoded.
    var scaledCount = 0

    /// - Parameter scales: whether images may be scaled when they are decoded.
    init(_ random: RandomProject, tile: PixelSize? = nil, scales: Bool = true) throws {
        var order = PictureOrder(output: random.output)
        order.options.colorMode = .rgba
        order.options.tile = tile
        order.options.view = random.viewport.map {
            .place(center: $0.center, zoom: $0.zoom, rotation: $0.rotation, size: $0.size)
        }
        let blocks = PlanBlocks()
        var encoded: [EncodedBlock] = []
        var draft = try PictureDraft(
            random.project, order: order, name: "random", limits: Limits(), encoder: blocks.encoder, blocks: &encoded)
        var images: [String: StraightImage] = [:]
        for (key, image) in ImageKey.images(of: random.project) { images[image.place] = random.images[key] }
        for index in draft.images.indices where !scales { draft.images[index].scalings = [] }
        let decoded = try draft.images.map { request in
            try blocks.decoded(try #require(images[request.place.path ?? ""]), request)
        }
        scaledCount = draft.images.count { !$0.scalings.isEmpty }
        let plan = try PicturePlan(draft, decoded: decoded)
        let renderer = TileRenderer()
        pixels = [UInt8](repeating: 0, count: random.output.area * 4)
        for row in 0..<plan.whole.grid.rows {
            for column in 0..<plan.whole.grid.columns {
                let task = plan.task(row: row, column: column)
                let rendered = try renderer.render(task, blocks: blocks)
                let rowBytes = task.rect.width * 4
                for y in 0..<task.rect.height {
                    let target = ((task.rect.y + y) * random.output.width + task.rect.x) * 4
                    pixels.replaceSubrange(
                        target..<(target + rowBytes), with: rendered.pixels[(y * rowBytes)..<((y + 1) * rowBytes)])
                }
            }
        }
    }
}

/// Blocks that stay in memory, by number.
private final class PlanBlocks: TileBlocks {
    private var samples: [BlockID: [UInt8]] = [:]
    private var strokes: [BlockID: PreparedStrokeBlock] = [:]

    var encoder: BlockEncoder {
        // One test uses it, on one thread.
        nonisolated(unsafe) let blocks = self
        return BlockEncoder(
            marks: { (made: MarkList) throws(EngineError) in
                let id = blocks.nextID
                blocks.strokes[id] = PreparedStrokeBlock(made)
                return EncodedBlock(id: id, frame: [])
            },
            bytes: { (bytes: [UInt8]) throws(EngineError) in EncodedBlock(id: blocks.add(bytes), frame: []) })
    }

    private var nextID: BlockID {
        var digest = [UInt8](repeating: 0, count: 32)
        for byte in 0..<8 { digest[byte] = UInt8(truncatingIfNeeded: (samples.count + strokes.count) >> (8 * byte)) }
        return BlockID(digest: digest)
    }

    private func add(_ bytes: [UInt8]) -> BlockID {
        let id = nextID
        samples[id] = bytes
        return id
    }

    func decoded(_ image: StraightImage, _ request: ImageRequest) throws -> [DecodedImage] {
        guard request.scalings.isEmpty else {
            // An image of the scene is its file, too.
            let file = try bytes(of: request.file)
            var chunks = Array(repeating: [RowChunk](), count: request.scalings.count)
            let infos = try ImageDecoders.decode(
                file, as: request.use, scalings: request.scalings, place: request.place
            ) { (index, chunk) throws(EngineError) in chunks[index].append(chunk.content.map(add)) }
            return zip(infos, chunks).map { DecodedImage(info: $0, chunks: $1) }
        }
        let isMask = request.use == .mask
        let chunkCount = (image.size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk
        let chunks = (0..<chunkCount).map { index -> RowChunk in
            let rows = ImageSlice.rows(ofChunk: index, imageHeight: image.size.height)
            let start = rows.lowerBound * image.size.width * 4
            let rgba = Array(image.rgba[start..<(start + rows.count * image.size.width * 4)])
            return .samples(add(isMask ? Self.maskSamples(rgba) : rgba))
        }
        let whole = PixelRect(x: 0, y: 0, width: image.size.width, height: image.size.height)
        let info = DecodedImageInfo(
            size: image.size, format: isMask ? .mask16 : .rgba8, maskBounds: isMask ? whole : nil)
        return [DecodedImage(info: info, chunks: chunks)]
    }

    /// Red times alpha, 16 bits, little-endian.
    private static func maskSamples(_ rgba: [UInt8]) -> [UInt8] {
        stride(from: 0, to: rgba.count, by: 4).flatMap { i -> [UInt8] in
            let value = UInt16(rgba[i]) * UInt16(rgba[i + 3])
            return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
        }
    }

    func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        guard let found = samples[id] else { throw .internalError("there is no block \(id)") }
        return found
    }

    func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock {
        guard let found = strokes[id] else { throw .internalError("there is no block \(id)") }
        return found
    }
}
