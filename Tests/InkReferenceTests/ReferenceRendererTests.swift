import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Reference: whole pictures (spec 3.6, 5, 6)")
struct ReferenceRendererTests {
    private let canvas = PixelSize(width: 40, height: 30)
    /// A solid line that covers rows 10 to 19 fully between its ends.
    private func bar(_ color: RGBA8, opacity: Double = 1, mode: StrokeMode = .paint) -> Stroke {
        Stroke(
            brush: Brush(type: .solid, opacity: opacity, lineWidth: 10, color: color), mode: mode,
            points: [StrokePoint(x: -10, y: 15), StrokePoint(x: 50, y: 15)])
    }

    @Test func overlappingStampsMultiplyWhatTheyLetThrough() {
        // Stamps at x = 10 and 14, lines 20 long and 4 wide, 4 apart: one block each, which overlap from 4 to 20.
        let brush = Brush(spacing: 4, opacity: 0.5, lineWidth: 4, color: .black)
        let stroke = Stroke(
            brush: brush, points: [StrokePoint(x: 10, y: 15), StrokePoint(x: 14, y: 15, pressure: 0.5)])
        let project = Project(
            canvasSize: canvas, background: .transparent, layers: [Layer(strokes: [stroke])])
        let picture = ReferenceRenderer.render(project: project, output: canvas)
        #expect(near(pixel(picture, 2, 15), [0, 0, 0, 0.5]))
        #expect(near(pixel(picture, 10, 15), [0, 0, 0, 1 - 0.5 * 0.75]))
        #expect(near(pixel(picture, 22, 15), [0, 0, 0, 0.25]))
        #expect(near(pixel(picture, 25, 15), [0, 0, 0, 0]))
    }

    @Test func crossHatchIsNotDarkerWhereLinesCross() {
        let stroke = Stroke(
            brush: Brush(type: .crossHatch, spacing: 6, opacity: 0.5, lineWidth: 3, color: .black),
            points: [StrokePoint(x: 20.5, y: 15.5)])
        let project = Project(canvasSize: canvas, background: .transparent, layers: [Layer(strokes: [stroke])])
        let picture = ReferenceRenderer.render(project: project, output: canvas)
        #expect(near(pixel(picture, 20, 15), [0, 0, 0, 0.5]))
        #expect(near(pixel(picture, 23, 15), [0, 0, 0, 0.5]))
        #expect(near(pixel(picture, 23, 18), [0, 0, 0, 0]))
    }

    @Test func erasingTakesContentAndEarlierStrokesAway() {
        let content = StraightImage(size: canvas, color: RGBA8(red: 0, green: 255, blue: 0, alpha: 255))
        let layer = Layer(
            contentImage: encoded(canvas),
            strokes: [
                bar(RGBA8(red: 255, green: 0, blue: 0)), bar(.white, opacity: 0.25, mode: .erase),
                bar(RGBA8(red: 0, green: 0, blue: 255), opacity: 0.5),
            ])
        let project = Project(canvasSize: canvas, background: .transparent, layers: [layer])
        let picture = ReferenceRenderer.render(
            project: project, images: DecodedImages([.content(layerIndex: 0): content]), output: canvas)
        #expect(near(pixel(picture, 20, 15), [0.375, 0, 0.5, 0.875]))
        #expect(near(pixel(picture, 20, 5), [0, 1, 0, 1]))
    }

    @Test func maskAndOpacityMultiplyTheLayer() {
        // Red times alpha: 0.4 * 0.5; green and blue do not count.
        let mask = StraightImage(size: canvas, color: RGBA8(red: 102, green: 255, blue: 9, alpha: 51 * 5 / 2))
        let layer = Layer(maskImage: encoded(canvas), opacity: 0.5, strokes: [bar(.black)])
        let project = Project(canvasSize: canvas, background: .transparent, layers: [layer])
        let picture = ReferenceRenderer.render(
            project: project, images: DecodedImages([.mask(layerIndex: 0): mask]), output: canvas)
        #expect(near(pixel(picture, 20, 15), [0, 0, 0, 0.4 * (127.0 / 255) * 0.5]))
    }

    @Test func layersGoByOrderThenByFileAndHiddenOnesAreLeftOut() {
        let colors = [RGBA8(red: 255, green: 0, blue: 0), RGBA8(red: 0, green: 255, blue: 0), .black, .white]
        var layers = colors.map { Layer(strokes: [bar($0)]) }
        layers[2].order = -1
        layers[3].isVisible = false
        layers[3].order = 5
        let project = Project(canvasSize: canvas, layers: layers)
        let picture = ReferenceRenderer.render(project: project, output: canvas)
        #expect(near(pixel(picture, 20, 15), [0, 1, 0, 1]))
        #expect(near(pixel(picture, 20, 2), [1, 1, 1, 1]))
        let onBlack = ReferenceRenderer.render(project: project, output: canvas, background: .black)
        #expect(near(pixel(onBlack, 20, 2), [0, 0, 0, 1]))
    }

    @Test func baseImageLiesOnTheBackground() {
        let project = Project(canvasSize: canvas, background: .white, baseImage: encoded(canvas))
        let base = StraightImage(
            size: PixelSize(width: 3, height: 5), color: RGBA8(red: 255, green: 0, blue: 0, alpha: 51))
        let picture = ReferenceRenderer.render(
            project: project, images: DecodedImages([.base: base]), output: PixelSize(width: 20, height: 15))
        #expect(near(pixel(picture, 7, 7), [1, 0.8, 0.8, 1]))
        #expect(Array(picture.rgb8().prefix(3)) == [255, 204, 204])
    }

    @Test func finalRounding() {
        // 0.25 / 0.5 = 127.5 steps, rounded up; straight alpha; flattened on white 0.75 and 0.5.
        let picture = ReferencePicture(width: 2, height: 1, pixels: [0.25, 0.5, 0, 0.5, 0, 0, 0, 0])
        #expect(picture.rgba8() == [128, 255, 0, 128, 0, 0, 0, 0])
        #expect(picture.rgb8() == [191, 255, 128, 255, 255, 255])
    }

    @Test func geometryScalesWithTheOutput() {
        let project = Project(canvasSize: canvas, background: .transparent, layers: [Layer(strokes: [bar(.black)])])
        let picture = ReferenceRenderer.render(project: project, output: PixelSize(width: 80, height: 60))
        #expect(near(pixel(picture, 40, 20), [0, 0, 0, 1]))
        #expect(near(pixel(picture, 40, 19), [0, 0, 0, 0]))
        #expect(near(pixel(picture, 40, 39), [0, 0, 0, 1]))
        #expect(near(pixel(picture, 40, 40), [0, 0, 0, 0]))
    }

    @Test func suggestedFillIsOneStrokeOfTheCanvas() throws {
        let pattern = SuggestedPattern(type: .waves, rotation: 30, spacing: 2, color: .white)
        // A layer with shapes counts as drawn on.
        var shaped = Layer(suggestedPattern: pattern)
        shaped.shapes = [Shape(path: ShapePath())]
        let layers = [
            Layer(maskImage: encoded(canvas), suggestedPattern: pattern), Layer(suggestedPattern: nil),
            Layer(isVisible: false, suggestedPattern: pattern),
            Layer(suggestedPattern: pattern, strokes: [bar(.black)]),
            shaped,
        ]
        let filled = ReferenceRenderer.fillingSuggested(Project(canvasSize: canvas, layers: layers))
        #expect(filled.layers.map(\.strokes.count) == [1, 0, 0, 1, 0])
        let brush = try #require(filled.layers[0].strokes.first?.brush)
        #expect(brush.size > 2 * Double(canvas.width + canvas.height))
        let plain = Brush(
            type: .waves, rotation: 30, spacing: 2, anchor: .canvas, size: brush.size, color: .white)
        #expect(brush == plain)
    }

    /// Any project renders to real colours: every value in 0...1, no colour above its alpha.
    @Test(arguments: 0..<UInt64(12))
    func randomProjectsGiveRealColors(seed: UInt64) {
        var options = RandomProject.Options.everything
        options.canvasEdge = 24...60
        options.outputEdgeMax = 60
        options.stampsPerStrokeMax = 8
        let random = RandomProject.make(seed: seed, options: options)
        let picture = ReferenceRenderer.render(project: random.project, images: random.images, output: random.output)
        var broken = 0
        for start in stride(from: 0, to: picture.pixels.count, by: 4) {
            let alpha = picture.pixels[start + 3]
            // Doubles stray by a few units in the last place.
            let isReal = alpha >= 0 && alpha <= 1 + 1e-12
            let colors = picture.pixels[start..<(start + 3)].allSatisfy { $0 >= -1e-12 && $0 <= alpha + 1e-12 }
            if !isReal || !colors { broken += 1 }
        }
        #expect(broken == 0, "\(random)")
    }

    /// Coverage hardly depends on how fine the strips are, so the reference is near the exact picture.
    @Test(arguments: 100..<UInt64(106))
    func finerStripsChangeNothingVisible(seed: UInt64) {
        var options = RandomProject.Options.continuous
        options.canvasEdge = 24...70
        options.outputEdgeMax = 70
        options.stampsPerStrokeMax = 6
        options.hasImages = false
        let random = RandomProject.make(seed: seed, options: options)
        let coarse = ReferenceRenderer.render(project: random.project, output: random.output, background: .white)
        let fine = ReferenceRenderer.render(
            project: random.project, output: random.output, background: .white, stripsPerPixel: 64)
        let comparison = PictureComparison(
            actual: coarse.rgb8(), expected: fine.rgb8(), size: random.output, channels: 3)
        #expect(comparison.maxError <= 2, "\(random): \(comparison)")
    }
}
