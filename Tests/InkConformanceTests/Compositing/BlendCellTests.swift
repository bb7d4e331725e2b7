import InkTestSupport
import Testing

@testable import InkEngine

/// The blend modes on a photograph and a gradient against Photoshop's rendering.
@Suite struct BlendCellTests {
    static let modes = BlendMode.allCases.filter { $0 != .plus }

    @Test(arguments: modes)
    func comesNearPhotoshop(mode: BlendMode) throws {
        let folder = "blend-cells/\(mode.hyphenatedName)"
        let result = FloatPlanes(try Material.picture("\(folder)/backdrop.png"))
        let source = FloatPlanes(try Material.picture("\(folder)/source.png"))
        result.blend(source, mode: mode)
        let expected = FloatPlanes(try Material.picture("\(folder)/expected.png"))
        let mask = try Material.picture("\(folder)/mask.png")

        var compared = 0
        var sum = 0.0
        var near = 0
        for i in 0..<result.count where mask.samples[i * mask.channels] == 255 {
            let (red, green, blue) = result.differenceOverWhite(expected, at: i)
            compared += 1
            sum += (red + green + blue) / 3
            near += max(red, green, blue) <= 9 ? 1 : 0
        }
        try #require(compared > 100)
        #expect(sum / Double(compared) <= 1.2)
        #expect(Double(near) >= 0.995 * Double(compared))
    }
}
