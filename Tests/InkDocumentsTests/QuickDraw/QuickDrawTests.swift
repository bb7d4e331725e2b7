import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct QuickDrawTests {
    private func read(_ text: String) -> (drawings: [QuickDrawing], errors: [EngineError]) {
        var drawings: [QuickDrawing] = []
        var errors: [EngineError] = []
        QuickDrawReader.read(Array(text.utf8), file: "cat.ndjson") { line in
            switch line {
            case .success(let drawing): drawings.append(drawing)
            case .failure(let error): errors.append(error)
            }
        }
        return (drawings, errors)
    }

    @Test func linesBecomeDrawings() throws {
        let reading = read(
            """
            {"word":"cat","countrycode":"VE","key_id":"52","drawing":[[[1.5,2],[3,4],[0,10]],[[7],[8],[20]],[[],[],[]]]}
            \r

            {"word":"dog","drawing":[[[0,1],[0,1]]]}
            """)
        #expect(reading.errors.isEmpty)
        #expect(reading.drawings.map(\.line) == [1, 4])
        #expect(reading.drawings.map(\.fileName) == ["cat-52", "dog-line4"])
        #expect(
            reading.drawings[0].strokes == [
                [StrokePoint(x: 1.5, y: 3), StrokePoint(x: 2, y: 4, timestamp: 10)],
                [StrokePoint(x: 7, y: 8, timestamp: 20)],
            ])
        #expect(reading.drawings[1].strokes == [[StrokePoint(x: 0, y: 0), StrokePoint(x: 1, y: 1)]])
    }

    @Test func aBadLineIsNamedAndTheOthersAreRead() {
        let reading = read(
            """
            {"word":"a","drawing":[[[0,1,2],[0,1],[0,1,2]]]}
            {"word":"b","drawing":[[[0,10,20],[0,0,0],[0,50,20]]]}
            {"word":"c"}
            {"word":"d","drawing":[[[0],["x"],[0]]]}
            {"word":"e","drawing":[[[0],[1],[0],[0]]]}
            {"word":"f","drawing":[[[0],[1
            {"word":"g","drawing":[[[1e999],[1],[0]]]}
            """)
        #expect(reading.drawings.map(\.word) == ["b"])
        #expect(reading.drawings[0].strokes[0].map(\.timestamp) == [0, 50, 20])
        #expect(
            reading.errors.map(\.description) == [
                "cat.ndjson: line 1, drawing[0]: its arrays have different lengths (3, 2, 3)",
                "cat.ndjson: line 3, drawing: is missing",
                "cat.ndjson: line 4, drawing[0]: y[0] must be a number, is a string",
                "cat.ndjson: line 5, drawing[0]: must be an array of the arrays x, y and t",
                "cat.ndjson: line 6, drawing[0][1][0]: the file ends too early (line 1, column 31, byte 30); it may have been cut off when it was saved or copied, so use a whole copy",
                "cat.ndjson: line 7, drawing[0][0][0]: a number is too large to be read, it must be finite (line 1, column 26, byte 25)",
            ])
    }

    @Test func aDrawingIsFittedIntoTheCanvas() {
        let drawing = QuickDrawing(
            word: "w", keyID: "1", line: 1,
            strokes: [[StrokePoint(x: 100, y: 50), StrokePoint(x: 300, y: 150)], [StrokePoint(x: 233.33, y: 100)]])
        let brush = Brush(type: .dots)
        let project = drawing.project(
            ImportedDrawing(brush: brush, canvas: PixelSize(width: 1000, height: 900), margin: 100))
        #expect(project.canvasSize == CanvasSize(width: 1000, height: 900) && project.name == "w" && project.id == "1")
        let strokes = project.layers[0].strokes
        #expect(strokes.allSatisfy { $0.brush == brush })
        #expect(strokes[0].points.map { [$0.x, $0.y] } == [[100, 250], [900, 650]])
        #expect(strokes[1].points.map { [$0.x, $0.y] } == [[633.32, 450]])
    }

    @Test(arguments: [
        [[100.0, 100.0]], [[0, 0], [1e9, 1e9]], [[-1e308, 1e308], [1e308, -1e308]],
        [[Double.leastNonzeroMagnitude, 0], [0, 0]],
        [[3, 4], [3, 9]], [[1e300, 1], [1e300, 2]],
    ])
    func anyFiniteDrawingLandsInsideTheMargins(points: [[Double]]) throws {
        let drawing = QuickDrawing(
            word: "", keyID: "", line: 3, strokes: [points.map { StrokePoint(x: $0[0], y: $0[1]) }])
        let project = drawing.project(
            ImportedDrawing(brush: Brush(), canvas: PixelSize(width: 200, height: 100), margin: 10))
        for point in project.layers[0].strokes[0].points {
            #expect((10...190).contains(point.x) && (10...90).contains(point.y), "\(point)")
        }
        if points.count == 1 {
            #expect(project.layers[0].strokes[0].points == [StrokePoint(x: 100, y: 50)])
        }
    }

    @Test(arguments: [
        ("../etc", "a/b", "_._etc-a_b"), (".", "..", "_-_."), ("The Eiffel Tower", "5", "The_Eiffel_Tower-5"),
        ("a\u{0}\n", "1", "a__-1"), ("", "", "drawing-line9"), ("smörgås", "1", "smörgås-1"),
    ])
    func fileNamesAreSafe(word: String, key: String, expected: String) {
        #expect(QuickDrawing(word: word, keyID: key, line: 9, strokes: []).fileName == expected)
        let long = QuickDrawing(
            word: String(repeating: "é", count: 300), keyID: String(repeating: "7", count: 300), line: 1, strokes: [])
        #expect(long.fileName.utf8.count <= 200)
    }
}
