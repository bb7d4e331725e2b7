import CZlib
import Foundation
import InkTestSupport
import Testing

@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine

@Suite struct NoteDocumentTests {
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
        // The first width is nominal.
        let pen = first[0].strokes[0]
        #expect(pen.brush.lineWidth == 4 && pen.points.map(\.pressure) == [0.5, 0.75, 1, 1])
        #expect(pen.brush.color == RGBA8(red: 255, green: 0, blue: 0))
        #expect(first[1].opacity == 127.0 / 255 && first[1].strokes[0].brush.opacity == 1)
        // The filled rectangle, and its dashes above.
        #expect(
            first[2].contentImage == nil
                && first[2].shapes.map(\.fill) == [.color(RGBA8(red: 0, green: 0, blue: 255, alpha: 128))])
        #expect(first[2].strokes.count > 8)
        // A ground of another colour, and a margin; the page is too low for lines.
        #expect(project.layers[1].children.count == 2 && project.layers[1].children[1].strokes.count == 1)
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
        // Two lines a side, which do not darken each other where they cross.
        #expect(all[0].brush.lineWidth == 2 && all[0].brush.opacity == 1 && project.layers[1].strokes.count == 8)
        #expect(project.layers[0].shapes.count == 1 && project.layers[1].opacity == 128.0 / 255)
        let freehand = try #require(all.last)
        let widths = all.filter { $0.brush.color == RGBA8(red: 0, green: 0, blue: 255) }.flatMap { stroke in
            stroke.points.map { stroke.brush.lineWidth * $0.pressure }
        }
        #expect(widths == widths.sorted() && freehand.points.last?.x == 25)
    }

    @Test func hatchingsTurnWithTheirShapes() throws {
        func project(_ angle: Double) throws -> Project {
            try load(
                drawing(
                    """
                    {"type": "rectangle", "x": 0, "y": 0, "width": 200, "height": 100, "angle": \(angle), "seed": 7,
                     "strokeColor": "transparent", "backgroundColor": "#ff0000", "fillStyle": "hachure", "roughness": 0}
                    """)
            ).project
        }
        let (level, upright) = (strokes(try project(0).layers), strokes(try project(.pi / 2).layers))
        #expect(level.count == upright.count && level.count > 50)
        for (a, b) in zip(level, upright) {
            #expect(a.brush.lineWidth == 0.5)
            for (a, b) in zip(a.points, b.points) {
                #expect(abs(100 - (a.y - 50) - b.x) < 1e-9 && abs(50 + (a.x - 100) - b.y) < 1e-9)
            }
        }
    }

    @Test func arrowsHaveTheHeadsTheyName() throws {
        func parts(_ head: String, more: String = "") throws -> (strokes: Int, shapes: Int) {
            let project = try load(
                drawing(
                    """
                    {"type": "arrow", "x": 0, "y": 0, "width": 200, "height": 0, "points": [[0, 0], [200, 0]], "seed": 3,
                     "strokeColor": "#000000", "endArrowhead": \(head)\(more)}
                    """)
            ).project
            return (strokes(project.layers).count, project.layers.reduce(0) { $0 + $1.shapes.count })
        }
        let expected: [(String, Int, Int)] = [
            ("null", 2, 0), ("\"arrow\"", 6, 0), ("\"bar\"", 6, 0), ("\"triangle\"", 10, 1), ("\"dot\"", 4, 1),
            ("\"diamond_outline\"", 12, 1), ("\"crowfoot_one\"", 4, 0), ("\"crowfoot_many\"", 6, 0),
            ("\"cardinality_exactly_one\"", 6, 0), ("\"cardinality_zero_or_many\"", 8, 1),
            ("\"cardinality_zero_or_one\"", 6, 1), ("\"cardinality_one_or_many\"", 8, 0), ("\"unknown\"", 6, 0),
        ]
        for (head, strokes, shapes) in expected {
            let found = try parts(head)
            #expect(found.strokes == strokes && found.shapes == shapes, "\(head): \(found)")
        }
        // Lines that are not solid are drawn once.
        #expect(try parts("\"arrow\"", more: ", \"strokeStyle\": \"dotted\"").strokes > 20)
        #expect(try parts("\"arrow\"", more: ", \"elbowed\": true").strokes == 6)
    }

    @Test func arrowsLeaveRoomForTheirLabels() throws {
        let arrow = """
            {"type": "arrow", "id": "a", "x": 0, "y": 0, "width": 200, "height": 0, "points": [[0, 0], [200, 0]], "seed": 3,
             "strokeColor": "#000000", "endArrowhead": null, "roughness": 0, "updated": 1.8e12}
            """
        let label = """
            {"type": "text", "x": 800, "y": -10, "width": 40, "height": 20, "fontSize": 16, "text": "x", "strokeColor": "#000000",
             "containerId": "a"}
            """
        #expect(strokes(try load(drawing(arrow)).project.layers).count == 2)
        let cut = strokes(try load(drawing(arrow + ", " + label)).project.layers)
        #expect(cut.count == 4 && cut.flatMap(\.points).allSatisfy { $0.x <= 80 || $0.x >= 120 })
        let gone = label.replacing("\"text\": ", with: "\"isDeleted\": true, \"text\": ")
        #expect(strokes(try load(drawing(arrow + ", " + gone)).project.layers).count == 2)
        // In a drawing of tldraw likewise.
        func tldraw(_ text: String) throws -> [Stroke] {
            strokes(
                try load(
                    """
                    {"tldrawFileFormatVersion": 1, "records": [{"typeName": "page", "id": "p"}, {"typeName": "shape",
                     "id": "s", "parentId": "p", "type": "arrow", "x": 0, "y": 0, "props": {"start": {"x": 0, "y": 0},
                     "end": {"x": 300, "y": 0}, "arrowheadEnd": "none", "text": "\(text)"}}]}
                    """
                ).project.layers)
        }
        #expect(try tldraw("").count == 1 && tldraw("label").count == 2)
    }

    @Test func linesAreCutByBoxes() {
        let line = [(0.0, 0.0), (10, 0), (10, 10), (20, 10)].map { NotePage.WidePoint(x: $0.0, y: $0.1, width: 2) }
        func cut(_ box: Rect) -> [[Point]] {
            NotePage.cut(line, by: box).map { $0.map { Point(x: $0.x, y: $0.y) } }
        }
        func points(_ numbers: [(Double, Double)]) -> [Point] { numbers.map { Point(x: $0.0, y: $0.1) } }
        #expect(cut(.empty).count == 1 && cut(Rect(minX: 30, minY: 0, maxX: 40, maxY: 9)).map(\.count) == [4])
        #expect(
            cut(Rect(minX: 5, minY: -1, maxX: 11, maxY: 4)) == [
                points([(0, 0), (5, 0)]), points([(10, 4), (10, 10), (20, 10)]),
            ])
        #expect(cut(Rect(minX: -1, minY: -1, maxX: 21, maxY: 11)).isEmpty)
        #expect(
            cut(Rect(minX: 4, minY: -1, maxX: 6, maxY: 1)) == [
                points([(0, 0), (4, 0)]), points([(6, 0), (10, 0), (10, 10), (20, 10)]),
            ])
        // Along an edge, a line stays.
        #expect(cut(Rect(minX: 2, minY: 0, maxX: 8, maxY: 4)).count == 1)
    }

    @Test func hatchingsOfTooManyLinesAreLeftOut() throws {
        let reading = try load(
            drawing(
                """
                {"type": "rectangle", "x": 0, "y": 0, "width": 1e8, "height": 1e8, "strokeColor": "#000000",
                 "backgroundColor": "#ff0000", "fillStyle": "cross-hatch", "strokeWidth": 1}
                """))
        #expect(reading.warnings.map(\.description) == ["elements[0]: left out: a hatching of too many lines"])
        #expect(strokes(reading.project.layers).count == 8)
    }

    @Test(arguments: ["rectangle", "ellipse", "diamond", "line", "arrow", "freedraw"])
    func elementsBeyondAllReachAreRefused(type: String) throws {
        for (width, number) in [("1e300", "0"), ("5", "1e300"), ("-1e12", "0")] {
            let text = drawing(
                """
                {"type": "\(type)", "x": 0, "y": 0, "width": \(width), "height": \(width), "strokeColor": "#000000",
                 "backgroundColor": "#ff0000", "points": [[0, 0], [9, 9], [\(number), 4]]}
                """)
            #expect(throws: EngineError.self, "\(text)") { try load(text) }
        }
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

    private static let ink = """
        {"inputData": {"inputContextData": {"sensorContexts": [{"sensorChannelsContext": [{"channels": [
          {"id": "p", "type": "will://input/3.0/channel/Pressure", "resolution": 1, "max": 1, "precision": 2},
          {"id": "t", "type": "will://input/3.0/channel/Timestamp", "resolution": 1000},
          {"id": "a", "type": "will://input/3.0/channel/Altitude", "resolution": 1, "precision": 2},
          {"id": "z", "type": "will://input/3.0/channel/Azimuth", "resolution": 1, "precision": 2}]}]}]},
         "sensorData": [{"id": "s", "timestamp": "1000", "dataChannels": [
           {"sensorChannelID": "p", "values": [20, 60, -40]}, {"sensorChannelID": "t", "values": [0, 10, 20]},
           {"sensorChannelID": "a", "values": [157, -79]}, {"sensorChannelID": "z", "values": [-157]},
           {"sensorChannelID": "unknown", "values": [1]}]}]},
         "inkData": {"strokes": [
          {"sensorDataID": "s", "splineX": [9, 1, 2, 3, 9], "splineY": [9, 4, 5, 6, 9], "size": [9, 1, 3, 2, 9],
           "style": {"properties": {"red": {"value": 1}, "green": {}, "alpha": {"value": 0.2}}}},
          {"splineX": [0, 10, 20, 30], "splineY": [0, 0, 0, 0], "rotation": [1], "style": {"properties": {"size": {"value": 4}}}},
          {"splineX": [0], "splineY": [0]}]},
         "transform": {"m00": 2, "m11": 2, "m22": 1, "m33": 1, "m03": 100}}
        """

    @Test func wacomInkKeepsWhatThePenRecorded() throws {
        let reading = try load(Self.ink)
        let found = strokes(reading.project.layers)
        // The first and the last point of a curve are not drawn.
        #expect(found.map { $0.points.map(\.x) } == [[102, 104, 106], [120, 140]])
        let first = found[0]
        #expect(first.brush.lineWidth == 6 && first.brush.dynamics.pressureAffectsSize)
        #expect(first.brush.color == RGBA8(red: 255, green: 0, blue: 0) && first.brush.opacity == 51.0 / 255)
        #expect(first.points.map { ($0.pressure * 1000).rounded() } == [200, 800, 400])
        #expect(first.points.map(\.timestamp) == [0, 10, 30])
        #expect(first.points.map { $0.altitude.rounded() } == [90, 45, 90] && first.points[0].azimuth.rounded() == -90)
        #expect(found[1].brush.lineWidth == 8 && found[1].points.allSatisfy { $0.pressure == 1 })
        #expect(
            reading.warnings.map(\.description) == [
                "left out: how the tip of a brush turns and stretches", "left out: a stroke of fewer than four points",
            ])
    }

    @Test func samplesOfWacomPensAreStrokes() throws {
        let text = """
            idx,SPLINE_X,SPLINE_Y,SENSOR_TIMESTAMP,SENSOR_PRESSURE,SENSOR_ALTITUDE,SENSOR_AZIMUTH
            0,1,2,1000,0.5,1.5708,0
            0,3,4,1010,0,0.7854,-3.1416
            1,5,6,1005,1,9,9

            """
        let found = strokes(try load(text).project.layers)
        #expect(
            found.map { $0.points.map(\.x) } == [[1, 3], [5]] && found.allSatisfy(\.brush.dynamics.pressureAffectsSize))
        let points = found.flatMap(\.points)
        #expect(points.map(\.timestamp) == [0, 10, 5] && points.map(\.pressure) == [0.5, 0, 1])
        #expect(points.map { $0.altitude.rounded() } == [90, 45, 90] && points[1].azimuth.rounded() == -180)
        for bad in ["0,1,2", "0,1,2,3,4,5,nan", "0,1,,3,4,5,6", "0,1e999,2,3,4,5,6"] {
            let error = #expect(throws: EngineError.self) { try load(text + bad + "\n") }
            #expect(
                error?.description.contains("line 5: must have 7 numbers") == true,
                "\(bad): \(error?.description ?? "")")
        }
        #expect(throws: EngineError.self) { try load("idx,SPLINE_X,SPLINE_Y\n") }
    }

    @Test(arguments: [
        (#""splineY": [9, 4, 5, 6, 9]"#, #""splineY": [9, 4]"#), ("\"strokes\"", "\"other\""),
        (#""splineX": [9, 1"#, #""splineX": [9, 1e300"#), (#""splineX": [9, 1, 2, 3, 9]"#, #""splineX": 5"#),
    ])
    func badWacomInkIsRefused(text: String, other: String) {
        let error = #expect(throws: EngineError.self) { try load(Self.ink.replacing(text, with: other)) }
        #expect(error?.description.contains("\n") == false)
    }

    @Test func wacomInkMayLackAllButCurves() throws {
        for (text, other) in [
            ("\"sensorData\"", "\"other\""), ("\"channels\"", "\"other\""),
            ("\"timestamp\": \"1000\"", "\"timestamp\": []"),
            ("\"values\"", "\"other\""), ("\"precision\": 2", "\"precision\": 1e300"),
            ("\"resolution\": 1", "\"resolution\": -1"),
            ("60, -40", "1e308, 1e308"), ("\"m00\"", "\"other\""),
        ] {
            #expect(strokes(try load(Self.ink.replacing(text, with: other)).project.layers).count == 2, "\(other)")
        }
    }

    // MARK: - tldraw

    /// A drawing of one freehand line.
    private func freehand(_ segment: String, _ more: String = "") -> String {
        """
        {"tldrawFileFormatVersion": 1, "records": [{"typeName": "page", "id": "p"}, {"typeName": "shape", "id": "s",
         "parentId": "p", "type": "draw", "x": 0, "y": 0, "props": {"isPen": true, "segments": [{"type": "free", \(segment)}]\(more)}}]}
        """
    }

    @Test func packedFreehandIsThatOfItsPoints() throws {
        let points: [(Float, Float, Float)] = [(1.25, -2, 0.5), (3.25, 0, 0.75), (3.25, 4.5, 0.25)]
        func bytes<T: FixedWidthInteger>(_ bits: T) -> [UInt8] { withUnsafeBytes(of: bits.littleEndian) { Array($0) } }
        func half(_ value: Float) -> [UInt8] { bytes(Float16(value).bitPattern) }
        var packed: [UInt8] = []
        var (last, absolute): ((Float, Float, Float)?, [UInt8]) = (nil, [])
        for point in points {
            if let last {
                packed += half(point.0 - last.0) + half(point.1 - last.1) + half(point.2 - last.2)
            } else {
                packed += bytes(point.0.bitPattern) + bytes(point.1.bitPattern) + bytes(point.2.bitPattern)
            }
            absolute += half(point.0) + half(point.1) + half(point.2)
            last = point
        }
        let list = points.map { "{\"x\": \($0.0), \"y\": \($0.1), \"z\": \($0.2)}" }.joined(separator: ",")
        func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
        let plain = try load(freehand("\"points\": [\(list)]"))
        #expect(strokes(plain.project.layers).reduce(0) { $0 + $1.points.count } >= 2 && plain.warnings.isEmpty)
        for segment in ["\"path\": \"\(text(packed))\"", "\"points\": \"\(text(absolute))\""] {
            #expect(strokes(try load(freehand(segment)).project.layers) == strokes(plain.project.layers), "\(segment)")
        }
        let wide = strokes(try load(freehand("\"path\": \"\(text(packed))\"", ", \"scaleX\": 10")).project.layers)
        #expect(wide.flatMap(\.points).map(\.x).max()! - wide.flatMap(\.points).map(\.x).min()! == 20)
        for damaged in ["AAAA", "!", text(packed + [1]), text([UInt8](repeating: 255, count: 18))] {
            // What is no number is no point of a drawing.
            #expect(throws: EngineError.self) { try load(freehand("\"path\": \"\(damaged)\"")) }
        }
    }

    /// The random numbers are those of tldraw for the same text.
    @Test func randomNumbersOfTldrawComeFromATextAndAreItsOwn() {
        var random = TldrawRandom("shape:9iotdFq63CJJ0tJ5wYOzS")
        let expected = [-0.9956402620300651, -0.49081694334745407, -0.5459905224852264, 0.614693770185113]
        #expect(expected.allSatisfy { $0 == random.next() })
    }

    /// A drawing of one shape.
    private func shape(_ geo: String, _ more: String = "", width: Double = 200, height: Double = 100) -> String {
        """
        {"tldrawFileFormatVersion": 1, "records": [{"typeName": "page", "id": "p"}, {"typeName": "shape", "id": "s",
         "parentId": "p", "type": "geo", "x": 0, "y": 0,
         "props": {"geo": "\(geo)", "w": \(width), "h": \(height), "size": "m"\(more)}}]}
        """
    }

    @Test(arguments: [
        "rectangle", "ellipse", "oval", "cloud", "heart", "triangle", "diamond", "pentagon", "hexagon", "octagon",
        "star", "rhombus", "rhombus-2", "trapezoid", "x-box", "check-box", "arrow-up", "arrow-down", "arrow-left",
        "arrow-right", "unknown",
    ])
    func shapesOfTldrawFillTheirBoxes(geo: String) throws {
        for (width, height) in [(200.0, 100.0), (100, 200), (1, 1), (3, 400)] {
            for dash in ["draw", "solid", "dashed", "dotted"] {
                let text = shape(geo, ", \"dash\": \"\(dash)\"", width: width, height: height)
                let project = try load(text).project
                var box = Rect.empty
                for point in strokes(project.layers).flatMap(\.points) { box.formUnion(Point(x: point.x, y: point.y)) }
                let (found, slack) = ((width: box.maxX - box.minX, height: box.maxY - box.minY), 0.1 * width + 8)
                #expect(abs(found.width - width) < slack, "\(geo) \(dash) \(found) of \(width), \(height)")
                #expect(abs(found.height - height) < 0.1 * height + 8, "\(geo) \(dash) \(found) of \(width), \(height)")
            }
        }
        for size in [0.0, -5, 1e9, 1e300] {
            // Whatever their size, they are drawn or refused.
            _ = try? load(shape(geo, width: size, height: 1))
            _ = try? load(shape(geo, width: size, height: size))
        }
    }

    @Test func cloudsHaveBumpsAndPatternsShortLines() throws {
        let piece = TldrawInk.cloud(width: 618.93, height: 140.51, bump: 70, scale: 1, seed: "a")
        // 1,398 units around; a bump each 70 of them, of one curve each where it is flat.
        #expect(piece.steps.count >= 21 && piece.steps.count <= 41 && piece.isClosed)
        let project = try load(shape("cloud", ", \"fill\": \"pattern\", \"color\": \"grey\"")).project
        #expect(strokes(project.layers).count == 2)
        let shapes = project.layers[0].children.flatMap(\.shapes)
        // The area, and short lines with round ends over it.
        #expect(shapes.count == 2 && shapes[1].path.verbs.contains(.cubic) && shapes[0].path.verbs.contains(.line))
    }

    // MARK: - Lines

    @Test func brushesOfDocumentsAreReplaced() throws {
        let plain = try load(Self.note)
        var change = BrushChange(type: .crossHatch)
        let changed = try ProjectLoader.load(bytes: Array(Self.note.utf8), name: "f", brush: change)
        let (before, after) = (strokes(plain.project.layers), strokes(changed.project.layers))
        #expect(before.map(\.points) == after.map(\.points) && before.map(\.brush.color) == after.map(\.brush.color))
        let hatched = after.filter { $0.brush.type != .solid }.map(\.brush)
        #expect(!hatched.isEmpty)
        #expect(hatched.allSatisfy { $0.type == .crossHatch && $0.anchor == .canvas && $0.size == 20 })
        #expect(changed.contentDigest != plain.contentDigest)
        change.color = RGBA8(red: 1, green: 2, blue: 3)
        change.size = 9
        change.anchor = .stamp
        let brush = change.applied(to: Brush(type: .solid, lineWidth: 50))
        #expect(brush.size == 9 && brush.anchor == .stamp && brush.lineWidth == 1 && brush.color == change.color)
        #expect(BrushChange(type: .dots).applied(to: Brush(type: .solid, lineWidth: 50)).size == 50)
        // A preset replaces all but the colour, and is replaced by what else is wished.
        var preset = BrushChange()
        preset.preset = Brush(
            type: .waves, rotation: 30, spacing: 4, lineWidth: 2, color: RGBA8(red: 9, green: 9, blue: 9))
        preset.spacing = 8
        let waves = preset.applied(to: Brush(type: .solid, lineWidth: 50, color: RGBA8(red: 1, green: 2, blue: 3)))
        #expect(waves.type == .waves && waves.rotation == 30 && waves.spacing == 8 && waves.lineWidth == 2)
        #expect(waves.color == RGBA8(red: 1, green: 2, blue: 3))
        #expect(
            BrushChange(type: .solid).applied(to: Brush(type: .solid, lineWidth: 5))
                == Brush(type: .solid, lineWidth: 5))
    }

    @Test func linesOfPaperKeepTheirBrush() throws {
        let note = """
            <xournal creator="a"><page width="100" height="150"><background type="solid" color="white" style="ruled"/>
            <layer><stroke tool="pen" color="black" width="2">1 2 30 40</stroke></layer></page></xournal>
            """
        let changed = try ProjectLoader.load(bytes: Array(note.utf8), name: "f", brush: BrushChange(type: .dots))
        #expect(strokes(changed.project.layers).map(\.brush.type) == [.solid, .dots])
    }

    @Test func dashesBeginWhereTheyAreTold() {
        let line = [0.0, 20].map { NotePage.WidePoint(x: $0, y: 0, width: 1) }
        func found(_ lengths: [Double], _ offset: Double) -> [[Double]] {
            NotePage.dashes(line, lengths, offset: offset).map { $0.map(\.x) }
        }
        #expect(found([6, 4], 0) == [[0, 6], [10, 16]] && found([6, 4], 10) == [[0, 6], [10, 16]])
        #expect(found([6, 4], 2) == [[0, 4], [8, 14], [18, 20]] && found([6, 4], 7) == [[3, 9], [13, 19]])
        #expect(found([6, 4], -2) == [[2, 8], [12, 18]])
        // Lines and gaps change places where their number is odd.
        #expect(found([5], 5) == [[5, 10], [15, 20]])
        #expect(found([1e-5], 0).count == 1)
        #expect(
            NotePage.shortened(line, by: 3)?.map(\.x) == [3, 17]
                && NotePage.shortened(line, by: -3)?.map(\.x) == [-3, 23])
        #expect(abs((NotePage.shortened(line, by: 30)?.first?.x ?? 0) - 10) < 1e-6)
        #expect(NotePage.shortened([line[0], line[0]], by: 1) == nil)
    }

    @Test func linesKeepTheirCornersAndWidths() throws {
        var page = NotePage(
            origin: Point(x: 1000, y: 0), DocumentTree("a note", place: Place(file: "f"), limits: Limits()))
        let widths = [1.0, 1.5, 12, 0]
        let line = widths.enumerated().map { NotePage.WidePoint(x: Double($0 * $0), y: Double($0), width: $1) }
        try page.addLine(line, color: .black)
        try page.addLine(line, color: .black, isFreehand: true)
        let made = strokes(page.layers)
        #expect(made.map(\.smoothing) == [.none, .uniform])
        for stroke in made {
            #expect(stroke.points.map { $0.x - 1000 } == line.map(\.x))
            let found = stroke.points.map { stroke.brush.lineWidth * stroke.brush.dynamics.size($0.pressure) }
            #expect(zip(found, widths).allSatisfy { abs($0 - $1) < 1e-12 })
        }
    }

    @Test func linesOfTooManyPointsShareTheirEnds() throws {
        var limits = Limits()
        limits.pointsPerStroke = 4
        var page = NotePage(origin: Point(x: 0, y: 0), DocumentTree("a note", place: Place(file: "f"), limits: limits))
        try page.addLine((0..<9).map { .init(x: Double($0), y: 0, width: 1) }, color: .black)
        #expect(strokes(page.layers).map { $0.points.map(\.x) } == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8]])
    }

    @Test(arguments: [NoteOutline.rectangle, .ellipse, .rounded(10), .rounded(1e9)])
    func outlinesAreShapesOfMasks(outline: NoteOutline) throws {
        let shape = outline.shape(in: Placement(x: 10, y: 20, width: 100, height: 60, rotation: 90))
        // It begins on its right, which is turned downwards.
        let start = shape.transform.point(try #require(shape.path.points.first))
        #expect(abs(start.y - 100) < 1e-9 && start.x >= 60 - 1e-9)
        #expect(shape.path.verbs.filter { $0 == .arc }.count == (outline == .rectangle ? 0 : 4))
        var index = 0
        for verb in shape.path.verbs {
            let points = Array(shape.path.points[index..<index + verb.pointCount])
            index += verb.pointCount
            guard verb == .arc else { continue }
            let (sine, cosine) = sinCos(degrees: (points[3].x + points[3].y) * 180 / .pi)
            let end = points[0] + cosine * points[1] + sine * points[2]
            #expect((end - points[4]).length < 1e-9)
        }
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
}
