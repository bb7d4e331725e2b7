import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// What one document of notes may become, however many pages it has.
@Suite struct NoteLimitsTests {
    private func page(_ limits: Limits = Limits()) -> NotePage {
        NotePage(origin: Point(x: 0, y: 0), DocumentTree("a note", place: Place(file: "f"), limits: limits))
    }

    private func corners(_ width: Double, _ height: Double) -> [Point] {
        [Point(x: 0, y: 0), Point(x: width, y: 0), Point(x: width, y: height), Point(x: 0, y: height)]
    }

    @Test("Strewn dashes are as many as an area needs, and never without end")
    func strewnDashes() {
        func dashes(_ width: Double, _ height: Double) -> (lines: Int, comparisons: Int) {
            let box = Rect(minX: 0, minY: 0, maxX: width, maxY: height)
            let strewn = StrewnDashes(inside: [corners(width, height)], box)
            let lines = strewn.shapes().reduce(0) { $0 + $1.path.verbs.count { $0 == .move } }
            return (lines, strewn.comparisonCount)
        }
        // Three in each square of eight by eight.
        #expect(dashes(800, 80).lines == 3 * 100 * 10)
        for (width, height) in [(2e9, 2e9), (2e9, 1), (1, 2e9), (2e9, 1e-3), (1e-3, 2e9), (1e5, 9)] {
            let found = dashes(width, height)
            #expect(found.lines < 200_000 && found.comparisons < 1_000_000, "\(width) \(height): \(found)")
        }
    }

    @Test("A drawing whose pattern fills would take hours is refused")
    func patternFillsOfManyCorners() throws {
        var page = page()
        let wave = (0..<90_000).map { Point(x: Double($0) / 10_000, y: $0 % 2 == 0 ? 0 : 1e7) }
        let gray = RGBA8(red: 9, green: 9, blue: 9)
        try page.addShape([corners(90, 90)], color: .black, dashes: gray)
        #expect(page.counts.comparisons > 0 && page.counts.comparisons < 1000)
        let error = #expect(throws: EngineError.self) { try page.addShape([wave], color: .black, dashes: gray) }
        #expect(error?.description.contains("pattern fills") == true, "\(error?.description ?? "")")
    }

    @Test("Shapes and segments are counted over all pages")
    func shapesOfAllPages() throws {
        func message(shapes: Int, segments: Int) -> String? {
            var limits = Limits()
            (limits.shapes, limits.segments) = (shapes, segments)
            var pages = NotePages(DocumentTree("a note", place: Place(file: "f"), limits: limits), background: .white)
            do throws(EngineError) {
                for _ in 0..<3 {
                    try pages.add(name: "", width: 100, height: 100) { (page) throws(EngineError) in
                        try page.addShape([corners(9, 9)], color: .black)
                    }
                }
                return nil
            } catch {
                return error.description
            }
        }
        #expect(message(shapes: 3, segments: 12) == nil)
        #expect(message(shapes: 2, segments: 12)?.contains("3 shapes of 12 segments") == true)
        #expect(message(shapes: 3, segments: 11)?.contains("11 segments") == true)
    }

    @Test("Text is cut at the edges of its frame, so that a picture of all is no larger for it")
    func textIsCut() throws {
        let text = """
            {"type": "text", "x": 10, "y": 0, "width": 400, "height": 25, "fontSize": 20, "text": "Scotland the Brave",
             "strokeColor": "#000000", "frameId": "f"}
            """
        let frame =
            #"{"type": "frame", "id": "f", "x": 0, "y": 0, "width": 100, "height": 100, "name": "F"}"#
        func shapes(_ elements: String) throws -> (Project, [Shape]) {
            let project = try load(#"{"type": "excalidraw", "elements": [\#(elements)]}"#).project
            return (project, all(project.layers).flatMap(\.shapes))
        }
        let (cut, shown) = try shapes("\(text), \(frame)")
        guard let whole = try shapes(text).1.first else { return }  // No font.
        #expect(shown.map(\.text) == ["Scotland the Brave"] && whole.text == shown[0].text)
        #expect(whole.path.points.contains { $0.x > 150 } && whole.path.verbs.contains(.quadratic))
        #expect(try #require(cut.visibleBounds).maxX <= 105)
        // What shows is the same: the letters inside are where they were.
        #expect(shown[0].path.points.allSatisfy { $0.x <= 101 } && shown[0].path.controlBox.maxX > 85)
        let inside = whole.path.points.filter { $0.x < 60 }
        #expect(shown[0].path.controlBox.minX >= whole.path.controlBox.minX && inside.count > 20)
        #expect(abs(shown[0].path.controlBox.minX - whole.path.controlBox.minX) < 0.5)
    }
}
