import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct DocumentReadersTests {
    private func kind(_ name: String, _ text: String) -> String {
        let head = DocumentHead(.file(Array(text.utf8)), name: name)
        return "\(type(of: DocumentReaders.reader(of: head)))"
    }

    @Test(arguments: [
        ("a.ink", "{\"canvasSize\": {}}", "InkDocument"),
        ("a", " \n{\"layers\": []}", "InkDocument"),
        ("a.zip", "no archive", "TemplateDocument"),
        ("a", "PK\u{3}\u{4}", "TemplateDocument"),
        ("a.ink", "PK\u{3}\u{4}", "InkDocument"),
        ("a", "{\"word\":\"cat\",\"drawing\":[]}\n{}", "QuickDrawDocument"),
        ("a", "{\"word\":\"cat\",\"drawing\":[],\"canvasSize\":{\"width\":1,\"height\":1}}", "InkDocument"),
        ("a", "%PDF-1.7", "InkDocument"),
        ("a", "", "InkDocument"),
    ])
    func aDocumentIsToldByItsContentAndName(name: String, text: String, expected: String) {
        #expect(kind(name, text) == expected)
    }

    @Test func aFolderIsATemplate() {
        let head = DocumentHead(.folder, name: "x.inktemplate")
        #expect(DocumentReaders.reader(of: head) is TemplateDocument)
        #expect(DocumentReaders.shownEndings.hasPrefix(".abc, .ase, .aseprite, .bmw, .bww, .excalidraw, "))
        #expect(DocumentReaders.shownEndings.hasSuffix(" and .zip"))
    }

    @Test func pagesAreReadOneByOneAndABadOneLeavesTheOthers() throws {
        let text = """
            {"word":"a","key_id":"1","drawing":[[[0,9],[0,9]]]}
            {"word":"b","drawing":[[[0],["x"]]]}
            {"word":"c","key_id":"3","drawing":[[[5],[5]]]}
            """
        var names: [String] = []
        let wanted = ImportedDrawing(
            brush: Brush(type: .dots), canvas: PixelSize(width: 64, height: 64), margin: 4)
        try DocumentReaders.importPages(Array(text.utf8), name: "f", DocumentContext(drawing: wanted)) { page in
            switch page {
            case .success(let page):
                names.append("\(page.name) \(page.place)")
                #expect(page.reading.project.canvasSize == CanvasSize(wanted.canvas))
                #expect(page.reading.project.layers[0].strokes.allSatisfy { $0.brush == wanted.brush })
            case .failure(let error): names.append(error.description)
            }
        }
        #expect(
            names == ["a-1 line 1", "f: line 2, drawing[0]: y[0] must be a number, is a string", "c-3 line 3"])
    }

    @Test(arguments: [
        ("", "f: the file is empty"),
        ("{\"canvasSize\":{\"width\":1,\"height\":1}}", "f: is already an Ink project; use ink export"),
        ("%PDF-1.7", "f: is a PDF file, not Quick, Draw! drawings (one JSON object per line)"),
        ("a\u{0}b", "f: is binary data, not Quick, Draw! drawings (one JSON object per line)"),
    ])
    func whatIsNoDocumentToImportSaysWhatItIs(text: String, message: String) {
        #expect {
            try DocumentReaders.importPages(Array(text.utf8), name: "f", DocumentContext()) { _ in }
        } throws: { ($0 as? EngineError)?.description == message }
    }
}
