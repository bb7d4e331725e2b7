import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Outlines of regions") struct RegionOutlineTests {
    private func outline(_ number: Int, _ regions: FlatRegions, _ samples: [UInt8]) throws -> ShapePath {
        let picture = try FlatPicture(samples: samples, size: regions.size, format: .rgb8)
        let map = RegionMap(regions)
        let colors = (picture: picture, regions: regions.regions.map(\.color))
        return RegionOutline(of: number, in: map, colors: colors, box: map.boxes[number]).path()
    }

    /// Points along a path, eight for each curve and line.
    private func places(on path: ShapePath) -> [Point] {
        var (places, at, index) = ([Point](), Point(x: 0, y: 0), 0)
        for verb in path.verbs {
            let points = [at] + path.points[index..<index + verb.pointCount]
            index += verb.pointCount
            for step in 1...8 where verb == .line || verb == .cubic {
                let (t, u) = (Double(step) / 8, 1 - Double(step) / 8)
                if verb == .line {
                    places.append(u * points[0] + t * points[1])
                } else {
                    let ends = u * u * u * points[0] + t * t * t * points[3]
                    places.append(ends + 3 * u * u * t * points[1] + 3 * u * t * t * points[2])
                }
            }
            at = points[points.count - 1]
        }
        return places
    }

    @Test("They follow anti-aliased edges to a fraction of a pixel", arguments: 0..<30 as Range<UInt64>)
    func edges(seed: UInt64) throws {
        let sample = FlatSample(seed: seed, line: 0)
        let samples = sample.samples
        let regions = try sample.regions(samples)
        for shape in sample.shapes {
            let number = try #require(regions.regions.firstIndex { $0.color.opaque == shape.color })
            let path = try outline(number, regions, samples)
            let places = places(on: path)
            #expect(path.verbs.filter { $0 == .move }.count == 1, "seed \(seed)")
            var sum = 0.0
            for place in places {
                let (dx, dy) = (abs(place.x - shape.centerX), abs(place.y - shape.centerY))
                let distance: Double
                if shape.isBox {
                    distance = max(dx - shape.radiusX, dy - shape.radiusY)
                } else {
                    let relative = Point(x: dx / shape.radiusX, y: dy / shape.radiusY).length
                    distance = (relative - 1) * Point(x: dx, y: dy).length / relative
                }
                sum += abs(distance)
                // A pixel at a corner shows how much of it is covered, not where.
                #expect(abs(distance) < 0.7, "seed \(seed): \(place) of \(shape)")
            }
            #expect(sum / Double(places.count) < 0.2, "seed \(seed): \(shape)")
            guard shape.isBox else {
                // A few curves, and no corner that shows as a line.
                #expect(path.segmentCount <= 14 && !path.verbs.contains(.line), "seed \(seed): \(path.verbs)")
                continue
            }
            for (x, y) in [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)] {
                let corner = Point(x: shape.centerX + x * shape.radiusX, y: shape.centerY + y * shape.radiusY)
                let nearest = places.map { ($0 - corner).length }.min() ?? .infinity
                #expect(nearest < 0.7, "seed \(seed): the corner \(corner) of \(shape)")
            }
        }
        // The background has a border for each shape and one of its own.
        let ground = try #require(regions.regions.firstIndex { $0.color.opaque == sample.background })
        let path = try outline(ground, regions, samples)
        #expect(path.verbs.filter { $0 == .move }.count == 1 + sample.shapes.count, "seed \(seed)")
    }

    @Test("Lines between regions are as wide on all slopes", arguments: [400, 1200, 2400])
    func weight(edge: Int) throws {
        let size = PixelSize(width: edge, height: edge / 4)
        func ink(_ slope: (Int, Int) -> Bool) -> Double {
            var map = RegionMap(size: size)
            for side in [true, false] {
                map.add(mask: (0..<size.area).map { slope($0 % edge, $0 / edge) == side ? 255 : 0 })
            }
            let drawn = map.outlines(isLine: [false, false])
            let rows = size.height / 4..<size.height * 3 / 4
            let sum = rows.reduce(0) { $0 + drawn[$1 * edge..<($1 + 1) * edge].reduce(0) { $0 + 255 - Int($1) } }
            return Double(sum) / Double(rows.count)
        }
        let (middle, half) = (edge / 2, edge / 8)
        let upright = ink { x, _ in x < middle }
        // A row crosses a line of 45 degrees over a longer way.
        for found in [ink { x, y in x - middle < y - half }, ink { x, y in x - middle < half - y }] {
            #expect(abs(found / 2.0.squareRoot() / upright - 1) < 0.08, "\(found) of \(upright)")
        }
        let steep = ink { x, y in 2 * (x - middle) < y - half }
        #expect(abs(steep / 1.25.squareRoot() / upright - 1) < 0.08, "\(steep) of \(upright)")
    }

    @Test("Regions without smooth edges, spots and lines one pixel wide have closed outlines")
    func hard() throws {
        let rows = [
            "............", ".#..........", "..##........", "...#..####..", "......####..", "......####..",
            "...######...",
            "..#.####....", ".#..........", "............",
        ]
        let size = PixelSize(width: 12, height: rows.count)
        let samples = rows.joined().flatMap { $0 == "#" ? [UInt8](repeating: 0, count: 3) : [250, 250, 250] }
        var options = FlatRegions.Options()
        options.minArea = 1
        let picture = try FlatPicture(samples: samples, size: size, format: .rgb8)
        let regions = try FlatRegions(of: picture, options, place: Place(file: "f"), limits: Limits())
        #expect(regions.regions.map(\.area).reduce(0, +) == size.area)
        for number in regions.regions.indices {
            let path = try outline(number, regions, samples)
            #expect(!path.isEmpty && path.verbs.last == .close)
            #expect(path.verbs.count { $0 == .move } == path.verbs.count { $0 == .close })
            // Smooth borders cut corners, of which spots have nothing else; what is around a pixel's centre decides.
            let wrong = (0..<size.area).count { index in
                let center = Point(x: Double(index % 12) + 0.5, y: Double(index / 12) + 0.5)
                return isInside(center, path) != (regions.numbers[index] == Int32(number))
            }
            #expect(wrong <= 1 + regions.regions[number].area / 8, "region \(number): \(wrong) pixels")
        }
    }

    /// By the even-odd rule.
    private func isInside(_ point: Point, _ path: ShapePath) -> Bool {
        var (isInside, at, start, index) = (false, Point(x: 0, y: 0), Point(x: 0, y: 0), 0)
        func cross(_ a: Point, _ b: Point) {
            guard (a.y <= point.y) != (b.y <= point.y) else { return }
            if a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) > point.x { isInside.toggle() }
        }
        for verb in path.verbs {
            let points = [at] + path.points[index..<index + verb.pointCount]
            index += verb.pointCount
            switch verb {
            case .move: start = points[1]
            case .close: cross(at, start)
            case .line: cross(points[0], points[1])
            default:
                var last = at
                for step in 1...16 {
                    let (t, u) = (Double(step) / 16, 1 - Double(step) / 16)
                    let ends = u * u * u * points[0] + t * t * t * points[3]
                    let place = ends + 3 * u * u * t * points[1] + 3 * u * t * t * points[2]
                    cross(last, place)
                    last = place
                }
            }
            at = verb == .close ? start : points[points.count - 1]
        }
        return isInside
    }

    @Test("A border of a million pieces is followed in no time", .timeLimit(.minutes(1)))
    func longBorder() throws {
        var random = SeededGenerator(seed: 3)
        // A way with no corner, of which no curve is near: it shrinks and grows by chance.
        var (points, radius) = ([Point](), 1000.0)
        for step in 0..<300_000 {
            radius += Double.random(in: -0.4...0.4, using: &random)
            let (sine, cosine) = sinCos(degrees: Double(step) / 100)
            points.append(Point(x: radius * cosine, y: radius * sine))
        }
        let curves = CurveFit(points, start: nil, end: nil, tolerance: 0.35).curves
        #expect(curves.last?.end == points.last && curves.count > 300 && curves.count < points.count)
    }

    @Test("Borders that are too long for a project are refused, with what helps")
    func tooLong() throws {
        let sample = FlatSample(seed: 1, line: 0)
        let samples = sample.samples
        let regions = try sample.regions(samples)
        let picture = try FlatPicture(samples: samples, size: regions.size, format: .rgb8)
        func message(_ change: (inout Limits) -> Void, hasOutlines: Bool = true) -> String? {
            var limits = Limits()
            change(&limits)
            do throws(EngineError) {
                let place = Place(file: "f.png")
                let layers = try regions.layers(of: picture, hasOutlines: hasOutlines, place: place, limits: limits)
                #expect(layers.allSatisfy { ($0.outline != nil) == hasOutlines && $0.mask.isEmpty == hasOutlines })
                return nil
            } catch {
                return error.description
            }
        }
        #expect(message { _ in } == nil)
        #expect(message { $0.pathSegments = 3 }?.contains("--masks bitmap") == true)
        #expect(message { $0.segments = 5 }?.contains("the borders of the regions") == true)
        #expect(message({ $0.segments = 5 }, hasOutlines: false) == nil)
    }
}
