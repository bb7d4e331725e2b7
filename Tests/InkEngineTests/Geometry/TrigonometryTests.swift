import Glibc
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct TrigonometryTests {
    @Test func multiplesOfNinetyDegreesAreExact() {
        let expected: [(sin: Double, cos: Double)] = [(0, 1), (1, 0), (0, -1), (-1, 0)]
        for quarter in -9...9 {
            let value = sinCos(degrees: Double(quarter) * 90)
            let wanted = expected[((quarter % 4) + 4) % 4]
            #expect(value.sin == wanted.sin && value.cos == wanted.cos, "\(quarter) quarter turns")
            #expect(sinPi(Double(quarter) / 2) == wanted.sin)
        }
    }

    @Test(arguments: [UInt64(1), 2])
    func agreesWithTheCLibrary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let degrees = Double.random(in: -1080...1080, using: &random)
            let value = sinCos(degrees: degrees)
            // Reduced exactly before the conversion, which would otherwise cost the judge its last bits.
            let radians = degrees.truncatingRemainder(dividingBy: 360) * Double.pi / 180
            #expect(abs(value.sin - sin(radians)) < 3e-15, "seed \(seed), \(degrees) degrees")
            #expect(abs(value.cos - cos(radians)) < 3e-15, "seed \(seed), \(degrees) degrees")
            let x = Double.random(in: -1...1, using: &random)
            #expect(abs(sinPi(x) - sin(Double.pi * x)) < 1e-15, "seed \(seed), \(x) half turns")
        }
    }

    @Test func hugeAndUnusableAnglesAreSafe() {
        #expect(sinCos(degrees: 1e300).sin.magnitude <= 1)
        #expect(sinCos(degrees: .infinity).sin.isNaN)
        #expect(sinCos(degrees: .nan).cos.isNaN)
        #expect(sinPi(-.infinity).isNaN)
    }
}
