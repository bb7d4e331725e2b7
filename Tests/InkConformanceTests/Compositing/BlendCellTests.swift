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
        LayerCompositor.blend(source: source, onto: result, mode: mode)
        let expected = FloatPlanes(try Material.picture("\(folder)/expected.png"))
        let mask = try Material.picture("\(folder)/mask.png")

        var compared = 0
        var sum = 0.0
        var near = 0
        for i in 0..<result.count where mask.samples[i * mask.channels] == 255 {
            let difference = zip(result.overWhite(i), expected.overWhite(i)).map { abs($0 - $1) }
            compared += 1
            sum += difference.reduce(0, +) / 3
            near += difference.max()! <= 9 ? 1 : 0
        }
        try #require(compared > 100)
        #expect(sum / Double(compared) <= 1.2)
        #expect(Double(near) >= 0.995 * Double(compared))
    }
}
