import InkTestSupport
import Testing

@testable import InkEngine

/// Pictures of layers with shapes, of whole tiles or of many.
@Suite("Pictures with shapes")
struct ShapePictureTests {
    private struct Blocks: TileBlocks {
        var marks: [BlockID: PreparedStrokeBlock] = [:]
        var samples: [BlockID: [UInt8]] = [:]

        private var nextID: BlockID {
            BlockID(digest: [UInt8(marks.count), UInt8(samples.count)] + [UInt8](repeating: 0, count: 30))
        }

        mutating func add(_ list: MarkList) -> [StrokeSelection] {
            let id = nextID
            marks[id] = PreparedStrokeBlock(list)
            return [StrokeSelection(block: id, indices: Array(0..<list.count))]
        }

        mutating func add(_ rgba: [UInt8], _ size: PixelSize, _ placement: Placement? = nil) -> ImageSlice {
            let id = nextID
            samples[id] = rgba
            return ImageSlice(
                size: size, format: .rgba8, firstChunk: 0, chunks: [.samples(id)], placement: placement,
                filter: .nearest)
        }

        func bytes(of id: BlockID) throws(EngineError) -> [UInt8] { samples[id] ?? [] }
        func strokes(
            of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
        ) throws(EngineError) -> PreparedStrokeBlock { marks[id] ?? PreparedStrokeBlock(.shapes([])) }
    }

    private static let size = PixelSize(width: 64, height: 48)

    /// The picture, RGBA, in tiles of a size.
    private func pixels(
        _ layers: [TileLayer], _ blocks: Blocks, size: PixelSize = size, canvas: CanvasSize? = nil,
        background: RGBA8 = .white, tile: PixelSize? = nil
    ) throws -> [SIMD4<UInt8>] {
        let tile = tile ?? size
        let renderer = TileRenderer()
        var all = [SIMD4<UInt8>](repeating: SIMD4(), count: size.area)
        for y in stride(from: 0, to: size.height, by: tile.height) {
            for x in stride(from: 0, to: size.width, by: tile.width) {
                let rect = PixelRect(
                    x: x, y: y, width: min(tile.width, size.width - x), height: min(tile.height, size.height - y))
                let task = TileTask(
                    canvas: canvas ?? CanvasSize(size), output: size, rect: rect, background: background,
                    baseImage: nil, layers: layers, pixelFormat: .rgba, delivery: .pixels)
                let bytes = try renderer.render(task, blocks: blocks).pixels
                for row in 0..<rect.height {
                    for column in 0..<rect.width {
                        let at = 4 * (row * rect.width + column)
                        all[(y + row) * size.width + x + column] = SIMD4(
                            bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
                    }
                }
            }
        }
        return all
    }

    private func layer(
        _ selections: [StrokeSelection], content: ImageSlice? = nil, maskShapes: [StrokeSelection]? = nil
    ) -> TileLayer {
        TileLayer(maskShapes: maskShapes, kind: .marks(content, selections))
    }

    private func box(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> ShapePath {
        var path = ShapePath()
        path.move(to: Point(x: x, y: y))
        path.line(to: Point(x: x + width, y: y))
        path.line(to: Point(x: x + width, y: y + height))
        path.line(to: Point(x: x, y: y + height))
        path.close()
        return path
    }

    private static let stops = [
        Gradient.Stop(offset: 0, color: RGBA8(red: 255, green: 0, blue: 0)),
        Gradient.Stop(offset: 0.5, color: RGBA8(red: 0, green: 0, blue: 255, alpha: 128)),
        Gradient.Stop(offset: 0.5, color: RGBA8(red: 0, green: 255, blue: 0)),
        Gradient.Stop(offset: 1, color: RGBA8(red: 0, green: 0, blue: 0, alpha: 0)),
    ]

    /// The straight formula of a colour at t.
    private func color(at t: Double) -> SIMD4<Double> {
        func value(_ stop: Gradient.Stop) -> SIMD4<Double> {
            let a = Double(stop.color.alpha) / 255
            return SIMD4(
                Double(stop.color.red) / 255 * a, Double(stop.color.green) / 255 * a,
                Double(stop.color.blue) / 255 * a, a)
        }
        let stops = Self.stops
        guard let next = stops.firstIndex(where: { $0.offset > t }) else { return value(stops[3]) }
        guard next > 0 else { return value(stops[0]) }
        let share = (t - stops[next - 1].offset) / (stops[next].offset - stops[next - 1].offset)
        return value(stops[next - 1]) + share * (value(stops[next]) - value(stops[next - 1]))
    }

    @Test("have gradients in the coordinates of the shape", arguments: [false, true])
    func gradients(isRadial: Bool) throws {
        let map = AffineMap(a: 2, b: 0.5, c: -0.25, d: 1.5, x: 7, y: -3)
        let kind: Gradient.Kind =
            isRadial
            ? .radial(center: Point(x: 12, y: 14), radius: 11)
            : .linear(from: Point(x: 3, y: 5), to: Point(x: 21, y: 19))
        let gradient = Gradient(kind: kind, stops: Self.stops)
        let shape = Shape(
            path: box(-100, -100, 300, 300), transform: map, fill: .gradient(gradient), opacity: 0.75)
        var blocks = Blocks()
        let layers = [layer(blocks.add(.shapes([shape])))]
        let found = try pixels(layers, blocks)
        let area = map.a * map.d - map.b * map.c
        for row in 0..<Self.size.height {
            for column in 0..<Self.size.width {
                let (x, y) = (Double(column) + 0.5 - map.x, Double(row) + 0.5 - map.y)
                let place = Point(x: (map.d * x - map.c * y) / area, y: (map.a * y - map.b * x) / area)
                let t =
                    isRadial
                    ? (place - Point(x: 12, y: 14)).length / 11
                    : ((place.x - 3) * 18 + (place.y - 5) * 14) / (18 * 18 + 14 * 14)
                // Rounding decides where colours jump.
                if abs(t - 0.5) < 1e-6 { continue }
                let color = 0.75 * color(at: t)
                let expected = 255 * (color + (1 - color.w) * SIMD4(repeating: 1))
                let pixel = found[row * Self.size.width + column]
                for channel in 0..<4 {
                    #expect(abs(Double(pixel[channel]) - expected[channel]) < 0.6, "\(column), \(row)")
                }
            }
        }
        #expect(try pixels(layers, blocks, tile: PixelSize(width: 13, height: 7)) == found)
        // A fill element has the same in the coordinates of the canvas.
        let canvas = Gradient(kind: .linear(from: Point(x: 10, y: 0), to: Point(x: 50, y: 0)), stops: Self.stops)
        let filled = try pixels([TileLayer(kind: .fill(.gradient(canvas)))], blocks)
        let wide = try pixels(
            [layer(blocks.add(.shapes([Shape(path: box(-9, -9, 99, 99), fill: .gradient(canvas))])))], blocks)
        #expect(zip(filled, wide).allSatisfy { a, b in (0..<4).allSatisfy { abs(Int(a[$0]) - Int(b[$0])) < 2 } })
    }

    @Test("of gradients without extent have the last colour")
    func degenerateGradients() throws {
        for kind in [
            Gradient.Kind.linear(from: Point(x: 3, y: 3), to: Point(x: 3, y: 3)),
            .radial(center: Point(x: 5, y: 5), radius: 0),
        ] {
            let gradient = Gradient(kind: kind, stops: Array(Self.stops.prefix(3)))
            let found = try pixels([TileLayer(kind: .fill(.gradient(gradient)))], Blocks())
            #expect(found.allSatisfy { $0 == SIMD4(0, 255, 0, 255) })
        }
    }

    @Test("lose what shapes erase, whatever these are filled with")
    func erasing() throws {
        let invisible = Gradient(kind: .linear(from: Point(x: 0, y: 0), to: Point(x: 9, y: 0)), stops: [Self.stops[3]])
        for fill in [Paint.color(.transparent), .gradient(invisible)] {
            var blocks = Blocks()
            let shapes = [
                Shape(path: box(0, 0, 64, 48), fill: .color(.black)),
                Shape(path: box(10, 10, 20, 20.5), fill: fill, opacity: 0.5, mode: .erase),
            ]
            let found = try pixels([layer(blocks.add(.shapes(shapes)))], blocks, background: .transparent)
            #expect(found[20 * 64 + 20].w == 128 && found[30 * 64 + 20].w == 191 && found[31 * 64 + 20].w == 255)
        }
    }

    @Test("show only where the shapes of a mask are, as much as these cover")
    func masks() throws {
        let half = Gradient(
            kind: .linear(from: Point(x: 0, y: 0), to: Point(x: 1, y: 0)),
            stops: [Gradient.Stop(offset: 0, color: RGBA8(red: 9, green: 8, blue: 7, alpha: 51))])
        var blocks = Blocks()
        let mask = blocks.add(
            .shapes([
                Shape(path: box(4, 4, 20, 20.25), fill: .color(RGBA8(red: 255, green: 0, blue: 0))),
                Shape(
                    path: box(30, 4, 20, 20), fill: .color(RGBA8(red: 0, green: 0, blue: 0, alpha: 102)), opacity: 0.5),
                Shape(path: box(4, 30, 20, 10), fill: .gradient(half)),
                Shape(path: box(8, 8, 4, 4), opacity: 0.5, mode: .erase),
            ]))
        let layers = [TileLayer(opacity: 1, maskShapes: mask, kind: .fill(.color(.black)))]
        let found = try pixels(layers, blocks, background: .transparent)
        func alpha(_ x: Int, _ y: Int) -> UInt8 { found[y * 64 + x].w }
        #expect(alpha(5, 5) == 255 && alpha(5, 24) == 64 && alpha(5, 25) == 0 && alpha(9, 9) == 128)
        #expect(alpha(35, 10) == 51 && alpha(10, 35) == 51 && alpha(60, 40) == 0)
        #expect(try pixels(layers, blocks, background: .transparent, tile: PixelSize(width: 9, height: 48)) == found)
        let hidden = try pixels([TileLayer(maskShapes: [], kind: .fill(.color(.black)))], blocks)
        #expect(hidden.allSatisfy { $0 == SIMD4(repeating: 255) })
    }

    @Test("are filled with patterns that lie still", arguments: [BrushType.parallelLines, .crossHatch, .dots, .waves])
    func patterns(type: BrushType) throws {
        let brush = Brush(type: type, rotation: 20, spacing: 7, lineWidth: 2.5, anchor: .canvas)
        var path = box(5.3, 4.2, 50, 35)
        path.move(to: Point(x: 20, y: 1))
        path.cubic(Point(x: 90, y: 20), Point(x: -40, y: 30), to: Point(x: 40, y: 47))
        for rule in FillRule.allCases {
            func painted(_ shape: Shape, cells: PixelSize) -> [Float] {
                var all = [Float](repeating: 0, count: Self.size.area)
                let painter = StrokePainter(maxWidth: cells.width, maxHeight: cells.height)
                for y in stride(from: 0, to: 48, by: cells.height) {
                    for x in stride(from: 0, to: 64, by: cells.width) {
                        let cell = PixelRect(
                            x: x, y: y, width: min(cells.width, 64 - x), height: min(cells.height, 48 - y))
                        let plane = RemainingPlane(maxWidth: cell.width, maxHeight: cell.height)
                        plane.move(to: cell)
                        painter.paint(
                            .shape(PreparedShape(shape)),
                            scale: OutputScale(canvas: CanvasSize(Self.size), output: Self.size), cell: cell,
                            into: plane)
                        let coverage = plane.coverage
                        for row in 0..<cell.height {
                            for column in 0..<cell.width {
                                all[(y + row) * 64 + x + column] = coverage[row * cell.width + column]
                            }
                        }
                    }
                }
                return all
            }
            let shape = Shape(path: path, rule: rule, fill: .pattern(brush))
            let found = painted(shape, cells: Self.size)
            #expect(painted(shape, cells: PixelSize(width: 17, height: 11)) == found)
            // Magnified eight times, products of coverages are nearly exact.
            let large = PixelSize(width: 64 * 8, height: 48 * 8)
            let plane = RemainingPlane(maxWidth: large.width, maxHeight: large.height)
            let cell = PixelRect(x: 0, y: 0, width: large.width, height: large.height)
            plane.move(to: cell)
            StrokePainter(maxWidth: large.width, maxHeight: large.height).paint(
                .shape(PreparedShape(shape)), scale: OutputScale(canvas: CanvasSize(Self.size), output: large),
                cell: cell, into: plane)
            let fine = plane.coverage
            for row in 0..<48 {
                for column in 0..<64 {
                    var sum: Float = 0
                    for y in 0..<8 { for x in 0..<8 { sum += fine[(8 * row + y) * large.width + 8 * column + x] } }
                    #expect(abs(sum / 64 - found[row * 64 + column]) < 0.02, "\(rule), \(column), \(row)")
                }
            }
        }
    }

    @Test("of pixel art have the sample at each pixel's centre", arguments: [0, 90, 180, 270, 30])
    func nearest(rotation: Double) throws {
        let image = PixelSize(width: 5, height: 3)
        let colors = (0..<image.area).map { (index: Int) -> RGBA8 in
            RGBA8(red: UInt8(10 * index + 5), green: 7, blue: UInt8(200 - 9 * index))
        }
        let rgba = colors.flatMap { (color: RGBA8) -> [UInt8] in [color.red, color.green, color.blue, 255] }
        let placement = Placement(x: 9.35, y: 8.1, width: 41, height: 26, rotation: rotation)
        var blocks = Blocks()
        let layers = [layer([], content: blocks.add(rgba, image, placement))]
        let found = try pixels(layers, blocks, background: .transparent)
        let turn = sinCos(degrees: rotation)
        for row in 0..<Self.size.height {
            for column in 0..<Self.size.width {
                let (dx, dy) = (Double(column) + 0.5 - placement.center.x, Double(row) + 0.5 - placement.center.y)
                let u = (turn.cos * dx + turn.sin * dy + 20.5) / 41 * 5
                let v = (turn.cos * dy - turn.sin * dx + 13) / 26 * 3
                let isInside = u >= 0 && v >= 0 && u < 5 && v < 3
                let color = isInside ? colors[Int(v) * 5 + Int(u)] : .transparent
                #expect(
                    found[row * 64 + column] == SIMD4(color.red, color.green, color.blue, color.alpha),
                    "\(column), \(row)")
            }
        }
        #expect(try pixels(layers, blocks, background: .transparent, tile: PixelSize(width: 10, height: 9)) == found)
    }

    @Test("of pixel art take the later of two samples between which a centre lies")
    func nearestTies() throws {
        // Centres lie on the borders of all samples.
        let image = PixelSize(width: 4, height: 1)
        let rgba = (0..<4).flatMap { (index: Int) -> [UInt8] in [UInt8(50 * index), 0, 0, 255] }
        for rotation in [0.0, 90, 180, 270] {
            var blocks = Blocks()
            let placement = Placement(x: 2.5, y: 2.5, width: 4, height: 4, rotation: rotation)
            let found = try pixels(
                [layer([], content: blocks.add(rgba, image, placement))], blocks, size: PixelSize(width: 9, height: 9),
                background: .transparent)
            let isUpright = rotation == 0 || rotation == 180
            let along = (0..<9).map { (place: Int) -> SIMD4<UInt8> in
                found[isUpright ? 4 * 9 + place : place * 9 + 4]
            }
            let reds: [UInt8] = rotation == 180 || rotation == 270 ? [150, 100, 50, 0] : [0, 50, 100, 150]
            // Pixel 2 is the one whose centre the image's first border meets.
            let expected: [UInt8?] = [nil, nil] + reds.map { Optional($0) } + [nil, nil, nil]
            #expect(along.map { $0.w == 0 ? nil : $0.x } == expected, "\(rotation)")
        }
        // And when they fill the canvas.
        var blocks = Blocks()
        let found = try pixels(
            [layer([], content: blocks.add(rgba, image))], blocks, size: PixelSize(width: 6, height: 2))
        #expect((0..<6).map { found[$0].x } == [0, 50, 50, 100, 150, 150])
    }
}
