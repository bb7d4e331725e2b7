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
        let path = SmoothedPath(points)
        var way = 0.0
        for (index, sample) in path.samples.enumerated() {
            if index > 0 {
                #expect(sample.position != path.samples[index - 1].position, "seed \(seed), sample \(index)")
                way += (sample.position - path.samples[index - 1].position).length
            }
            #expect(path.arcLengths[index] == way, "seed \(seed), sample \(index)")
        }
        for level in KernelLevel.available {
            let other = SmoothedPath(points, level: level)
            #expect(other.samples == path.samples && other.arcLengths == path.arcLengths, "seed \(seed), \(level.name)")
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
