import CZlib
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct NoteDocumentTests {
    private func load(_ text: String, name: String = "f", limits: Limits = Limits()) throws(EngineError)
        -> ProjectReading
    {
        try ProjectLoader.load(bytes: Array(text.utf8), name: name, limits: limits)
    }

    private func strokes(_ layers: [Layer]) -> [Stroke] { layers.flatMap { $0.strokes + strokes($0.children) } }

    // MARK: - Xournal++

    private static let note = """
        <?xml version="1.0"?><xournal version="0.4"><title>t</title>
        <page width="200" height="100"><background type="solid" color="#ffffffff" style="plain"/><layer>
        <stroke tool="pen" color="#ff0000ff" width="4 2 3 4">10 10 20 10 30 10 40 10</stroke>
        <stroke tool="highlighter" color="#00ff007f" width="10">10 50 90 50</stroke>
        <stroke tool="pen" color="#0000ffff" width="1" fill="128" style="dash">50 20 90 20 90 40 50 40 50 20</stroke>
        <video/></layer></page>
        <page width="300" height="100"><background type="solid" color="#ffff00ff" style="lined"/><layer/></page></xournal>
        """

    @Test func aNoteHasAPageForEachPage() throws {
        let reading = try load(Self.note)
        let project = reading.project
        #expect(project.hasPages && project.viewports.map(\.name) == ["1", "2"])
        #expect(
            project.viewports.map(\.size) == [CanvasSize(width: 200, height: 100), CanvasSize(width: 300, height: 100)])
        #expect(reading.warnings.map(\.description) == ["page 1, layer 1: left out: <video>"])
        let first = project.layers[0].children
        #expect(first.map(\.blendMode).prefix(2) == [.normal, .multiply])
        // The first width is nominal; half of the widest needs no pressure.
        let pen = first[0].strokes[0]
        #expect(pen.brush.lineWidth == 4 && pen.points.map(\.pressure) == [0, 0.5, 1, 1])
        #expect(pen.brush.color == RGBA8(red: 255, green: 0, blue: 0))
        #expect(first[1].opacity == 127.0 / 255 && first[1].strokes[0].brush.opacity == 1)
        // The filled rectangle, and its dashes above.
        #expect(first[2].contentImage?.header.isVector == true)
        #expect(first[2].contentPlacement == Placement(x: 50, y: 20, width: 40, height: 20))
        #expect(first[2].strokes.count > 8)
        // A ground of another colour, and blue lines with a margin.
        #expect(project.layers[1].children.count == 2 && project.layers[1].children[1].strokes.count == 2)
    }

    @Test func notesInGzipAreThoseOfTheirText() throws {
        var bytes = Array(Self.note.utf8)
        var packed = [UInt8](repeating: 0, count: 4096)
        var stream = z_stream()
        #expect(
            deflateInit2_(
                &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                == Z_OK)
        bytes.withUnsafeMutableBufferPointer { source in
            packed.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            }
        }
        packed.removeLast(Int(stream.avail_out))
        deflateEnd(&stream)
        let whole = try ProjectLoader.load(bytes: packed, name: "a.xopp")
        #expect(strokes(whole.project.layers) == strokes(try load(Self.note).project.layers))
        for count in stride(from: 0, to: packed.count, by: 7) {
            #expect(throws: EngineError.self, "cut after \(count)") {
                try ProjectLoader.load(bytes: Array(packed.prefix(count)), name: "a.xopp")
            }
        }
        var limits = Limits()
        limits.fileBytes = 100
        #expect(throws: EngineError.self) { try ProjectLoader.load(bytes: packed, name: "a.xopp", limits: limits) }
    }

    @Test(arguments: [
        ("<xournal><page width=\"1e9\" height=\"5\"/></xournal>", "f: the note has a page of"),
        ("<xournal></xournal>", "f: the note has no page"),
        ("<xournal><page width=\"5\"", "f: the note, line 1: it is not well-formed"),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]><xournal/>", "f: the note, line 1: it declares entities"),
        (
            "<xournal><page width=\"9\" height=\"9\"><layer><stroke tool=\"pen\" color=\"black\" width=\"1\">1e300 5 6 7</stroke></layer></page></xournal>",
            "f: the note has a point beyond 10^9"
        ),
    ])
    func badNotesSayWhatIsWrong(text: String, message: String) {
        let error = #expect(throws: EngineError.self) { try load(text) }
        #expect(error?.description.hasPrefix(message) == true, "\(error.map(\.description) ?? "")")
    }

    // MARK: - Excalidraw

    private func drawing(_ elements: String, more: String = "") -> String {
        "{\"type\": \"excalidraw\", \"version\": 2, \"elements\": [\(elements)]\(more)}"
    }

    @Test func shapesBecomeOutlinesAndFills() throws {
        let project = try load(
            drawing(
                """
                {"type": "rectangle", "x": 0, "y": 0, "width": 100, "height": 50, "strokeColor": "#ff0000", "backgroundColor": "#00ff00",
                 "fillStyle": "solid", "strokeWidth": 2, "opacity": 50},
                {"type": "ellipse", "x": 200, "y": 0, "width": 10, "height": 10, "strokeColor": "#000", "backgroundColor": "transparent"},
                {"type": "freedraw", "x": 5, "y": 5, "strokeColor": "#0000ff", "strokeWidth": 1, "points": [[0, 0], [10, 0], [20, 0]],
                 "pressures": [0.1, 0.5, 1], "simulatePressure": false},
                {"type": "line", "x": 0, "y": 0, "isDeleted": true, "points": [[0, 0], [900, 900]]},
                {"type": "frame", "x": 10, "y": 20, "width": 30, "height": 40, "name": "Part"}
                """, more: ", \"appState\": {\"viewBackgroundColor\": \"#fffce8\"}")
        ).project
        #expect(project.background == RGBA8(hex: "#fffce8"))
        #expect(project.viewports.map(\.name) == ["Part"] && project.viewports[0].center == Point(x: 25, y: 40))
        let all = strokes(project.layers)
        #expect(
            all[0].brush.lineWidth == 2 && all[0].brush.opacity == 128.0 / 255
                && all[0].points.first == all[0].points.last)
        #expect(project.layers[0].contentImage != nil)
        let freehand = try #require(all.last)
        let widths = all.filter { $0.brush.color == RGBA8(red: 0, green: 0, blue: 255) }.flatMap { stroke in
            stroke.points.map { stroke.brush.lineWidth * (0.5 + 0.5 * $0.pressure) }
        }
        #expect(widths == widths.sorted() && freehand.points.last?.x == 25)
    }

    @Test func whatStandsInTheWayOfADrawingIsSaid() throws {
        let reading = try load(
            drawing(
                """
                {"type": "image", "x": 0, "y": 0, "width": 5, "height": 5, "fileId": "gone"},
                {"type": "embeddable", "x": 0, "y": 0, "width": 5, "height": 5},
                {"type": "line", "x": 0, "y": 0, "strokeColor": "#000000", "points": [[0, 0], [9, 9]]}
                """))
        #expect(
            reading.warnings.map(\.description) == [
                "elements[0]: left out: a picture that is not in the file",
                "elements[1]: left out: an element of the kind embeddable",
            ])
        for text in [drawing("{}"), drawing("5"), "{\"type\": \"excalidraw\"}"] {
            #expect(throws: EngineError.self, "\(text)") { try load(text) }
        }
        #expect(throws: EngineError.self) {
            try load(
                drawing(
                    "{\"type\": \"line\", \"x\": 1e300, \"y\": 0, \"strokeColor\": \"#000\", \"points\": [[0, 0], [9, 9]]}"
                ))
        }
    }

    // MARK: - Ink

    @Test func differencesInInkMLAddUp() throws {
        func points(_ trace: String) throws -> [Point] {
            let text = "<ink xmlns=\"http://www.w3.org/2003/InkML\"><trace>\(trace)</trace></ink>"
            return strokes(try load(text).project.layers).flatMap(\.points).map { Point(x: $0.x, y: $0.y) }
        }
        func expected(_ numbers: [(Double, Double)]) -> [Point] { numbers.map { Point(x: $0.0, y: $0.1) } }
        #expect(try points("1 2, 3 4") == expected([(1, 2), (3, 4)]))
        #expect(
            try points("10 20, '1'2, 1-2, \"1\"0, 0 1") == expected([(10, 20), (11, 22), (12, 20), (14, 18), (16, 17)]))
        #expect(try points("1 2,* 5,-3-4") == expected([(1, 2), (1, 5), (-3, -4)]))
        #expect(throws: EngineError.self) { try points("1 x") }
    }

    @Test func theHeadOfARecordingMayBeWrong() throws {
        let text = "3\n10 20 0 1 900 600 0\n11 21 8 1 900 600 511\n12 22 16 0 900 600 0\n13 23 24 1 900 600 1023\n"
        let reading = try load(text, name: "a.svc")
        let found = strokes(reading.project.layers)
        #expect(found.map(\.points.count) == [2, 1])
        #expect(found[0].points.map(\.pressure) == [0, 511.0 / 1023] && found[0].points[0].altitude == 60)
        #expect(reading.warnings.count == 1)
        #expect(throws: EngineError.self) { try load("1\n1 2 3\n", name: "a.svc") }
    }

    @Test func eventsOfAPenInTheAirAreNotDrawn() throws {
        let text = "0 1 1 0\n0.1 2 2 0.5\n0.2 3 3 0.6\n0.3 4 4 0\n0.4 5 5 0.1\n"
        let found = strokes(try load(text, name: "a.dat").project.layers)
        #expect(found.map(\.points.count) == [2, 1] && found[0].points[1].timestamp == 200)
    }

    // MARK: - Lines

    @Test func widthsThatPressureCannotSayAreStrokesOfTheirOwn() {
        let widths = [1.0, 1.5, 2, 3, 6, 12, 12, 1]
        let line = widths.enumerated().map { NotePage.WidePoint(x: Double($0), y: 0, width: $1) }
        let runs = NotePage.runs(line, pointsMax: 100)
        for run in runs where run.count > 2 {
            #expect(run.map(\.width).max()! <= 2 * run.map(\.width).min()!)
        }
        for (a, b) in zip(runs, runs.dropFirst()) { #expect(a.last?.x == b.first?.x) }
        #expect(NotePage.runs(line.map { .init(x: $0.x, y: 0, width: 1) }, pointsMax: 4).map(\.count) == [4, 4, 2])
    }

    @Test func cornersStaySharp() {
        let square = [(0.0, 0.0), (100, 0), (100, 100), (0, 100)].map { NotePage.WidePoint(x: $0.0, y: $0.1, width: 2) }
        let line = NotePage.cornered(square).map { StrokePoint(x: $0.x, y: $0.y) }
        let smooth = SmoothedPath(line).samples.map(\.position)
        for point in smooth {
            // On one of the three edges, but for the width of a corner.
            let distance = min(abs(point.y), abs(point.x - 100), abs(point.y - 100))
            #expect(distance < 0.1, "\(point)")
            #expect(point.x > -0.1 && point.x < 100.1 && point.y > -0.1 && point.y < 100.1, "\(point)")
        }
        let straight = (0..<5).map { NotePage.WidePoint(x: Double($0), y: 0, width: 1) }
        #expect(NotePage.cornered(straight).count == 5)
    }

    @Test func dashesGoAroundCorners() {
        let corner = [(0.0, 0.0), (10, 0), (10, 10)].map { NotePage.WidePoint(x: $0.0, y: $0.1, width: 1) }
        let dashes = NotePage.dashes(corner, [6, 2])
        #expect(
            dashes.map { $0.map { Point(x: $0.x, y: $0.y) } } == [
                [Point(x: 0, y: 0), Point(x: 6, y: 0)], [Point(x: 8, y: 0), Point(x: 10, y: 0), Point(x: 10, y: 4)],
                [Point(x: 10, y: 6), Point(x: 10, y: 10)],
            ])
        #expect(NotePage.dashes(corner, []).count == 1 && NotePage.dashes(corner, [0, 0]).count == 1)
    }

    @Test func hatchingStaysInside() {
        let square = [(0.0, 0.0), (10, 0), (10, 10), (0, 10)].map { Point(x: $0.0, y: $0.1) }
        let lines = NotePage.hatching(square, angle: 45, gap: 1)
        #expect(lines.count == 14)
        for point in lines.flatMap({ [$0.0, $0.1] }) {
            #expect(point.x > -1e-9 && point.x < 10 + 1e-9 && point.y > -1e-9 && point.y < 10 + 1e-9)
        }
        #expect(NotePage.hatching(square, angle: 0, gap: 1e-9).isEmpty)
    }
}
