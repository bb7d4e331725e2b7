import Glibc
import InkTestSupport
import Testing

@testable import InkEngine

/// A case of scaling: sizes that are small, prime to each other, equal along one axis, or far apart.
struct ScalingCase: Sendable, CustomTestStringConvertible {
    var source: PixelSize
    var output: PixelSize
    var testDescription: String { "\(source) to \(output)" }

    static let all = [
        ScalingCase(source: PixelSize(width: 31, height: 23), output: PixelSize(width: 62, height: 46)),
        ScalingCase(source: PixelSize(width: 61, height: 40), output: PixelSize(width: 26, height: 17)),
        ScalingCase(source: PixelSize(width: 20, height: 150), output: PixelSize(width: 20, height: 61)),
        ScalingCase(source: PixelSize(width: 50, height: 50), output: PixelSize(width: 50, height: 50)),
        ScalingCase(source: PixelSize(width: 3, height: 2), output: PixelSize(width: 37, height: 19)),
        ScalingCase(source: PixelSize(width: 1, height: 1), output: PixelSize(width: 9, height: 5)),
        ScalingCase(source: PixelSize(width: 130, height: 70), output: PixelSize(width: 7, height: 5)),
        ScalingCase(source: PixelSize(width: 64, height: 65), output: PixelSize(width: 1, height: 1)),
        // So wide that weights are kept, for images of two sizes.
        ScalingCase(source: PixelSize(width: 40, height: 3), output: PixelSize(width: 600, height: 4)),
        ScalingCase(source: PixelSize(width: 31, height: 3), output: PixelSize(width: 600, height: 4)),
    ]
}

@Suite struct ResamplerTests {
    @Test(arguments: ScalingCase.all, [SampleFormat.rgb8, .rgba8])
    func coloursAgreeWithTheFormula(scaling: ScalingCase, format: SampleFormat) throws {
        let image = TestImage(size: scaling.source, format: format, seed: 31)
        let found = try image.color(scaling.output, whole(scaling.output))
        let wanted = image.wanted(scaling.output, radius: 3) { x in
            x == 0 ? 1 : abs(x) >= 3 ? 0 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * x * .pi * x)
        }
        for i in 0..<found.count {
            let alpha = min(1, max(0, wanted[i][3]))
            let values = [found.red[i], found.green[i], found.blue[i], found.alpha[i]].map(Double.init)
            for c in 0..<4 {
                let exact = min(alpha, max(0, wanted[i][c]))
                #expect(abs(values[c] - exact) < 1e-5, "seed 31, pixel \(i), channel \(c): \(values[c]), not \(exact)")
            }
        }
    }

    @Test(arguments: ScalingCase.all, [SampleFormat.mask8, .mask16])
    func masksAgreeWithTheFormula(scaling: ScalingCase, format: SampleFormat) throws {
        let image = TestImage(size: scaling.source, format: format, seed: 32)
        let found = try image.mask(scaling.output, whole(scaling.output)).values
        let wanted = image.wanted(scaling.output, radius: 1) { max(0, 1 - abs($0)) }
        for i in found.indices {
            #expect(
                abs(Double(found[i]) - wanted[i][0]) < 1e-5, "seed 32, pixel \(i): \(found[i]), not \(wanted[i][0])")
        }
    }

    @Test(arguments: ScalingCase.all, [UInt64(41), 42])
    func aPartEqualsThatPartOfTheWhole(scaling: ScalingCase, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let picture = TestImage(size: scaling.source, format: .rgba8, seed: seed)
        let mask = TestImage(size: scaling.source, format: .mask8, seed: seed)
        let wholeColor = try picture.color(scaling.output, whole(scaling.output))
        let wholeMask = try mask.mask(scaling.output, whole(scaling.output)).values
        for _ in 0..<6 {
            let x = Int.random(in: 0..<scaling.output.width, using: &random)
            let y = Int.random(in: 0..<scaling.output.height, using: &random)
            let rect = PixelRect(
                x: x, y: y, width: Int.random(in: 1...(scaling.output.width - x), using: &random),
                height: Int.random(in: 1...(scaling.output.height - y), using: &random))
            let color = try picture.color(scaling.output, rect)
            let values = try mask.mask(scaling.output, rect).values
            for row in 0..<rect.height {
                for column in 0..<rect.width {
                    let i = row * rect.width + column
                    let j = (y + row) * scaling.output.width + x + column
                    let same =
                        color.red[i] == wholeColor.red[j] && color.green[i] == wholeColor.green[j]
                        && color.blue[i] == wholeColor.blue[j] && color.alpha[i] == wholeColor.alpha[j]
                        && values[i] == wholeMask[j]
                    #expect(same, "seed \(seed), \(rect), pixel \(column), \(row)")
                }
            }
        }
    }

    @Test(arguments: ScalingCase.all)
    func evenAreasStayExact(scaling: ScalingCase) throws {
        let white = TestImage(size: scaling.source, format: .rgba8, constant: 0xFF_FF_00_FF)
        let color = try white.color(scaling.output, whole(scaling.output))
        for i in 0..<color.count {
            #expect(color.red[i] == 1 && color.green[i] == 0 && color.blue[i] == 1 && color.alpha[i] == 1)
        }
        for (value, content) in [(UInt32(0), Resampler.MaskContent.zero), (255, .one), (77, .varied)] {
            for stored in [true, false] {
                let mask = TestImage(size: scaling.source, format: .mask8, constant: value, asSamples: stored)
                let found = try mask.mask(scaling.output, whole(scaling.output))
                #expect(found.content == content, "value \(value)")
                #expect(found.values.allSatisfy { abs($0 - Float(value) / 255) < 1e-6 })
            }
        }
    }

    @Test func constantChunksGiveWhatTheirSamplesWouldGive() throws {
        let size = PixelSize(width: 40, height: 200)
        let output = PixelSize(width: 31, height: 77)
        for value in [UInt32(0xFF_80_40_20), 0x80_40_FF_00, 0x00_11_22_33] {
            let short = TestImage(size: size, format: .rgba8, constant: value)
            let long = TestImage(size: size, format: .rgba8, constant: value, asSamples: true)
            let a = try short.color(output, whole(output))
            let b = try long.color(output, whole(output))
            for i in 0..<a.count {
                #expect(a.red[i] == b.red[i] && a.green[i] == b.green[i] && a.alpha[i] == b.alpha[i])
            }
        }
    }

    @Test func theRangeHoldsEverySampleThatCounts() {
        for (source, destination) in [(10, 3), (3, 10), (4_096, 128), (7, 7), (1, 5), (100, 99)] {
            for filter in [ResampleFilter.lanczos3, .triangle] {
                for output in stride(from: 0, to: destination, by: max(1, destination / 5)) {
                    let range = Resampler.sourceRange(
                        forOutput: output..<(output + 1), source: source, destination: destination, filter: filter)
                    let ratio = Double(source) / Double(destination)
                    let counting = (0..<source).filter { input in
                        let x = (Double(input) + 0.5 - (Double(output) + 0.5) * ratio) / max(1, ratio)
                        return abs(x) < Double(filter.radius) - 1e-9
                    }
                    #expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= source)
                    if source != destination {
                        #expect(range.contains(counting.first!) && range.contains(counting.last!))
                        #expect(range.count <= counting.count + 2)
                    }
                }
            }
        }
    }

    @Test(arguments: [(65_536, 2_048), (16_384, 3), (5, 65_536), (4_096, 2_731), (2_048, 2_047)])
    func weightsAddUpToOne(source: Int, destination: Int) {
        for filter in [ResampleFilter.lanczos3, .triangle] {
            for output in [0, destination / 3, destination - 1] {
                let kernel = ResampleKernel(
                    filter: filter, source: source, destination: destination, outputs: output..<(output + 1))
                let sum = kernel.weights.reduce(Float(0), +)
                #expect(abs(sum - 1) < 0x1p-20, "\(source) to \(destination), output \(output): \(sum)")
            }
        }
    }

    @Test func whatDoesNotFitTogetherIsRefused() throws {
        let size = PixelSize(width: 8, height: 100)
        let block = BlockID(digest: [UInt8](repeating: 1, count: 32))
        func rows(_ size: PixelSize, first: Int, _ chunks: [RowChunk], _ bytes: Int) throws(EngineError) -> ImageRows {
            try ImageRows(ImageSlice(size: size, format: .mask8, firstChunk: first, chunks: chunks)) { _ in
                [UInt8](repeating: 0, count: bytes)
            }
        }
        #expect(throws: EngineError.self) { try rows(size, first: 0, [.samples(block)], 511) }
        #expect(throws: EngineError.self) { try rows(size, first: 1, [.constant(0), .constant(0)], 0) }
        #expect(throws: EngineError.self) { try rows(size, first: Int.max, [.constant(0)], 0) }
        #expect(throws: EngineError.self) { try rows(size, first: -1, [.constant(0)], 0) }
        #expect(throws: EngineError.self) {
            try rows(PixelSize(width: .max, height: 8), first: 0, [.samples(block)], 0)
        }

        let second = try rows(size, first: 1, [.samples(block)], 36 * 8)
        let rect = PixelRect(x: 0, y: 0, width: 8, height: 100)
        let resampler = try Resampler(source: size, output: size, filter: .triangle, rect: rect)
        var values = [Float](repeating: 0, count: 800)
        #expect(throws: EngineError.self) { try resampler.mask(second, cell: rect, into: &values) }
        let outside = PixelRect(x: .max, y: 0, width: .max, height: 1)
        #expect(throws: EngineError.self) { try resampler.mask(second, cell: outside, into: &values) }
        #expect(throws: EngineError.self) {
            try resampler.color(second, cell: rect, into: FloatPlanes(width: 8, height: 100))
        }
        #expect(throws: EngineError.self) {
            try Resampler(source: size, output: size, filter: .triangle, rect: outside)
        }
    }

    private func whole(_ size: PixelSize) -> PixelRect { PixelRect(x: 0, y: 0, width: size.width, height: size.height) }
}
