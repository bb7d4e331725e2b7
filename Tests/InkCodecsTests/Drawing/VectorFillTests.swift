import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkEngine

extension VectorShapeTests {
    @Test("The gradient of a symbol moves with the reference to it, and only once")
    func symbolGradients() throws {
        var uses = [square, square]
        for index in uses.indices {
            uses[index].symbol = "box"
            uses[index].transform = AffineMap(a: 1, b: 0, c: 0, d: 1, x: 20 * Double(index), y: 30)
            uses[index].fill = .gradient(
                Gradient(
                    kind: .linear(from: Point(x: 10, y: 0), to: Point(x: 50, y: 0)),
                    stops: [Gradient.Stop(offset: 0, color: red), Gradient.Stop(offset: 1, color: .white)]))
        }
        let xml = try made([layer(uses)], as: .svg).xml
        #expect(xml.all("use").map { $0.attributes["transform"] } == ["matrix(1 0 0 1 0 30)", "matrix(1 0 0 1 20 30)"])
        let gradients = xml.all("linearGradient")
        #expect(gradients.count == 1 && gradients[0].attributes["gradientTransform"] == nil)
        #expect(gradients[0].attributes["x1"] == "10" && gradients[0].attributes["x2"] == "50")
    }

    @Test("Where stops of a PDF gradient coincide at an end, the outer one counts beyond it")
    func coincidingStops() throws {
        var own = square
        let colors: [(Double, RGBA8)] = [
            (0, red), (0, .black), (0.5, .white), (0.500_000_000_1, red), (1, .white), (1, red),
        ]
        own.fill = .gradient(
            Gradient(
                kind: .linear(from: Point(x: 10, y: 0), to: Point(x: 50, y: 0)),
                stops: colors.map { Gradient.Stop(offset: $0.0, color: $0.1) }))
        let pdf = try made([layer([own])], as: .vectorPDF).pdf
        let shading = try #require((1...pdf.objectCount).compactMap(pdf.object).first { $0.contains("/ShadingType") })
        #expect(shading.contains("/Coords [7.5 0 52.5 0] /Domain [-.0625 1.0625] /Extend [true true]"))
        #expect(shading.contains("/Bounds [0 .5 1] ") && shading.contains("/Encode [0 1 0 1 0 1 0 1]"))
        #expect(shading.contains("/Functions [<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 0 0] /C1 [1 0 0] >>"))
    }

    @Test("A shape that erases by a pattern takes away what the pattern covers, whatever its colour")
    func erasingPatterns() throws {
        var hole = square
        hole.mode = .erase
        var brush = Brush(type: .parallelLines, spacing: 5, color: red)
        brush.opacity = 0.25
        hole.fill = .pattern(brush)
        let xml = try made([layer([square, hole])], as: .svg).xml
        let pattern = try #require(xml.all("path").first { $0.attributes["clip-path"] != nil })
        #expect(xml.path(pattern).contains("mask") && pattern.attributes["stroke"] == "#000")
        #expect(pattern.attributes["stroke-opacity"] == nil)
    }

    @Test("Dots with whole edges are not cut; those whose centres lie inside are drawn", arguments: formats)
    func wholeDots(format: PictureFormat) throws {
        var brush = Brush(type: .dots, spacing: 10)
        brush.edge = .whole
        var own = square
        own.fill = .pattern(brush)
        let made = try made([layer([own])], as: format)
        // On the outline too: 10, 20 ... 50 by 10, 20, 30.
        if format == .svg {
            let xml = try made.xml
            #expect(xml.all("clipPath").isEmpty && xml.all("path")[0].attributes["d"]?.count { $0 == "m" } == 15)
            #expect(xml.all("path")[0].attributes["stroke-linecap"] == "round")
        } else {
            let contents = try made.contents()
            #expect(!contents.contains("W n") && contents.matches(of: /\d m\n/).count == 15)
        }
        (brush.anchor, brush.size) = (.canvas, 20)
        let stroke = Stroke(brush: brush, points: [StrokePoint(x: 30, y: 40), StrokePoint(x: 60, y: 40)])
        let xml = try self.made([Layer(strokes: [stroke])], as: .svg).xml
        // 30 to 60 by 30, 40, 50, and 20 and 70 at the ends of the middle row.
        #expect(xml.all("clipPath").isEmpty && xml.all("path")[0].attributes["d"]?.count { $0 == "m" } == 14)
    }

    @Test("What shapes say is kept where an image or an area shows them, and left out beyond the picture")
    func textsOfImages() throws {
        func lettered(_ text: String) -> Layer {
            var own = square
            own.text = text
            return layer([own])
        }
        func texts(_ layers: [Layer]) throws -> [String] {
            let file = String(decoding: try made(layers, as: .svg).file, as: UTF8.self)
            return file.matches(of: />([a-z]+)<\/text>/).map { String($0.1) }
        }
        var clipped = lettered("clipped")
        clipped.isClipped = true
        #expect(try texts([lettered("base"), clipped]) == ["base", "clipped"])
        var twoColors = lettered("base")
        twoColors.shapes.append(square)
        twoColors.shapes[1].fill = .color(red)
        #expect(try texts([twoColors, clipped]) == ["base", "clipped"])
        var odd = lettered("odd")
        odd.blendMode = .vividLight
        #expect(try texts([lettered("below"), odd, lettered("above")]) == ["below", "odd", "above"])
        var far = lettered("far")
        far.shapes[0].transform.x = 1000
        #expect(try texts([far]).isEmpty)
    }

    @Test("A group in PDF does not inherit the ends and joints of lines")
    func groupLines() throws {
        let solid = Stroke(
            brush: Brush(type: .solid, lineWidth: 3), points: [StrokePoint(x: 20, y: 20), StrokePoint(x: 80, y: 60)])
        let lines = Stroke(
            brush: Brush(type: .parallelLines, spacing: 12, lineWidth: 3, anchor: .canvas), points: solid.points)
        let pdf = try made([Layer(strokes: [solid]), Layer(opacity: 0.5, strokes: [lines])], as: .vectorPDF).pdf
        let forms = (1...pdf.objectCount).compactMap { pdf.object($0)?.contains("/Subtype /Form") == true ? $0 : nil }
        let last = try #require(forms.last)
        #expect(try pdf.text(last)?.contains("0 J\n0 j\n") == true)
    }
}
