import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Contour lines in vector files")
struct ContourIsolinesTests {
    private static let page = Rect(minX: 0, minY: 0, maxX: 160, maxY: 120)

    private func isolines(_ stroke: Stroke, seen: Rect = page) -> ContourIsolines {
        ContourIsolines(NearestLine(SmoothedPath(stroke)), stroke.brush, seen: seen)
    }

    private func areas(_ stroke: Stroke, seen: Rect = page) throws -> [[Point]] {
        var areas: [[Point]] = []
        try isolines(stroke, seen: seen).forEachArea(isCancelled: { false }) { areas.append($0) }
        return areas
    }

    private func curves(_ stroke: Stroke) throws -> [[Point]] {
        var curves: [[Point]] = []
        try isolines(stroke).forEachCurve(isCancelled: { false }) { curves.append($0) }
        return curves
    }

    /// A stroke that winds and crosses itself, and in every third seed turns sharply.
    private func randomStroke(seed: Int) -> Stroke {
        var generator = SeededGenerator(seed: UInt64(seed))
        func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        var brush = Brush(
            type: .contourLines, spacing: random(3...9), scale: random(0.5...1.5), lineWidth: random(0.5...4))
        brush.dynamics = BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: seed % 4 == 0)
        brush.caps = seed % 2 == 0 ? .round : .butt
        brush.lines = [1, 3, 7][seed % 3]
        let points = (0..<Int(random(1...7))).map { _ in
            StrokePoint(x: random(20...140), y: random(20...100), pressure: random(0...1))
        }
        var stroke = Stroke(brush: brush, points: points)
        stroke.smoothing = seed % 3 == 0 ? .none : .uniform
        stroke.isClosed = seed % 5 == 0
        return stroke
    }

    /// How far a point is outside of the nearest line (spec section 10.2), less than 0 inside of it. Nil where it cannot
    /// be told because several places are nearest.
    private func excess(_ q: Point, _ stroke: Stroke) -> Double? {
        let brush = stroke.brush
        let samples = SmoothedPath(stroke).samples
        var places: [(distance: Double, size: Double, isBehind: Bool)] = []
        let isClosed = samples.count > 1 && samples.first?.position == samples.last?.position
        for index in 0..<max(samples.count - 1, 1) {
            let (a, b) = (samples[index], samples[min(index + 1, samples.count - 1)])
            let way = b.position - a.position
            let square = way.x * way.x + way.y * way.y
            let offset = q - a.position
            let t = square > 0 ? (offset.x * way.x + offset.y * way.y) / square : 0
            let place = min(max(t, 0), 1)
            let pressure = a.pressure + place * (b.pressure - a.pressure)
            let isEnd = (index == 0 && t < 0) || (index + 2 == samples.count && t > 1)
            places.append(
                (
                    (offset - place * way).length, brush.scale * brush.dynamics.size(pressure),
                    isEnd && !isClosed && samples.count > 1 && brush.caps == .butt
                ))
        }
        places.sort { $0.distance < $1.distance }
        // Neighbouring segments share a vertex.
        let near = places.prefix { $0.distance < places[0].distance + 0.05 }
        let sizes = near.map(\.size)
        if (sizes.max() ?? 0) - (sizes.min() ?? 0) > 1e-3 || Set(near.map(\.isBehind)).count > 1 { return nil }
        let nearest = places[0]
        if nearest.isBehind { return .infinity }
        let period = brush.spacing * nearest.size
        let number = min((nearest.distance / period).rounded(), Double(brush.lines / 2))
        return abs(nearest.distance - number * period) - brush.lineWidth * nearest.size / 2
    }

    private func winding(_ q: Point, _ polygons: [[Point]]) -> Int {
        var winding = 0
        for polygon in polygons {
            for (a, b) in zip(polygon, polygon.dropFirst() + polygon.prefix(1))
            where (a.y <= q.y) != (b.y <= q.y) && a.x + (q.y - a.y) / (b.y - a.y) * (b.x - a.x) < q.x {
                winding += a.y < b.y ? -1 : 1
            }
        }
        return winding
    }

    @Test("Areas hold the places that lines cover, all with one direction round", arguments: 0..<60)
    func areas(seed: Int) throws {
        let stroke = randomStroke(seed: seed)
        let polygons = try areas(stroke)
        var generator = SeededGenerator(seed: UInt64(seed) + 1000)
        let isOnePoint = stroke.points.count == 1
        var (inside, checked) = (0, 0)
        for _ in 0..<3000 {
            // Half of them near the stroke.
            let near = stroke.points.randomElement(using: &generator) ?? StrokePoint(x: 0, y: 0)
            let spread = Bool.random(using: &generator) ? 12.0 : 150
            let q = Point(
                x: near.x + .random(in: -spread...spread, using: &generator),
                y: near.y + .random(in: -spread...spread, using: &generator))
            guard (0...160).contains(q.x), (0...120).contains(q.y), let excess = excess(q, stroke), abs(excess) > 0.03
            else { continue }
            let winding = winding(q, polygons)
            checked += 1
            inside += excess < 0 ? 1 : 0
            #expect((winding != 0) == (excess < 0), "seed \(seed): \(q), \(excess), \(winding), \(stroke)")
            #expect(isOnePoint ? winding <= 0 : winding >= 0, "seed \(seed): \(q)")
        }
        #expect(checked > 500 && inside > 0, "seed \(seed)")
    }

    @Test("Curves run in the middle of lines, and each place of a line has one", arguments: 0..<40)
    func curves(seed: Int) throws {
        var stroke = randomStroke(seed: seed)
        stroke.brush.lineWidth = 0.5 * stroke.brush.spacing
        var length = 0.0
        for curve in try curves(stroke) {
            for (a, b) in zip(curve, curve.dropFirst()) {
                length += (b - a).length
                guard let excess = excess(0.5 * (a + b), stroke) else { continue }
                #expect(excess < 0, "seed \(seed): \(a), \(b), \(excess), \(stroke)")
            }
        }
        guard !stroke.brush.dynamics.pressureAffectsSize, stroke.points.count > 1 else { return }
        // They are as long as the area is, but for the middle line, which crosses itself, and for caps.
        let width = stroke.brush.lineWidth * stroke.brush.scale
        var count = 0
        for y in 0..<60 {
            for x in 0..<80 {
                let q = Point(x: 2 * Double(x) + 0.75, y: 2 * Double(y) + 0.75)
                if let excess = excess(q, stroke), excess < 0 { count += 1 }
            }
        }
        #expect(width * length > 0.7 * Double(count) * 4, "seed \(seed): \(length), \(count)")
    }

    @Test("A corner is mitred inside and round outside, in one polygon a line; a tap is a disc and rings")
    func corner() throws {
        var brush = Brush(type: .contourLines, spacing: 6, lineWidth: 2)
        brush.lines = 3
        var stroke = Stroke(
            brush: brush, points: [StrokePoint(x: 20, y: 60), StrokePoint(x: 80, y: 60), StrokePoint(x: 80, y: 110)])
        stroke.smoothing = .none
        let areas = try areas(stroke)
        #expect(areas.count == 4)
        // Inside of the bend the line ends at a corner.
        #expect(areas.contains { $0.contains { ($0 - Point(x: 75, y: 65)).length < 0.02 } })
        #expect(areas.contains { $0.contains { ($0 - Point(x: 73, y: 67)).length < 0.02 } })
        let tap = Stroke(brush: brush, points: [StrokePoint(x: 50, y: 50)])
        let rings = try self.areas(tap)
        for (place, isThere) in [(0.5, true), (1.5, false), (4.5, false), (5.5, true), (6.5, true), (7.5, false)] {
            for (x, y) in [(1.0, 0.0), (0.6, 0.8), (-0.8, 0.6), (-0.6, -0.8)] {
                let q = Point(x: 50 + place * x, y: 50 + place * y + 1e-4)
                #expect((winding(q, rings) != 0) == isThere, "\(q)")
            }
        }
        #expect(try curves(tap).map(\.count).contains(1))
    }

    @Test("A stroke that goes back where it came from ends round, however it is rounded", arguments: 0..<40)
    func reversal(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
        let (a, b) = (
            Point(x: random(40...120), y: random(40...80)), Point(x: random(40...120), y: random(40...80))
        )
        var stroke = Stroke(
            brush: Brush(type: .contourLines, spacing: 4, lineWidth: 1),
            points: [a, b].map { StrokePoint(x: $0.x, y: $0.y, pressure: 1) })
        stroke.isClosed = true
        let areas = try areas(stroke)
        let beyond = (1 / (b - a).length) * (b - a)
        for line in 1...3 {
            let place = b + 4 * Double(line) * beyond
            #expect(winding(place, areas) != 0, "seed \(seed): line \(line) is open")
        }
    }

    @Test("What cannot be seen is left out, and a scribble is cancelled")
    func culling() throws {
        let stroke = Stroke(
            brush: Brush(type: .contourLines), points: [StrokePoint(x: 10, y: 60), StrokePoint(x: 9e5, y: 60)])
        let areas = try areas(stroke)
        #expect(areas.reduce(0) { $0 + $1.count } < 300)
        #expect(areas.joined().allSatisfy { $0.x < 91_000 })
        var generator = SeededGenerator(seed: 9)
        let points = (0..<5_000).map { _ in
            StrokePoint(x: .random(in: 0...160, using: &generator), y: .random(in: 0...120, using: &generator))
        }
        let scribble = Stroke(brush: Brush(type: .contourLines), points: points)
        #expect(throws: EngineError.cancelled) {
            try isolines(scribble).forEachArea(isCancelled: { true }) { _ in }
        }
        #expect(isolines(scribble).pointCount > 1e6)
    }

    @Test("A stroke of many points takes as long as its lines", .timeLimit(.minutes(1)))
    func manyPoints() throws {
        // To and fro, closer than the lines reach.
        let points = (0..<1_000).map { index in
            StrokePoint(x: index % 2 == 0 ? 10 : 150, y: 5 + Double(index / 2) * 110 / 500)
        }
        var stroke = Stroke(brush: Brush(type: .contourLines, spacing: 3), points: points)
        stroke.smoothing = .none
        #expect(try !areas(stroke).isEmpty)
    }
}
