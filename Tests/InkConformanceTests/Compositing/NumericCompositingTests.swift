import InkTestSupport
import Testing

@testable import InkEngine

/// Numbers of the Web Platform Tests for compositing and blending, for the operators that an export has.
@Suite struct NumericCompositingTests {
    struct Case: Decodable {
        var name: String
        var kind: String
        var mode: String
        var backdrop: [Double]
        var source: [Double]
        var expected: [Int]
        var tolerance: Int
        var layerOpacity: Double?

        enum CodingKeys: String, CodingKey {
            case name, kind, mode, backdrop, source, expected, tolerance
            case layerOpacity = "layer_opacity"
        }
    }

    struct File: Decodable {
        var cases: [Case]
    }

    @Test func everyCaseThatAnExportCanMeet() throws {
        let cases = try Material.decoded(File.self, "compositing-numeric/cases.json").cases
        var compared = 0
        for item in cases {
            let layer = pixel(item.source)
            layer.multiply(by: [Float(item.layerOpacity ?? 1)])
            let result = pixel(item.backdrop)
            guard composite(layer, onto: result, item) else { continue }
            compared += 1
            var found = [UInt8](repeating: 0, count: 4)
            PixelOutput(format: .rgba).write(result, to: &found, rowBytes: 4)
            for channel in 0..<4 {
                let difference = abs(Int(found[channel]) - item.expected[channel])
                #expect(difference <= item.tolerance, "\(item.name): \(found), not \(item.expected)")
            }
        }
        // 14 blend modes, four operators on two backdrops each, one opacity.
        #expect(compared == 23)
    }

    /// False for an operator that no project can ask for.
    private func composite(_ source: FloatPlanes, onto backdrop: FloatPlanes, _ item: Case) -> Bool {
        if item.kind == "blend", let mode = BlendMode(name: item.mode) {
            backdrop.blend(source, mode: mode)
            return true
        }
        switch item.mode {
        case "source-over": backdrop.blend(source, mode: .normal)
        case "lighter": backdrop.blend(source, mode: .plus)
        case "destination-out": backdrop.multiply(by: [1 - source.alpha[0]])
        case "destination-in": backdrop.multiply(by: [source.alpha[0]])
        default: return false
        }
        return true
    }

    private func pixel(_ color: [Double]) -> FloatPlanes {
        let planes = FloatPlanes(width: 1, height: 1)
        planes.red[0] = Float(color[0] / 255 * color[3])
        planes.green[0] = Float(color[1] / 255 * color[3])
        planes.blue[0] = Float(color[2] / 255 * color[3])
        planes.alpha[0] = Float(color[3])
        return planes
    }
}
