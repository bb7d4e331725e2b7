import Glibc
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct MaskMakerTests {
    @Test(arguments: [PixelSize(width: 1, height: 1), PixelSize(width: 3, height: 2), PixelSize(width: 40, height: 33)])
    func agreesWithTheFormula(size: PixelSize) throws {
        for seed in UInt64(51)...53 {
            var random = SeededGenerator(seed: seed)
            let color = RGBA8(red: 100, green: 200, blue: 30)
            // One pixel in 25 belongs, just: 25 of 255 is within the tolerance of 0.1, 26 is not.
            var samples: [UInt8] = []
            for _ in 0..<size.area {
                let belongs = Int.random(in: 0..<25, using: &random) == 0
                let outlier = Int.random(in: 0..<4, using: &random)
                for (channel, value) in [100, 200, 30, 255].enumerated() {
                    let distance = !belongs && channel == outlier ? 26 : 25
                    let isBelow = channel == 3 || Bool.random(using: &random)
                    samples.append(UInt8(isBelow ? value - distance : value + distance))
                }
            }
            let found = try MaskMaker.mask(samples: samples, size: size, format: .rgba8, color: color)
            let wanted = expected(samples, size, color)
            for i in found.indices {
                #expect(Int(found[i]) == wanted[i], "seed \(seed), \(size), pixel \(i)")
            }
        }
    }

    @Test func onePixelBecomesABlurredDisc() throws {
        var samples = [UInt8](repeating: 0, count: 25 * 25 * 3)
        for channel in 0..<3 { samples[(12 * 25 + 12) * 3 + channel] = 255 }
        let mask = try MaskMaker.mask(
            samples: samples, size: PixelSize(width: 25, height: 25), format: .rgb8, color: .white)
        #expect((200...240).contains(mask[12 * 25 + 12]))
        #expect(mask[12 * 25 + 14] == mask[14 * 25 + 12] && mask[12 * 25 + 14] > 90)
        #expect(mask[14 * 25 + 14] < mask[12 * 25 + 14], "the corner of the square is not in the disc")
        #expect(mask[0] == 0 && mask[12 * 25 + 21] == 0)
    }

    @Test func theWholePictureStaysWhole() throws {
        let size = PixelSize(width: 17, height: 9)
        let mask = try MaskMaker.mask(
            samples: [UInt8](repeating: 10, count: size.area * 3), size: size, format: .rgb8, color: .black)
        #expect(mask == [UInt8](repeating: 255, count: size.area))
        let none = try MaskMaker.mask(
            samples: [UInt8](repeating: 10, count: size.area * 3), size: size, format: .rgb8, color: .white)
        #expect(none == [UInt8](repeating: 0, count: size.area))
    }

    @Test func samplesThatDoNotFitAreRefused() {
        let size = PixelSize(width: 2, height: 2)
        #expect(throws: EngineError.self) {
            try MaskMaker.mask(samples: [1, 2, 3], size: size, format: .rgb8, color: .white)
        }
        #expect(throws: EngineError.self) {
            try MaskMaker.mask(
                samples: [], size: PixelSize(width: .max, height: .max), format: .rgba8, color: .white)
        }
    }

    /// The rule of section 6, pixel by pixel over whole neighbourhoods.
    private func expected(_ samples: [UInt8], _ size: PixelSize, _ color: RGBA8) -> [Int] {
        let wanted = [color.red, color.green, color.blue, color.alpha]
        func belongs(_ x: Int, _ y: Int) -> Bool {
            guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return false }
            return (0..<4).allSatisfy { c in
                Double(abs(Int(samples[(y * size.width + x) * 4 + c]) - Int(wanted[c]))) / 255 <= 0.1
            }
        }
        var dilated: [Double] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let near = (-2...2).contains { dy in
                    (-2...2).contains { dx in dx * dx + dy * dy <= 4 && belongs(x + dx, y + dy) }
                }
                dilated.append(near ? 1 : 0)
            }
        }
        let total = (-6...6).reduce(0.0) { $0 + exp(-Double($1 * $1) / 2) }
        var result: [Int] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                var sum = 0.0
                for dy in -6...6 {
                    for dx in -6...6 {
                        let at = min(max(y + dy, 0), size.height - 1) * size.width + min(max(x + dx, 0), size.width - 1)
                        sum += exp(-Double(dx * dx + dy * dy) / 2) / (total * total) * dilated[at]
                    }
                }
                result.append(Int((sum * 255 + 0.5).rounded(.down)))
            }
        }
        return result
    }
}
