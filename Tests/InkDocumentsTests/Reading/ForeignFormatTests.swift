import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct ForeignFormatTests {
    /// gzip of `<?xml version="1.0"?><xournal creator="Xournal++ 1.2"/>` and of `{"version":"0.9","data":{"engine_snapshot":{}}}`.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xB3, 0xB1, 0xAF, 0xC8, 0xCD, 0x51,
        0x28, 0x4B, 0x2D, 0x2A, 0xCE, 0xCC, 0xCF, 0xB3, 0x55, 0x32, 0xD4, 0x33, 0x50, 0xB2, 0xB7, 0xB3,
        0xA9, 0xC8, 0x2F, 0x2D, 0xCA, 0x4B, 0xCC, 0x51, 0x48, 0x2E, 0x4A, 0x4D, 0x2C, 0xC9, 0x2F, 0xB2,
        0x55, 0x8A, 0x80, 0x08, 0x68, 0x6B, 0x2B, 0x18, 0xEA, 0x19, 0x29, 0xE9, 0xDB, 0x01, 0x00, 0x05,
        0x99, 0xE7, 0x18, 0x37, 0x00, 0x00, 0x00,
    ]
    private static let gzipOfRnote: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x2A, 0x4B, 0x2D, 0x2A,
        0xCE, 0xCC, 0xCF, 0x53, 0xB2, 0x52, 0x32, 0xD0, 0xB3, 0x54, 0xD2, 0x51, 0x4A, 0x49, 0x2C, 0x49,
        0x54, 0xB2, 0xAA, 0x56, 0x4A, 0xCD, 0x4B, 0xCF, 0xCC, 0x4B, 0x8D, 0x2F, 0xCE, 0x4B, 0x2C, 0x28,
        0xCE, 0xC8, 0x2F, 0x01, 0x0A, 0xD5, 0xD6, 0xD6, 0x02, 0x00, 0x6D, 0x9B, 0xA0, 0xB5, 0x2F, 0x00,
        0x00, 0x00,
    ]

    private static func zip(_ name: String, _ content: String) -> [UInt8] {
        [0x50, 0x4B, 0x03, 0x04] + [UInt8](repeating: 0, count: 26) + Array((name + content).utf8)
    }

    @Test(
        "Files of other programs are named",
        arguments: [
            (Array("CSFCHUNK....".utf8), "a Clip Studio document"), (Array("8BPS....".utf8), "a Photoshop file"),
            (Array("RIFF1234WEBP".utf8), "a WebP picture"),
            ([0, 0, 0, 24] + Array("ftypavif".utf8), "an AVIF picture"),
            (zip("mimetype", "image/openraster"), "an OpenRaster picture"),
            (zip("mimetype", "application/x-krita"), "a Krita document"),
            (zip("Document.archive", ""), "a Procreate document"),
            (gzip, "a Xournal++ document"), (gzipOfRnote, "an rnote document"),
            (Array("gimp xcf v011".utf8), "a GIMP picture (XCF)"),
        ])
    func binary(bytes: [UInt8], name: String) {
        #expect(ForeignFormat.name(of: bytes) == name)
        // Those that are read are not refused, if they are not named as projects.
        let reader = DocumentReaders.reader(of: DocumentHead(.file(bytes), name: "drawing"))
        for file in reader.isProject ? ["drawing.ink", "drawing"] : ["drawing.ink"] {
            let error = #expect(throws: EngineError.self) { try ProjectLoader.load(bytes: bytes, name: file) }
            #expect(error?.description.hasPrefix("\(file): is \(name), not a") == true, "\(error?.description ?? "")")
        }
    }

    @Test(
        "Texts of other programs are named",
        arguments: [
            ("{\"type\": \"excalidraw\", \"version\": 2, \"elements\": []}", "an Excalidraw drawing"),
            ("{\"tldrawFileFormatVersion\": 1, \"records\": []}", "a tldraw drawing"),
            ("<?xml version=\"1.0\"?>\n<svg></svg>", "an SVG drawing"),
            ("\u{feff} <ink xmlns=\"http://www.w3.org/2003/InkML\"/>", "an InkML document"),
            ("<p>", "XML or HTML text"),
        ])
    func text(text: String, name: String) {
        let error = #expect(throws: EngineError.self) { try ProjectLoader.load(bytes: Array(text.utf8), name: "x.ink") }
        #expect(error?.description == "x.ink: is \(name), not an Ink project")
    }

    @Test("A project is taken for nothing else, whatever its texts say")
    func projects() throws {
        let text = #"""
            {"type": "excalidraw", "word": "drawing", "drawing": 1, "key_id": "a", "version": "1.1", "name": "excalidraw",
             "canvasSize": {"width": 5, "height": 5}}
            """#
        #expect(try ProjectLoader.load(bytes: Array(text.utf8)).project.name == "excalidraw")
    }

    @Test("Drawings of Quick, Draw! are known by their first line")
    func quickDraw() {
        #expect(TextFormat.isQuickDraw(Array("\n{\"word\":\"cat\",\"drawing\":[]}\n".utf8)))
        #expect(!TextFormat.isQuickDraw(Array("{\"name\":\"drawing\"}".utf8)))
        #expect(!TextFormat.isQuickDraw(Array("{\n\"word\":\"cat\",\"drawing\":[]}\n".utf8)))
    }

    @Test("Beginnings and noise have no name or one, and end")
    func noise() {
        for count in 0..<64 {
            _ = ForeignFormat.name(of: Array(Self.gzip.prefix(count)))
            #expect(ForeignFormat.name(of: [UInt8](repeating: 0x1F, count: count)) == nil)
            #expect(ForeignFormat.name(ofText: [UInt8](repeating: 0x80, count: count)) == nil)
        }
    }
}
