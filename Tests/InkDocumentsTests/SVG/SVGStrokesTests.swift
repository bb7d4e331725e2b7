import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Outlines of SVG files as strokes")
struct SVGStrokesTests {
    private func reading(
        _ content: String, _ attributes: String = #"width="200" height="100""#,
        _ change: (inout DocumentContext) -> Void = { _ in }
    ) throws(EngineError) -> ProjectReading {
        let text =
            #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \#(attributes)>"#
            + content + "</svg>"
        var context = DocumentContext()
        context.takesOutlines = true
        change(&context)
        var found: Result<DocumentPage, EngineError>?
        try DocumentReaders.importPages(Array(text.utf8), name: "a.svg", context) { found = $0 }
        return try found!.get().reading
    }

    private func strokes(_ content: String, _ attributes: String = #"width="200" height="100""#) throws -> [Stroke] {
        try reading(content, attributes).project.layers.flatMap(\.strokes)
    }

    /// The ends of each stroke.
    private func ends(_ content: String, _ attributes: String = #"width="200" height="100""#) throws -> [[Double]] {
        try strokes(content, attributes).map {
            [$0.points.first!.x, $0.points.first!.y, $0.points.last!.x, $0.points.last!.y].map {
                ($0 * 1000).rounded() / 1000
            }
        }
    }

    @Test func linesKeepColorWidthAndPlace() throws {
        let reading = try reading(
            #"<line x1="10" y1="20" x2="110" y2="20" stroke="red" stroke-width="4" stroke-opacity="0.5"/>"#)
        #expect(reading.warnings.isEmpty && reading.project.canvasSize == CanvasSize(width: 200, height: 100))
        let stroke = try #require(reading.project.layers.first?.strokes.first)
        #expect(stroke.brush.type == .solid && stroke.brush.lineWidth == 4 && stroke.brush.opacity == 128.0 / 255)
        #expect(stroke.brush.color == RGBA8(red: 255, green: 0, blue: 0))
        #expect(stroke.points.map(\.x) == [10, 110] && stroke.points.map(\.y) == [20, 20])
        #expect(stroke.points.allSatisfy { $0.pressure == 1 })
    }

    @Test(
        "Transforms are applied from the inside out",
        arguments: [
            ("translate(10)", [11.0, 2, 13, 4]), ("translate(10, -5)", [11, -3, 13, -1]),
            ("scale(2 3)", [2, 6, 6, 12]),
            ("rotate(90)", [-2, 1, -4, 3]), ("rotate(180 10 10)", [19, 18, 17, 16]), ("skewX(45)", [3, 2, 7, 4]),
            ("skewY(45)", [1, 3, 3, 7]), ("matrix(0 1 -1 0 5 6)", [3, 7, 1, 9]),
            ("translate(10 0)scale(2) , translate(1 1)", [14, 6, 18, 10]), ("wobble(3)", [1, 2, 3, 4]),
            ("scale(2", [2, 4, 6, 8]), ("", [1, 2, 3, 4]),
        ])
    func transforms(text: String, expected: [Double]) throws {
        let line = #"<line x1="1" y1="2" x2="3" y2="4" stroke="black"/>"#
        #expect(try ends("<g transform=\"\(text)\">\(line)</g>") == [expected])
    }

    @Test func nestedTransformsAndWidths() throws {
        let stroke = try strokes(
            #"<g transform="translate(10 0)"><g transform="scale(2 8)"><path d="M1 1h4" stroke="black" stroke-width="3"/></g></g>"#
        )[0]
        #expect(stroke.points[0].x == 12 && stroke.points[0].y == 8 && stroke.points.last?.x == 20)
        #expect(stroke.brush.lineWidth == 12)
        let kept = try strokes(
            #"<path transform="scale(5)" d="M1 1h4" stroke="black" stroke-width="3" vector-effect="non-scaling-stroke"/>"#
        )
        #expect(kept[0].brush.lineWidth == 3)
    }

    @Test(
        "A viewBox lies in its viewport as preserveAspectRatio says",
        arguments: [
            ("none", [0.0, 0, 200, 100]), ("xMidYMid", [50, 0, 150, 100]), ("xMinYMin meet", [0, 0, 100, 100]),
            ("xMaxYMid", [100, 0, 200, 100]), ("xMidYMin slice", [0, 0, 200, 200]),
            ("xMidYMax slice", [0, -100, 200, 100]),
        ])
    func viewBoxes(aspect: String, expected: [Double]) throws {
        let line = #"<line x1="5" y1="5" x2="15" y2="15" stroke="black"/>"#
        let attributes = #"viewBox="5 5 10 10" preserveAspectRatio="\#(aspect)""#
        #expect(try ends(line, #"width="200" height="100" "# + attributes) == [expected])
        // The same of one inside of another.
        let nested = #"<svg x="7" y="8" width="200" height="100" \#(attributes)>\#(line)</svg>"#
        #expect(try ends(nested) == [zip(expected, [7, 8, 7, 8]).map { $0 + $1 }])
    }

    @Test func unitsOfLengths() throws {
        let line = #"<line x1="1in" y1="10%" x2="2.54cm" y2="50%" stroke="black" stroke-width="1mm"/>"#
        #expect(try ends(line) == [[96, 10, 96, 50]])
        #expect((try strokes(line)[0].brush.lineWidth - 96 / 25.4).magnitude < 1e-9)
        #expect(try ends(#"<g font-size="10"><line x2="2em" stroke="black"/></g>"#) == [[0, 0, 20, 0]])
        // A millimetre of paper is 96 / 25.4 pixels.
        #expect(
            try reading(line, #"width="210mm" height="297mm""#).project.canvasSize
                == CanvasSize(width: 794, height: 1123))
    }

    @Test func shapesBecomeOutlines() throws {
        let rect = try strokes(#"<rect x="10" y="20" width="30" height="40" fill="none" stroke="blue"/>"#)[0].points
        let corners = [(10.0, 20.0), (40, 20), (40, 60), (10, 60), (10, 20)]
        for corner in corners { #expect(rect.contains { $0.x == corner.0 && $0.y == corner.1 }, "\(corner)") }
        #expect(rect.allSatisfy { $0.x == 10 || $0.x == 40 || $0.y == 20 || $0.y == 60 })
        for (text, rx, ry) in [
            (#"<circle cx="50" cy="50" r="30""#, 30.0, 30.0), (#"<ellipse cx="50" cy="50" rx="30" ry="20""#, 30, 20),
            (#"<path d="M80 50A30 30 0 1 1 20 50A30 30 0 1 1 80 50""#, 30, 30),
            (#"<path d="M80,50a30,20 0 0160,0-30,20,0,01-60,0" transform="translate(-60)""#, 30, 20),
        ] {
            let points = try strokes(text + #" fill="none" stroke="blue"/>"#)[0].points
            #expect(points.first == points.last && points.count > 30)
            for point in points {
                let (x, y) = ((point.x - 50) / rx, (point.y - 50) / ry)
                #expect(abs(x * x + y * y - 1) < 1e-4, "\(text): \(point.x), \(point.y)")
            }
        }
        let round = try strokes(#"<rect width="40" height="20" rx="5" fill="none" stroke="blue"/>"#)[0].points
        let corner = round.filter { $0.x < 5 && $0.y < 5 }.map { Point(x: $0.x - 5, y: $0.y - 5).length }
        #expect(corner.count > 5 && corner.allSatisfy { abs($0 - 5) < 0.01 })
    }

    @Test func curvesStayWithinTheirBound() throws {
        var random = SeededGenerator(seed: 20)
        for _ in 0..<50 {
            let p = (0..<4).map { _ in
                Point(x: Double.random(in: 0...200, using: &random), y: Double.random(in: 0...100, using: &random))
            }
            let d = "M\(p[0].x) \(p[0].y)C\(p[1].x) \(p[1].y) \(p[2].x) \(p[2].y) \(p[3].x) \(p[3].y)"
            let points = try strokes("<path d=\"\(d)\" fill=\"none\" stroke=\"black\"/>")[0].points
            for step in 0...200 {
                let (t, u) = (Double(step) / 200, 1 - Double(step) / 200)
                let place = (u * u * u) * p[0] + (3 * u * u * t) * p[1] + (3 * u * t * t) * p[2] + (t * t * t) * p[3]
                let distance = zip(points, points.dropFirst()).map { a, b -> Double in
                    let (from, way) = (Point(x: a.x, y: a.y), Point(x: b.x - a.x, y: b.y - a.y))
                    let arm = place - from
                    let share = min(max((arm.x * way.x + arm.y * way.y) / (way.length * way.length), 0), 1)
                    return (arm - share * way).length
                }.min()!
                #expect(distance < 200.0 / 8000 + 1e-3, "\(d) at \(t)")
            }
        }
    }

    @Test(
        "The data of a path is read up to a mistake",
        arguments: [
            ("M10 10 20 20", [[10.0, 10, 20, 20]]), ("m10 10 5 5 5-5z", [[10, 10, 10, 10]]),
            ("M1 2L3 4zL5 6", [[1, 2, 1, 2], [1, 2, 5, 6]]), ("M1 2h3v4H0V0", [[1, 2, 0, 0]]),
            ("M0 0C1 1 2 1 3 0S5-1 6 0", [[0, 0, 6, 0]]), ("M0 0Q1 1 2 0T4 0t2 0", [[0, 0, 6, 0]]),
            ("M1e1.5.5-.5", [[10, 0.5, 0.5, -0.5]]), ("M1 2L3 4 5", [[1, 2, 3, 4]]),
            ("M1 2L3 4 x 5 6", [[1, 2, 3, 4]]),
            ("M1 2 3 4M5 6 7 8", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ])
    func pathData(text: String, expected: [[Double]]) throws {
        #expect(try ends("<path d=\"\(text)\" fill=\"none\" stroke=\"black\"/>") == expected)
    }

    @Test func stylesComeFromRulesGroupsAndElements() throws {
        let found = try strokes(
            """
            <style>/* {} */ path { stroke: red } .thick, .other { stroke-width: 5 } #one { stroke: #00f !important }
            g .deep { stroke: lime }</style>
            <g style="stroke: green; stroke-width: 2" color="navy" fill="none">
            <line x2="9"/><path d="M0 0h9"/><path class="a thick" d="M0 0h9"/><path id="one" d="M0 0h9"/>
            <path style="stroke:hsl(60, 100%, 50%)" d="M0 0h9"/><line x2="9" stroke="currentColor" opacity="50%"/>
            <line x2="9" stroke="rgb(10 20 30 / 0.5)"/><line x2="9" stroke="url(#gone) teal"/></g>
            """)
        #expect(
            found.map(\.brush.color.description) == [
                "#008000", "#ff0000", "#ff0000", "#0000ff", "#ffff00", "#000080", "#0a141e", "#008080",
            ])
        #expect(found.map(\.brush.lineWidth) == [2, 2, 5, 2, 2, 2, 2, 2])
        #expect(found[5].brush.opacity == 128.0 / 255 && found[6].brush.opacity == 128.0 / 255)
    }

    @Test func whatIsHiddenIsLeftOut() throws {
        let found = try ends(
            """
            <g stroke="black"><line x2="1" display="none"/><g style="display:none"><line x2="2"/></g>
            <g visibility="hidden"><line x2="3"/><line x2="4" visibility="visible"/></g><line x2="5" opacity="0"/>
            <defs><line x2="6"/></defs><symbol><line x2="7"/></symbol><line x2="8" stroke-width="0"/>
            <clipPath><line x2="9"/></clipPath><line x2="10" stroke="none"/><line x2="11" stroke="black"/></g>
            """)
        #expect(found == [[0, 0, 4, 0], [0, 0, 11, 0]])
    }

    @Test func useRepeatsElementsInTheirPlaces() throws {
        let found = try ends(
            """
            <defs><line id="a" x2="10" stroke="inherit"/><g id="b" transform="scale(2)"><use xlink:href="#a" y="1"/></g></defs>
            <use href="#a" x="5" y="6" stroke="black"/><use xlink:href="#b" transform="translate(100)" stroke="black"/>
            <symbol id="s" viewBox="0 0 10 10"><line x2="10" y2="10"/></symbol>
            <use href="#s" x="10" width="20" height="20" stroke="black"/><use href="#gone"/>
            """)
        #expect(found == [[5, 6, 15, 6], [100, 2, 120, 2], [10, 0, 30, 20]])
    }

    @Test func dashesAreStrokesOfTheirOwn() throws {
        let dashed =
            #"<line x2="100" stroke="black" stroke-width="0.001" stroke-dasharray="30 10" stroke-dashoffset="-5"/>"#
        let found = try ends(dashed)
        let expected = [[5.0, 0, 35, 0], [45, 0, 75, 0], [85, 0, 100, 0]]
        #expect(found.count == 3)
        for (a, b) in zip(found.joined(), expected.joined()) { #expect(abs(a - b) < 0.002, "\(found)") }
        // Without width a dash has no round ends to show.
        #expect(
            try ends(
                #"<line x2="100" stroke="black" stroke-dasharray="0 10"/>"#.replacing(
                    "/>", with: "/><line x2='1' stroke='red'/>")
            ).count == 1)
        #expect(try ends(#"<line x2="90" stroke="black" stroke-linecap="round" stroke-dasharray="0 10"/>"#).count == 9)
        #expect(
            try ends(#"<line x2="90" stroke="black" pathLength="9" stroke-linecap="round" stroke-dasharray="1"/>"#)
                .count == 5)
    }

    @Test(arguments: ["20 0", "20 0 10 0", "0 0", "5 -1", "5 x"])
    func dashesWithoutGapsAreALine(dashes: String) throws {
        #expect(try ends("<line x2=\"90\" stroke=\"black\" stroke-dasharray=\"\(dashes)\"/>") == [[0, 0, 90, 0]])
    }

    @Test(.timeLimit(.minutes(5))) func manyRulesOnManyElementsTakeNoTime() throws {
        let rules = String(repeating: "*{stroke:red;fill:none;a:b}", count: 2000)
        let reading = try reading("<style>\(rules)</style>" + String(repeating: "<line x2='9'/>", count: 20_000))
        #expect(
            reading.warnings.map(\.description) == [
                "left out: rules of style sheets for more than a name, classes and an id"
            ])
        #expect(reading.project.layers.flatMap(\.strokes).count == 20_000)
    }

    @Test func areasBecomeShapes() throws {
        let reading = try reading(
            ##"""
            <circle cx="50" cy="50" r="9" fill="#123456"/><line x2="9"/>
            <g transform="translate(100)" fill-opacity="0.5"><path d="M0 0h9v9z M1 1h2v2z" fill-rule="evenodd"
             fill="red" stroke="blue" stroke-width="3"/></g>
            """##)
        #expect(reading.warnings.isEmpty && reading.project.layers.count == 1)
        let (shapes, strokes) = (reading.project.layers[0].shapes, reading.project.layers[0].strokes)
        try #require(shapes.count == 2 && strokes.count == 2)
        // A circle stays one, and corners stay where they are.
        #expect(shapes[0].fill == .color(try #require(RGBA8(hex: "#123456"))) && shapes[0].rule == .nonzero)
        #expect(shapes[0].path.verbs.contains(.arc) && shapes[0].path.controlBox.minX > 40.9)
        #expect(shapes[1].fill == .color(RGBA8(red: 255, green: 0, blue: 0, alpha: 128)) && shapes[1].rule == .evenodd)
        #expect(shapes[1].path.points.prefix(2) == [Point(x: 100, y: 0), Point(x: 109, y: 0)])
        #expect(strokes.allSatisfy { $0.brush.lineWidth == 3 && $0.brush.color == RGBA8(hex: "#0000ff") })
    }

    @Test("Areas lie above the strokes that are drawn before them, as long as there are layers for that")
    func areasAboveStrokes() throws {
        let pair = #"<line x2="9" y2="9" stroke="red"/><rect width="9" height="9" fill="blue"/>"#
        let layers = try reading(pair + pair).project.layers
        #expect(layers.map { [$0.shapes.count, $0.strokes.count] } == [[0, 1], [1, 1], [1, 0]])
        let many = try reading(String(repeating: pair, count: 20)) { $0.limits.layers = 20 }
        #expect(many.project.layers.map { [$0.shapes.count, $0.strokes.count] } == [[0, 20]])
        #expect(
            many.warnings.map(\.description) == [
                "left out: fills, which would need too many layers between the strokes"
            ])
    }

    @Test func aWarningNamesEachKindOnce() throws {
        let reading = try reading(
            """
            <text>a</text><text>b</text><image href="a.png"/><linearGradient id="g"><stop stop-color="red"/>
            <stop offset="1" stop-color="blue"/></linearGradient><filter id="f"/>
            <line x2="9" stroke="url(#g)"/><g clip-path="url(#c)" filter="url(#f)" mask="none"><line x2="9" stroke="red"/></g>
            <line x2="5" stroke="red" marker-end="url(#m)"/>
            """)
        #expect(
            reading.warnings.map(\.description) == [
                "left out: text", "left out: pictures", "left out: gradients: their mean colour stands for them",
                "left out: clipping: what it cuts off is drawn", "left out: filters", "left out: markers",
            ])
        #expect(reading.project.layers[0].strokes[0].brush.color == RGBA8(red: 128, green: 0, blue: 128))
    }

    @Test func layersOfInkscapeStayLayers() throws {
        let layers = try reading(
            """
            <g xmlns:i="http://i" i:groupmode="layer" i:label="Sky"><line x2="9" stroke="red"/></g>
            <g xmlns:i="http://i" i:groupmode="layer" id="l2"><line x2="9" stroke="red"/></g><line x2="9" stroke="red"/>
            """
        ).project.layers
        #expect(layers.map(\.name) == ["Sky", "l2", "Strokes"])
    }

    @Test func aWishedCanvasIsFitted() throws {
        let line = #"<line x1="0" y1="0" x2="200" y2="100" stroke="black" stroke-width="2"/>"#
        let project = try reading(line) { context in
            context.fitsOutlines = true
            context.drawing.canvas = PixelSize(width: 1200, height: 1200)
            context.drawing.margin = 100
        }.project
        #expect(project.canvasSize == CanvasSize(width: 1200, height: 1200))
        let stroke = project.layers[0].strokes[0]
        #expect(stroke.points.map(\.x) == [100, 1100] && stroke.points.map(\.y) == [350, 850])
        #expect(stroke.brush.lineWidth == 10)
    }

    @Test(
        "Hostile drawings are refused in one line",
        arguments: [
            ("<g id='a'><use href='#a'/></g>", "repeats itself"),
            ("<text>only</text>", "no lines or areas that could become strokes"),
            ("<line x2='1e300' stroke='red'/>", "a point beyond 10^9"),
            ("<path d='M0 0 L1e308 1e308' transform='scale(1e308)' stroke='red'/>", "a shape beyond 10^9"),
            ("<line", "not well-formed"), (String(repeating: "<g>", count: 200), "deep"),
        ])
    func hostile(content: String, message: String) {
        let error = #expect(throws: EngineError.self) { try reading(content) }
        let text = error?.description ?? ""
        #expect(text.contains(message) && !text.contains("\n"), "\(text)")
    }

    @Test func usesDoNotMultiplyWithoutEnd() {
        var text = "<line id='l0' x2='9' stroke='red'/>"
        for level in 1...30 {
            text += "<g id='l\(level)'>" + String(repeating: "<use href='#l\(level - 1)'/>", count: 10) + "</g>"
        }
        let error = #expect(throws: EngineError.self) { try reading("<defs>\(text)</defs><use href='#l30'/>") }
        #expect(error?.description.contains("draws more than 1000000 elements") == true)
    }

    @Test func limitsOfPointsAndStrokesHold() {
        let curve = #"<path d="M0 0\#(String(repeating: "c90 0 90 90 0 90", count: 100))" stroke="red"/>"#
        let error = #expect(throws: EngineError.self) {
            try reading(curve) { $0.limits.points = 500 }
        }
        #expect(error?.description.contains("points") == true)
        #expect(throws: EngineError.self) { try reading(#"<line x2="1e6" stroke="red"/>"#, #"width="1e6" height="5""#) }
    }

    @Test func picturesOfPixelsHaveNoOutlines() throws {
        var context = DocumentContext()
        context.takesOutlines = true
        var png = PNGFile(PixelSize(width: 1, height: 1), bytesPerPixel: 4)
        try png.append([1, 2, 3, 255])
        let bytes = png.finish()
        let error = #expect(throws: EngineError.self) {
            try DocumentReaders.importPages(bytes, name: "a.png", context) { _ in }
        }
        #expect(error?.description == "a.png: is a picture of pixels, which has no outlines; leave out --strokes")
    }

    // MARK: - Colours

    @Test(arguments: [
        ("#123", "#112233"), ("#1234", "#11223344"), ("#A1b2C3", "#a1b2c3"), ("rebeccapurple", "#663399"),
        ("RED", "#ff0000"), ("rgb(255,0,128)", "#ff0080"), ("rgb(100% 0% 50%)", "#ff0080"),
        ("rgba(0,0,0,.5)", "#00000080"), ("hsl(120deg 100% 25%)", "#008000"), ("hsl(-120, 100%, 50%)", "#0000ff"),
        ("transparent", "#00000000"),
    ])
    func colors(text: String, expected: String) {
        #expect(CSSColor.parse(text) == RGBA8(hex: expected), "\(text)")
    }

    @Test(arguments: ["", "reddish", "#12", "rgb(1,2)", "rgb(a,b,c)", "hsl(1,2", "none", "url(#a)"])
    func noColors(text: String) { #expect(CSSColor.parse(text) == nil) }
}
