import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

struct WholePNGTests {
    @Test(arguments: [
        PixelSize(width: 1, height: 1), PixelSize(width: 7, height: 3), PixelSize(width: 300, height: 200),
    ])
    func whatIsWrittenIsRead(size: PixelSize) throws {
        var random = SeededGenerator(seed: UInt64(size.area))
        for isNoise in [true, false] {
            let samples = (0..<size.area).map { index in
                isNoise ? UInt8.random(in: 0...255, using: &random) : UInt8(truncatingIfNeeded: index / 50)
            }
            let png = try WholePNG.encode(samples: samples, size: size)
            let header = try PNGHeader(png, place: Place(file: "gray"))
            #expect(header.colorType == .gray && header.size == size && header.bitDepth == 8)
            let (decoded, rgba) = try PNGDecoder.decodeRGBA(png, place: Place(file: "gray"))
            #expect(decoded == size)
            #expect(rgba == samples.flatMap { [$0, $0, $0, 255] })
        }
    }

    @Test func samplesThatDoNotFitAreRefused() {
        for (count, size) in [(3, PixelSize(width: 2, height: 2)), (0, PixelSize(width: 0, height: 2))] {
            #expect(throws: EngineError.self) {
                try WholePNG.encode(samples: [UInt8](repeating: 0, count: count), size: size)
            }
        }
    }
}
