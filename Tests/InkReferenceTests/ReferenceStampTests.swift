import InkEngine
import InkReference
import Testing

@Suite("Reference: the geometry of stamps (spec 3.3)")
struct ReferenceStampTests {
    private func tap(_ brush: Brush, pressure: Double = 1, azimuth: Double = 0) -> UnionOfParts {
        let stroke = Stroke(brush: brush, points: [StrokePoint(x: 50, y: 50, pressure: pressure, azimuth: azimuth)])
        return ReferenceRenderer.shapes(of: stroke)[0].shape
    }

    @Test(arguments: [
        (BrushType.parallelLines, 7), (.crossHatch, 14), (.dots, 121), (.waves, 7 * (32 + 31 * 16)), (.solid, 1),
    ])
    func partsOfATap(type: BrushType, count: Int) {
        #expect(tap(Brush(type: type)).parts.count == count)
    }

    @Test func parallelLinesRunAlongTheRotation() {
        let shape = tap(Brush(rotation: 90, spacing: 6, lineWidth: 1))
        // Lines go down the page at x = 50 + 6 i, 20 long.
        for i in -3...3 {
            #expect(shape.contains(Point(x: 50 + 6 * Double(i), y: 59.9)))
            #expect(!shape.contains(Point(x: 50 + 6 * Double(i), y: 60.1)))
            #expect(!shape.contains(Point(x: 53 + 6 * Double(i), y: 50)))
        }
        #expect(!shape.contains(Point(x: 50 + 24, y: 50)))
    }

    @Test func sizeAndScaleMoveEverything() {
        let dynamics = BrushDynamics(pressureAffectsSize: true)
        let small = tap(Brush(spacing: 6, scale: 2, lineWidth: 1, dynamics: dynamics), pressure: 0)
        #expect(small == tap(Brush(spacing: 6, lineWidth: 1), pressure: 1))
    }

    @Test func tiltTurns() {
        let tilted = tap(Brush(rotation: 30, dynamics: BrushDynamics(tiltAffectsRotation: true)), azimuth: 15)
        #expect(tilted == tap(Brush(rotation: 45)))
    }

    @Test func dotsTurnWithTheRotation() {
        let shape = tap(Brush(type: .dots, rotation: 45, spacing: 10))
        let half = 10 * 0.5.squareRoot()
        #expect(shape.contains(Point(x: 50 + half, y: 50 + half)))
        #expect(!shape.contains(Point(x: 60, y: 50)))
        #expect(shape.contains(Point(x: 50 + 1.99, y: 50)))
        #expect(!shape.contains(Point(x: 50 + 2.01, y: 50)))
    }

    @Test func wavesSwingByAQuarterOfTheSpacing() {
        let shape = tap(Brush(type: .waves, spacing: 8, lineWidth: 0.5))
        // sin is 1 at t = 2.5, which is a vertex (step 20): two down the page, as v points down.
        #expect(shape.contains(Point(x: 52.5, y: 52)))
        #expect(!shape.contains(Point(x: 52.5, y: 50)))
        #expect(shape.contains(Point(x: 47.5, y: 48)))
        #expect(shape.contains(Point(x: 50, y: 50)))
        #expect(!shape.contains(Point(x: 60.2, y: 50)))
    }
}
