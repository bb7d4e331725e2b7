import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: infinite canvas and viewports (spec 8.5)")
struct ReferenceViewTests {
    private let canvas = PixelSize(width: 24, height: 16)
    private let red = RGBA8(red: 255, green: 0, blue: 0)

    private func viewport(zoom: Double = 1, rotation: Double = 0, width: Double, height: Double) -> Viewport {
        Viewport(
            center: Point(x: 12, y: 8), zoom: zoom, rotation: rotation, size: CanvasSize(width: width, height: height))
    }

    private func project(seed: UInt64) -> Project {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let strokes = BrushType.allCases.flatMap { type in
            [BrushAnchor.stamp, .canvas].map { anchor in
                Stroke(
                    brush: Brush(
                        type: type, rotation: number(0...360), spacing: number(4...9), opacity: 0.6, scale: 0.5,
                        lineWidth: number(0.5...2), anchor: anchor,
                        dynamics: BrushDynamics(pressureAffectsSize: true, tiltAffectsRotation: true)),
                    points: (0..<3).map { _ in
                        StrokePoint(
                            x: number(0...24), y: number(0...16), pressure: number(0...1), azimuth: number(0...360))
                    })
            }
        }
        return Project(canvasSize: canvas, layers: strokes.map { Layer(strokes: [$0]) })
    }

    private func largestDifference(_ a: ReferencePicture, _ b: ReferencePicture) -> Double {
        zip(a.pixels, b.pixels).map { abs($0 - $1) }.max()!
    }

    @Test func aPointLiesWhereTheMapPutsIt() {
        // (11, 8) is one unit left of the centre; turned clockwise by 90 degrees, one unit above it.
        let dot = Stroke(brush: Brush(type: .solid, lineWidth: 1), points: [StrokePoint(x: 11, y: 8)])
        let project = Project(canvasSize: canvas, background: .transparent, layers: [Layer(strokes: [dot])])
        let view = viewport(zoom: 4, rotation: 90, width: 20, height: 30)
        let picture = ReferenceRenderer.render(
            project: project, viewport: view, output: PixelSize(width: 20, height: 30))
        // A disc of radius 2 about (10, 15 - 4).
        #expect(near(pixel(picture, 10, 11), [0, 0, 0, 1]) && near(pixel(picture, 9, 10), [0, 0, 0, 1]))
        let area = stride(from: 3, to: picture.pixels.count, by: 4).reduce(0) { $0 + picture.pixels[$1] }
        #expect(abs(area - 4 * Double.pi) < 0.01)
    }

    @Test(arguments: 0..<UInt64(1))
    func zoomIsAnExportOfThatSize(seed: UInt64) {
        let project = project(seed: seed)
        let output = PixelSize(width: 48, height: 32)
        let seen = ReferenceRenderer.render(
            project: project, viewport: viewport(zoom: 2, width: 48, height: 32), output: output)
        let exported = ReferenceRenderer.render(project: project, output: output)
        #expect(largestDifference(seen, exported) < 1e-3, "seed \(seed)")
    }

    @Test(arguments: 0..<UInt64(2))
    func aTurnedViewportTurnsThePicture(seed: UInt64) {
        var project = project(seed: seed)
        for layer in project.layers {
            project.layers = [layer]
            let seen = ReferenceRenderer.render(
                project: project, viewport: viewport(rotation: 90, width: 16, height: 24),
                output: PixelSize(width: 16, height: 24))
            let plain = ReferenceRenderer.render(project: project, output: canvas)
            // Stamps are cut into level strips, which is not exact where arcs cross; the error of many adds up.
            let brush = layer.strokes[0].brush
            let tolerance = brush.isCanvasPattern || [.solid, .contourLines].contains(brush.type) ? 1e-3 : 0.05
            let difference = largestDifference(seen, plain.turned)
            #expect(difference < tolerance, "seed \(seed), \(brush.type), \(brush.anchor)")
        }
    }

    /// "coordinates within 10^9"
    @Test(arguments: [3.0, 768])
    func farFromTheOriginPicturesAreAsNearIt(zoom: Double) {
        var project = Project(canvasSize: nil, background: .transparent)
        func picture(_ x: Double, _ y: Double) -> ReferencePicture {
            // Output pixels of a third, in the world; sums of a few powers of two, which are exact even far out.
            let unit = 3 / zoom
            // The pattern's lines lie at multiples of 5 units: the same at both places.
            let strokes = [BrushAnchor.stamp, .canvas].map { anchor in
                Stroke(
                    brush: Brush(type: .crossHatch, spacing: 5, scale: unit, anchor: anchor, size: 8),
                    points: [
                        StrokePoint(x: x + 3 * unit, y: y + 4 * unit), StrokePoint(x: x + 20 * unit, y: y + 9 * unit),
                    ])
            }
            project.layers = strokes.map { Layer(strokes: [$0]) }
            let view = Viewport(
                center: Point(x: x + 10 * unit, y: y + 7 * unit), zoom: zoom, rotation: 30,
                size: CanvasSize(width: 30, height: 20))
            return ReferenceRenderer.render(
                project: project, viewport: view, output: PixelSize(width: 30, height: 20))
        }
        #expect(largestDifference(picture(0, 0), picture(999_999_000, -500_000_000)) < 0.01, "zoom \(zoom)")
    }

    @Test func imagesWithoutAPlacementLieOnTheCanvasRectangle() {
        let size = PixelSize(width: 12, height: 8)
        var project = Project(
            canvasSize: canvas, background: .white,
            layers: [Layer(maskImage: encoded(size), contentImage: encoded(size))])
        let images = DecodedImages([
            .content(layerIndex: 0): StraightImage(size: size, color: red),
            .mask(layerIndex: 0): StraightImage(size: size, gray: [UInt8](repeating: 255, count: 96)),
        ])
        let output = PixelSize(width: 24, height: 16)
        let view = viewport(zoom: 0.5, width: 24, height: 16)
        // The canvas is 12 x 8 in the middle; beyond is the background, and the mask is 0.
        func isRed(_ x: Int, _ y: Int) -> Bool {
            let picture = ReferenceRenderer.render(project: project, viewport: view, images: images, output: output)
            return near(pixel(picture, x, y), [1, 0, 0, 1])
        }
        #expect(isRed(6, 4) && isRed(17, 11) && !isRed(5, 4) && !isRed(6, 3) && !isRed(18, 11) && !isRed(17, 12))
        // On an infinite canvas it is as large as itself, at 0, 0: seen at half its size from (6, 4) to (12, 8).
        project.isInfinite = true
        project.canvasSize = CanvasSize(width: 0, height: 0)
        project.layers[0].maskImage = nil
        let half = ReferenceRenderer.render(project: project, viewport: view, images: images, output: output)
        #expect(pixel(half, 8, 5)[1] < 0.1 && near(pixel(half, 15, 9), [1, 1, 1, 1]))
        let red = (0..<24).reduce(0) { sum, x in sum + (0..<16).reduce(0) { $0 + 1 - pixel(half, x, $1)[1] } }
        #expect(abs(red - 24) < 2, "\(red)")
    }

    /// A viewport of the canvas as it is shows the canvas: what is placed lies where it did.
    @Test(arguments: 0..<UInt64(6))
    func theCanvasThroughAViewportIsTheCanvas(seed: UInt64) {
        var options = RandomProject.Options.layerTrees
        options.placedShare = 1
        options.strokesPerLayer = 0...1
        options.stampsPerStrokeMax = 4
        options.canvasEdge = 16...32
        options.outputEdgeMax = 32
        var random = RandomProject.make(seed: seed, options: options)
        random.project.baseImage = nil
        let canvas = random.project.canvasSize
        let view = Viewport(center: Point(x: canvas.width / 2, y: canvas.height / 2), size: canvas)
        let seen = ReferenceRenderer.render(
            project: random.project, viewport: view, images: random.images, output: random.output)
        let plain = ReferenceRenderer.render(project: random.project, images: random.images, output: random.output)
        #expect(largestDifference(seen, plain) < 1e-6, "\(random)")
    }

    @Test func fillsAndBackgroundReachBeyondTheCanvas() {
        var fill = Layer(opacity: 0.5)
        fill.kind = .fill(.color(red))
        let project = Project(canvasSize: canvas, background: .white, layers: [fill])
        let output = PixelSize(width: 10, height: 10)
        let picture = ReferenceRenderer.render(
            project: project, viewport: viewport(zoom: 0.1, width: 10, height: 10), output: output)
        #expect(near(pixel(picture, 0, 0), [1, 0.5, 0.5, 1]))
    }

    // MARK: Fit

    private func stroke(_ points: [(Double, Double)]) -> Stroke {
        Stroke(brush: Brush(type: .solid, lineWidth: 50), points: points.map { StrokePoint(x: $0.0, y: $0.1) })
    }

    @Test func fitIsTheBoxOfThePointsAndAMargin() throws {
        var project = Project(canvasSize: nil, layers: [Layer(strokes: [stroke([(10, -20), (110.5, 30)])])])
        let small = try #require(ReferenceRenderer.fit(project))
        #expect(small == Viewport(center: Point(x: 60.25, y: 5), size: CanvasSize(width: 132.5, height: 82)))
        let bare = try #require(ReferenceRenderer.fit(project, margin: 0))
        #expect(bare.size == CanvasSize(width: 100.5, height: 50))
        project.layers[0].strokes.append(stroke([(1010, 0)]))
        // 5% of 1000
        #expect(try #require(ReferenceRenderer.fit(project)).size == CanvasSize(width: 1100, height: 150))
    }

    @Test func fitCountsWhatIsVisible() throws {
        func layer(_ x: Double, visible: Bool = true, clipped: Bool = false) -> Layer {
            var layer = Layer(isVisible: visible, strokes: [stroke([(x, x)])])
            layer.isClipped = clipped
            return layer
        }
        func group(_ children: [Layer], visible: Bool = true) -> Layer {
            var layer = Layer(isVisible: visible)
            layer.kind = .group(children, isPassThrough: true)
            return layer
        }
        func box(_ layers: [Layer]) -> CanvasSize? {
            ReferenceRenderer.fit(Project(canvasSize: nil, layers: layers), margin: 1)?.size
        }
        #expect(box([layer(0), group([group([layer(7)])])]) == CanvasSize(width: 9, height: 9))
        #expect(box([layer(0), group([layer(7)], visible: false)]) == CanvasSize(width: 2, height: 2))
        #expect(box([layer(0), layer(7, visible: false), layer(9, clipped: true)]) == CanvasSize(width: 2, height: 2))
        #expect(box([layer(0), layer(9, clipped: true)]) == CanvasSize(width: 11, height: 11))
        #expect(box([group([]), layer(7, visible: false)]) == nil)
    }

    @Test func fitCountsTheCornersOfPictures() throws {
        var layer = Layer(contentImage: encoded(PixelSize(width: 30, height: 20)))
        func box(_ canvas: PixelSize?) throws -> Viewport {
            try #require(ReferenceRenderer.fit(Project(canvasSize: canvas, layers: [layer]), margin: 0))
        }
        // In its own size, or over the canvas.
        #expect(try box(nil) == Viewport(center: Point(x: 15, y: 10), size: CanvasSize(width: 30, height: 20)))
        #expect(try box(canvas) == Viewport(center: Point(x: 12, y: 8), size: CanvasSize(width: 24, height: 16)))
        layer.contentPlacement = Placement(x: 100, y: 0, width: 40, height: 20, rotation: -90)
        #expect(try box(canvas) == Viewport(center: Point(x: 120, y: 10), size: CanvasSize(width: 20, height: 40)))
        layer.contentPlacement?.rotation = 45
        let diagonal = 60 * 0.5.squareRoot()
        let size = try box(canvas).size
        #expect(abs(size.width - diagonal) < 1e-9 && abs(size.height - diagonal) < 1e-9, "\(size)")
    }
}
