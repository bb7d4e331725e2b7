import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

/// Files of ink show what they hold, in whatever encoding they are.
@Suite struct InkFidelityTests {
    @Test func numbersOfInkMLMayBeHexadecimal() throws {
        func points(_ trace: String) throws -> [[Double]] {
            let text = "<ink xmlns=\"http://www.w3.org/2003/InkML\"><trace>\(trace)</trace></ink>"
            return strokes(try load(text).project).flatMap(\.points).map { [$0.x, $0.y] }
        }
        #expect(try points("#A #14, #1E #28") == [[10, 20], [30, 40]])
        #expect(try points("#a#14,'#2'-#3,#1F 4") == [[10, 20], [12, 17], [43, 21]])
        for bad in ["#", "# 4", "#G 4", "1 -#", "#FFFFFFFFFF 1"] {
            #expect(throws: EngineError.self, "\(bad)") { try points(bad) }
        }
    }

    @Test func whatNobodyReadsOfInkIsSaid() throws {
        let reading = try load(
            """
            <ink xmlns="http://www.w3.org/2003/InkML"><brush xml:id="b"><brushProperty name="rasterOp" value="maskPen"/>
            <brushProperty name="tip" value="ellipse"/><brushProperty name="fitToCurve" value="0"/></brush>
            <annotation>x</annotation><mapping/><trace id="t" glow="1">1 2, 3 4</trace></ink>
            """)
        #expect(
            reading.warnings.map(\.reason) == [
                "left out: how the ink of a highlighter mixes with what is below", "left out: <mapping>",
                "left out: the property \"glow\" of a trace",
            ])
        let unipen = try load(
            ".VERSION 1.0\n.COORD X Y P Z\n.PEN_DOWN\n1 2 50 7\n3 4 100 7\n.PEN_UP\n", limits: Limits())
        let stroke = try #require(strokes(unipen.project).first)
        #expect(stroke.points.map(\.pressure) == [0.5, 1] && stroke.brush.dynamics.pressureAffectsSize)
        #expect(unipen.warnings.map(\.reason) == ["left out: the component Z of points"])
    }

    // MARK: - Encodings

    private static func wide(_ text: String, isBig: Bool, hasMark: Bool) -> [UInt8] {
        ((hasMark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)]
        }
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func documentsInUTF16AreRead(isBig: Bool, hasMark: Bool) throws {
        let svg =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\"/>"
        let drawing = """
            {"type": "excalidraw", "elements": [{"type": "rectangle", "x": 0, "y": 0, "width": 40, "height": 20,
             "strokeColor": "#000000", "backgroundColor": "transparent"}]}
            """
        let note = "<xournal><page width=\"30\" height=\"40\"><layer/></page></xournal>"
        for (text, name) in [
            (svg, "a.svg"), (svg, "a"), (drawing, "a.excalidraw"), (drawing, "a"), (note, "a.xopp"), (note, "a"),
        ] {
            let reading = try load(Self.wide(text, isBig: isBig, hasMark: hasMark), name: name)
            #expect(reading.warnings.isEmpty && all(reading.project.layers).count >= 1, "\(name)")
        }
        // Also where it is a layer's image.
        let bytes = Self.wide(svg, isBig: isBig, hasMark: hasMark)
        let image = try EncodedImage(checking: bytes, place: Place(file: "a"), limits: Limits())
        #expect(image.size == PixelSize(width: 20, height: 10))
        // What claims to be in UTF-16 and is not is read as it is.
        #expect(try load(svg).project.canvasSize == CanvasSize(width: 20, height: 10))
        let error = #expect(throws: EngineError.self) {
            try load(Self.wide("{\"canvasSize\": 1}", isBig: isBig, hasMark: hasMark), name: "a.ink")
        }
        #expect(error?.description == "a.ink: is text in UTF-16; a project must be UTF-8, so save it as that")
    }

    @Test func aTextIsNoDocumentAndSaysSo() throws {
        for (text, what) in [
            (Array("Buy milk, and null\n".utf8), "plain text"),
            (Self.wide("Buy milk", isBig: false, hasMark: true), "text in UTF-16"),
        ] {
            for name in ["todo.txt", "todo", "todo.ink"] {
                let error = #expect(throws: EngineError.self) { try load(text, name: name) }
                let line = error?.description ?? ""
                #expect(
                    line.hasPrefix("\(name): is no document that ink knows: it is \(what). ink reads .abc"), "\(line)")
            }
        }
        // What begins like a project says where it is wrong.
        let broken = #expect(throws: EngineError.self) { try load(Array("{\"canvasSize\": nope}".utf8), name: "a.ink") }
        #expect(broken?.description.contains("no document") == false)
    }
}
