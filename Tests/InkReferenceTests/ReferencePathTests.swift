import InkEngine
import InkReference
import Testing

@Suite("Reference: from points to stamps (spec 3.1, 3.2)")
struct ReferencePathTests {
    @Test("n points become 10 (n - 1) + 1", arguments: [(1, 1), (2, 11), (3, 21), (7, 61)])
    func sampleCount(points: Int, samples: Int) {
        let path = smoothedPath((0..<points).map { StrokePoint(x: Double($0 * $0), y: Double($0)) })
        #expect(path.count == samples)
    }

    @Test func noPointsGiveNoPathAndNoStamps() {
        #expect(smoothedPath([]).isEmpty)
        #expect(stamps(along: [], every: 1).isEmpty)
        #expect(ReferenceRenderer.shapes(of: Stroke(points: [])).isEmpty)
    }

    @Test func splinePassesThroughEveryPoint() {
        let points = [(0.0, 0.0), (10, 5), (3, 20), (-4, 7)].map { StrokePoint(x: $0.0, y: $0.1) }
        let path = smoothedPath(points)
        for (index, point) in points.enumerated() {
            #expect(abs(path[index * 10].position.x - point.x) < 1e-12)
            #expect(abs(path[index * 10].position.y - point.y) < 1e-12)
        }
    }

    /// Worked by hand: p = (0,0), (1,1), (2,0); phantom (-1,-1); at t = 1/2 of the first segment
    /// 0.5 (2 p0 + (p1 - p-1) / 2 + (2 p-1 - 5 p0 + 4 p1 - p2) / 4 + (3 p0 - p-1 - 3 p1 + p2) / 8).
    @Test func splineOfThreePointsAtHalf() {
        let path = smoothedPath([StrokePoint(x: 0, y: 0), StrokePoint(x: 1, y: 1), StrokePoint(x: 2, y: 0)])
        #expect(abs(path[5].position.x - 0.5) < 1e-12)
        // -1/16 (-1) + 9/16 (0) + 9/16 (1) - 1/16 (0) = 10/16
        #expect(abs(path[5].position.y - 0.625) < 1e-12)
    }

    @Test func twoPointsGiveAStraightEvenLine() {
        let path = smoothedPath([StrokePoint(x: 1, y: 2, pressure: 0), StrokePoint(x: 11, y: 2, pressure: 1)])
        for (index, sample) in path.enumerated() {
            #expect(abs(sample.position.x - 1 - Double(index)) < 1e-12)
            #expect(sample.position.y == 2)
            #expect(abs(sample.pressure - Double(index) / 10) < 1e-12)
        }
    }

    @Test func coincidentPointsMergeToTheLater() {
        let merged = mergingCoincidentPoints([
            StrokePoint(x: 1, y: 1, pressure: 0.1), StrokePoint(x: 1, y: 1, pressure: 0.2), StrokePoint(x: 2, y: 1),
            StrokePoint(x: 1, y: 1, pressure: 0.3),
        ])
        #expect(merged.map(\.pressure) == [0.2, 1, 0.3])
    }

    @Test func azimuthTakesTheShortWay() {
        let points = [350.0, 10, 200, 30, 30 + 720].map { StrokePoint(x: 0, y: 0, azimuth: $0) }
        #expect(unwrappedAzimuths(points) == [350, 370, 200, 30, 30])
        // Of the two ways of 180 degrees the numbers' own.
        #expect(unwrappedAzimuths([0.0, 180, 0].map { StrokePoint(x: 0, y: 0, azimuth: $0) }) == [0, 180, 0])
    }

    @Test func stampsLieAtMultiplesOfTheInterval() {
        let path = smoothedPath([StrokePoint(x: 0, y: 5), StrokePoint(x: 10, y: 5)])
        #expect(stamps(along: path, every: 3).map(\.center.x).elementsEqual([0, 3, 6, 9]) { abs($0 - $1) < 1e-9 })
        // Arc lengths are sums of rounded steps: the last stamp still counts as at the end.
        #expect(stamps(along: path, every: 2.5).count == 5)
        #expect(stamps(along: path, every: 10).count == 2)
        #expect(stamps(along: path, every: 10.001).count == 1)
        #expect(stamps(along: smoothedPath([StrokePoint(x: 3, y: 4)]), every: 1).count == 1)
    }

    @Test func aStampAtACornerTakesTheLaterDirection() {
        func sample(_ x: Double, _ y: Double) -> PathSample {
            PathSample(position: Point(x: x, y: y), pressure: 1, azimuth: 0)
        }
        let found = stamps(along: [sample(0, 0), sample(4, 0), sample(4, 4)], every: 4)
        #expect(found.map(\.direction) == [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: 0, y: 1)])
        #expect(found.map(\.center) == [Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 4, y: 4)])
    }
}
