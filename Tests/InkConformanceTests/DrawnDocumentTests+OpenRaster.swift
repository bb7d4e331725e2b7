import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

extension DrawnDocumentTests {
    /// A row of pixels as a picture.
    private func row(_ pixels: [Pixel]) -> [UInt8] {
        let bytes = pixels.flatMap { pixel in (0..<4).map { UInt8((pixel[$0] * 255).rounded()) } }
        let picture = PackedPicture(
            size: PixelSize(width: pixels.count, height: 1), colors: .rgb, hasAlpha: true,
            planes: [.init(channel: PackedPicture.Plane.all, packing: .raw, range: 0..<bytes.count)])
        return picture.encoded(from: bytes)
    }

    private func openRaster(_ stack: String, _ pictures: [String: [Pixel]]) -> [UInt8] {
        let width = pictures.values.map(\.count).max() ?? 1
        let text = "<image w=\"\(width)\" h=\"1\" version=\"0.0.5\"><stack>\(stack)</stack></image>"
        return archive(
            [("mimetype", Array("image/openraster".utf8)), ("stack.xml", Array(text.utf8))]
                + pictures.sorted { $0.key < $1.key }.map { ($0.key, row($0.value)) })
    }

    /// Porter and Duff's operators (W3C Compositing and Blending Level 1, section 9.1).
    private func composed(_ operation: String, _ source: Pixel, _ below: Pixel) -> Pixel {
        let (a, b) = (source.w, below.w)
        let (fa, fb): (Double, Double) =
            switch operation {
            case "src-over": (1, 1 - a)
            case "src-atop": (b, 1 - a)
            case "dst-in": (0, a)
            case "dst-out": (0, 1 - a)
            case "dst-atop": (1 - b, a)
            default: (1 - b, 1)
            }
        let alpha = a * fa + b * fb
        guard alpha > 0 else { return Self.clear }
        let sum = source * (a * fa) + below * (b * fb)
        return Pixel(sum.x / alpha, sum.y / alpha, sum.z / alpha, alpha)
    }

    private static let operators = ["src-atop", "dst-in", "dst-out", "dst-atop", "dst-over"]

    private var ground: [Pixel] { [Self.red, faint(Self.red, 0.5), Self.clear, Self.clear, Self.red, Self.clear] }
    private var middle: [Pixel] { [Self.clear, faint(Self.blue, 0.5), Self.blue, Self.clear, Self.clear, Self.clear] }
    private var top: [Pixel] {
        [faint(Self.green, 0.5), Self.green, faint(Self.green, 0.25), Self.green, Self.clear, Self.clear]
    }

    @Test("A layer with an operator acts on all that is below it", arguments: operators, [1, 0.5])
    func operatorOfALayer(operation: String, opacity: Double) throws {
        let file = openRaster(
            """
            <layer name="Top" composite-op="svg:\(operation)" opacity="\(opacity)" src="t"/>
            <layer name="Middle" src="m"/><layer name="Ground" src="g"/>
            """, ["t": top, "m": middle, "g": ground])
        let found = try pixels(of: file, "a.ora")
        #expect(found.warnings.isEmpty)
        for index in ground.indices {
            let below = composed("src-over", middle[index], ground[index])
            let wanted = composed(operation, faint(top[index], top[index].w * opacity), below)
            #expect(isNear(found.pixels[index], wanted), "pixel \(index): \(found.pixels[index]), not \(wanted)")
        }
    }

    @Test("A layer above an operator is drawn as ever", arguments: operators)
    func aboveAnOperator(operation: String) throws {
        let file = openRaster(
            """
            <layer name="Last" opacity="0.5" src="m"/><layer name="Top" composite-op="svg:\(operation)" src="t"/>
            <layer name="Ground" src="g"/>
            """, ["t": top, "m": middle, "g": ground])
        let found = try pixels(of: file, "a.ora")
        for index in ground.indices {
            let wanted = composed(
                "src-over", faint(middle[index], middle[index].w / 2), composed(operation, top[index], ground[index]))
            #expect(isNear(found.pixels[index], wanted), "pixel \(index): \(found.pixels[index]), not \(wanted)")
        }
    }

    @Test("A group with an operator acts by all that it covers", arguments: operators)
    func operatorOfAGroup(operation: String) throws {
        let file = openRaster(
            """
            <stack name="Group" composite-op="svg:\(operation)" opacity="0.5">
            <layer name="Top" src="t"/><layer name="Middle" src="m"/></stack><layer name="Ground" src="g"/>
            """, ["t": top, "m": middle, "g": ground])
        let found = try pixels(of: file, "a.ora")
        for index in ground.indices {
            let group = composed("src-over", top[index], middle[index])
            let wanted = composed(operation, faint(group, group.w / 2), ground[index])
            #expect(isNear(found.pixels[index], wanted), "pixel \(index): \(found.pixels[index]), not \(wanted)")
        }
    }

    @Test("An operator stays in its group where that is isolated", arguments: operators, [true, false])
    func operatorInAGroup(operation: String, isIsolated: Bool) throws {
        let file = openRaster(
            """
            <stack name="Group" \(isIsolated ? "isolation=\"isolate\"" : "")>
            <layer name="Top" composite-op="svg:\(operation)" src="t"/><layer name="Middle" src="m"/></stack>
            <layer name="Ground" src="g"/>
            """, ["t": top, "m": middle, "g": ground])
        let found = try pixels(of: file, "a.ora")
        for index in ground.indices {
            let wanted =
                isIsolated
                ? composed("src-over", composed(operation, top[index], middle[index]), ground[index])
                : composed(operation, top[index], composed("src-over", middle[index], ground[index]))
            #expect(isNear(found.pixels[index], wanted), "pixel \(index): \(found.pixels[index]), not \(wanted)")
        }
    }

    @Test func anEraserOutsideOfItsPictureAndAHiddenOneEraseNothing() throws {
        let file = openRaster(
            """
            <layer composite-op="svg:dst-out" visibility="hidden" src="t"/>
            <layer composite-op="svg:dst-out" x="1" src="one"/><layer src="g"/>
            """, ["t": top, "one": [Self.white], "g": Array(repeating: Self.red, count: 4)])
        let found = try pixels(of: file, "a.ora")
        let wanted = [Self.red, Self.clear, Self.red, Self.red]
        #expect(zip(found.pixels, wanted).allSatisfy { isNear($0, $1) }, "\(found.pixels)")
    }

    @Test func whatIsNotReadOfAnOpenRasterFileIsNamed() throws {
        let file = openRaster(
            """
            <layer name="A" glow="1" opacity="half" selected="true" src="g"/><filter/><layer name="B" glow="2" src="g"/>
            <layer name="C" x="9999999" src="g"/><layer name="D"/>
            """, ["g": ground])
        let found = try pixels(of: file, "a.ora")
        #expect(
            Set(found.warnings) == [
                "D: left out: a layer without a picture (src)",
                "C: left out: what lies further away than 1000000 pixels",
                "B and 1 more: left out: the property \"glow\" of a layer", "left out: <filter>",
                "A: left out: opacity=\"half\", which is not a number",
            ])
        #expect(found.project.layers.map(\.name) == ["D", "B", "A"])
    }
}
