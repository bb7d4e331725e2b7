import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkPlanning

@Suite("Shapes in planning") struct ShapePlanTests {
    private let canvas = CanvasSize(width: 400, height: 300)
    private let output = PixelSize(width: 600, height: 450)

    private static func square(_ x: Double, _ y: Double, _ edge: Double) -> ShapePath {
        var path = ShapePath()
        path.move(to: Point(x: x, y: y))
        path.line(to: Point(x: x + edge, y: y))
        path.line(to: Point(x: x + edge, y: y + edge))
        path.line(to: Point(x: x, y: y + edge))
        path.close()
        return path
    }

    private func draft(
        _ layers: [Layer], encoder: BlockEncoder = FakeBlocks.encoder, _ change: (inout PictureOrder) -> Void = { _ in }
    ) throws -> PictureDraft {
        var order = PictureOrder(output: PixelSize(width: 400, height: 300))
        order.options.tile = PixelSize(width: 400, height: 100)
        change(&order)
        var blocks: [EncodedBlock] = []
        return try PictureDraft(
            Project(canvasSize: PixelSize(width: 400, height: 300), layers: layers), order: order, name: "a.ink",
            limits: Limits(), encoder: encoder, blocks: &blocks)
    }

    /// A drawing's marks as they are sent, in the order of its blocks.
    private final class Sent: Sendable {
        private let all = Mutex<[MarkList]>([])
        var lists: [MarkList] { all.withLock { $0 } }

        var encoder: BlockEncoder {
            var encoder = FakeBlocks.encoder
            encoder.marks = { marks throws(EngineError) in
                let count = self.all.withLock { all in
                    all.append(marks)
                    return all.count
                }
                return EncodedBlock(id: BlockID(words: [UInt64(count), 0, 0, 0]), frame: [1])
            }
            return encoder
        }
    }

    // MARK: - Extents

    @Test("An extent holds the curves of a shape and no more than a pixel or two besides", arguments: 0..<100)
    func extents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for var shape in random.shapes(4, reach: 150) {
            shape.fill = .color(.black)
            if random.next() % 2 == 0 { (shape.transform.x, shape.transform.y) = (150, 150) }
            let extent = MarkExtent(of: shape, canvas: canvas, output: output)
            var box = Rect.empty
            for place in places(on: shape) { box.formUnion(Point(x: place.x * 1.5, y: place.y * 1.5)) }
            guard !box.isEmpty, box.maxX > 0, box.maxY > 0, box.minX < 600, box.minY < 450 else { continue }
            let held = [
                (Double(extent.minX), max(box.minX, 0)), (Double(extent.minY), max(box.minY, 0)),
                (-Double(extent.maxX), -min(box.maxX, 600)), (-Double(extent.maxY), -min(box.maxY, 450)),
            ]
            for (edge, place) in held {
                #expect(edge <= place && edge >= place - 3, "seed \(seed): \(extent) of \(box)")
            }
        }
    }

    /// Many places on the curves, by their definitions.
    private func places(on shape: Shape) -> [Point] {
        var places: [Point] = []
        var (last, start, first) = (Point(x: 0, y: 0), Point(x: 0, y: 0), 0)
        func mix(_ a: Point, _ b: Point, _ t: Double) -> Point {
            Point(x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y))
        }
        for verb in shape.path.verbs {
            let points = Array(shape.path.points[first..<first + verb.pointCount])
            first += verb.pointCount
            for t in stride(from: 0.0, through: 1, by: 1.0 / 256) where verb != .move {
                let place: Point
                switch verb {
                case .move, .close: place = mix(last, start, t)
                case .line: place = mix(last, points[0], t)
                case .quadratic: place = mix(mix(last, points[0], t), mix(points[0], points[1], t), t)
                case .cubic:
                    let middle = mix(points[0], points[1], t)
                    place = mix(
                        mix(mix(last, points[0], t), middle, t), mix(middle, mix(points[1], points[2], t), t), t)
                case .arc:
                    let (sine, cosine) = sinCos(degrees: (points[3].x + t * points[3].y) * (180 / Double.pi))
                    place = Point(
                        x: points[0].x + cosine * points[1].x + sine * points[2].x,
                        y: points[0].y + cosine * points[1].y + sine * points[2].y)
                }
                places.append(shape.transform.point(place))
            }
            last = verb == .close ? start : points[points.count - 1]
            if verb == .move { start = last }
        }
        return places
    }

    @Test("Dots that are drawn whole reach beyond the shape")
    func wholeDots() {
        var brush = Brush(type: .dots, scale: 2, anchor: .canvas)
        (brush.edge, brush.dotRadius) = (.whole, 5)
        var shape = Shape(path: Self.square(100, 100, 50), fill: .pattern(brush))
        func edges() -> [Int32] {
            let extent = MarkExtent(of: shape, canvas: canvas, output: canvas.pixels)
            return [extent.minX, extent.maxX]
        }
        #expect(edges() == [89, 161])
        brush.edge = .cut
        shape.fill = .pattern(brush)
        #expect(edges() == [99, 151])
    }

    @Test("Where places are not precise an extent holds all that is drawn", arguments: [1e12, 1e30, 1e200, 1e308])
    func imprecise(reach: Double) {
        var path = Self.square(-reach, -reach, reach)
        path.arc(
            center: Point(x: 0, y: 0), u: Point(x: reach, y: 0), v: Point(x: 0, y: reach), start: 0, sweep: 6,
            to: Point(x: reach, y: -reach))
        for factor in [1, 1e90, 1e200] {
            let shape = Shape(path: path, transform: AffineMap(a: factor, d: factor))
            let extent = MarkExtent(of: shape, canvas: canvas, output: output)
            let drawn = PreparedShape(shape).bounds
            let isSeen = drawn.minX < 400 && drawn.maxX > 0 && drawn.minY < 300 && drawn.maxY > 0
            // Its box has edges at the origin or far from the picture.
            #expect(extent.isEmpty == !isSeen || extent.maxX == 1 || extent.maxY == 1)
            #expect(!isSeen || drawn.maxX < 600 || extent.maxX == 600)
            #expect(!isSeen || drawn.maxY < 450 || extent.maxY == 450)
            if reach < 1e100, factor == 1 { #expect(extent.minX == 0 && extent.maxX == 600 && extent.maxY == 450) }
        }
    }

    // MARK: - Culling and order

    @Test("Shapes that draw nothing do not travel; what shapes say does not either")
    func culling() throws {
        let path = Self.square(10, 10, 50)
        let clear = Paint.color(.transparent)
        var pattern = Brush(type: .dots, anchor: .canvas)
        pattern.opacity = 0
        let gradient = Gradient(
            kind: .radial(center: Point(x: 0, y: 0), radius: 1), stops: [.init(offset: 0, color: .transparent)])
        let invisible = [
            Shape(path: ShapePath()), Shape(path: path, transform: AffineMap(a: 1, b: 2, c: 2, d: 4)),
            Shape(path: path, fill: clear), Shape(path: path, fill: .pattern(pattern)),
            Shape(path: path, fill: .gradient(gradient)), Shape(path: path, opacity: 0),
            Shape(path: path, opacity: 0, mode: .erase), Shape(path: Self.square(500, 10, 50)),
            Shape(path: path, transform: AffineMap(x: 0, y: -900)),
        ]
        let seen = [
            Shape(path: path, text: "A", textOf: "word"), Shape(path: path, fill: clear, mode: .erase),
        ]
        var layer = Layer(strokes: [.line(from: (5, 5), to: (90, 90))])
        layer.shapes = invisible + seen
        let sent = Sent()
        let draft = try draft([layer], encoder: sent.encoder)
        var silent = seen
        (silent[0].text, silent[0].textOf) = (nil, nil)
        #expect(sent.lists == [.shapes(silent), .strokes(layer.strokes)])
        // Shapes lie below strokes.
        let blocks = draft.pictures[0].scene.layers[0].strokes
        #expect(blocks.map { $0.extents.map(\.isPaint) } == [[true, false], [true]])
        // Erasing alone shows nothing.
        layer.shapes = [seen[1]]
        layer.strokes = []
        #expect(try self.draft([layer]).pictures[0].scene.layers.isEmpty)
    }

    @Test("Through a viewport shapes, masks of shapes, patterns and gradients of fills are moved and magnified")
    func view() throws {
        var layer = Layer()
        layer.shapes = [Shape(path: Self.square(0, 0, 10), fill: .pattern(Brush(type: .dots, anchor: .canvas)))]
        layer.maskShapes = [Shape(path: Self.square(0, 0, 10)), Shape(path: Self.square(900, 0, 10))]
        var fill = Layer()
        fill.kind = .fill(
            .gradient(
                Gradient(
                    kind: .radial(center: Point(x: 5, y: 0), radius: 2), stops: [.init(offset: 0, color: .black)])))
        let sent = Sent()
        let draft = try draft([layer, fill], encoder: sent.encoder) {
            $0.options.view = .place(
                center: Point(x: 0, y: 0), zoom: 4, rotation: 90, size: CanvasSize(width: 400, height: 300))
        }
        let map = AffineMap(a: 0, b: 4, c: -4, d: 0, x: 200, y: 150)
        #expect(sent.lists.map(\.count) == [1, 1])
        #expect(sent.lists.flatMap(\.shapes).allSatisfy { $0.transform == map })
        #expect(sent.lists.flatMap(\.shapes).map(\.path) == [layer.shapes[0].path, layer.shapes[0].path])
        let brushes = sent.lists.flatMap(\.shapes).compactMap { shape in
            if case .pattern(let brush) = shape.fill { brush } else { nil }
        }
        #expect(brushes.map(\.scale) == [4] && brushes.map(\.rotation) == [90])
        guard case .fill(.gradient(let gradient)) = draft.pictures[0].scene.layers[1].kind else {
            Issue.record("no gradient")
            return
        }
        #expect(gradient.kind == .radial(center: Point(x: 200, y: 170), radius: 8))
    }

    // MARK: - Masks

    @Test("An element shows in the tiles in which a shape of its mask paints, and in no others")
    func masks() throws {
        var fill = Layer()
        fill.kind = .fill(.color(.black))
        let shapes = [
            Shape(path: Self.square(10, 10, 50)), Shape(path: Self.square(10, 120, 50), mode: .erase),
            Shape(path: Self.square(10, 210, 50)),
        ]
        fill.maskShapes = shapes
        let plan = try PicturePlan(try draft([fill]), decoded: [])
        let masks = (0..<3).map { plan.task(row: $0, column: 0).layers.map { $0.maskShapes?.map(\.indices) } }
        #expect(masks == [[[[0]]], [], [[[2]]]])
        for hidden in [[], [shapes[1]], [Shape(path: Self.square(900, 0, 9))]] {
            fill.maskShapes = hidden
            #expect(try draft([fill]).pictures[0].scene.layers.isEmpty)
        }
        fill.maskShapes = nil
        #expect(try draft([fill]).pictures[0].scene.layers.count == 1)
    }

    @Test("A group is left out with its mask; what is clipped to an element that its mask hides is, too")
    func masksOfGroups() throws {
        let shown = [Shape(path: Self.square(10, 10, 50))]
        var base = Layer()
        base.shapes = shown
        var clipped = base
        clipped.isClipped = true
        var group = Layer()
        group.kind = .group([base, clipped], isPassThrough: true)
        group.maskShapes = shown
        func rows(_ layer: Layer) throws -> [Int] {
            let plan = try PicturePlan(try draft([layer]), decoded: [])
            return (0..<3).map { plan.task(row: $0, column: 0).layers.count }
        }
        #expect(try rows(group) == [1, 0, 0])
        base.maskShapes = [Shape(path: Self.square(300, 250, 9))]
        group.kind = .group([base, clipped], isPassThrough: true)
        #expect(try rows(group) == [0, 0, 0])
    }

    // MARK: - Many

    @Test("A million segments become blocks of bounded size, one after the other")
    func millionSegments() throws {
        var path = ShapePath()
        path.move(to: Point(x: 0, y: 0))
        for index in 1..<1000 { path.line(to: Point(x: Double(index % 7), y: Double(index % 11))) }
        path.close()
        var layer = Layer()
        layer.shapes = (0..<1000).map {
            Shape(path: path, symbol: "s", transform: AffineMap(x: Double($0 % 390), y: Double($0 / 4)))
        }
        let sent = Sent()
        let draft = try draft([layer], encoder: sent.encoder)
        let counts = sent.lists.map { $0.shapes.reduce(0) { $0 + $1.path.segmentCount } }
        #expect(counts.reduce(0, +) == 1_000_000)
        #expect(counts.count > 50 && counts.allSatisfy { $0 <= 2 * MarkBlocks.pointsPerBlock })
        #expect(draft.pictures[0].scene.layers[0].strokes.map(\.extents.count) == sent.lists.map(\.count))
        #expect(draft.pictures[0].costs.strokesPerRow.reduce(0, +) > 1e8)
        // One shape more at the beginning changes a block or two.
        let before = sent.lists
        layer.shapes.insert(Shape(path: path, transform: AffineMap(x: 7.5, y: 9)), at: 0)
        let more = Sent()
        _ = try self.draft([layer], encoder: more.encoder)
        #expect(Set(more.lists.map(\.count)).count > 1)
        #expect(more.lists.suffix(20) == before.suffix(20))
    }

    // MARK: - Digests, images

    @Test("A digest covers all that a shape draws with, and not its symbol's name")
    func digests() throws {
        var random = SeededGenerator(seed: 5)
        let digest = try #require(BlockEncoder.standard.digestingStrokes.digest)
        let gradient = Gradient(
            kind: .linear(from: Point(x: 0, y: 0), to: Point(x: 9, y: 0)),
            stops: [.init(offset: 0, color: .black), .init(offset: 1, color: .white)])
        let shape = Shape(path: random.path(reach: 50), fill: .gradient(gradient))
        var pattern = Brush(type: .dots, anchor: .canvas)
        pattern.edge = .whole
        let changes: [(inout Shape) -> Void] = [
            { $0.path.close() }, { $0.transform.c += 1e-9 }, { $0.rule = .evenodd }, { $0.opacity = 0.5 },
            { $0.mode = .erase }, { $0.fill = .color(.black) }, { $0.fill = .pattern(pattern) },
            { shape in
                var other = gradient
                other.stops[1].offset = 0.9
                shape.fill = .gradient(other)
            },
        ]
        let all =
            [shape]
            + changes.map { change in
                var changed = shape
                change(&changed)
                return changed
            }
        #expect(Set(digest(.shapes(all))).count == all.count)
        var named = shape
        named.symbol = "name"
        #expect(digest(.shapes([named])) == digest(.shapes([shape])))
    }

    @Test("A picture of which samples are chosen is not scaled when it is decoded")
    func nearest() throws {
        var layer = Layer(contentImage: .fake("large", width: 900, height: 900))
        layer.contentPlacement = Placement(x: 10, y: 10, width: 20, height: 20)
        let scaled = try draft([layer])
        #expect(scaled.images.map(\.scalings.count) == [1])
        layer.contentFilter = .nearest
        var both = try draft([layer, Layer(contentImage: layer.contentImage)])
        #expect(both.images.contains { $0.scalings.isEmpty && $0.filter == .nearest })
        both = try draft([layer])
        let image = DecodedImage(
            info: DecodedImageInfo(size: PixelSize(width: 900, height: 900), format: .rgb8),
            chunks: Array(repeating: .constant(7), count: 15))
        let task = try PicturePlan(both, decoded: [[image]]).task(row: 0, column: 0)
        #expect(task.layers.map { $0.content?.filter } == [.nearest])
    }
}
