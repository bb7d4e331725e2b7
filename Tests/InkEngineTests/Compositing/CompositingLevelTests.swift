import CKernels
import InkTestSupport
import Testing

@testable import InkEngine

/// Every level of processor gives the same bytes as the first, and they do not depend on how pixels are handed over.
@Suite struct CompositingLevelTests {
    static let others = KernelLevel.available.dropFirst().map { CompositingKernels($0) }

    /// How a layer and its mask lie in memory.
    enum Layout: CaseIterable {
        case planes, planesAndValues, planesAndLevels, rgba, rgbaAndLevels, rgb, rgbAndValues
    }

    @Test(arguments: BlendMode.allCases)
    func blendingGivesTheSameBytes(mode: BlendMode) {
        for (number, layout) in Layout.allCases.enumerated() {
            for isOpaque in [false, true] {
                for round in 0..<3 {
                    let seed = UInt64(100 * number + 10 * round + (isOpaque ? 1 : 0))
                    let scene = LevelScene(seed: seed)
                    let wanted = scene.blend(layout, mode, isOpaque, CompositingKernels(.scalar))
                    for kernels in Self.others {
                        let found = scene.blend(layout, mode, isOpaque, kernels)
                        #expect(found == wanted, "\(mode), \(layout), opaque \(isOpaque): LevelScene(seed: \(seed))")
                    }
                }
            }
        }
    }

    @Test(arguments: BlendMode.allCases)
    func samplesBlendAsTheirPlanes(mode: BlendMode) {
        for kernels in KernelLevel.available.map({ CompositingKernels($0) }) {
            for seed in UInt64(1000)..<1004 {
                let scene = LevelScene(seed: seed)
                for format in [SampleFormat.rgb8, .rgba8] {
                    let direct = scene.blend(format == .rgb8 ? .rgb : .rgba, mode, false, kernels)
                    let converted = scene.blendConverted(format, mode, kernels)
                    #expect(direct == converted, "\(mode), \(format): LevelScene(seed: \(seed))")
                }
            }
        }
    }

    @Test func outputGivesTheSameBytes() {
        for seed in UInt64(2000)..<2020 {
            let scene = LevelScene(seed: seed)
            for format in [PixelFormat.rgb, .rgba] {
                for (white, isOpaque) in [(false, false), (true, false), (false, true)] {
                    let wanted = scene.output(format, white, isOpaque, CompositingKernels(.scalar))
                    for kernels in Self.others {
                        #expect(
                            scene.output(format, white, isOpaque, kernels) == wanted,
                            "\(format), on white \(white), opaque \(isOpaque): LevelScene(seed: \(seed))")
                    }
                }
            }
        }
    }

    @Test(arguments: [(37, 91), (64, 64), (91, 37), (40, 80), (200, 9)])
    func scalingGivesTheSameBytes(source: Int, output: Int) throws {
        let size = PixelSize(width: source, height: source + 3)
        let target = PixelSize(width: output, height: output + 5)
        let rect = PixelRect(x: 1, y: 2, width: target.width - 2, height: target.height - 2)
        for format in [SampleFormat.mask8, .mask16, .rgb8, .rgba8] {
            let image = TestImage(size: size, format: format, seed: 3000)
            let wanted = try image.bits(target, rect, CompositingKernels(.scalar))
            for kernels in Self.others {
                let found = try image.bits(target, rect, kernels)
                #expect(found == wanted, "seed 3000, \(format) of \(size) to \(target)")
            }
        }
    }
}

/// A layer, a mask and a backdrop of a random size.
private struct LevelScene {
    let width: Int
    let height: Int
    private let samples: [UInt8]
    private let levels: [UInt8]
    private let values: [Float]
    private let under: [UInt8]
    private let opacity: Float

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let width = Int.random(in: 1...150, using: &random)
        let height = Int.random(in: 1...5, using: &random)
        // Corner values are common, also several behind one another.
        func bytes(_ count: Int) -> [UInt8] {
            var result: [UInt8] = []
            while result.count < count {
                let corner: UInt8 = [0, 0, 128, 255].randomElement(using: &random)!
                let run = Int.random(in: 1...(Bool.random(using: &random) ? 4 : 300), using: &random)
                for _ in 0..<run {
                    let isCorner = Int.random(in: 0..<8, using: &random) != 0
                    result.append(isCorner ? corner : UInt8.random(in: 0...255, using: &random))
                }
            }
            return Array(result.prefix(count))
        }
        self.width = width
        self.height = height
        samples = bytes(4 * width * height)
        levels = bytes(width * height)
        values = bytes(width * height).map { Float($0) / 255 }
        under = bytes(4 * width * height)
        opacity = Bool.random(using: &random) ? 1 : Float.random(in: 0...1, using: &random)
    }

    /// The planes of premultiplied samples of four bytes.
    private func planes(_ bytes: [UInt8], isOpaque: Bool) -> FloatPlanes {
        let planes = FloatPlanes(width: width, height: height)
        for i in 0..<planes.count {
            let a = isOpaque ? 1 : Float(bytes[4 * i + 3]) / 255
            planes.red[i] = Float(bytes[4 * i]) / 255 * a
            planes.green[i] = Float(bytes[4 * i + 1]) / 255 * a
            planes.blue[i] = Float(bytes[4 * i + 2]) / 255 * a
            planes.alpha[i] = a
        }
        return planes
    }

    private func bits(_ planes: FloatPlanes) -> [UInt32] {
        [planes.red, planes.green, planes.blue, planes.alpha].flatMap { plane in
            (0..<planes.count).map { plane[$0].bitPattern }
        }
    }

    func blend(
        _ layout: CompositingLevelTests.Layout, _ mode: BlendMode, _ isOpaque: Bool, _ kernels: CompositingKernels
    ) -> [UInt32] {
        let backdrop = planes(under, isOpaque: isOpaque)
        let layer = planes(samples, isOpaque: false)
        samples.withUnsafeBufferPointer { samples in
            levels.withUnsafeBufferPointer { levels in
                values.withUnsafeBufferPointer { values in
                    let levelMask = LayerCompositor.Mask.levels(levels.baseAddress!, stride: width)
                    let valueMask = LayerCompositor.Mask.values(values.baseAddress!, stride: width)
                    let ofPlanes = LayerCompositor.Pixels.planes(layer, firstRow: 0)
                    let rgba = LayerCompositor.Pixels.samples(samples.baseAddress!, .rgba8, stride: 4 * width)
                    let rgb = LayerCompositor.Pixels.samples(samples.baseAddress!, .rgb8, stride: 3 * width)
                    let (pixels, mask): (LayerCompositor.Pixels, LayerCompositor.Mask) =
                        switch layout {
                        case .planes: (ofPlanes, .none)
                        case .planesAndValues: (ofPlanes, valueMask)
                        case .planesAndLevels: (ofPlanes, levelMask)
                        case .rgba: (rgba, .none)
                        case .rgbaAndLevels: (rgba, levelMask)
                        case .rgb: (rgb, .none)
                        case .rgbAndValues: (rgb, valueMask)
                        }
                    LayerCompositor(kernels: kernels).blend(
                        pixels, mask: mask, opacity: opacity, mode: mode, onto: backdrop, isOpaque: isOpaque,
                        width: width, height: height)
                }
            }
        }
        return bits(backdrop)
    }

    /// Blends the samples by way of planes.
    func blendConverted(_ format: SampleFormat, _ mode: BlendMode, _ kernels: CompositingKernels) -> [UInt32] {
        let backdrop = planes(under, isOpaque: false)
        let layer = FloatPlanes(width: width, height: height)
        samples.withUnsafeBufferPointer { samples in
            for y in 0..<height {
                var row = layer.rows(from: y)
                kernels.resample.read_planes(
                    format.pixels, samples.baseAddress! + y * width * format.bytesPerPixel, width, &row)
            }
        }
        LayerCompositor(kernels: kernels).blend(layer, opacity: opacity, mode: mode, onto: backdrop)
        return bits(backdrop)
    }

    func output(_ format: PixelFormat, _ white: Bool, _ isOpaque: Bool, _ kernels: CompositingKernels) -> [UInt8] {
        let rowBytes = width * format.bytesPerPixel + 3
        var bytes = [UInt8](repeating: 77, count: rowBytes * height)
        let output = PixelOutput(format: format, flattenOnWhite: white, isOpaque: isOpaque, kernels: kernels)
        output.write(planes(under, isOpaque: isOpaque), to: &bytes, rowBytes: rowBytes)
        return bytes
    }
}

extension TestImage {
    /// The bits of the image's scaled values.
    fileprivate func bits(
        _ output: PixelSize, _ rect: PixelRect, _ kernels: CompositingKernels
    ) throws -> [UInt32] {
        let filter: ResampleFilter = format.isMask ? .triangle : .lanczos3
        let resampler = try Resampler(source: size, output: output, filter: filter, rect: rect, kernels: kernels)
        let rows = try rows(output, rect, filter)
        if format.isMask {
            var values = [Float](repeating: 9, count: rect.area)
            _ = try resampler.mask(rows, cell: rect, into: &values)
            return values.map(\.bitPattern)
        }
        let planes = FloatPlanes(width: rect.width, height: rect.height)
        _ = try resampler.color(rows, cell: rect, into: planes)
        return [planes.red, planes.green, planes.blue, planes.alpha].flatMap { plane in
            (0..<planes.count).map { plane[$0].bitPattern }
        }
    }
}
