import InkReference
import InkTestSupport
import Testing

@testable import InkEngine

/// The edges of placed pictures (spec section 8.3).
@Suite("Edges of placed pictures") struct PlacedImageTests {
    private let red = RGBA8(red: 200, green: 30, blue: 60)

    private func encoded(_ size: PixelSize) -> EncodedImage {
        EncodedImage(bytes: [], header: ImageHeader(size: size, isHeldWhole: false), place: "test")
    }

    /// Straight RGBA of a picture at a place.
    private func pixels(
        _ image: StraightImage, _ placement: Placement, canvas: CanvasSize, output: PixelSize, tile: PixelSize? = nil
    ) throws -> [UInt8] {
        var layer = Layer(contentImage: encoded(image.size))
        layer.contentPlacement = placement
        var project = Project(canvasSize: nil, background: .transparent, layers: [layer])
        (project.canvasSize, project.isInfinite) = (canvas, false)
        return try LocalRendering.render(
            project, images: DecodedImages([.content(layerIndex: 0): image]), output: output, tile: tile)
    }

    @Test("The cover of a pixel is its area inside of the rectangle", arguments: 0..<UInt64(80))
    func cover(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let edges = [0.01...0.9, 0.5...3, 5...70].randomElement(using: &random)!
        var placement = Placement(
            x: number(-20...40), y: number(-20...30), width: number(edges), height: number(0.2...70),
            rotation: [0, 90, 45, number(-400...400), number(-0.1...0.1)].randomElement(using: &random)!)
        if seed % 5 == 0 { (placement.x, placement.y, placement.width) = (3, 4, 20) }
        let output = PixelSize(width: 37, height: 29)
        // A picture that is turned by 90 degrees is scaled along the axes of the output, others before they are turned.
        let stretch = placement.quarterTurns.map { $0 % 2 == 1 } == true ? 1 : number(0.5...2)
        let scale = OutputScale(canvas: CanvasSize(width: 37 / stretch, height: 29), output: output)
        let expected = InkReference.cover(of: placement, scale: (scale.x, scale.y), output: output)
        let cover = PlacedGeometry(
            placement, image: PixelSize(width: 3, height: 2), scale: scale, filter: .triangle
        ).cover
        let whole = PixelRect(x: 0, y: 0, width: 37, height: 29)
        let bounds = cover.bounds(in: whole) ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
        for columns in [0..<37, 11..<13] {
            for y in 0..<29 {
                let shares = AlignedFloats(count: columns.count)
                let row = cover.row(y, columns, into: shares.values)
                for x in columns {
                    let found =
                        row.whole.contains(x)
                        ? 1 : row.seen.contains(x) ? Double(shares.values[x - columns.lowerBound]) : 0
                    #expect(abs(found - expected[y * 37 + x]) < 0x1p-18, "(\(x), \(y)), \(placement), seed \(seed)")
                    #expect(found == 0 || bounds.columns.contains(x) && bounds.rows.contains(y))
                    #expect(!cover.contains(PixelRect(x: x, y: y, width: 1, height: 1)) || found == 1)
                }
            }
        }
    }

    @Test("A picture that fills the canvas is opaque in every size", arguments: 0..<UInt64(40))
    func opaqueInEverySize(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let canvas = PixelSize(width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random))
        let own = seed % 2 == 0 ? canvas : PixelSize(width: .random(in: 1...90, using: &random), height: 7)
        let rgba = (0..<own.area).flatMap { _ in
            (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) } + [255]
        }
        let image = StraightImage(size: own, rgba: rgba)
        let factor = [0.11, 0.5, 0.73, 1, 2, 3.3, 8].randomElement(using: &random)!
        func scaled(_ edge: Int) -> Int { max(1, Int((Double(edge) * factor).rounded())) }
        let output = PixelSize(width: scaled(canvas.width), height: scaled(canvas.height))
        let (width, height) = (Double(canvas.width), Double(canvas.height))
        for quarter in 0..<4 {
            var placement = Placement(filling: CanvasSize(canvas))
            placement.rotation = 90 * Double(quarter)
            if quarter % 2 == 1 {
                (placement.width, placement.height) = (height, width)
                (placement.x, placement.y) = ((width - height) / 2, (height - width) / 2)
            }
            let found = try pixels(image, placement, canvas: CanvasSize(canvas), output: output)
            let isOpaque = stride(from: 3, to: found.count, by: 4).allSatisfy { found[$0] == 255 }
            #expect(isOpaque, "\(own) on \(canvas) as \(output), turned \(quarter) times, seed \(seed)")
        }
    }

    @Test(
        "A picture of one colour has it up to its edges, however large it is drawn",
        arguments: [0, 90, 180, 12.5, 45, -60], [1, 2, 5])
    func oneColour(rotation: Double, edge: Int) throws {
        let image = StraightImage(size: PixelSize(width: edge, height: edge), color: red)
        let output = PixelSize(width: 60, height: 50)
        let placement = Placement(x: 8.25, y: 12.5, width: 40, height: 20.5, rotation: rotation)
        let found = try pixels(image, placement, canvas: CanvasSize(output), output: output)
        let cover = InkReference.cover(of: placement, scale: (1, 1), output: output)
        for (pixel, cover) in cover.enumerated() {
            let color = found[(4 * pixel)..<(4 * pixel + 4)]
            #expect(abs(Double(color.last!) - 255 * cover) <= 0.51, "pixel \(pixel)")
            if cover > 0.99 { #expect(Array(color.prefix(3)) == [200, 30, 60], "pixel \(pixel)") }
        }
        for tile in [PixelSize(width: 60, height: 7), PixelSize(width: 13, height: 11)] {
            #expect(
                try pixels(image, placement, canvas: CanvasSize(output), output: output, tile: tile) == found)
        }
    }

    @Test("A picture too small for its samples is their mean, at any rotation", arguments: [0, 90, 30])
    func tinyPictures(rotation: Double) throws {
        // A checkerboard, of which a filter would take single samples.
        let size = PixelSize(width: 64, height: 64)
        let gray = (0..<size.area).map { UInt8(($0 / 64 + $0) % 2 == 0 ? 255 : 0) }
        let image = StraightImage(size: size, rgba: gray.flatMap { [$0, $0, $0, 255] })
        for edge in [0.4, 1, 1.9] {
            let placement = Placement(x: 3.3, y: 4.1, width: edge, height: edge, rotation: rotation)
            let output = PixelSize(width: 10, height: 10)
            let found = try pixels(image, placement, canvas: CanvasSize(output), output: output)
            let alphas = stride(from: 3, to: found.count, by: 4).map { Double(found[$0]) / 255 }
            #expect(abs(alphas.reduce(0, +) - edge * edge) < 0.03, "\(alphas.filter { $0 > 0 })")
            for pixel in 0..<output.area where found[4 * pixel + 3] > 40 {
                #expect(abs(Int(found[4 * pixel]) - 128) <= 3, "\(edge): \(found[(4 * pixel)..<(4 * pixel + 4)])")
            }
        }
    }

    @Test(
        "A mask has no border where its value is that beyond it", arguments: [0, 90, 33.3, 45], [UInt8(0), 51, 255])
    func masksWithoutABorder(rotation: Double, value: UInt8) throws {
        let size = PixelSize(width: 5, height: 4)
        var layer = Layer(maskImage: encoded(size))
        layer.kind = .fill(.color(red))
        layer.maskPlacement = Placement(x: 6.3, y: 5.7, width: 20.2, height: 11, rotation: rotation)
        layer.maskOutside = Double(value) / 255
        let canvas = PixelSize(width: 32, height: 24)
        let project = Project(canvasSize: canvas, background: .transparent, layers: [layer])
        let mask = StraightImage(size: size, gray: [UInt8](repeating: value, count: size.area))
        let found = try LocalRendering.render(
            project, images: DecodedImages([.mask(layerIndex: 0): mask]), output: canvas)
        #expect(stride(from: 3, to: found.count, by: 4).allSatisfy { found[$0] == value })
    }
}
