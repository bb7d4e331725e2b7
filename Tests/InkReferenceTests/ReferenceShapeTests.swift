import Foundation
import InkEngine
import InkReference
import Testing

@Suite("Reference: shapes and gradients (spec 9, 10.7)")
struct ReferenceShapeTests {
    private let canvas = PixelSize(width: 40, height: 30)

    private func render(
        _ shapes: [Shape], mask: [Shape]? = nil, viewport: Viewport? = nil, zoom: Int = 1,
        background: RGBA8 = .transparent
    ) -> ReferencePicture {
        var layer = Layer()
        (layer.shapes, layer.maskShapes) = (shapes, mask)
        return ReferenceRenderer.render(
            project: Project(canvasSize: canvas, background: background, layers: [layer]), viewport: viewport,
            output: PixelSize(width: canvas.width * zoom, height: canvas.height * zoom))
    }

    private func area(_ picture: ReferencePicture) -> Double {
        stride(from: 3, to: picture.pixels.count, by: 4).reduce(0) { $0 + picture.pixels[$1] }
    }

    private func polygon(_ corners: [(Double, Double)]) -> ShapePath {
        var path = ShapePath()
        path.move(to: Point(x: corners[0].0, y: corners[0].1))
        for corner in corners.dropFirst() { path.line(to: Point(x: corner.0, y: corner.1)) }
        return path
    }

    private func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> ShapePath {
        polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    }

    private func circle(_ x: Double, _ y: Double, _ radius: Double, sweep: Double = 2 * Double.pi) -> ShapePath {
        var path = ShapePath()
        path.move(to: Point(x: x + radius, y: y))
        path.arc(
            center: Point(x: x, y: y), u: Point(x: radius, y: 0), v: Point(x: 0, y: radius), start: 0, sweep: sweep,
            to: Point(x: x + radius * cos(sweep), y: y + radius * sin(sweep)))
        path.close()
        return path
    }

    @Test func rectanglesCoverShares() {
        let picture = render([Shape(path: rectangle(3.25, 9.5, 5.5, 1.75), fill: .color(.white))])
        for (y, row) in [(8, 0.0), (9, 0.5), (10, 1), (11, 0.25), (12, 0)] {
            for (x, column) in [(2, 0.0), (3, 0.75), (4, 1), (8, 0.75), (9, 0)] {
                #expect(near(pixel(picture, x, y), [Double](repeating: row * column, count: 4)), "\(x), \(y)")
            }
        }
    }

    @Test func discsSectorsAndCurvesHaveTheirAreas() {
        #expect(abs(area(render([Shape(path: circle(20.3, 14.6, 9.7))])) - Double.pi * 9.7 * 9.7) < 0.02)
        // Three quarters of the arc, closed by a chord.
        let segment: Double = 100 * (0.75 * Double.pi + 0.5)
        #expect(abs(area(render([Shape(path: circle(20, 15, 10, sweep: 1.5 * Double.pi))])) - segment) < 0.02)
        // A parabola over a chord of 20 with the control point 12 above it: two thirds of 20 x 6.
        var parabola = ShapePath()
        parabola.move(to: Point(x: 10, y: 20))
        parabola.quadratic(Point(x: 20, y: 8), to: Point(x: 30, y: 20))
        #expect(abs(area(render([Shape(path: parabola)])) - 80) < 0.02)
        // Control points straight above the ends: 0.6 of 20 x 12.
        var cubic = ShapePath()
        cubic.move(to: Point(x: 10, y: 20))
        cubic.cubic(Point(x: 10, y: 8), Point(x: 30, y: 8), to: Point(x: 30, y: 20))
        #expect(abs(area(render([Shape(path: cubic)])) - 144) < 0.02)
    }

    @Test func rulesDecideAboutWhatIsWoundTwice() {
        var path = rectangle(5, 5, 20, 20)
        path.close()
        path.move(to: Point(x: 10, y: 10))
        for (x, y) in [(20.0, 10.0), (20, 20), (10, 20)] { path.line(to: Point(x: x, y: y)) }
        #expect(abs(area(render([Shape(path: path)])) - 400) < 1e-6)
        #expect(abs(area(render([Shape(path: path, rule: .evenodd)])) - 300) < 1e-6)
        // A star of five points in one line: its middle is wound twice.
        let star = polygon(
            (0..<5).map { n in
                let angle: Double = 0.8 * Double.pi * Double(n)
                return (20 + 14 * sin(angle), 15 - 14 * cos(angle))
            })
        let ratio: Double = (3 - 5.0.squareRoot()) / 2
        let inner: Double = 2.5 * 14 * 14 * ratio * ratio * sin(2 * Double.pi / 5)
        let all = area(render([Shape(path: star)]))
        #expect(abs(all - area(render([Shape(path: star, rule: .evenodd)])) - inner) < 0.05)
    }

    @Test func transformsMoveAndSingularOnesDrawNothing() {
        let unit = rectangle(0, 0, 1, 1)
        let map = AffineMap(a: 4, b: 3, c: -6, d: 8, x: 15, y: 5)
        let picture = render([Shape(path: unit, transform: map)])
        #expect(abs(area(picture) - 50) < 1e-3)
        #expect(pixel(picture, 14, 10)[3] == 1 && pixel(picture, 20, 6)[3] == 0)
        #expect(area(render([Shape(path: unit, transform: AffineMap(a: 4, b: 2, c: 8, d: 4))])) == 0)
        // An ellipse of 12 by 3, turned.
        let turned = AffineMap(a: 6, b: 6, c: -1.5, d: 1.5, x: 20, y: 15)
        #expect(abs(area(render([Shape(path: circle(0, 0, 1), transform: turned)])) - Double.pi * 18) < 0.02)
    }

    @Test func shapesAreComposedInOrderUnderStrokes() {
        let red = RGBA8(red: 255, green: 0, blue: 0, alpha: 128)
        let erase = Shape(path: rectangle(10, 0, 10, 30), fill: .color(.transparent), opacity: 0.5, mode: .erase)
        let picture = render([
            Shape(path: rectangle(0, 0, 30, 30), fill: .color(.white)),
            Shape(path: rectangle(0, 0, 20, 30), fill: .color(red), opacity: 0.5), erase,
        ])
        let a = 128.0 / 510
        #expect(near(pixel(picture, 5, 5), [1, 1 - a, 1 - a, 1]))
        #expect(near(pixel(picture, 15, 5), [0.5, 0.5 - a / 2, 0.5 - a / 2, 0.5]))
        #expect(near(pixel(picture, 25, 5), [1, 1, 1, 1]))
        var layer = Layer()
        layer.shapes = [Shape(path: rectangle(0, 0, 40, 30), fill: .color(.white))]
        layer.strokes = [
            Stroke(
                brush: Brush(type: .solid, lineWidth: 10),
                points: [StrokePoint(x: 0, y: 15), StrokePoint(x: 40, y: 15)])
        ]
        let drawn = ReferenceRenderer.render(project: Project(canvasSize: canvas, layers: [layer]), output: canvas)
        #expect(near(pixel(drawn, 20, 15), [0, 0, 0, 1]) && near(pixel(drawn, 20, 5), [1, 1, 1, 1]))
    }

    private func gradient(_ stops: [(Double, RGBA8)], from: Double = 0, to: Double = 40) -> Gradient {
        Gradient(
            kind: .linear(from: Point(x: from, y: 3), to: Point(x: to, y: 3)),
            stops: stops.map { Gradient.Stop(offset: $0.0, color: $0.1) })
    }

    @Test func gradientsAreInterpolatedPremultiplied() {
        let red = RGBA8(red: 255, green: 0, blue: 0, alpha: 255)
        let clear = RGBA8(red: 0, green: 0, blue: 255, alpha: 0)
        let fade = gradient([(0, red), (1, clear)])
        #expect(near(gradientColor(fade, at: Point(x: 10, y: 99)), [0.75, 0, 0, 0.75]))
        #expect(near(gradientColor(fade, at: Point(x: -10, y: 0)), [1, 0, 0, 1]))
        #expect(near(gradientColor(fade, at: Point(x: 50, y: 0)), [0, 0, 0, 0]))
        // Where offsets are equal the later counts from there on.
        let step = gradient([(0.5, red), (0.5, .white), (0.5, .black), (0.75, .white)])
        #expect(near(gradientColor(step, at: Point(x: 19.999, y: 0)), [1, 0, 0, 1]))
        #expect(near(gradientColor(step, at: Point(x: 20, y: 0)), [0, 0, 0, 1]))
        #expect(near(gradientColor(step, at: Point(x: 25, y: 0)), [0.5, 0.5, 0.5, 1]))
        #expect(near(gradientColor(gradient([(0, red), (1, .white)], to: 0), at: Point(x: 0, y: 0)), [1, 1, 1, 1]))
        let radial = Gradient(kind: .radial(center: Point(x: 3, y: 4), radius: 10), stops: fade.stops)
        #expect(near(gradientColor(radial, at: Point(x: 0, y: 0)), [0.5, 0, 0, 0.5]))
        let flat = Gradient(kind: .radial(center: Point(x: 3, y: 4), radius: 0), stops: fade.stops)
        #expect(near(gradientColor(flat, at: Point(x: 3, y: 4)), [0, 0, 0, 0]))
    }

    @Test func gradientsLieInTheCoordinatesOfTheirShape() {
        let ramp = gradient([(0, .black), (1, .white)], to: 1)
        let unit = Shape(
            path: rectangle(0, 0, 1, 1), transform: AffineMap(a: 0, b: 20, c: -10, d: 0, x: 30, y: 5),
            fill: .gradient(ramp))
        // The shape's x runs down the page from 5 to 25.
        let picture = render([unit])
        #expect(abs(pixel(picture, 25, 9)[0] - 4.5 / 20) < 1e-12 && abs(pixel(picture, 22, 24)[0] - 19.5 / 20) < 1e-12)
        // Evaluated at the pixel's centre, whatever the shape covers of it.
        let world = Viewport(center: Point(x: 25, y: 15), zoom: 2, rotation: 90, size: CanvasSize(canvas))
        // What is seen at q lies at (25, 15) + R(-90) (q - (20, 15)) / 2: world y = 15 - (q.x - 20) / 2 = 18.75.
        let turned = render([unit], viewport: world)
        #expect(abs(pixel(turned, 12, 15)[0] - 13.75 / 20) < 1e-12)
    }

    @Test func fillsHaveGradientsInTheCoordinatesOfTheCanvas() {
        var fill = Layer()
        fill.kind = .fill(.gradient(gradient([(0, .black), (1, .white)])))
        let project = Project(canvasSize: canvas, layers: [fill])
        let picture = ReferenceRenderer.render(project: project, output: PixelSize(width: 80, height: 60))
        #expect(abs(pixel(picture, 31, 7)[1] - 31.5 / 80) < 1e-12)
        let view = Viewport(center: Point(x: 10, y: 10), zoom: 4, size: CanvasSize(canvas))
        let near = ReferenceRenderer.render(project: project, viewport: view, output: canvas)
        #expect(abs(pixel(near, 20, 3)[1] - 10.125 / 40) < 1e-12)
    }

    @Test func patternsFillTheirShapeAndStayWithTheCanvas() {
        var brush = Brush(spacing: 4, lineWidth: 1, anchor: .canvas, color: .white)
        let move = AffineMap(x: 0, y: 1)
        let lined = render([Shape(path: rectangle(10, 10, 20, 7), transform: move, fill: .pattern(brush), opacity: 0.5)]
        )
        // The shape is y from 11 to 18; lines are y from 11.5 to 12.5 and from 15.5 to 16.5.
        for (y, share) in [(10, 0.0), (11, 0.5), (12, 0.5), (13, 0), (15, 0.5), (16, 0.5), (17, 0)] {
            #expect(near(pixel(lined, 20, y), [Double](repeating: share / 2, count: 4)), "\(y)")
        }
        brush.type = .dots
        (brush.spacing, brush.edge) = (10, .whole)
        // Holds (20, 10) and touches (30, 20) but not (20, 20).
        let path = polygon([(15, 5), (25, 5), (30, 20), (25, 15), (15, 15)])
        #expect(abs(area(render([Shape(path: path, fill: .pattern(brush))])) - 8 * Double.pi) < 0.02)
        brush.edge = .cut
        let cut = area(render([Shape(path: path, fill: .pattern(brush))]))
        #expect(cut > 4 * Double.pi && cut < 5.5 * Double.pi, "\(cut)")
    }

    @Test func masksAreWhatShapesLeaveOnNothing() {
        let half = RGBA8(red: 9, green: 99, blue: 199, alpha: 51)
        let white = Shape(path: rectangle(0, 0, 40, 30), fill: .color(.white))
        let picture = render(
            [white],
            mask: [
                Shape(path: rectangle(0, 0, 20, 30), fill: .color(half)),
                Shape(path: rectangle(10, 0, 20, 30), fill: .color(half), opacity: 0.5),
                Shape(path: rectangle(0, 20, 40, 10), fill: .color(half), opacity: 0.25, mode: .erase),
            ])
        for (x, value) in [(5, 0.2), (15, 1 - 0.8 * 0.9), (25, 0.1), (35, 0)] {
            #expect(near(pixel(picture, x, 5), [Double](repeating: value, count: 4)), "\(x)")
            #expect(near(pixel(picture, x, 25), [Double](repeating: value * 0.75, count: 4)), "\(x)")
        }
        #expect(area(render([white], mask: [])) == 0)
    }

    @Test func masksOfShapesMultiplyWithImages() {
        var fill = Layer(maskImage: encoded(canvas))
        fill.kind = .fill(.color(.white))
        fill.maskShapes = [Shape(path: rectangle(0, 0, 20.5, 30), opacity: 0.5)]
        let images = DecodedImages([
            .mask(layerIndex: 0): StraightImage(size: canvas, gray: [UInt8](repeating: 51, count: canvas.area))
        ])
        let picture = ReferenceRenderer.render(
            project: Project(canvasSize: canvas, background: .transparent, layers: [fill]), images: images,
            output: canvas)
        #expect([19, 20, 21].map { pixel(picture, $0, 3)[3] }.elementsEqual([0.1, 0.05, 0]) { abs($0 - $1) < 1e-9 })
    }

    @Test func fitCountsTheExtentsOfCurves() throws {
        var layer = Layer()
        var curve = ShapePath()
        curve.move(to: Point(x: 0, y: 0))
        curve.cubic(Point(x: 0, y: 12), Point(x: 30, y: 12), to: Point(x: 30, y: 0))
        curve.move(to: Point(x: 900, y: 900))
        layer.shapes = [
            Shape(path: curve, opacity: 0, mode: .erase),
            Shape(path: circle(0, 0, 1), transform: AffineMap(a: 3, b: 4, c: -4, d: 3, x: 40, y: -20)),
            Shape(path: rectangle(500, 500, 1, 1), transform: AffineMap(a: 1, b: 1, c: 1, d: 1)),
        ]
        layer.maskShapes = [Shape(path: rectangle(-99, -99, 1, 1))]
        let found = try #require(ReferenceRenderer.fit(Project(canvasSize: nil, layers: [layer]), margin: 0))
        // The cubic reaches 9 down; the circle of 5 from 35 to 45 and from -25 to -15.
        #expect(abs(found.size.width - 45) < 1e-9 && abs(found.size.height - 34) < 1e-9, "\(found)")
        #expect(abs(found.center.x - 22.5) < 1e-9 && abs(found.center.y + 8) < 1e-9)
        layer.isVisible = false
        #expect(ReferenceRenderer.fit(Project(canvasSize: nil, layers: [layer])) == nil)
    }

    @Test func aViewportMovesShapesMasksAndPatterns() {
        let view = Viewport(center: Point(x: 10, y: 8), zoom: 2, size: CanvasSize(canvas))
        let brush = Brush(type: .dots, spacing: 4, anchor: .canvas)
        let shapes = [Shape(path: circle(12, 9, 6), fill: .pattern(brush))]
        let mask = [Shape(path: rectangle(7, 4, 6, 7))]
        let seen = render(shapes, mask: mask, viewport: view)
        // The canvas from (0, 0.5) on, twice as large: the canvas moved up by half a pixel.
        let whole = render(shapes, mask: mask, zoom: 4)
        for (x, y) in [(15, 10), (20, 12), (25, 20), (19, 17)] {
            let mean = (0..<4).reduce(0) { $0 + pixel(whole, 2 * x + $1 % 2, 2 * y + 2 + $1 / 2)[3] } / 4
            #expect(abs(pixel(seen, x, y)[3] - mean) < 2e-3, "\(x), \(y)")
        }
    }

    @Test func nearestTakesTheSampleThatHoldsTheCentre() {
        let image = StraightImage(size: PixelSize(width: 2, height: 1), gray: [0, 255])
        func row(_ placement: Placement, _ width: Int, _ scale: Double = 1, _ height: Int = 1) -> [Double] {
            let found = nearestSamples(
                image, at: placement, scale: (scale, scale), output: PixelSize(width: width, height: height))
            return stride(from: 0, to: found.count, by: 4).map { found[$0] - (found[$0 + 3] == 0 ? 1 : 0) }
        }
        // -1 where there is nothing.
        #expect(row(Placement(x: 1, y: 0, width: 4, height: 1), 6) == [-1, 0, 0, 1, 1, -1])
        // The border lies on the centre of the middle pixel: the later one, also turned.
        #expect(row(Placement(width: 3, height: 1), 3) == [0, 1, 1])
        #expect(row(Placement(width: 3, height: 1, rotation: 180), 3) == [1, 0, 0])
        #expect(row(Placement(x: -1, y: 1, width: 3, height: 1, rotation: 90), 1, 1, 3) == [0, 1, 1])
        // A placement's own borders: a centre at the first belongs to it, at the last not.
        #expect(row(Placement(x: 0.5, y: 0, width: 2, height: 1), 4) == [0, 1, -1, -1])
    }
}
