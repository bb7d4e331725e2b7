import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Items of packs as pictures, against the vectors of the reference (`Data/packs/SOURCES.md`).
@Suite("Steps of packs")
struct PackStepTests {
    private struct Vectors: Decodable {
        var colorSteps: [ColorStep]
        var layers: [LayerStep]
        var softLight: [SoftLight]
        var gradients: [Gradient]
    }

    private struct ColorStep: Decodable {
        var below: [UInt8]
        var mode: String
        var color: String
        var amount: Double
        var expected: [UInt8]
    }

    private struct LayerStep: Decodable {
        var below: [UInt8]
        var mode: String
        var pixel: [UInt8]
        var opacity: Double
        var clip: Bool
        var expected: [UInt8]
    }

    private struct SoftLight: Decodable {
        var below: UInt8
        var pixel: UInt8
        var expected: UInt8
    }

    private struct Gradient: Decodable {
        var width: Int
        var height: Int
        var gradient: [Stop]
        var angle: Double
        var expected: [[[UInt8]]]

        enum Stop: Decodable {
            case color(String)
            case place(Double, String)

            init(from decoder: any Decoder) throws {
                if let color = try? decoder.singleValueContainer().decode(String.self) {
                    self = .color(color)
                } else {
                    var list = try decoder.unkeyedContainer()
                    self = .place(try list.decode(Double.self), try list.decode(String.self))
                }
            }

            var text: String {
                switch self {
                case .color(let color): #""\#(color)""#
                case .place(let place, let color): #"[\#(place), "\#(color)"]"#
                }
            }
        }
    }

    private static let vectors: Vectors = {
        do {
            return try JSONDecoder().decode(Vectors.self, from: Data(try PNGData.bytes("packs/steps.json")))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// The picture of the only item of a pack: a base, and further JSON of the item and the pack.
    private static func picture(
        base: [UInt8], _ size: PixelSize, layer: [UInt8]? = nil, item: String, pack: String = ""
    ) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try folder.write(MinimalPNGWriter.png(rgba: base, size: size), to: "base.png")
        if let layer {
            let pixel = PixelSize(width: 1, height: 1)
            try folder.write(MinimalPNGWriter.png(rgba: layer, size: pixel), to: "layer.png")
        }
        let text = #"{"id": "steps", \#(pack) "items": [{"id": "item", "base": "base.png", \#(item)}]}"#
        let file = try folder.write(Array(text.utf8), to: "a.inkpack")
        let project = try ProjectLoader.load(path: file).project
        let page = try #require(try project.pages?.page(0))
        #expect(page.view == nil)
        return try DocumentPictures.picture(of: page.project).pixels
    }

    /// Whether all channels are within 1 where something is to be seen.
    private static func agree(_ found: [UInt8], _ expected: [UInt8]) -> Bool {
        guard found.count == expected.count else { return false }
        return stride(from: 0, to: found.count, by: 4).allSatisfy { at in
            let alpha = Double(max(found[at + 3], expected[at + 3])) / 255
            let colors = (0..<3).allSatisfy {
                (abs(Double(found[at + $0]) - Double(expected[at + $0])) * alpha + 0.5).rounded(.down) <= 1
            }
            return colors && abs(Int(found[at + 3]) - Int(expected[at + 3])) <= 1
        }
    }

    @Test("A colour step changes colours and no alpha", arguments: vectors.colorSteps.indices)
    func colors(index: Int) throws {
        let step = Self.vectors.colorSteps[index]
        let pixels = try Self.picture(
            base: step.below, PixelSize(width: 1, height: 1),
            item: #""color": [{"mode": "\#(step.mode)", "color": "\#(step.color)", "amount": \#(step.amount)}]"#)
        #expect(Self.agree(pixels, step.expected), "\(step): \(pixels)")
    }

    private static func layered(_ step: LayerStep) throws -> [UInt8] {
        try picture(
            base: step.below, PixelSize(width: 1, height: 1), layer: step.pixel, item: #""effects": ["e"]"#,
            pack:
                #""effects": {"e": {"layers": [{"picture": "layer.png", "mode": "\#(step.mode)", "opacity": \#(step.opacity), "clip": \#(step.clip)}]}},"#
        )
    }

    @Test("A layer is blended as W3C says, or clipped", arguments: vectors.layers.indices)
    func layers(index: Int) throws {
        let step = Self.vectors.layers[index]
        let pixels = try Self.layered(step)
        #expect(Self.agree(pixels, step.expected), "\(step): \(pixels)")
    }

    @Test("Soft light is W3C's", arguments: vectors.softLight.indices)
    func softLight(index: Int) throws {
        let step = Self.vectors.softLight[index]
        func gray(_ value: UInt8) -> [UInt8] { [value, value, value, 255] }
        let pixels = try Self.layered(
            LayerStep(
                below: gray(step.below), mode: "softLight", pixel: gray(step.pixel), opacity: 1, clip: false,
                expected: gray(step.expected)))
        #expect(Self.agree(pixels, gray(step.expected)), "\(step): \(pixels)")
    }

    @Test("A gradient runs across the picture as in CSS", arguments: vectors.gradients.indices)
    func gradients(index: Int) throws {
        let step = Self.vectors.gradients[index]
        let size = PixelSize(width: step.width, height: step.height)
        let stops = step.gradient.map(\.text).joined(separator: ", ")
        let pixels = try Self.picture(
            base: [UInt8](repeating: 255, count: 4 * size.area), size,
            item: #""color": [{"gradient": [\#(stops)], "angle": \#(step.angle)}]"#)
        #expect(Self.agree(pixels, step.expected.flatMap { $0.flatMap { $0 + [255] } }), "\(step): \(pixels)")
    }

    @Test("Colours are swapped at once, whatever comes before")
    func replaced() throws {
        let pixels = try Self.picture(
            base: [255, 255, 255, 255, 0, 0, 0, 128, 255, 255, 255, 0, 1, 1, 1, 255], PixelSize(width: 4, height: 1),
            item:
                ##""color": [{"color": "#808080"}, {"replace": {"#fff": "#000", "#000": "#fff"}}, {"replace": {"#000": "#f00"}}]"##
        )
        #expect(Self.agree(pixels, [128, 0, 0, 255, 128, 128, 128, 128, 0, 0, 0, 0, 1, 1, 1, 255]), "\(pixels)")
    }
}
