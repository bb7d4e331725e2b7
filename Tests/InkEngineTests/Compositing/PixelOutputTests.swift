import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct PixelOutputTests {
    @Test func everyStraightColourComesBack() {
        let planes = FloatPlanes(width: 256, height: 256)
        for alpha in 0..<256 {
            for value in 0..<256 {
                let i = alpha * 256 + value
                let a = Float(alpha) / 255
                planes.red[i] = Float(value) / 255 * a
                planes.green[i] = a
                planes.alpha[i] = a
            }
        }
        var bytes = [UInt8](repeating: 7, count: 256 * 256 * 4)
        PixelOutput(format: .rgba).write(planes, to: &bytes, rowBytes: 1024)
        for alpha in 0..<256 {
            for value in 0..<256 {
                let i = (alpha * 256 + value) * 4
                let wanted: [UInt8] = alpha == 0 ? [0, 0, 0, 0] : [UInt8(value), 255, 0, UInt8(alpha)]
                #expect(Array(bytes[i..<(i + 4)]) == wanted, "value \(value), alpha \(alpha)")
            }
        }
    }

    @Test(arguments: [1, 2, 7, 8, 9, 16, 29])
    func roundsHalvesUpAndKeepsWithinItsRow(width: Int) {
        let seed: UInt64 = 21
        var random = SeededGenerator(seed: seed)
        let planes = FloatPlanes(width: width, height: 3)
        for i in 0..<planes.count {
            // Halves, less what shares of 65,535 may be below them.
            planes.red[i] = (Float(Int.random(in: 0...254, using: &random)) + 0.5) / 255 - Float(i % 3) / 65_535
            planes.green[i] = Float.random(in: -0.2...1.2, using: &random)
            planes.blue[i] = Float.random(in: 0...1, using: &random)
            planes.alpha[i] = 1
        }
        let rowBytes = width * 3 + 2
        var bytes = [UInt8](repeating: 99, count: rowBytes * 3)
        PixelOutput(format: .rgb).write(planes, to: &bytes, rowBytes: rowBytes)
        for y in 0..<3 {
            for x in 0..<width {
                let i = y * width + x
                let wanted = [planes.red[i], planes.green[i], planes.blue[i]].map { (value: Float) -> UInt8 in
                    let raised = min(1, max(0, value)) * 255 + 0.5 + 0.0078125
                    return UInt8(raised.rounded(.down))
                }
                #expect(Float(wanted[0]) > planes.red[i] * 255)
                let start = y * rowBytes + 3 * x
                #expect(Array(bytes[start..<(start + 3)]) == wanted, "seed \(seed), pixel \(x), \(y) of width \(width)")
            }
            #expect(Array(bytes[(y * rowBytes + 3 * width)..<((y + 1) * rowBytes)]) == [99, 99])
        }
    }

    @Test func flatteningPutsThePictureOntoWhite() {
        let planes = FloatPlanes(width: 3, height: 1)
        planes.red[1] = 0.5
        planes.alpha[1] = 0.5
        planes.alpha[2] = 1
        var bytes = [UInt8](repeating: 0, count: 9)
        PixelOutput(format: .rgb, flattenOnWhite: true).write(planes, to: &bytes, rowBytes: 9)
        #expect(bytes == [255, 255, 255, 255, 128, 128, 0, 0, 0])
    }
}
