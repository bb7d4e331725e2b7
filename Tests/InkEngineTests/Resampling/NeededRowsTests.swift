import Testing

@testable import InkEngine

@Suite struct NeededRowsTests {
    /// Every source row with a weight, by the formula of the specification, is among the needed ones.
    @Test(arguments: [
        (100, 100), (200, 100), (100, 200), (7, 300), (300, 7), (1, 50), (50, 1), (999, 1000), (1000, 999), (640, 3),
    ])
    func holdEveryRowWithAWeight(source: Int, output: Int) {
        for filter in [ResampleFilter.lanczos3, .triangle] {
            for first in stride(from: 0, to: output, by: max(1, output / 13)) {
                let rows = first..<min(output, first + max(1, output / 9))
                let needed = ImageSlice.rowsNeeded(
                    for: rows, imageHeight: source, outputHeight: output, filter: filter)
                let ratio = Double(source) / Double(output)
                let weighted = (0..<source).filter { i in
                    rows.contains { j in
                        let distance = (Double(i) + 0.5 - (Double(j) + 0.5) * ratio) / max(1, ratio)
                        return abs(distance) < (source == output ? 0.5 : Double(filter.radius))
                    }
                }
                #expect(weighted.allSatisfy(needed.contains), "\(rows) of \(source) to \(output)")
                #expect(needed.lowerBound >= 0 && needed.upperBound <= source && !needed.isEmpty)
                #expect(weighted.isEmpty || needed.count <= weighted.count + 2)
            }
        }
    }

    @Test func areTheSameWithoutScaling() {
        #expect(ImageSlice.rowsNeeded(for: 3..<9, imageHeight: 20, outputHeight: 20, filter: .lanczos3) == 3..<9)
        #expect(ImageSlice.chunks(of: 63..<64) == 0..<1)
        #expect(ImageSlice.chunks(of: 63..<65) == 0..<2)
        #expect(ImageSlice.chunks(of: 128..<130) == 2..<3)
    }
}
