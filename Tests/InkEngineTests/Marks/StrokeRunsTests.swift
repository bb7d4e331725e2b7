import InkTestSupport
import Testing

@testable import InkEngine

@Suite("Runs of strokes")
struct StrokeRunsTests {
    private static let colors = [RGBA8(red: 200, green: 0, blue: 0), RGBA8(red: 0, green: 90, blue: 0)]

    private func strokes(_ count: Int, seed: UInt64, colors: Int = 2) -> [Stroke] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            var brush = Brush(type: .solid)
            brush.color = Self.colors[Int.random(in: 0..<colors, using: &generator)]
            let points = (0..<3).map { _ in
                StrokePoint(
                    x: Double.random(in: 0...900, using: &generator), y: Double.random(in: 0...900, using: &generator))
            }
            return Stroke(
                brush: brush, mode: Int.random(in: 0..<9, using: &generator) == 0 ? .erase : .paint, points: points)
        }
    }

    @Test func consecutiveStrokesOfOneColourAreOneRun() {
        let all = strokes(400, seed: 1)
        let runs = StrokeRuns(.strokes(all))
        #expect(runs.numbers.count == all.count && runs.numbers[0] == 0)
        for index in all.indices.dropFirst() {
            let (last, this) = (all[index - 1], all[index])
            let isOne = last.mode == this.mode && (this.mode == .erase || last.brush.color == this.brush.color)
            #expect(runs.numbers[index] - runs.numbers[index - 1] == (isOne ? 0 : 1), "stroke \(index)")
        }
        #expect(runs.roundings.count == Int(runs.numbers.last ?? -1) + 1)
        #expect(StrokeRuns(.strokes([])).roundings.isEmpty)
    }

    @Test("A stroke more changes how one run is rounded, and of a long run seldom that")
    func insertions() {
        var changed = 0
        for seed in 0..<200 {
            var generator = SeededGenerator(seed: UInt64(seed) + 50)
            let one = strokes(50, seed: UInt64(seed), colors: 1)
            var more = one
            more.insert(
                strokes(1, seed: 7000 + UInt64(seed), colors: 1)[0], at: Int.random(in: 0...50, using: &generator))
            let runs = (StrokeRuns(.strokes(one)), StrokeRuns(.strokes(more)))
            // The places of an eraser's runs are those that were there.
            let new = Set(runs.1.roundings).subtracting(runs.0.roundings)
            #expect(new.count <= 2, "seed \(seed)")
            changed += new.isEmpty ? 0 : 1
        }
        #expect(changed < 100, "\(changed) of 200")
    }

    @Test("Runs are rounded evenly between two shares, also when strokes are repeated")
    func evenness() {
        let pattern = strokes(2, seed: 3, colors: 1).enumerated().map { index, stroke in
            var stroke = stroke
            (stroke.mode, stroke.brush.color) = (.paint, Self.colors[index])
            return stroke
        }
        let repeated = StrokeRuns(.strokes(Array(repeating: pattern, count: 500).flatMap { $0 }))
        for strokes in [repeated, StrokeRuns(.strokes(strokes(2000, seed: 4)))] {
            let roundings = strokes.roundings.map(Double.init)
            let mean = roundings.reduce(0, +) / Double(roundings.count)
            #expect(roundings.count > 500 && abs(mean - 32_768) < 2000, "\(roundings.count): \(mean)")
        }
    }
}
