import InkTestSupport
import Testing

@testable import InkEngine

/// Images that are scaled while they are decoded, against the same images scaled in tiles.
@Suite("Scaling while decoding")
struct ImageScalerTests {
    /// An image of chance that lies anywhere.
    private struct Sample {
        var size: PixelSize
        var format: SampleFormat
        var chunks: [DecodedChunk] = []
        var scaling: ImageScaling
        /// A mask's value beyond its image.
        var outside: Double

        init(seed: UInt64, use: ImageUse) {
            var random = SeededGenerator(seed: seed)
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
            let size = PixelSize(
                width: .random(in: 1...300, using: &random), height: .random(in: 1...300, using: &random))
            let formats: [SampleFormat] = use == .mask ? [.mask8, .mask16] : [.rgb8, .rgba8]
            let format = formats.randomElement(using: &random)!
            let output = PixelSize(
                width: .random(in: 20...90, using: &random), height: .random(in: 20...150, using: &random))
            let canvas = CanvasSize(width: number(20...90), height: number(20...90))
            let rotation = [0, 90, 180, 270, number(-400...400)].randomElement(using: &random)!
            let placement = Placement(
                x: number(-30...60), y: number(-30...60),
                width: number([5...200, 0.1...3].randomElement(using: &random)!),
                height: number([5...200, 0.1...3].randomElement(using: &random)!), rotation: rotation)
            let fills = Int.random(in: 0..<5, using: &random) == 0
            outside = use == .mask && !fills && Bool.random(using: &random) ? number(0...1) : 0
            for first in stride(from: 0, to: size.height, by: 64) {
                let rows = first..<min(size.height, first + 64)
                let level = [0, 255].randomElement(using: &random)!
                let isConstant = Int.random(in: 0..<4, using: &random) == 0
                let samples = (0..<(rows.count * size.width)).flatMap { _ -> [UInt8] in
                    let value = UInt8.random(in: 0...255, using: &random)
                    if format == .mask16 { return [UInt8(UInt16(value) * 255 & 255), UInt8(UInt16(value) * 255 >> 8)] }
                    return (0..<format.bytesPerPixel).map { value &* UInt8(truncatingIfNeeded: 3 * $0 + 1) }
                }
                chunks.append(
                    DecodedChunk(
                        index: first / 64, rows: rows, format: format,
                        content: isConstant
                            ? .constant(level == 0 ? 0 : format == .mask16 ? 65_025 : 0xFF) : .samples(samples)))
            }
            (self.size, self.format) = (size, format)
            scaling = ImageScaling(
                placement: fills ? nil : placement, canvas: canvas, output: output)
        }
    }

    private struct Blocks: TileBlocks {
        var samples: [[UInt8]] = []

        mutating func add(_ chunks: [DecodedChunk]) -> [RowChunk] {
            chunks.map { chunk in
                chunk.content.map { bytes in
                    samples.append(bytes)
                    return BlockID(words: [UInt64(samples.count - 1), 0, 0, 0])
                }
            }
        }

        func bytes(of id: BlockID) throws(EngineError) -> [UInt8] { samples[Int(id.bytes[0]) + 256 * Int(id.bytes[1])] }
        func strokes(
            of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
        ) throws(EngineError) -> PreparedStrokeBlock { throw .internalError("no strokes") }
    }

    private func picture(
        _ slice: ImageSlice, _ scaling: ImageScaling, _ blocks: Blocks, cut: Int, level: KernelLevel = .selected
    ) throws -> [UInt8] {
        let isMask = slice.format.isMask
        let layer = TileLayer(
            opacity: 1, blendMode: .normal, mask: isMask ? slice : nil,
            kind: isMask ? .fill(.color(RGBA8(red: 10, green: 200, blue: 99, alpha: 255))) : .marks(slice, []))
        var pixels: [UInt8] = []
        for y in stride(from: 0, to: scaling.output.height, by: cut) {
            let rect = PixelRect(
                x: 0, y: y, width: scaling.output.width, height: min(cut, scaling.output.height - y))
            let task = TileTask(
                canvas: scaling.canvas, output: scaling.output, rect: rect, background: isMask ? .white : .transparent,
                baseImage: nil,
                layers: [layer], pixelFormat: .rgba, delivery: .pixels)
            pixels += try TileRenderer(kernels: CompositingKernels(level)).render(task, blocks: blocks).pixels
        }
        return pixels
    }

    @Test("It gives what scaling in tiles gives, at any place, size and rotation", arguments: 0..<300)
    func sameAsInTiles(seed: UInt64) throws {
        let use: ImageUse = seed % 3 == 0 ? .mask : .color
        let sample = Sample(seed: seed, use: use)
        guard let part = sample.scaling.part(of: sample.size, as: use) else { return }
        let scaling = sample.scaling
        var scaler = try ImageScaler(scaling, of: sample.size, as: use)
        var scaled: [DecodedChunk] = []
        for chunk in sample.chunks { try scaler.take(chunk) { scaled.append($0) } }
        #expect(scaled.map(\.index) == Array(ImageSlice.chunks(of: 0..<scaler.info.size.height)))
        #expect(scaler.info.size == scaling.size(of: sample.size, as: use))
        var blocks = Blocks()
        let expected = try picture(
            ImageSlice(
                size: sample.size, format: sample.format, firstChunk: 0, chunks: blocks.add(sample.chunks),
                placement: scaling.placement, outside: sample.outside), scaling, blocks, cut: 1000)
        let slice = ImageSlice(
            size: scaler.info.size, format: scaler.info.format, firstChunk: 0, chunks: blocks.add(scaled),
            placement: scaling.placement, outside: sample.outside, part: scaling.placement == nil ? nil : part)
        for cut in [1000, 17] {
            let found = try picture(slice, scaling, blocks, cut: cut)
            #expect(found == expected, "seed \(seed): \(sample.size) of \(sample.format), \(scaling)")
        }
    }

    @Test("Placed images have the same bytes on every level", arguments: 0..<60)
    func levels(seed: UInt64) throws {
        let sample = Sample(seed: seed, use: seed % 3 == 0 ? .mask : .color)
        var blocks = Blocks()
        let slice = ImageSlice(
            size: sample.size, format: sample.format, firstChunk: 0, chunks: blocks.add(sample.chunks),
            placement: sample.scaling.placement, outside: sample.outside)
        let pictures = try KernelLevel.available.map {
            try picture(slice, sample.scaling, blocks, cut: 1000, level: $0)
        }
        #expect(pictures.allSatisfy { $0 == pictures[0] }, "seed \(seed): \(sample.scaling)")
    }

    @Test("The chunks that it needs for a part of the picture are those that it is asked for", arguments: 0..<100)
    func neededRows(seed: UInt64) throws {
        let sample = Sample(seed: seed, use: .color)
        guard let placement = sample.scaling.placement, let part = sample.scaling.part(of: sample.size, as: .color),
            let size = sample.scaling.size(of: sample.size, as: .color)
        else { return }
        let output = sample.scaling.output
        let all = ImageSlice.rowsNeeded(
            for: PixelRect(x: 0, y: 0, width: output.width, height: output.height), placement, image: size, part: part,
            canvas: sample.scaling.canvas, output: output, filter: .lanczos3)
        #expect(all == 0..<size.height, "seed \(seed)")
    }

    @Test("Chunks of an image of another size are refused")
    func chunksOfAnotherImage() throws {
        let place = Placement(x: 2, y: 2, width: 20, height: 20)
        let canvas = PixelSize(width: 30, height: 30)
        let scaling = ImageScaling(placement: place, canvas: CanvasSize(canvas), output: canvas)
        let good = DecodedChunk(
            index: 1, rows: 64..<100, format: .rgb8, content: .samples([UInt8](repeating: 1, count: 36 * 300)))
        func take(_ change: (inout DecodedChunk) -> Void) throws {
            var scaler = try ImageScaler(scaling, of: PixelSize(width: 100, height: 100), as: .color)
            var chunk = good
            change(&chunk)
            try scaler.take(chunk) { _ in }
        }
        #expect(throws: Never.self) { try take { _ in } }
        #expect(throws: EngineError.self) { try take { $0.format = .rgba8 } }
        #expect(throws: EngineError.self) { try take { $0.format = .mask8 } }
        #expect(throws: EngineError.self) { try take { $0.index = 0 } }
        #expect(throws: EngineError.self) { try take { $0.index = 9 } }
        #expect(throws: EngineError.self) { try take { $0.rows = 64..<99 } }
        #expect(throws: EngineError.self) { try take { $0.content = .samples([1, 2, 3]) } }
    }

    @Test("Samples that no decoder makes do no harm")
    func hostileSamples() throws {
        for bits in [Float.nan, .infinity, -.infinity, 1e30, -1e30] {
            for (use, rotation) in [(ImageUse.color, 0.0), (.color, 20), (.mask, 0), (.mask, 20)] {
                let scaling = ImageScaling(
                    placement: Placement(x: 2, y: 2, width: 20, height: 20, rotation: rotation),
                    canvas: CanvasSize(width: 30, height: 30), output: PixelSize(width: 30, height: 30))
                let part = PixelRect(x: 0, y: 0, width: 20, height: 20)
                let count = use.scaledFormat.bytesPerPixel / 4 * part.area
                let pattern = withUnsafeBytes(of: bits.bitPattern.littleEndian) { Array($0) }
                var blocks = Blocks()
                blocks.samples = [(0..<count).flatMap { _ in pattern }]
                let slice = ImageSlice(
                    size: part.size, format: use.scaledFormat, firstChunk: 0,
                    chunks: [.samples(BlockID(words: [0, 0, 0, 0]))], placement: scaling.placement, part: part)
                #expect(try picture(slice, scaling, blocks, cut: 1000).count == 3600)
                var wrong = slice
                wrong.part?.width = 21
                #expect(throws: EngineError.self) { try picture(wrong, scaling, blocks, cut: 1000) }
                wrong.part = nil
                #expect(throws: EngineError.self) { try picture(wrong, scaling, blocks, cut: 1000) }
            }
        }
    }
}
