import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Smoothed path")
struct SmoothedPathTests {
    private func azimuths(_ values: [Double]) -> [Double] {
        let points = values.enumerated().map { StrokePoint(x: Double($0), y: 0, azimuth: $1) }
        let samples = SmoothedPath(points).samples
        return stride(from: 0, to: samples.count, by: SmoothedPath.subdivisions).map { samples[$0].azimuth }
    }

    @Test("azimuth goes the short way round, and half a turn the way the numbers run")
    func azimuth() {
        #expect(azimuths([350, 10, 350]) == [350, 370, 350])
        #expect(azimuths([0, 180, 0]) == [0, 180, 0])
        #expect(azimuths([180, 0, 180]) == [180, 0, 180])
        #expect(azimuths([0, 540]) == [0, 180])
        #expect(azimuths([0, 190, 10]) == [0, -170, 10])
    }

    @Test("three points give 21 samples, coincident points are merged, the later one stays")
    func samples() {
        let points = [(0.0, 0.0), (10, 0), (10, 0), (20, 5)].map { StrokePoint(x: $0, y: $1) }
        var changed = points
        changed[2].pressure = 0.25
        let path = SmoothedPath(changed)
        #expect(path.samples.count == 21)
        #expect(path.samples[10].position == Point(x: 10, y: 0) && path.samples[10].pressure == 0.25)
        #expect(path.samples[20].position == Point(x: 20, y: 5))
        #expect(path.meanPressure == 0.75)
        #expect(SmoothedPath([]).samples.isEmpty && SmoothedPath([points[0]]).samples.count == 1)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func everyLevelGivesTheSameSamplesAndWay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let points = (0..<Int.random(in: 1...40, using: &random)).map { index in
            // Some are where the one before is.
            StrokePoint(
                x: Double(index / 2), y: index % 7 < 2 ? 3 : .random(in: -50...50, using: &random),
                pressure: .random(in: 0...1, using: &random), azimuth: .random(in: -400...400, using: &random))
        }
        for smoothing in Smoothing.allCases {
            for isClosed in [false, true] {
                let path = SmoothedPath(points, smoothing: smoothing, isClosed: isClosed)
                var way = 0.0
                for (index, sample) in path.samples.enumerated() {
                    if index > 0 {
                        #expect(sample.position != path.samples[index - 1].position, "seed \(seed), sample \(index)")
                        way += (sample.position - path.samples[index - 1].position).length
                    }
                    #expect(path.arcLengths[index] == way, "seed \(seed), sample \(index)")
                }
                for level in KernelLevel.available {
                    let other = SmoothedPath(points, smoothing: smoothing, isClosed: isClosed, level: level)
                    #expect(
                        other.samples == path.samples && other.arcLengths == path.arcLengths,
                        "seed \(seed), \(level.name), \(smoothing)")
                }
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func splinesAreThoseOfTheSpecification(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let points = (0..<Int.random(in: 2...12, using: &random)).map { _ in
            StrokePoint(
                x: .random(in: -50...50, using: &random), y: .random(in: -50...50, using: &random),
                pressure: .random(in: 0...1, using: &random))
        }
        for (smoothing, isClosed) in [(Smoothing.uniform, true), (.centripetal, false), (.centripetal, true)] {
            let path = SmoothedPath(points, smoothing: smoothing, isClosed: isClosed)
            let count = points.count
            func point(_ index: Int) -> Point {
                if isClosed { return points[(index + count) % count].position }
                if index < 0 { return 2 * points[0].position - points[1].position }
                if index == count { return 2 * points[count - 1].position - points[count - 2].position }
                return points[index].position
            }
            let segments = isClosed ? count : count - 1
            #expect(path.samples.count == 10 * segments + 1 && path.isClosed == isClosed)
            for (index, sample) in path.samples.enumerated() {
                let (segment, t) = (min(index / 10, segments - 1), Double(index) / 10)
                let expected = spline(
                    (-1...2).map { point(segment + $0) }, at: t - Double(segment), isUniform: smoothing == .uniform)
                #expect((sample.position - expected).length < 1e-9, "seed \(seed), \(smoothing), sample \(index)")
                let (from, to) = (points[segment % count].pressure, points[(segment + 1) % count].pressure)
                #expect(abs(sample.pressure - from - (t - Double(segment)) * (to - from)) < 1e-12)
            }
            for index in 0..<segments { #expect(path.samples[10 * index].position == points[index].position) }
        }
    }

    /// Barry and Goldman's pyramid as it is usually written, from the second of four points at 0 to the third at 1.
    private func spline(_ p: [Point], at t: Double, isUniform: Bool) -> Point {
        var knots = [0.0]
        for (a, b) in zip(p, p.dropFirst()) {
            knots.append(knots[knots.count - 1] + (isUniform ? 1 : (b - a).length.squareRoot()))
        }
        let place = knots[1] + t * (knots[2] - knots[1])
        func mean(_ a: Point, _ b: Point, _ i: Int, _ j: Int) -> Point {
            (1 / (knots[j] - knots[i])) * ((knots[j] - place) * a + (place - knots[i]) * b)
        }
        let a = (0...2).map { mean(p[$0], p[$0 + 1], $0, $0 + 1) }
        return mean(mean(a[0], a[1], 0, 2), mean(a[1], a[2], 1, 3), 1, 2)
    }

    @Test("without smoothing the points stay, corners and all")
    func none() {
        let points = [(0.0, 0.0), (30, 0), (30, 0), (30, 40)].map { StrokePoint(x: $0, y: $1) }
        let open = SmoothedPath(points, smoothing: .none)
        #expect(open.samples.map(\.position) == [points[0], points[1], points[3]].map(\.position))
        #expect(open.arcLengths == [0, 30, 70] && !open.isClosed)
        let closed = SmoothedPath(points, smoothing: .none, isClosed: true)
        #expect(closed.samples.map(\.position) == [points[0], points[1], points[3], points[0]].map(\.position))
        #expect(closed.arcLengths == [0, 30, 70, 120] && closed.isClosed)
    }

    @Test("a last point equal to the first is dropped, two points go there and back, one has no ends to join")
    func closing() {
        var points = [(0.0, 0.0), (30, 0), (30, 40), (0, 0)].map { StrokePoint(x: $0, y: $1) }
        points[3].pressure = 0.25
        for smoothing in Smoothing.allCases {
            let path = SmoothedPath(points, smoothing: smoothing, isClosed: true)
            let same = SmoothedPath(Array(points.dropLast()), smoothing: smoothing, isClosed: true)
            #expect(path.samples == same.samples && path.meanPressure == 1)
            #expect(path.samples.first == path.samples.last)
            let pair = SmoothedPath(Array(points[0...1]), smoothing: smoothing, isClosed: true)
            #expect(pair.isClosed && pair.arcLengths.last.map { abs($0 - 60) < 1e-9 } == true)
            for tap in [[points[0]], [points[0], points[3]]] {
                let path = SmoothedPath(tap, smoothing: smoothing, isClosed: true)
                #expect(path.samples.count == 1 && path.arcLengths == [0] && !path.isClosed)
            }
            #expect(SmoothedPath([], smoothing: smoothing, isClosed: true).samples.isEmpty)
        }
    }

    @Test("round the corner, azimuth goes the short way as well")
    func azimuthRoundTheCorner() {
        let points = [(0.0, 0.0, 10.0), (10, 0, 130), (10, 10, 250)].map { StrokePoint(x: $0, y: $1, azimuth: $2) }
        let path = SmoothedPath(points, smoothing: .none, isClosed: true)
        #expect(path.samples.map(\.azimuth) == [10, 130, 250, 370])
    }

    @Test("points next to others that are far away give finite places")
    func extremeDistances() {
        let tiny = Double.leastNonzeroMagnitude
        let points = [(0.0, 0.0), (tiny, 0), (1e9, -1e9), (1e9, -1e9.nextUp), (0, tiny)].map {
            StrokePoint(x: $0, y: $1)
        }
        for smoothing in Smoothing.allCases {
            for isClosed in [false, true] {
                let path = SmoothedPath(points, smoothing: smoothing, isClosed: isClosed)
                #expect(path.samples.allSatisfy { max(abs($0.position.x), abs($0.position.y)) < 4e9 })
                #expect(path.arcLengths.last.map { $0 < 1e10 } == true)
            }
        }
    }

    @Test func samplesAtOnePlaceAreMergedToTheLast() {
        // Between two neighbouring numbers there is no other, so that most of the samples are at an end.
        let points = [
            StrokePoint(x: 0, y: 0, pressure: 0.25), StrokePoint(x: .leastNonzeroMagnitude, y: 0, pressure: 0.5),
        ]
        let path = SmoothedPath(points)
        #expect(path.samples.count == path.arcLengths.count && path.samples.count < 11)
        #expect(
            path.samples.last?.position == Point(x: .leastNonzeroMagnitude, y: 0) && path.samples.last?.pressure == 0.5)
        for index in path.samples.indices.dropFirst() {
            #expect(path.samples[index].position != path.samples[index - 1].position)
        }
    }
}

extension StrokePoint {
    fileprivate var position: Point { Point(x: x, y: y) }
}
