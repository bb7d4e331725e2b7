import InkTestSupport
import Testing

@testable import InkEngine

/// Drawings inside of larger pictures, with repeated pixels.
@Suite("Framed drawings")
struct PictureFrameTests {
    private struct Blocks: TileBlocks {
        var samples: [UInt8]

        func bytes(of id: BlockID) throws(EngineError) -> [UInt8] { samples }
        func strokes(
            of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
        ) throws(EngineError) -> PreparedStrokeBlock {
            throw .internalError("no strokes")
        }
    }

    private static let drawing = PixelSize(width: 5, height: 4)

    private static func samples(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<(4 * drawing.area)).map { place in
            place % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
        }
    }

    private func pixels(
        _ samples: [UInt8], _ frame: PictureFrame, rect: PixelRect, format: PixelFormat, background: RGBA8
    ) throws -> [UInt8] {
        let size = Self.drawing
        let block = BlockID(digest: [UInt8](repeating: 1, count: 32))
        let image = ImageSlice(size: size, format: .rgba8, firstChunk: 0, chunks: [.samples(block)])
        let layer = TileLayer(opacity: 1, blendMode: .normal, mask: nil, content: image, strokes: [])
        let task = TileTask(
            canvas: CanvasSize(size), output: size, rect: rect, background: background, baseImage: nil,
            layers: [layer], pixelFormat: format, delivery: .pixels, frame: frame)
        return try TileRenderer().render(task, blocks: Blocks(samples: samples)).pixels
    }

    @Test("Each pixel is repeated, and tiles do not show", arguments: UInt64(0)..<20)
    func repeated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let magnification = Int.random(in: 1...3, using: &random)
        let (left, top) = (Int.random(in: 0...4, using: &random), Int.random(in: 0...4, using: &random))
        let frame = PictureFrame(
            size: PixelSize(
                width: left + Self.drawing.width * magnification + Int.random(in: 0...3, using: &random),
                height: top + Self.drawing.height * magnification + Int.random(in: 0...3, using: &random)),
            x: left, y: top, magnification: magnification)
        let samples = Self.samples(&random)
        let isOpaque = Bool.random(using: &random)
        let background = isOpaque ? RGBA8(red: 9, green: 8, blue: 7) : .transparent
        var expected: [UInt8] = []
        for y in 0..<frame.size.height {
            for x in 0..<frame.size.width {
                let (column, row) = ((x - left), (y - top))
                let isInside =
                    column >= 0 && row >= 0 && column < Self.drawing.width * magnification
                    && row < Self.drawing.height * magnification
                if isInside {
                    let at = 4 * (row / magnification * Self.drawing.width + column / magnification)
                    expected += samples[at..<(at + 3)] + (isOpaque ? [] : [255])
                } else {
                    expected += isOpaque ? [9, 8, 7] : [0, 0, 0, 0]
                }
            }
        }
        let format = isOpaque ? PixelFormat.rgb : .rgba
        let tile = Int.random(in: 1...4, using: &random)
        var found = [UInt8](repeating: 1, count: expected.count)
        let bytes = format.bytesPerPixel
        for y in stride(from: 0, to: frame.size.height, by: tile) {
            for x in stride(from: 0, to: frame.size.width, by: tile) {
                let rect = PixelRect(
                    x: x, y: y, width: min(tile, frame.size.width - x), height: min(tile, frame.size.height - y))
                let part = try pixels(samples, frame, rect: rect, format: format, background: background)
                for row in 0..<rect.height {
                    let target = ((y + row) * frame.size.width + x) * bytes
                    found.replaceSubrange(
                        target..<(target + rect.width * bytes),
                        with: part[(row * rect.width * bytes)..<((row + 1) * rect.width * bytes)])
                }
            }
        }
        #expect(found == expected, "seed \(seed)")
    }

    @Test("A drawing that does not fit into its frame is refused")
    func beyond() {
        let size = PixelSize(width: 9, height: 9)
        for frame in [
            PictureFrame(size: size, x: 5, y: 0), PictureFrame(size: size, x: -1, y: 0),
            PictureFrame(size: size, x: 0, y: 0, magnification: 2),
            PictureFrame(size: size, x: 0, y: 0, magnification: 0),
        ] {
            #expect(!frame.holds(Self.drawing))
            #expect(throws: EngineError.self) {
                try pixels(
                    [UInt8](repeating: 255, count: 4 * Self.drawing.area), frame,
                    rect: PixelRect(x: 0, y: 0, width: 1, height: 1), format: .rgba, background: .transparent)
            }
        }
    }
}
