import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// What version 1.3 adds to projects (spec sections 9 and 10).
@Suite struct ProjectShapesTests {
    private func project(
        _ layers: String, _ more: String = "", canvas: String = #""canvasSize":{"width":64,"height":48}"#
    )
        -> String
    {
        #"{"version":"1.3",\#(canvas),"layers":[\#(layers)]\#(more)}"#
    }

    private func shape(_ keys: String) -> String { project(#"{"name":"Sky","shapes":[{\#(keys)}]}"#) }

    private func filled(_ fill: String) -> String { shape(#""path":"M0 0h1v1z","fill":\#(fill)"#) }

    private func stroke(_ keys: String) -> String { project(#"{"strokes":[{\#(keys),"points":[[1,2]]}]}"#) }

    @Test func shapesAreRead() throws {
        let reading = try read(
            project(
                """
                {"shapes":[{"path":"M1 2h3v4z","rule":"evenodd","fill":"#12345678","opacity":0.5,"mode":"erase",
                            "transform":[1,2,3,4,5,6],"text":"Scotland","textOf":"line 1"},
                           {"symbol":"note"},{"path":""}],
                 "maskShapes":[{"symbol":"note","transform":[0,0,0,0,0,0]}],"contentFilter":"nearest"},
                {"type":"group","maskShapes":[]},
                {"type":"fill","color":{"type":"linear","from":[0,1],"to":[2,3],"stops":[[0.5,"#fff"]]}}
                """, #","symbols":[{"id":"note","path":"M0 0L1 1"},{"id":"","path":""}]"#))
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
        let layer = reading.project.layers[0]
        try #require(layer.shapes.count == 3)
        var path = ShapePath()
        path.move(to: Point(x: 1, y: 2))
        for (x, y) in [(4.0, 2.0), (4, 6)] { path.line(to: Point(x: x, y: y)) }
        path.close()
        #expect(
            layer.shapes[0]
                == Shape(
                    path: path, transform: AffineMap(a: 1, b: 2, c: 3, d: 4, x: 5, y: 6), rule: .evenodd,
                    fill: .color(RGBA8(red: 0x12, green: 0x34, blue: 0x56, alpha: 0x78)), opacity: 0.5, mode: .erase,
                    text: "Scotland", textOf: "line 1"))
        #expect(layer.shapes[1] == Shape(path: reading.project.symbols[0].path, symbol: "note"))
        #expect(layer.shapes[2].path.isEmpty && layer.maskShapes?.count == 1 && layer.contentFilter == .nearest)
        #expect(reading.project.layers[1].maskShapes == [] && reading.project.layers[2].maskShapes == nil)
        guard case .fill(.gradient(let gradient)) = reading.project.layers[2].kind else {
            Issue.record("no gradient: \(reading.project.layers[2].kind)")
            return
        }
        #expect(gradient.kind == .linear(from: Point(x: 0, y: 1), to: Point(x: 2, y: 3)))
        #expect(reading.project.symbols.map(\.id) == ["note", ""])
    }

    @Test(
        "A mistake in a shape is named with its place",
        arguments: [
            ("", "layers[0].shapes[0]: has neither path nor symbol"),
            (#""path":null,"symbol":null"#, "layers[0].shapes[0]: has neither path nor symbol"),
            (#""path":"","symbol":"a""#, "layers[0].shapes[0].symbol: stands beside path"),
            (#""symbol":"a""#, #"layers[0].shapes[0].symbol: there is no symbol "a""#),
            (#""path":"M1 2 L x""#, #"layers[0].shapes[0].path: at character 8 ("x"): must have a number there"#),
            (#""path":7"#, "layers[0].shapes[0].path: must be a string"),
            (
                #""path":"","rule":"even""#,
                #"layers[0].shapes[0].rule: unknown value "even", must be nonzero or evenodd"#
            ),
            (#""path":"","mode":"smudge""#, "must be paint or erase"),
            (#""path":"","fill":"transparent""#, "layers[0].shapes[0].fill:"),
            (
                #""path":"","fill":[]"#,
                "layers[0].shapes[0].fill: must be a colour, a gradient or a pattern, is an array"
            ),
            (#""path":"","opacity":-1"#, "layers[0].shapes[0].opacity:"),
            (#""path":"","transform":[1,0,0,1,0,"a"]"#, "layers[0].shapes[0].transform: must be 6 numbers"),
            (#""path":"","transform":[1,0,0,1,0,0,0]"#, "layers[0].shapes[0].transform: must be 6 numbers"),
            (#""path":"M0 0h1e7h1""#, "layers[0].shapes[0].path: the shape"),
            (#""path":"M0 0h1","transform":[1e8,0,0,1,0,0]"#, "layers[0].shapes[0].transform: the shape"),
            (#""path":"M0 0h1","transform":[1e308,1e308,1e308,1e308,1e308,1e308]"#, "layers[0].shapes[0].transform"),
            (#""path":"M0 0L1e300 1""#, "layers[0].shapes[0].path: at character 6"),
            (#""path":"M0 0A1e300 1e300 0 1 1 5 5""#, "layers[0].shapes[0].path: at character 6"),
            (#""path":"M0 0A1e9 1e9 0 1 1 5 5""#, "layers[0].shapes[0].path: the shape"),
        ])
    func mistakes(keys: String, expected: String) {
        let found = message(shape(keys))
        #expect(found?.contains(expected) == true, "\(keys): \(found ?? "none")")
    }

    @Test("Coordinates count where they are drawn; singular transforms are read")
    func extents() throws {
        #expect(message(shape(#""path":"M1e8-1e8h5","transform":[0.01,0,0,0.01,0,0]"#)) == nil)
        #expect(message(shape(#""path":"M-1e7 1e7h1""#)) == nil)
        // The corners of the box leave the limit here, and no point does.
        #expect(message(shape(#""path":"M9e6 0L0 9e6","transform":[0.8,0.8,-0.8,0.8,0,0]"#)) == nil)
        #expect(message(shape(#""path":"M5 6h1v1","transform":[1,1,1,1,0,0]"#)) == nil)
        #expect(message(shape(#""path":"M0 0A1e300 1e300 0 0 1 5 5""#)) == nil)
        let infinite = project(#"{"shapes":[{"path":"M1e9 0h-5"}]}"#, canvas: #""canvas":"infinite""#)
        #expect(message(infinite) == nil)
    }

    @Test(
        "A mistake in a fill is named with its place",
        arguments: [
            (#"{"stops":[]}"#, "fill.type: is missing, must be linear, radial or pattern"),
            (#"{"type":"radia"}"#, #"unknown type "radia", must be linear, radial or pattern (did you mean radial?)"#),
            (#"{"type":"linear","to":[1,2],"stops":[]}"#, "fill.from: is missing"),
            (#"{"type":"linear","from":[1],"to":[1,2],"stops":[]}"#, "fill.from: must be 2 numbers"),
            (#"{"type":"linear","from":[1,2],"to":[1,2]}"#, "fill.stops: is missing"),
            (#"{"type":"linear","from":[1,2],"to":[1,2],"stops":[]}"#, "fill.stops: has no stop"),
            (
                #"{"type":"linear","from":[1,2],"to":[1,2],"stops":[[0]]}"#,
                "fill.stops[0]: must be a number and a colour"
            ),
            (#"{"type":"linear","from":[1,2],"to":[1e300,2],"stops":[]}"#, "fill.to: the value"),
            (#"{"type":"radial","center":[1,2],"stops":[]}"#, "fill.radius: is missing"),
            (#"{"type":"radial","center":[1,2],"radius":-1,"stops":[]}"#, "fill.radius: is -1"),
            (#"{"type":"pattern","brush":"contourLines"}"#, "fill.brush: contourLines does not lie still"),
            (#"{"type":"pattern","brush":"dot"}"#, #"unknown brush type "dot" in a pattern (did you mean dots?)"#),
            (#"{"type":"pattern","spacing":0}"#, "fill.spacing:"),
            (#"{"type":"pattern","brush":"dots","dotRadius":385}"#, "fill.dotRadius: is 385, must be at most 64 times"),
            (#"{"type":"pattern","color":"blue"}"#, "fill.color:"),
        ])
    func fillMistakes(fill: String, expected: String) {
        let found = message(filled(fill))
        #expect(found?.contains(expected) == true, "\(fill): \(found ?? "none")")
    }

    @Test func stopsAreClampedAndNeverStepBack() throws {
        let stops = [-1, 0.5, 0.25, 3, 0.75].map { ##"[\##($0),"#fff"]"## }.joined(separator: ",")
        let reading = try read(filled(#"{"type":"radial","center":[1,2],"radius":0,"stops":[\#(stops)]}"#))
        guard case .gradient(let gradient) = reading.project.layers[0].shapes[0].fill else {
            Issue.record("no gradient")
            return
        }
        #expect(gradient.stops.map(\.offset) == [0, 0.5, 0.5, 1, 1])
        let many = Array(repeating: ##"[0,"#fff"]"##, count: 257).joined(separator: ",")
        let text = #"{"type":"linear","from":[1,2],"to":[1,2],"stops":[\#(many)]}"#
        #expect(
            message(filled(text))?.contains("fill.stops: the number of stops is 257") == true,
            "\(message(filled(text)) ?? "")")
    }

    @Test func patternsHaveTheDefaultsOfBrushes() throws {
        func brush(_ keys: String) throws -> Brush? {
            let fill = try read(filled(#"{"type":"pattern"\#(keys)}"#)).project.layers[0].shapes[0].fill
            if case .pattern(let brush) = fill { return brush }
            return nil
        }
        #expect(try brush("") == Brush(anchor: .canvas))
        var dots = Brush(
            type: .dots, rotation: 5, spacing: 4, opacity: 0.2, scale: 3, lineWidth: 2, anchor: .canvas,
            color: RGBA8(red: 255, green: 0, blue: 0, alpha: 255))
        (dots.dotRadius, dots.waveLength, dots.edge) = (9, 7, .whole)
        #expect(
            try brush(
                ##","brush":"dots","rotation":5,"spacing":4,"scale":3,"lineWidth":2,"dotRadius":9,"waveLength":7,"edge":"whole","color":"#f003""##
                    .replacing("#f003", with: "#ff000033")) == dots)
        let text = project(#"{"type":"fill","color":{"type":"pattern"}}"#)
        #expect(message(text)?.contains("only shapes are filled with patterns") == true)
    }

    @Test("Symbols: one without an id, two with one, more than may be, and one that is misspelt")
    func symbols() {
        func fault(_ symbols: String, _ shape: String = #"{"path":""}"#, limits: Limits = Limits()) -> String? {
            message(project(#"{"shapes":[\#(shape)]}"#, #","symbols":[\#(symbols)]"#), limits: limits)
        }
        #expect(fault(#"{"path":""}"#)?.contains("symbols[0].id: is missing") == true)
        #expect(fault(#"{"id":"a"}"#)?.contains("symbols[0].path: is missing") == true)
        #expect(
            fault(#"{"id":"a","path":""},{"id":"a","path":""}"#)?.contains("symbols[1].id: there is a symbol") == true)
        #expect(fault(#"{"id":"a","path":"M0"}"#)?.contains("symbols[0].path: at its end") == true)
        #expect(fault("7")?.contains("symbols[0]") == true)
        #expect(
            fault(#"{"id":"notehead","path":""}"#, #"{"symbol":"notehaed"}"#)?.contains("(did you mean notehead?)")
                == true)
        var limits = Limits()
        limits.symbols = 1
        #expect(
            fault(#"{"id":"a","path":""},{"id":"b","path":""}"#, limits: limits)?.contains("the number of symbols")
                == true)
    }

    @Test("Shapes and segments are limited over the whole tree, each symbol as often as it is drawn")
    func limits() {
        var limits = Limits()
        (limits.shapes, limits.segments, limits.pathSegments) = (3, 10, 4)
        func fault(_ layers: String) -> String? {
            message(project(layers, #","symbols":[{"id":"a","path":"M0 0h1h1h1h1"}]"#), limits: limits)
        }
        let (own, shared) = (#"{"path":"M0 0h1"}"#, #"{"symbol":"a"}"#)
        #expect(
            fault(#"{"shapes":[\#(own)],"maskShapes":[\#(shared)]},{"type":"group","maskShapes":[\#(shared)]}"#) == nil)
        #expect(
            fault(#"{"shapes":[\#(own),\#(own)]},{"maskShapes":[\#(own),\#(own)]}"#)?.contains(
                "layers[1].maskShapes: the number of shapes up to here is 4") == true)
        #expect(
            fault(#"{"shapes":[\#(shared),\#(shared)]},{"shapes":[\#(shared)]}"#)?.contains(
                "layers[1].shapes[0]: the number of segments")
                == true)
        #expect(
            fault(#"{"shapes":[{"path":"M0 0h1h1h1h1z"}]}"#)?.contains(
                "shapes[0].path: the number of segments of the path") == true)
    }

    @Test("Segments of symbols count although nothing draws them")
    func undrawnSymbols() {
        var limits = Limits()
        limits.segments = 7
        func fault(_ count: Int) -> String? {
            let symbols = (0..<count).map { #"{"id":"\#($0)","path":"M0 0h1h1h1"}"# }.joined(separator: ",")
            return message(project("", #","symbols":[\#(symbols)]"#), limits: limits)
        }
        #expect(fault(2) == nil)
        #expect(fault(3)?.contains("symbols[2]: the number of segments of symbols up to here is 9") == true)
    }

    @Test("A path of nothing but moves takes no more memory than one of one move")
    func manyMoves() throws {
        let moves = String(repeating: "M0 0", count: 1_000_000)
        let reading = try read(shape(#""path":"\#(moves)h1""#))
        #expect(reading.project.layers[0].shapes[0].path.verbs == [.move, .line])
    }

    @Test("Numbers of paths may have any count of digits", arguments: [18, 19, 20, 300])
    func digits(zeros: Int) throws {
        let number = "." + String(repeating: "0", count: zeros) + "1"
        let reading = try read(shape(#""path":"M\#(number)-\#(number)""#))
        let place = try #require(Double("0" + number))
        #expect(reading.project.layers[0].shapes[0].path.points == [Point(x: place, y: -place)])
    }

    @Test("A path of ten million segments is refused")
    func longPath() {
        let text = shape(#""path":"M0 0\#(String(repeating: "h1", count: 10_000_000))""#)
        #expect(message(text)?.contains("the number of segments of the path is more than 100000") == true)
    }

    @Test func shapesOfAnElementThatDrawsNoneAreRefused() {
        let shapes = #""shapes":[{"path":""}]"#
        #expect(message(project(#"{"type":"group",\#(shapes)}"#))?.contains("a group does not draw shapes") == true)
        #expect(
            message(project(##"{"type":"fill","color":"#fff",\##(shapes)}"##))?.contains("a fill does not draw shapes")
                == true)
        #expect(message(project("", "," + shapes))?.contains("a project does not draw shapes") == true)
    }

    @Test("Unknown keys are named once, with the key that was meant")
    func warnings() throws {
        let reading = try read(
            #"{"version":"1.1","canvasSize":{"width":64,"height":48},"layers":[{"shapes":[{"path":"","colour":"a"},{"path":"","fil":"a"}],"strokes":[{"close":true,"points":[]}]}]}"#
        )
        let lines = reading.warnings.map(\.description)
        #expect(
            lines.contains { $0.contains("layers[0].shapes[1].fil") && $0.contains("did you mean fill?") }, "\(lines)")
        #expect(
            lines.contains { $0.contains("layers[0].strokes[0].close") && $0.contains("did you mean closed?") },
            "\(lines)")
    }

    // MARK: Strokes

    @Test func settingsOfStrokesAreRead() throws {
        let reading = try read(
            stroke(
                #""smoothing":"centripetal","closed":true,"caps":"round","brush":{"type":"dots","lines":9,"dotRadius":5,"waveLength":0.5,"edge":"whole","stampSpacing":3,"followsPath":true,"caps":"butt","dynamics":{"minimumSize":0,"minimumOpacity":1}}"#
            ))
        #expect(reading.warnings.isEmpty, "\(reading.warnings)")
        let stroke = reading.project.layers[0].strokes[0]
        #expect(stroke.smoothing == .centripetal && stroke.isClosed && stroke.points.count == 1)
        var brush = Brush(type: .dots)
        (brush.lines, brush.dotRadius, brush.waveLength, brush.edge) = (9, 5, 0.5, .whole)
        (brush.stampSpacing, brush.followsPath, brush.caps) = (3, true, .round)
        (brush.dynamics.minimumSize, brush.dynamics.minimumOpacity) = (0, 1)
        #expect(stroke.brush == brush)
    }

    @Test("Pressure counts for the opacity where the type and anchor that result have it by default")
    func pressure() throws {
        let folder = ScratchFolder()
        folder.write("brushes/pen.json", #"{"type":"solid"}"#)
        folder.write("brushes/soft.json", #"{"type":"solid","dynamics":{"pressureAffectsOpacity":true}}"#)
        func counts(_ brush: String) throws -> Bool {
            let path = folder.write("p.ink", stroke(#""brush":{\#(brush)}"#))
            return try ProjectLoader.load(path: path).project.layers[0].strokes[0].brush.dynamics.pressureAffectsOpacity
        }
        #expect(try counts("") && counts(#""type":"contourLines","anchor":"canvas""#) && counts(#""type":"dots""#))
        #expect(try !counts(#""type":"solid""#) && !counts(#""type":"dots","anchor":"canvas""#))
        #expect(
            try !counts(#""preset":"pen""#) && counts(#""preset":"pen","type":"dots""#) && counts(#""preset":"soft""#))
        #expect(try counts(#""type":"solid","dynamics":{"pressureAffectsOpacity":true}"#))
        #expect(try !counts(#""preset":"soft","dynamics":{"pressureAffectsOpacity":false}"#))
    }

    @Test(
        "Settings of brushes outside of their ranges are refused by name",
        arguments: [
            (#""lines":2"#, "brush.lines: is 2, must be an odd number from 1 to 63"), (#""lines":-1"#, "brush.lines"),
            (#""lines":65"#, "brush.lines"), (#""lines":3.5"#, "brush.lines"), (#""lines":1e300"#, "brush.lines"),
            (#""dotRadius":0"#, "brush.dotRadius"), (#""dotRadius":385"#, "must be at most 64 times the spacing, 384"),
            (#""waveLength":0.49"#, "brush.waveLength: is 0.49, must be at least 0.5"),
            (#""stampSpacing":0"#, "brush.stampSpacing"),
            (#""edge":"hole""#, "must be cut or whole (did you mean whole?)"),
            (#""caps":"square""#, "must be butt or round"), (#""followsPath":1"#, "brush.followsPath"),
            (#""dynamics":{"minimumSize":2}"#, "dynamics.minimumSize"),
        ])
    func ranges(keys: String, expected: String) {
        let found = message(stroke(#""brush":{\#(keys)}"#))
        #expect(found?.contains(expected) == true, "\(keys): \(found ?? "none")")
    }

    @Test("Dots of a preset that are too large are named where the preset is")
    func dotsOfPresets() throws {
        let folder = ScratchFolder()
        folder.write("brushes/big.json", #"{"type":"dots","defaults":{"spacing":10,"dotRadius":600}}"#)
        func found(_ brush: String) -> String? {
            let path = folder.write("p.ink", stroke(#""brush":{"preset":"big"\#(brush)}"#))
            do throws(EngineError) {
                _ = try ProjectLoader.load(path: path)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(found("") == nil && found(#","spacing":9,"dotRadius":8"#) == nil)
        let message = try #require(found(#","spacing":9"#))
        #expect(message.contains("brush.preset: has the dotRadius 600, must be at most 64 times the spacing, 576"))
    }

    @Test("Mistakes without end among symbols without end are said in no time", .timeLimit(.minutes(1)))
    func unknownSymbols() {
        let symbols = (0..<10_000).map { #"{"id":"symbol \#($0)","path":""}"# }.joined(separator: ",")
        let shapes = (0..<50_000).map { #"{"symbol":"symbal \#($0)"}"# }.joined(separator: ",")
        let keys = (0..<200_000).map { #""colour \#($0)":1"# }.joined(separator: ",")
        let text = project(#"{"shapes":[\#(shapes)]}"#, #","symbols":[\#(symbols)],\#(keys)"#)
        let faults = ProjectLoader.faults(bytes: Array(text.utf8), presetFolders: [], limits: Limits())
        #expect(faults.count == 50_000 && faults.kept.first?.description.contains("did you mean symbol") == true)
    }

    @Test("Dots of the default radius lie as densely as they did before version 1.3")
    func denseDots() {
        #expect(message(stroke(#""brush":{"type":"dots","spacing":0.01}"#)) == nil)
        #expect(
            message(stroke(#""brush":{"type":"dots","spacing":0.01,"dotRadius":2}"#))?.contains("dotRadius") == true)
    }
}
