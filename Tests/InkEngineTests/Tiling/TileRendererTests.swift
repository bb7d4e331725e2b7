import InkEngine
import InkReference
import InkTestSupport
import Testing

@Suite("Tile renderer")
struct TileRendererTests {
    @Test("random projects come out as the specification has them", arguments: 0..<120)
    func exactness(seed: Int) throws {
        let random = RandomProject.make(seed: UInt64(seed), options: .continuous)
        let expected = ReferenceRenderer.render(
            project: random.project, images: random.images, output: random.output)
        let actual = try LocalRendering.render(random.project, images: random.images, output: random.output)
        let comparison = PictureComparison(
            actual: actual, expected: expected.rgba8(), size: random.output, channels: 4)
        #expect(comparison.isWithinSpecification, "\(comparison) of \(random)")
    }

    @Test("without strokes, nearly every pixel is within one step", arguments: 0..<80)
    func exactnessWithoutStrokes(seed: Int) throws {
        let random = RandomProject.make(seed: UInt64(seed), options: .withoutStrokes)
        let expected = ReferenceRenderer.render(
            project: random.project, images: random.images, output: random.output)
        let actual = try LocalRendering.render(random.project, images: random.images, output: random.output)
        let comparison = PictureComparison(
            actual: actual, expected: expected.rgba8(), size: random.output, channels: 4)
        #expect(comparison.isWithinOneStep, "\(comparison) of \(random)")
    }

    @Test("how the picture is cut into tiles does not show", arguments: 0..<40)
    func tilesDoNotShow(seed: Int) throws {
        let random = RandomProject.make(seed: UInt64(seed), options: .everything)
        let whole = try LocalRendering.render(random.project, images: random.images, output: random.output)
        var generator = SeededGenerator(seed: UInt64(seed))
        let tilings = [
            PixelSize(width: random.output.width, height: .random(in: 1...64, using: &generator)),
            PixelSize(width: .random(in: 7...90, using: &generator), height: .random(in: 7...90, using: &generator)),
        ]
        for tile in tilings {
            let tiled = try LocalRendering.render(
                random.project, images: random.images, output: random.output, tile: tile)
            #expect(tiled == whole, "tiles of \(tile), \(random)")
        }
    }

    /// Noise, partly transparent.
    private func noise(_ size: PixelSize, seed: UInt64, isTransparent: Bool = false) -> StraightImage {
        var random = SeededGenerator(seed: seed)
        return StraightImage(
            size: size,
            rgba: (0..<(4 * size.area)).map { index in
                isTransparent && index % 4 == 3 ? 0 : .random(in: 0...255, using: &random)
            })
    }

    private func project(_ canvas: PixelSize, strokes: [Stroke]) -> Project {
        Project(canvasSize: canvas, layers: [Layer(opacity: 0.9, strokes: strokes)])
    }

    private let corner = Stroke(
        brush: Brush(type: .crossHatch, opacity: 0.5, lineWidth: 2),
        points: [StrokePoint(x: 10, y: 10), StrokePoint(x: 40, y: 30)])

    @Test("a picture under strokes is the same where they are not", arguments: [200, 150])
    func contentFarFromStrokes(edge: Int) throws {
        let canvas = PixelSize(width: 200, height: 200)
        let output = PixelSize(width: edge, height: edge)
        var images = DecodedImages()
        images[.content(layerIndex: 0)] = noise(canvas, seed: 1)
        let drawn = try LocalRendering.render(project(canvas, strokes: [corner]), images: images, output: output)
        let bare = try LocalRendering.render(project(canvas, strokes: []), images: images, output: output)
        let farRows = 4 * edge * (edge / 2)
        #expect(drawn[farRows...] == bare[farRows...])
        #expect(drawn != bare)
    }

    @Test("strokes on a transparent picture are as on none")
    func strokesOnTransparentContent() throws {
        let canvas = PixelSize(width: 100, height: 100)
        var images = DecodedImages()
        let without = try LocalRendering.render(project(canvas, strokes: [corner]), images: images, output: canvas)
        images[.content(layerIndex: 0)] = noise(canvas, seed: 2, isTransparent: true)
        let with = try LocalRendering.render(project(canvas, strokes: [corner]), images: images, output: canvas)
        #expect(with == without)
    }

    @Test("thousands of faint strokes of two colours add up", arguments: [(0.0003, 20_000), (0.0006, 10_000)])
    func faintRuns(opacity: Double, count: Int) throws {
        let canvas = PixelSize(width: 8, height: 8)
        let strokes = (0..<count).map { index in
            Stroke(
                brush: Brush(
                    type: .solid, opacity: opacity, lineWidth: 40,
                    color: index % 2 == 0 ? .black : RGBA8(red: 1, green: 1, blue: 1)),
                points: [StrokePoint(x: 4, y: 4)])
        }
        let pixels = try LocalRendering.render(
            Project(canvasSize: canvas, layers: [Layer(strokes: strokes)]), images: DecodedImages(), output: canvas)
        // White under e^-6 of what it was: 0.6 levels, and half a level of ink.
        #expect(pixels[0..<3].allSatisfy { (0...2).contains($0) }, "\(pixels[0..<4])")
    }
}
