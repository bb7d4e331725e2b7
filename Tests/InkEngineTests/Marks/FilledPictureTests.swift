import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

/// Pictures that strokes of one brush fill, beside each other from edge to edge: what is wrong by the same at all stamps
/// does not average out.
@Suite("Pictures that one brush fills")
struct FilledPictureTests {
    /// Seeds, and those that once failed.
    private static let chances = Array<UInt64>(0..<120) + [227]
    private static let crossings = Array<UInt64>(0..<60) + [154, 227, 284, 2227]
    private static let size = PixelSize(width: 160, height: 160)
    /// What of it the reference, which is slow, paints.
    private static let corner = PixelSize(width: 64, height: 64)

    /// How hard the pen is pressed.
    enum Pressure: Sendable {
        case constant(Double)
        /// As a hand that tries to keep it constant.
        case nearly(Double)
        case varying
    }

    /// How the strokes lie.
    struct Course {
        var gap: Double
        var slope: Double
        var isUpright: Bool
        /// How far a hand shakes; 0: straight.
        var wobble: Double
        var pressure = Pressure.constant(1)
    }

    private func strokes(of brush: Brush, _ course: Course, _ generator: inout SeededGenerator) -> [Stroke] {
        stride(from: 3.7, to: 160.0, by: course.gap).map { start in
            let count = course.wobble > 0 ? 12 : 5
            func shake() -> Double {
                course.wobble > 0 ? .random(in: -course.wobble...course.wobble, using: &generator) : 0
            }
            let points = (0...count).map { index in
                let share = Double(index) / Double(count)
                let along = 5.3 + 150 * share, across = start + course.slope * share
                let pressure =
                    switch course.pressure {
                    case .constant(let pressure): pressure
                    case .nearly(let pressure): pressure + .random(in: -0.002...0.002, using: &generator)
                    case .varying: Double.random(in: 0...1, using: &generator)
                    }
                return StrokePoint(
                    x: (course.isUpright ? across : along) + shake(), y: (course.isUpright ? along : across) + shake(),
                    pressure: pressure, azimuth: 90 * pressure)
            }
            return Stroke(brush: brush, points: points)
        }
    }

    private func painted(_ strokes: [Stroke], _ size: PixelSize, isExact: Bool) -> [Float] {
        let cell = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let plane = RemainingPlane(maxWidth: size.width, maxHeight: size.height)
        plane.move(to: cell)
        let painter = StrokePainter(maxWidth: size.width, maxHeight: size.height, isExact: isExact)
        for stroke in strokes {
            painter.paint(
                PreparedStroke(stroke), scale: OutputScale(canvas: CanvasSize(size), output: size), cell: cell,
                into: plane)
        }
        return plane.coverage
    }

    /// By the specification alone.
    private func reference(_ strokes: [Stroke], stripsPerPixel: Int = 8) -> [Float] {
        let size = Self.corner
        let scanner = CoverageScanner(canvas: CanvasSize(size), output: size, stripsPerPixel: stripsPerPixel)
        var left = [Double](repeating: 1, count: size.area)
        for stroke in strokes {
            for (pixel, alpha) in ReferenceRenderer.strokeAlpha(stroke, output: size, scanner: scanner).enumerated() {
                left[pixel] *= 1 - alpha
            }
        }
        return left.map { Float(1 - $0) }
    }

    /// - Parameter share: how much of the picture the strokes fill.
    private func expectWithinSpecification(
        _ strokes: [Stroke], stripsPerPixel: Int = 8, _ story: String, share: Double = 1
    ) {
        // The exact way, of polygons, is held to the reference below; discs go by tables there too.
        guard strokes[0].brush.type == .dots else {
            return expectNear(
                painted(strokes, Self.size, isExact: false), painted(strokes, Self.size, isExact: true), story,
                share: share)
        }
        expectNear(
            painted(strokes, Self.corner, isExact: false), reference(strokes, stripsPerPixel: stripsPerPixel), story)
    }

    private func expectNear(_ painted: [Float], _ exact: [Float], _ story: String, share: Double = 1) {
        let errors = zip(painted, exact).map { abs($0 - $1) * 255 }
        let far = Double(errors.count { $0 > 6 }) / Double(errors.count)
        let mean = errors.reduce(0, +) / Float(errors.count)
        #expect(
            far <= 0.001 * share && mean <= 0.5,
            "\(far) of the pixels off by more than 6, on an average \(mean): \(story)")
    }

    /// Those whose lines' ends and crossings, or whose size, were wrong by the same at all stamps.
    private static let difficult: [Brush] = [
        Brush(type: .parallelLines, rotation: 30, spacing: 5, lineWidth: 1),
        Brush(type: .parallelLines, rotation: 60, spacing: 8, lineWidth: 1),
        Brush(type: .parallelLines, rotation: 22.5, spacing: 6, lineWidth: 2),
        Brush(type: .crossHatch, rotation: 15, spacing: 3, lineWidth: 1.5),
        Brush(type: .crossHatch, rotation: 30, spacing: 3, lineWidth: 1.5),
        Brush(type: .crossHatch, rotation: 45, spacing: 5, lineWidth: 1),
        Brush(type: .crossHatch, rotation: 45, spacing: 5, lineWidth: 1.5),
        Brush(type: .crossHatch, rotation: 45, spacing: 10, scale: 0.5, lineWidth: 2),
        Brush(type: .crossHatch, rotation: 60, spacing: 10, lineWidth: 1),
        Brush(type: .crossHatch, rotation: 135, spacing: 10, lineWidth: 1.5),
        // Of which a pixel may meet both sides; the narrowest gaps too.
        Brush(type: .parallelLines, rotation: 31, spacing: 4, lineWidth: 0.1),
        Brush(type: .parallelLines, rotation: 45, spacing: 2.45, lineWidth: 0.9),
        Brush(type: .parallelLines, rotation: 73, spacing: 2.2, lineWidth: 0.6),
        Brush(type: .crossHatch, rotation: 5, spacing: 6, lineWidth: 0.7),
        Brush(type: .crossHatch, rotation: 30, spacing: 6, lineWidth: 0.3),
        Brush(type: .crossHatch, rotation: 45, spacing: 2.45, lineWidth: 0.9),
        Brush(type: .crossHatch, rotation: 67.5, spacing: 5, lineWidth: 0.99),
        Brush(type: .waves, rotation: 3, spacing: 6, lineWidth: 0.5),
        Brush(type: .waves, rotation: 4, spacing: 6, lineWidth: 0.2),
        Brush(type: .waves, rotation: 3, spacing: 5, lineWidth: 0.85),
        Brush(type: .waves, rotation: 93.2, spacing: 3, lineWidth: 1),
        Brush(type: .waves, rotation: 60, spacing: 11.85, lineWidth: 1),
        Brush(type: .dots, rotation: 45, spacing: 7, scale: 0.7),
    ]

    @Test("99.9% of the pixels are within 6 of 255, all within a half on an average", arguments: difficult, [0.0, 1.5])
    func brushes(brush: Brush, wobble: Double) {
        var generator = SeededGenerator(seed: 11)
        for (gap, slope, isUpright) in [(11.7, 0.0, false), (28.4, 0.0, true), (16.9, 39.0, false)] {
            let course = Course(gap: gap, slope: slope, isUpright: isUpright, wobble: wobble)
            expectWithinSpecification(strokes(of: brush, course, &generator), "\(brush), \(course)")
        }
    }

    @Test(
        "the same where pressure and tilt change stamps",
        arguments: [
            Brush(type: .crossHatch, rotation: 22.5, spacing: 5, lineWidth: 1.5),
            Brush(type: .crossHatch, rotation: 60, spacing: 9, scale: 2, lineWidth: 1),
            Brush(type: .crossHatch, rotation: 22.5, spacing: 9, scale: 0.75, lineWidth: 2),
            Brush(type: .crossHatch, rotation: 120, spacing: 3.2, scale: 2, lineWidth: 1),
            Brush(type: .crossHatch, rotation: 40, spacing: 6, lineWidth: 1),
            // So far apart that places between lines are rounded to a 256th of a pixel.
            Brush(type: .crossHatch, rotation: 20, spacing: 60, scale: 3, lineWidth: 2),
            Brush(type: .parallelLines, rotation: 30, spacing: 5, lineWidth: 2),
            Brush(type: .parallelLines, rotation: 30, spacing: 6, lineWidth: 0.8),
            Brush(type: .waves, rotation: 20, spacing: 9, lineWidth: 1.5),
            Brush(type: .dots, rotation: 60, spacing: 10, scale: 1.1), Brush(type: .dots, spacing: 12, scale: 0.5),
            Brush(type: .dots, rotation: 90, spacing: 6.5), Brush(type: .dots, spacing: 10, scale: 0.7),
            Brush(type: .dots, spacing: 6, scale: 0.7),
        ], [Pressure.constant(0.36), .constant(0.48), .constant(1), .nearly(0.41), .nearly(0.96), .varying])
    func dynamics(brush: Brush, pressure: Pressure) {
        var generator = SeededGenerator(seed: 12)
        var brush = brush
        for (affectsSize, affectsRotation) in [(true, false), (false, true), (true, true)] {
            brush.dynamics = BrushDynamics(
                pressureAffectsOpacity: false, pressureAffectsSize: affectsSize, tiltAffectsRotation: affectsRotation)
            for wobble in [0.0, 1.5] {
                let course = Course(gap: 20.9, slope: 0, isUpright: false, wobble: wobble, pressure: pressure)
                expectWithinSpecification(strokes(of: brush, course, &generator), "\(brush), \(course)")
            }
        }
    }

    private func expectAsReference(_ strokes: [Stroke], _ story: String) {
        let expected = reference(strokes)
        for isExact in [false, true] {
            expectNear(
                painted(strokes, Self.corner, isExact: isExact), expected, "\(isExact ? "exact" : "fast"), \(story)")
        }
    }

    @Test("the same by the specification alone, in which the engine has no part", arguments: difficult)
    func specification(brush: Brush) {
        var generator = SeededGenerator(seed: 14)
        let course = Course(gap: 16.9, slope: 39, isUpright: false, wobble: 0)
        expectAsReference(strokes(of: brush, course, &generator), "\(brush), \(course)")
    }

    /// A brush of dots, how far its strokes lie apart in distances between their dots, how far they fall over the picture,
    /// and how hard the pen is pressed where that changes the dots' size.
    struct Ruler {
        var spacing: Double
        var scale: Double
        var rows: Double
        var slope = 0.0
        var pressure = 1.0
    }

    @Test(
        "the same where dots lie on those of earlier stamps and strokes, as along a ruler",
        arguments: [
            Ruler(spacing: 5, scale: 1.1, rows: 2), Ruler(spacing: 5.93, scale: 1, rows: 1),
            Ruler(spacing: 7.28, scale: 0.53, rows: 2), Ruler(spacing: 9.53, scale: 1, rows: 1),
            Ruler(spacing: 5, scale: 1.1, rows: 1, slope: 1.7), Ruler(spacing: 5, scale: 1.1, rows: 1, slope: 3),
            Ruler(spacing: 7.28, scale: 0.53, rows: 1, slope: 7.5),
            Ruler(spacing: 5.93, scale: 1, rows: 1, pressure: 0.6),
            Ruler(spacing: 7.3, scale: 0.8, rows: 1, pressure: 0.5),
            Ruler(spacing: 8, scale: 0.7, rows: 1, pressure: 1.0 / 3),
        ])
    func ruler(ruler: Ruler) {
        var generator = SeededGenerator(seed: 13)
        let size = 0.5 + 0.5 * ruler.pressure
        let brush = Brush(
            type: .dots, spacing: ruler.spacing, scale: ruler.scale,
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: ruler.pressure < 1))
        let course = Course(
            gap: ruler.spacing * ruler.scale * size * ruler.rows, slope: ruler.slope, isUpright: false, wobble: 0,
            pressure: .constant(ruler.pressure))
        // What strips miss where a dot ends within a pixel row adds up as well.
        expectWithinSpecification(strokes(of: brush, course, &generator), stripsPerPixel: 64, "\(brush), \(course)")
    }

    @Test(
        "taps at one place are as exact as one", arguments: [BrushType.parallelLines, .crossHatch, .waves], [0.3, 1.0])
    func taps(type: BrushType, lineWidth: Double) {
        let brush = Brush(type: type, rotation: 67.5, lineWidth: lineWidth)
        let tap = Stroke(brush: brush, points: [StrokePoint(x: 80.3, y: 79.8)])
        expectWithinSpecification(
            Array(repeating: tap, count: 20), stripsPerPixel: 64, "\(brush)", share: 0.05)
    }

    private func rotation(_ generator: inout SeededGenerator) -> Double {
        Bool.random(using: &generator)
            ? Double(Int.random(in: 0...12, using: &generator)) * 15 : .random(in: -180...180, using: &generator)
    }

    private func dynamics(_ generator: inout SeededGenerator) -> BrushDynamics {
        BrushDynamics(
            pressureAffectsOpacity: false, pressureAffectsSize: .random(using: &generator),
            tiltAffectsRotation: .random(using: &generator))
    }

    private func course(_ generator: inout SeededGenerator) -> Course {
        let pressures: [Pressure] = [
            .constant(.random(in: 0...1, using: &generator)), .nearly(.random(in: 0.01...0.99, using: &generator)),
            .varying,
        ]
        return Course(
            gap: .random(in: 10...30, using: &generator), slope: .random(in: 0...90, using: &generator),
            isUpright: .random(using: &generator), wobble: [0, 0, 1, 2].randomElement(using: &generator) ?? 0,
            pressure: pressures.randomElement(using: &generator) ?? .varying)
    }

    private func chance(_ types: [BrushType], _ generator: inout SeededGenerator) -> (brush: Brush, course: Course) {
        let type = types.randomElement(using: &generator) ?? .dots
        let rotation = rotation(&generator)
        let brush = Brush(
            type: type, rotation: rotation, spacing: .random(in: 2...14, using: &generator),
            scale: [0.5, 0.7, 1, 1, 1.6, 3].randomElement(using: &generator) ?? 1,
            lineWidth: .random(in: 0.3...4, using: &generator),
            dynamics: dynamics(&generator))
        return (brush, course(&generator))
    }

    @Test("the same with brushes of chance", arguments: chances)
    func chance(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (brush, course) = chance([.parallelLines, .crossHatch, .crossHatch, .dots, .waves], &generator)
        expectWithinSpecification(strokes(of: brush, course, &generator), "seed \(seed): \(brush), \(course)")
    }

    @Test("brushes of chance by the specification alone", arguments: 0..<16 as Range<UInt64>)
    func chanceByReference(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let (brush, course) = chance([.parallelLines, .crossHatch, .waves], &generator)
        expectAsReference(strokes(of: brush, course, &generator), "seed \(seed): \(brush), \(course)")
    }

    @Test("the same where the ends of crossing lines lie in or beside other lines", arguments: crossings)
    func endsBesideSides(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scale: Double = [0.5, 0.7, 1, 1, 1.6, 3].randomElement(using: &generator) ?? 1
        var lineWidth = Double.random(in: 0.8...3.2, using: &generator) / scale
        let index = Double(Int.random(in: 1...3, using: &generator))
        let spacing = (10 + Double.random(in: -2.5...2.5, using: &generator) / scale) / index
        lineWidth = min(lineWidth, spacing / 1.3)
        let rotation = rotation(&generator)
        let brush = Brush(
            type: .crossHatch, rotation: rotation, spacing: spacing, scale: scale, lineWidth: lineWidth,
            dynamics: dynamics(&generator))
        let course = course(&generator)
        expectWithinSpecification(strokes(of: brush, course, &generator), "seed \(seed): \(brush), \(course)")
    }
}
