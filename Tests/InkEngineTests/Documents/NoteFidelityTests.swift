import Foundation
import InkTestSupport
import Testing

@testable import InkEngine

/// Notes and drawings of other programs show what those programs show, or a warning says what they do not.
@Suite struct NoteFidelityTests {
    private func load(_ bytes: [UInt8], name: String = "f", limits: Limits = Limits()) throws(EngineError)
        -> ProjectReading
    {
        try ProjectLoader.load(bytes: bytes, name: name, limits: limits)
    }

    private func load(_ text: String, limits: Limits = Limits()) throws(EngineError) -> ProjectReading {
        try load(Array(text.utf8), limits: limits)
    }

    private func all(_ layers: [Layer]) -> [Layer] { layers.flatMap { [$0] + all($0.children) } }
    private func strokes(_ project: Project) -> [Stroke] { all(project.layers).flatMap(\.strokes) }
    private func pictures(_ project: Project) -> [Layer] { all(project.layers).filter { $0.contentImage != nil } }

    private func pixels(_ image: EncodedImage?) throws -> SimplePicture { try SimplePNG.read(image?.bytes ?? []) }

    /// Four by two pixels, each of another red: 10, 20, 30, 40 above 50, 60, 70, 80.
    private static let picture = MinimalPNGWriter.png(
        rgb: (1...8).flatMap { [UInt8(10 * $0), 0, 0] }, size: PixelSize(width: 4, height: 2))

    private static var pictureURL: String { "data:image/png;base64,\(Data(picture).base64EncodedString())" }

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
        let drawing = "{\"type\": \"excalidraw\", \"elements\": []}"
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
                    line.hasPrefix("\(name): is no document that ink knows: it is \(what). ink reads .ase"), "\(line)")
            }
        }
        // What begins like a project says where it is wrong.
        let broken = #expect(throws: EngineError.self) { try load(Array("{\"canvasSize\": nope}".utf8), name: "a.ink") }
        #expect(broken?.description.contains("no document") == false)
    }
}
