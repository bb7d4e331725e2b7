import InkEngine
import InkTestSupport
import Testing

/// What workers are sent of images: samples of four formats, and chunks of one value that have none.
@Suite("Images in chunks")
struct ChunkTests {
    private struct Blocks: TileBlocks {
        var samples: [BlockID: [UInt8]] = [:]
        var stroke: PreparedStrokeBlock
        static let strokes = BlockID(digest: [UInt8](repeating: 9, count: 32))

        func bytes(of id: BlockID) throws(EngineError) -> [UInt8] { samples[id] ?? [] }
        func strokes(
            of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
        ) throws(EngineError) -> PreparedStrokeBlock {
            stroke
        }

        /// Four chunks of rows, each of one pixel or of chance, as blocks or, where it can be, as one value.
        mutating func image(
            _ pixels: [UInt32?], _ format: SampleFormat, width: Int, asSamples: Bool
        ) -> ImageSlice {
            var random = SeededGenerator(seed: 5)
            let chunks = pixels.enumerated().map { index, pixel -> RowChunk in
                if let pixel, !asSamples { return .constant(pixel) }
                let id = BlockID(digest: [UInt8](repeating: UInt8(index), count: 32))
                samples[id] = (0..<(64 * width * format.bytesPerPixel)).map { place in
                    guard let pixel else { return .random(in: 0...255, using: &random) }
                    return UInt8(truncatingIfNeeded: pixel >> UInt32(8 * (place % format.bytesPerPixel)))
                }
                return .samples(id)
            }
            return ImageSlice(
                size: PixelSize(width: width, height: 64 * pixels.count), format: format, firstChunk: 0, chunks: chunks)
        }
    }

    private func render(
        _ output: PixelSize, _ blocks: Blocks, mask: ImageSlice? = nil, content: ImageSlice? = nil, hasStroke: Bool
    ) throws -> [UInt8] {
        let strokes = hasStroke ? [StrokeSelection(block: Blocks.strokes, indices: [0])] : []
        let layer = TileLayer(opacity: 1, blendMode: .normal, mask: mask, content: content, strokes: strokes)
        let task = TileTask(
            canvas: CanvasSize(PixelSize(width: 40, height: 256)), output: output,
            rect: PixelRect(x: 0, y: 0, width: output.width, height: output.height), background: .white,
            baseImage: nil, layers: [layer], pixelFormat: .rgb, delivery: .pixels)
        return try TileRenderer().render(task, blocks: blocks).pixels
    }

    private static let stroke = PreparedStrokeBlock(
        .strokes([
            Stroke(
                brush: Brush(type: .solid, lineWidth: 30, color: .black),
                points: [StrokePoint(x: 20, y: 0), StrokePoint(x: 20, y: 256)])
        ]))
    private static let outputs = [PixelSize(width: 40, height: 256), PixelSize(width: 27, height: 171)]

    @Test("A mask's chunk of one value is that value everywhere", arguments: [SampleFormat.mask8, .mask16], outputs)
    func masks(format: SampleFormat, output: PixelSize) throws {
        let one: UInt32 = format == .mask8 ? 255 : 65_025
        for pixels in [
            [one, one, one, one], [one, 0, one, 0], [0, one, 0, 0], [nil, 0, nil, one], [one, nil, 0, 0],
        ] {
            let pictures = try [true, false].map { asSamples in
                var blocks = Blocks(stroke: Self.stroke)
                let mask = blocks.image(pixels, format, width: 40, asSamples: asSamples)
                return try render(output, blocks, mask: mask, hasStroke: true)
            }
            #expect(pictures[0] == pictures[1], "\(pixels)")
            #expect(pictures[0].contains(0))
        }
    }

    @Test("A picture's chunk of one value is that value everywhere", arguments: [SampleFormat.rgb8, .rgba8], outputs)
    func colors(format: SampleFormat, output: PixelSize) throws {
        let (red, clear): (UInt32, UInt32) = format == .rgb8 ? (0xFF, 0) : (0xFF00_00FF, 0)
        for pixels in [
            [red, red, red, red], [clear, red, clear, red], [red, clear, clear, clear], [nil, red, nil, clear],
        ] {
            for hasStroke in [true, false] {
                let pictures = try [true, false].map { asSamples in
                    var blocks = Blocks(stroke: Self.stroke)
                    let content = blocks.image(pixels, format, width: 40, asSamples: asSamples)
                    return try render(output, blocks, content: content, hasStroke: hasStroke)
                }
                #expect(pictures[0] == pictures[1], "\(pixels)")
            }
        }
    }

    /// Such a mask nearly is one value, which the renderer looks for.
    @Test("One pixel of a mask counts, wherever it is", arguments: outputs)
    func onePixel(output: PixelSize) throws {
        for (x, y) in [(39, 100), (0, 100), (20, 0), (20, 255), (39, 255)] {
            for (inside, outside) in [(0, 255), (255, 0)] as [(UInt8, UInt8)] {
                let pictures = try [SampleFormat.mask8, .mask16].map { format in
                    var blocks = Blocks(stroke: PreparedStrokeBlock(.strokes([])))
                    // One after the other down the picture, so that a row of cells has it.
                    var mask = blocks.image(Array(repeating: nil, count: 4), format, width: 40, asSamples: true)
                    for (chunk, entry) in mask.chunks.enumerated() {
                        guard case .samples(let id) = entry else { continue }
                        blocks.samples[id] = (0..<(64 * 40)).flatMap { place -> [UInt8] in
                            let value = place == (y - 64 * chunk) * 40 + x ? inside : outside
                            let wide = Int(value) * 255
                            return format == .mask8 ? [value] : [UInt8(wide & 255), UInt8(wide >> 8)]
                        }
                    }
                    mask.format = format
                    var red = Blocks(stroke: blocks.stroke)
                    let content = red.image(Array(repeating: 0xFF, count: 4), .rgb8, width: 40, asSamples: false)
                    return try render(output, blocks, mask: mask, content: content, hasStroke: false)
                }
                #expect(pictures[0] == pictures[1], "\(inside) at \(x), \(y)")
            }
        }
    }
}
