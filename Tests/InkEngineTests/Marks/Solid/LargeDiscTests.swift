import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

@Suite struct LargeDiscTests {
    /// A tap of a solid brush whose edge goes through the middle of the canvas.
    private func project(radius: Double, degrees: Double, canvas: PixelSize) -> Project {
        let (sine, cosine) = sinCos(degrees: degrees)
        let center = StrokePoint(
            x: Double(canvas.width) / 2 - radius * cosine, y: Double(canvas.height) / 2 - radius * sine)
        let brush = Brush(type: .solid, lineWidth: 2 * radius, color: .black)
        return Project(canvasSize: canvas, layers: [Layer(strokes: [Stroke(brush: brush, points: [center])])])
    }

    @Test("the edge of a disc lies where it should, however large it is", arguments: [1e4, 1e5, 1e6, 5e6])
    func edges(radius: Double) throws {
        let canvas = PixelSize(width: 4, height: 4)
        let output = PixelSize(width: 256, height: 256)
        for degrees in stride(from: 0.0, to: 360, by: 23) {
            let project = project(radius: radius, degrees: degrees, canvas: canvas)
            let picture = try LocalRendering.render(project, images: DecodedImages(), output: output)
            let (sine, cosine) = sinCos(degrees: degrees)
            var wrong = 0
            for y in 0..<output.height {
                for x in 0..<output.width {
                    // As good as straight; a pixel is at most 1.42 across.
                    let beyond = (Double(x) - 127.5) * cosine + (Double(y) - 127.5) * sine
                    let value = picture[4 * (y * output.width + x)]
                    if beyond < -0.8 ? value != 0 : beyond > 0.8 && value != 255 { wrong += 1 }
                }
            }
            #expect(wrong == 0, "radius \(radius), \(degrees) degrees")
        }
    }

    @Test("tiles do not show in hulls of large discs", arguments: [1, 2, 3, 4])
    func tiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let canvas = PixelSize(width: 40, height: 30)
        let output = PixelSize(width: 1000, height: 750)
        let points = (0..<4).map { _ in
            let degrees = Double.random(in: 0..<360, using: &random)
            let (sine, cosine) = sinCos(degrees: degrees)
            let away = Double.random(in: 3.999e6...4.001e6, using: &random)
            return StrokePoint(x: 20 + away * cosine, y: 15 + away * sine)
        }
        let brush = Brush(type: .solid, opacity: 0.7, lineWidth: 8e6, color: .black)
        let strokes = points.map { Stroke(brush: brush, points: [$0]) } + [Stroke(brush: brush, points: points)]
        let project = Project(canvasSize: canvas, layers: [Layer(strokes: strokes)])
        let whole = try LocalRendering.render(project, images: DecodedImages(), output: output)
        let tiled = try LocalRendering.render(
            project, images: DecodedImages(), output: output, tile: PixelSize(width: 37, height: 300))
        #expect(whole == tiled, "seed \(seed)")
    }

    @Test("absurd discs end", arguments: [1e16, 1e150, 1e300, .infinity, .nan])
    func absurd(radius: Double) {
        let cell = PixelRect(x: 0, y: 0, width: 512, height: 256)
        let scale = OutputScale(canvas: CanvasSize(width: 1, height: 1), output: PixelSize(width: 512, height: 256))
        for place in [0.0, radius, -radius, 1e300, .nan] {
            let disc = PreparedStroke.Disc(center: Point(x: place, y: 0), radius: radius)
            #expect(LargeDisc.polygon(of: disc, near: cell, scale: scale).count < 200)
        }
    }
}
