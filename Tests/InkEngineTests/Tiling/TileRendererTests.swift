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
}
