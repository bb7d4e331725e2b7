import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Solid strokes")
struct SolidStrokeTests {
    /// Coverage by testing points against every disc and hull.
    private func sampled(_ discs: [PreparedStroke.Disc], size: PixelSize, samples: Int) -> [Double] {
        let parts = zip(discs, discs.dropFirst()).map { ConvexPart.hull($0, $1) }
        var coverage = [Double](repeating: 0, count: size.area)
        for line in 0..<(size.height * samples) {
            let y = (Double(line) + 0.5) / Double(samples)
            let intervals = parts.map { $0.interval(atY: y) }.filter { $0.start < $0.end }
            for column in 0..<(size.width * samples) {
                let x = (Double(column) + 0.5) / Double(samples)
                if intervals.contains(where: { $0.start <= x && x < $0.end }) {
                    coverage[line / samples * size.width + column / samples] += 1 / Double(samples * samples)
                }
            }
        }
        return coverage
    }

    /// The paths on which an outline may go wrong.
    enum Course: CaseIterable {
        /// Long steps anywhere: sharp bends, turning back, crossings.
        case wild
        /// Small steps of nearly one direction, as a shaking hand makes them.
        case shaking
        /// Round and round, nearer and nearer.
        case spiral
        /// To and fro over nearly the same line.
        case retraced

        func points(_ generator: inout SeededGenerator) -> [StrokePoint] {
            var point = Point(x: .random(in: 5...35, using: &generator), y: .random(in: 5...27, using: &generator))
            var angle = Double.random(in: 0..<360, using: &generator)
            let start = point
            let count = Int.random(in: 2...(self == .wild ? 12 : 40), using: &generator)
            return (0..<count).map { index in
                func random(_ reach: Double) -> Double { .random(in: -reach...reach, using: &generator) }
                switch self {
                case .wild: point = point + Point(x: random(9), y: random(9))
                case .shaking:
                    angle += random(50)
                    let turn = sinCos(degrees: angle)
                    point = point + Point(x: turn.cos, y: turn.sin)
                case .spiral:
                    let turn = sinCos(degrees: angle + 30 * Double(index))
                    point = start + (12 - 0.3 * Double(index)) * Point(x: turn.cos, y: turn.sin)
                case .retraced:
                    let turn = sinCos(degrees: angle)
                    let way = Double(index % 8 < 4 ? index % 4 : 4 - index % 4)
                    point = start + (4 * way) * Point(x: turn.cos, y: turn.sin) + Point(x: random(0.2), y: random(0.2))
                }
                return StrokePoint(x: point.x, y: point.y, pressure: .random(in: 0...1, using: &generator))
            }
        }
    }

    @Test("the union of all hulls is covered, however many overlap", arguments: Course.allCases, 0..<40)
    func union(course: Course, seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let size = PixelSize(width: 40, height: 32)
        let points = course.points(&generator)
        let brush = Brush(
            type: .solid, lineWidth: .random(in: 0.5...18, using: &generator),
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: seed % 2 == 0))
        let stroke = PreparedStroke(Stroke(brush: brush, points: points))
        guard case .solid(let path, _) = stroke.marks else { return }
        let cell = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let plane = RemainingPlane(maxWidth: size.width, maxHeight: size.height)
        plane.move(to: cell)
        StrokePainter(maxWidth: size.width, maxHeight: size.height).paint(
            stroke, scale: OutputScale(canvas: CanvasSize(size), output: size), cell: cell, into: plane)
        let expected = sampled(path.discs, size: size, samples: 32)
        let worst = zip(plane.coverage, expected).map { abs(Double($0) - $1) }.max() ?? 0
        #expect(worst < 0.04, "\(course), seed \(seed)")
    }

    @Test("strokes that are too tangled, too far or too wide for an outline are drawn by their hulls")
    func withoutOutline() throws {
        let scale = OutputScale(canvas: CanvasSize(width: 64, height: 48), output: PixelSize(width: 64, height: 48))
        func disc(_ x: Double, _ y: Double, _ radius: Double) -> PreparedStroke.Disc {
            PreparedStroke.Disc(center: Point(x: x, y: y), radius: radius)
        }
        let near = [disc(10, 10, 3), disc(30, 20, 3)]
        let outline = try #require(SolidOutline(near, scale: scale))
        #expect(outline.isOfUse && outline.crossings.isEmpty && outline.polygons.counts.count == 1)
        for other in [disc(2e6, 10, 3), disc(10, -3e7, 3), disc(30, 30, 2e6)] {
            let outline = try #require(SolidOutline(near + [other], scale: scale))
            #expect(!outline.isOfUse && outline.polygons.corners.isEmpty)
        }
        // Every bend is sharp and has hundreds of corners.
        let wide = (0..<5_000).map { disc(Double($0 % 2) * 40, Double($0), 300) }
        #expect(try #require(SolidOutline(wide, scale: scale)).isOfUse == false)
        // Every hull crosses nearly every other one.
        var generator = SeededGenerator(seed: 5)
        let tangled = (0..<5_000).map { _ in
            disc(.random(in: 0...64, using: &generator), .random(in: 0...48, using: &generator), 1)
        }
        #expect(try #require(SolidOutline(tangled, scale: scale)).isOfUse == false)
        // And they are there.
        let cell = PixelRect(x: 0, y: 0, width: 64, height: 48)
        let plane = RemainingPlane(maxWidth: 64, maxHeight: 48)
        plane.move(to: cell)
        let points = near.map { StrokePoint(x: $0.center.x, y: $0.center.y) } + [StrokePoint(x: 2e6, y: 10)]
        let stroke = PreparedStroke(Stroke(brush: Brush(type: .solid, lineWidth: 6), points: points))
        StrokePainter(maxWidth: 64, maxHeight: 48).paint(stroke, scale: scale, cell: cell, into: plane)
        #expect(plane.coverage[10 * 64 + 10] > 0.99 && plane.coverage[40 * 64 + 10] == 0)
    }

    @Test("of a tap that is wider than the picture the outline beside the picture changes nothing", arguments: 0..<40)
    func wideTaps(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let size = PixelSize(width: 160, height: 96)
        let radius = [40.0, 400, 4000, 40_000, 400_000][Int(seed % 5)] * .random(in: 0.5...2, using: &generator)
        let edge = Point(x: .random(in: 0...160, using: &generator), y: .random(in: 0...96, using: &generator))
        let turn = sinCos(degrees: .random(in: 0...360, using: &generator))
        let center = edge + radius * Point(x: turn.cos, y: turn.sin)
        let stroke = PreparedStroke(
            Stroke(
                brush: Brush(type: .solid, opacity: 0.5, lineWidth: 2 * radius),
                points: [StrokePoint(x: center.x, y: center.y)]))
        let cell = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        func drawn(in picture: PixelSize) -> [Float] {
            let plane = RemainingPlane(maxWidth: size.width, maxHeight: size.height)
            plane.move(to: cell)
            StrokePainter(maxWidth: size.width, maxHeight: size.height).paint(
                stroke, scale: OutputScale(canvas: CanvasSize(picture), output: picture), cell: cell, into: plane)
            return plane.coverage
        }
        // Of a picture as large as the tap nothing can be left out to the right and below.
        let isSame = drawn(in: size) == drawn(in: PixelSize(width: 2_000_000, height: 2_000_000))
        #expect(isSame, "seed \(seed), radius \(radius)")
        let disc = PreparedStroke.Disc(center: center, radius: radius)
        let outline = try #require(SolidOutline([disc], scale: OutputScale(canvas: CanvasSize(size), output: size)))
        #expect(outline.polygons.corners.count < 500, "\(outline.polygons.corners.count) corners, radius \(radius)")
    }

    @Test("outlines of all sizes are there until their stroke goes or others need the room")
    func outlineCache() throws {
        let canvas = PixelSize(width: 64, height: 48)
        let scales = [64, 128, 256].map {
            OutputScale(canvas: CanvasSize(canvas), output: PixelSize(width: $0, height: $0 * 3 / 4))
        }
        let outline = try #require(
            SolidOutline([PreparedStroke.Disc(center: Point(x: 9, y: 9), radius: 4)], scale: scales[0]))
        let cache = OutlineCache(limitBytes: 20 * outline.byteCount)
        for scale in scales { cache.keep(outline, of: 1, scale) }
        #expect(scales.allSatisfy { cache.outline(of: 1, $0) != nil } && cache.outline(of: 2, scales[0]) == nil)
        #expect(cache.bytes == 3 * outline.byteCount)
        cache.removeOutlines(of: 1)
        #expect(cache.bytes == 0 && cache.outline(of: 1, scales[0]) == nil)
        for path in 0..<1000 as Range<UInt64> {
            for scale in scales { cache.keep(outline, of: path, scale) }
            #expect(cache.bytes <= 20 * outline.byteCount)
        }
        #expect(cache.bytes == 20 * outline.byteCount)
        // Of more strokes than fit, seen in order again and again, some are always there.
        let found = (0..<40).reduce(0) { found, turn in
            (0..<30 as Range<UInt64>).reduce(found) { found, path in
                if cache.outline(of: path, scales[0]) != nil { return found + (turn > 9 ? 1 : 0) }
                cache.keep(outline, of: path, scales[0])
                return found
            }
        }
        #expect(found > 200, "\(found) of 900")
        for path in 0..<1000 as Range<UInt64> { cache.removeOutlines(of: path) }
        #expect(cache.bytes == 0)
    }

    @Test("a project at two sizes works out each outline once for each")
    func twoSizes() throws {
        let path = SolidPath([
            PreparedStroke.Disc(center: Point(x: 9, y: 9), radius: 4),
            PreparedStroke.Disc(center: Point(x: 30, y: 20), radius: 4),
        ])
        let canvas = PixelSize(width: 64, height: 48)
        let scales = [canvas, PixelSize(width: 640, height: 480)].map {
            OutputScale(canvas: CanvasSize(canvas), output: $0)
        }
        func corners(_ scale: OutputScale) throws -> UnsafeRawPointer? {
            try #require(path.outline(scale)).polygons.corners.withUnsafeBytes { $0.baseAddress }
        }
        let first = try scales.map(corners)
        for _ in 0..<3 { #expect(try scales.map(corners) == first) }
    }

    @Test("a long stroke that is not wanted any more is left, outlined or not", arguments: [false, true])
    func cancellation(isTangled: Bool) {
        var generator = SeededGenerator(seed: 3)
        let size = PixelSize(width: 512, height: 256)
        let points = (0..<(isTangled ? 4000 : 400)).map { _ in
            StrokePoint(x: .random(in: 0...512, using: &generator), y: .random(in: 0...256, using: &generator))
        }
        let stroke = PreparedStroke(Stroke(brush: Brush(type: .solid, lineWidth: 3), points: points))
        let painter = StrokePainter(maxWidth: 512, maxHeight: 256)
        func asked(until limit: Int) -> Int {
            var asked = 0
            let plane = RemainingPlane(maxWidth: 512, maxHeight: 256)
            plane.move(to: PixelRect(x: 0, y: 0, width: 512, height: 256))
            painter.paint(
                stroke, scale: OutputScale(canvas: CanvasSize(size), output: size),
                cell: PixelRect(x: 0, y: 0, width: 512, height: 256), into: plane
            ) {
                asked += 1
                return asked > limit
            }
            return asked
        }
        guard case .solid(let path, _) = stroke.marks else { return }
        #expect(path.outline(OutputScale(canvas: CanvasSize(size), output: size))?.isOfUse == !isTangled)
        // In every row of pixels, or for every crossing.
        let whole = asked(until: .max)
        #expect(whole > 100, "\(whole)")
        for limit in [0, whole / 2] { #expect(asked(until: limit) <= limit + 10) }
    }

    @Test("discs on a straight line are replaced by its ends, bends keep theirs")
    func path() {
        let line = (0...20).map { PreparedStroke.Disc(center: Point(x: Double($0), y: 2), radius: 3) }
        #expect(DiscPath(line, tolerance: 1e-3).discs == [line[0], line[20]])
        let corner = line + (1...20).map { PreparedStroke.Disc(center: Point(x: 20, y: 2 + Double($0)), radius: 3) }
        #expect(DiscPath(corner, tolerance: 1e-3).discs == [corner[0], corner[20], corner[40]])
        let taper = (0...20).map { PreparedStroke.Disc(center: Point(x: Double($0), y: 0), radius: 1 + Double($0 % 2)) }
        #expect(DiscPath(taper, tolerance: 1e-3).discs.count == 21)
    }
}
