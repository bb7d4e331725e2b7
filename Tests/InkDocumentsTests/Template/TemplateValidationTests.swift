import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite struct TemplateValidationTests {
    private let folder = InkTestSupport.ScratchFolder()

    private func picture(_ name: String, _ value: UInt8 = 255, width: Int = 4, height: Int = 4) throws {
        let size = PixelSize(width: width, height: height)
        let png = try WholePNG.encode(samples: [UInt8](repeating: value, count: size.area), size: size)
        folder.file(name)
        try write(png, to: name)
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        folder.file(name)
        try TemporaryBytes.write(bytes, to: folder(name))
    }

    private func findings(_ manifest: String) throws -> [String] {
        folder.file("t.inktemplate/manifest.json", manifest)
        let validation = try TemplateValidation(path: folder("t.inktemplate"), limits: Limits())
        #expect(validation.errorCount + validation.warningCount == validation.findings.count)
        return validation.findings.map { "\($0.severity.rawValue) \($0.place): \($0.reason)" }
    }

    @Test("Everything is said at once, with places")
    func everything() throws {
        try picture("t.inktemplate/layers/a_mask.png")
        try picture("t.inktemplate/layers/empty.png", 0)
        try write(Array("no picture".utf8), to: "t.inktemplate/layers/broken.png")
        folder.file("t.inktemplate/notes.txt", "x")
        folder.link("t.inktemplate/layers/link.png", to: "/etc/passwd")
        let found = try findings(
            """
            {"version": "1.0", "id": 5, "canvasSize": {"width": "wide", "height": 4}, "baseImage": "../base.png",
             "preview": "shown.png", "layers": [
              {"id": "a", "opacity": 3, "blendMode": "glow",
               "suggestedPattern": {"type": "dotz", "spacing": -1, "color": "red"}},
              17,
              {"id": "a", "mask": "layers/broken.png", "suggestedPattern": {"type": "dots"}},
              {"id": "c", "mask": "layers/link.png"},
              {"id": "d", "mask": "layers/empty.png", "opactiy": 1, "suggestedPattern": {"type": "dots"}},
              {"id": "e", "mask": "layers/none.png", "suggestedPattern": {"type": "dots"}}]}
            """)
        func has(_ start: String, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(
                found.contains { $0.hasPrefix(start) && $0.contains(text) }, "\(start) ... \(text) of \(found)",
                sourceLocation: sourceLocation)
        }
        has("error manifest.json: id:", "must be a string")
        has("error manifest.json: canvasSize.width:", "must be a number")
        has("error manifest.json: baseImage:", "contains ..")
        has("error manifest.json: layers[0].opacity:", "from 0 to 1")
        has("error manifest.json: layers[0].blendMode:", "glow")
        has("error manifest.json: layers[0].suggestedPattern.type:", "dotz")
        has("error manifest.json: layers[0].suggestedPattern.spacing:", "above 0")
        has("error manifest.json: layers[0].suggestedPattern.color:", "red")
        has("error manifest.json: layers[1]:", "must be an object")
        has("error layers/broken.png:", "not a PNG")
        has("error layers/link.png:", "symbolic link")
        has("error manifest.json: layers[5].mask:", "no file")
        has("warning manifest.json: layers[2].id:", "another layer")
        has("warning layers/empty.png:", "0 everywhere")
        has("warning manifest.json: layers[4].opactiy:", "did you mean opacity?")
        has("warning manifest.json: preview:", "no file")
        has("warning notes.txt:", "belongs to no layer")
        #expect(!found.contains { $0.contains("canvasSize: is missing") || $0.contains("has no mask") }, "\(found)")
    }

    @Test("A good template has no findings; one that is stretched has")
    func good() throws {
        try picture("t.inktemplate/layers/a_mask.png")
        try picture("t.inktemplate/preview.png")
        let layers = #""layers": [{"id": "a", "suggestedPattern": {"type": "dots"}}]"#
        #expect(try findings(#"{"version": "1.0", "canvasSize": {"width": 8, "height": 8}, \#(layers)}"#) == [])
        let found = try findings(#"{"version": "1.0", "canvasSize": {"width": 8, "height": 4}, \#(layers)}"#)
        #expect(found.count == 1 && found[0].contains("stretched"), "\(found)")
    }

    @Test(
        "What is no template at all is said in one finding",
        arguments: [
            "{", "[]", "", "{\"layers\": 5}", "\u{FEFF}{\"id\": 1}", "{\"a", "{\"id\": \"x\\", "{\"id\":5", "[", "\"",
            "{\"id\": 5, \"layers\": [{\"id\":",
        ])
    func hopeless(manifest: String) throws {
        let found = try findings(manifest)
        #expect(found.count { $0.hasPrefix("error") } == 1 || manifest.contains("}"), "\(found)")
    }

    @Test("Manifests of thousands of mistakes end")
    func many() throws {
        let layers = Array(repeating: #"{"id": 1, "opacity": "x", "mask": 7}"#, count: 900).joined(separator: ",")
        let found = try findings(#"{"canvasSize": {"width": 8, "height": 8}, "layers": [\#(layers)]}"#)
        #expect(found.count == TemplateValidation.errorsMax + 1)
        #expect(found.last?.contains("not shown") == true)
    }

    @Test("Manifests that are damaged at random give findings and no crash", arguments: 0..<60 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try picture("t.inktemplate/layers/a_mask.png")
        var text = Array(
            """
            {"version":"1.0","id":"t","canvasSize":{"width":8,"height":8},"layers":[{"id":"a","opacity":0.5,
            "suggestedPattern":{"type":"dots","spacing":4,"color":"#ff0000"}},{"id":"b","mask":"layers/a_mask.png"}]}
            """.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0..<text.count, using: &random)
            let parts = ["\"", "{", "}", "[", "]", ",", "null", "5", "-", "\\", "x", ":"]
            text.replaceSubrange(
                at..<min(text.count, at + Int.random(in: 0...3, using: &random)),
                with: Array(parts.randomElement(using: &random)!.utf8))
        }
        _ = try findings(String(decoding: text, as: UTF8.self))
    }

    @Test("A value is found by its path and counts as absent then")
    func places() {
        func cleared(_ text: String, _ path: String) -> String? {
            var bytes = Array(text.utf8)
            return JSONPlace.clear(&bytes, path: path) ? String(decoding: bytes, as: UTF8.self) : nil
        }
        #expect(cleared(#"{"a": [1, {"b": "]}\""}, 3]}"#, "a[1].b") == #"{"a": [1, {"b": null}, 3]}"#)
        #expect(cleared(#"{"a": [1, {"b": 2}, 3]}"#, "a[1]") == #"{"a": [1, {}, 3]}"#)
        #expect(cleared(#"{"a": 1, "a": 2}"#, "a") == #"{"a": 1, "a": null}"#)
        #expect(cleared(#"{"a": null}"#, "a") == nil)
        #expect(cleared(#"{"a": [1]}"#, "a[7]") == nil)
        #expect(cleared(#"{"a": [1]}"#, "b.c") == nil)
    }
}

private enum TemporaryBytes {
    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
