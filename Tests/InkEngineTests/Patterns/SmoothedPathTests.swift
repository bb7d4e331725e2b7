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
}
