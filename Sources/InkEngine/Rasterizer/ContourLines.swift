/// The lines of one stamp of contour lines: from seven places across a stamp to seven across the next one. Canvas pixels.
struct ContourLines {
    private static let count = Pattern.lineIndices.count

    private var starts = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
    private var ends = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
    private let width: Double
    /// The box that holds them.
    let bounds: Rect

    init(from stamp: Stamp, to next: Stamp, brush: Brush) {
        width = brush.lineWidth * stamp.size
        var bounds = Rect.empty
        for index in 0..<ContourLines.count {
            let offset = Double(index + Pattern.lineIndices.lowerBound) * brush.spacing
            starts[index] = stamp.center + (offset * stamp.size) * stamp.across
            ends[index] = next.center + (offset * next.size) * next.across
            bounds.formUnion(starts[index])
            bounds.formUnion(ends[index])
        }
        self.bounds = bounds.expanded(by: width / 2)
    }

    /// Whether no two lines share any area, so that their areas simply add up.
    var areApart: Bool {
        for first in 0..<ContourLines.count {
            let step = ends[first] - starts[first]
            let least = width * step.length
            for second in (first + 1)..<ContourLines.count {
                // Mostly all of the second line lies a width away from the first one's middle, on one side.
                let a = cross(step, starts[second] - starts[first])
                let b = cross(step, ends[second] - starts[first])
                if (a >= least && b >= least) || (a <= -least && b <= -least) { continue }
                guard let one = quad(first), let other = quad(second) else { continue }
                if !LineQuad.areDisjoint([one, other]) { return false }
            }
        }
        return true
    }

    private func cross(_ a: Point, _ b: Point) -> Double { a.x * b.y - a.y * b.x }

    private func quad(_ index: Int) -> LineQuad? { LineQuad(from: starts[index], to: ends[index], width: width) }

    /// The lines as parts that may overlap.
    var parts: [ConvexPart] { (0..<ContourLines.count).compactMap { quad($0)?.part } }

    /// Calls `body` with the corners of each line that has a length, output pixels.
    func forEachQuad(_ scale: OutputScale, _ body: (Quad) -> Void) {
        for index in 0..<ContourLines.count {
            guard var corners = quad(index)?.corners else { continue }
            for corner in 0..<4 { corners[corner] = scale.output(corners[corner]) }
            body(corners)
        }
    }
}
