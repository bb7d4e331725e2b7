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

    /// A canvas of 64 x 64 pixels with layers of one tap each in its middle, that covers all there.
    private func taps(
        _ type: BrushType, _ layers: [(color: RGBA8, mode: BlendMode, opacity: Double)], on background: RGBA8
    ) throws -> [UInt8] {
        let size = PixelSize(width: 64, height: 64)
        let project = Project(
            canvasSize: size, background: background,
            layers: layers.map { layer in
                let brush = Brush(
                    type: type, rotation: 20, spacing: 2, lineWidth: type == .solid ? 20 : 3, color: layer.color)
                let points = [StrokePoint(x: 30, y: 32), StrokePoint(x: 34, y: 32)]
                let stroke = Stroke(brush: brush, points: type == .contourLines ? points : [points[0]])
                return Layer(opacity: layer.opacity, blendMode: layer.mode, strokes: [stroke])
            })
        return try LocalRendering.render(project, images: DecodedImages(), output: size)
    }

    @Test("what opaque strokes cover is opaque", arguments: BrushType.allCases)
    func opaqueStrokes(type: BrushType) throws {
        let middle = 4 * (32 * 64 + 31)
        // Both jump where the backdrop is as light or dark as can be.
        let burnt = try taps(type, [(.white, .normal, 1), (.black, .colorBurn, 1)], on: .black)
        #expect(burnt[middle] == 255)
        let dodged = try taps(type, [(.black, .normal, 1), (.white, .colorDodge, 1)], on: .white)
        #expect(dodged[middle] == 0)
    }

    @Test("what is opaque does not depend on translucent strokes of its colour in the same tile")
    func opaqueStrokesInTiles() throws {
        let size = PixelSize(width: 64, height: 64)
        func tap(x: Double, opacity: Double, color: RGBA8) -> Stroke {
            Stroke(
                brush: Brush(
                    type: .parallelLines, rotation: 20, spacing: 2, opacity: opacity, lineWidth: 3, color: color),
                points: [StrokePoint(x: x, y: 32)])
        }
        let strokes = [tap(x: 15, opacity: 1, color: .white), tap(x: 50, opacity: 0.5, color: .white)]
        let burn = Layer(blendMode: .colorBurn, strokes: [tap(x: 15, opacity: 1, color: .black)])
        let project = Project(canvasSize: size, background: .black, layers: [Layer(strokes: strokes), burn])
        let whole = try LocalRendering.render(project, images: DecodedImages(), output: size)
        #expect(whole[4 * (32 * 64 + 15)] == 255)
        let tiled = try LocalRendering.render(
            project, images: DecodedImages(), output: size, tile: PixelSize(width: 16, height: 16))
        #expect(tiled == whole)
    }

    @Test("a wash of half the ink is rounded up everywhere", arguments: [1, 3, 5, 7, 9])
    func washes(tenths: Int) throws {
        let size = PixelSize(width: 40, height: 30)
        for type in [BrushType.solid, .parallelLines] {
            // A line of a stamp covers the picture; the others lie beside it.
            let brush = Brush(
                type: type, spacing: 1000, opacity: Double(tenths) / 10, scale: 10, lineWidth: 50, color: .white)
            let stroke = Stroke(brush: brush, points: [StrokePoint(x: 20, y: 15)])
            for background in [RGBA8.black, RGBA8(red: 0, green: 0, blue: 0, alpha: 0)] {
                let project = Project(canvasSize: size, background: background, layers: [Layer(strokes: [stroke])])
                let picture = try LocalRendering.render(project, images: DecodedImages(), output: size)
                let half = UInt8((255 * tenths + 5) / 10)
                let color = background == .black ? [half, half, half, 255] : [255, 255, 255, half]
                #expect(picture == (0..<size.area).flatMap { _ in color }, "\(type), \(picture.prefix(4))")
            }
        }
    }

    @Test("grays keep their luminosity, however that is rounded", arguments: [BlendMode.luminosity, .color])
    func grays(mode: BlendMode) throws {
        for gray in UInt8.min...UInt8.max {
            let background = RGBA8(red: gray, green: gray, blue: gray)
            let picture = try taps(.solid, [(.black, mode, 0.5)], on: background)
            #expect(picture[0] == gray)
            let mixed = mode == .luminosity ? Int(gray) / 2 : Int(gray)
            #expect(abs(Int(picture[4 * (32 * 64 + 31)]) - mixed) <= 1, "gray \(gray)")
            let onNothing = try taps(.solid, [(background, mode, 0.5)], on: RGBA8(red: 0, green: 0, blue: 0, alpha: 0))
            #expect(abs(Int(onNothing[4 * (32 * 64 + 31)]) - Int(gray)) <= 1, "gray \(gray)")
            #expect(abs(Int(onNothing[4 * (32 * 64 + 31) + 3]) - 128) <= 1, "gray \(gray)")
        }
    }

    @Test("a tile that is not wanted any more ends after the stroke that it is at")
    func cancellation() throws {
        let strokes = (0..<100).map { index in
            Stroke(brush: Brush(), points: [StrokePoint(x: Double(index), y: 32)])
        }
        let size = PixelSize(width: 64, height: 64)
        let project = Project(canvasSize: size, layers: [Layer(strokes: strokes)])
        for limit in [0, 7] {
            var asked = 0
            #expect(throws: EngineError.cancelled) {
                try LocalRendering.render(project, images: DecodedImages(), output: size) {
                    asked += 1
                    return asked > limit
                }
            }
            // Once more between the strokes, and once behind them; once in a stroke.
            #expect(asked <= limit + 3)
        }
    }

    /// The others are drawn block by block and ask before each, of which so short a stroke has few.
    @Test(
        "a stroke that is not wanted any more does not go on",
        arguments: BrushType.allCases.filter { $0 != .solid && $0 != .contourLines })
    func cancellationInAStroke(type: BrushType) throws {
        let points = (0...4).map { StrokePoint(x: 30 + 4 * Double($0 % 2), y: 32, pressure: Double($0) / 4) }
        let brush = Brush(type: type, spacing: 0.001, lineWidth: 1)
        let size = PixelSize(width: 64, height: 64)
        let project = Project(canvasSize: size, layers: [Layer(strokes: [Stroke(brush: brush, points: points)])])
        var asked = 0
        #expect(throws: EngineError.cancelled) {
            try LocalRendering.render(project, images: DecodedImages(), output: size) {
                asked += 1
                return asked > 20
            }
        }
        #expect((21...24).contains(asked))
    }

    @Test("tables that reach beyond a stamp's box do so in every tile", arguments: 0..<24)
    func tilesDoNotShowBesideStamps(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = PixelSize(width: 240, height: 240)
        let types: [BrushType] = [.parallelLines, .crossHatch, .dots, .waves]
        let strokes = (0..<6).map { _ in
            var brush = Brush(type: types[seed % 4], rotation: .random(in: 0...90, using: &generator), lineWidth: 1)
            brush.dynamics.pressureAffectsSize = true
            let points = (0..<4).map { _ in
                StrokePoint(
                    x: .random(in: 0...240, using: &generator), y: .random(in: 0...240, using: &generator),
                    pressure: .random(in: 0...1, using: &generator))
            }
            return Stroke(brush: brush, points: points)
        }
        // Division by nearly nothing shows a 65,025th.
        let amplifier = Layer(
            blendMode: .divide,
            strokes: [
                Stroke(
                    brush: Brush(type: .solid, lineWidth: 500, color: RGBA8(red: 1, green: 1, blue: 1)),
                    points: [StrokePoint(x: 120, y: 120)])
            ])
        for layers in [[Layer(strokes: strokes)], [Layer(strokes: strokes), amplifier]] {
            let project = Project(canvasSize: size, layers: layers)
            let whole = try LocalRendering.render(project, images: DecodedImages(), output: size)
            let tile = PixelSize(width: 16, height: 16)
            let tiled = try LocalRendering.render(project, images: DecodedImages(), output: size, tile: tile)
            #expect(tiled == whole, "seed \(seed), \(layers.count) layers")
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
