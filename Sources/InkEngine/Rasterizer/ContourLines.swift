/// The lines of one stamp of contour lines: from seven places across a stamp to seven across the next one. Canvas
/// pixels.
struct ContourLines {
    private static let count = Pattern.lineIndices.count

    private var quads = InlineArray<7, LineQuad?>(repeating: nil)
    /// For each line, a bit for each later one that it may meet.
    private var meetings = InlineArray<7, UInt8>(repeating: 0)
    /// The box that holds them.
    let bounds: Rect

    init(from stamp: Stamp, to next: Stamp, brush: Brush) {
        let width = brush.lineWidth * stamp.size
        var starts = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
        var ends = InlineArray<7, Point>(repeating: Point(x: 0, y: 0))
        var bounds = Rect.empty
        for index in 0..<ContourLines.count {
            let offset = Double(index + Pattern.lineIndices.lowerBound) * brush.spacing
            starts[index] = stamp.center + (offset * stamp.size) * stamp.across
            ends[index] = next.center + (offset * next.size) * next.across
            bounds.formUnion(starts[index])
            bounds.formUnion(ends[index])
            quads[index] = LineQuad(from: starts[index], to: ends[index], width: width)
        }
        self.bounds = bounds.expanded(by: width / 2)
        for first in 0..<ContourLines.count {
            let step = ends[first] - starts[first]
            let enough = width * step.length
            for second in (first + 1)..<ContourLines.count {
                // Mostly all of the second line lies a width away from the first one's middle, on one side.
                let a = step.x * (starts[second].y - starts[first].y) - step.y * (starts[second].x - starts[first].x)
                let b = step.x * (ends[second].y - starts[first].y) - step.y * (ends[second].x - starts[first].x)
                if (a >= enough && b >= enough) || (a <= -enough && b <= -enough) {
                    // Both places are as many times as far away as there are lines in between: so are those of all others.
                    break
                }
                guard let one = quads[first], let other = quads[second] else { continue }
                if one.meets(other) { meetings[first] |= 1 << UInt8(second) }
            }
        }
    }

    /// The lines as parts that may overlap.
    var parts: [ConvexPart] { (0..<ContourLines.count).compactMap { quads[$0]?.part } }

    /// Appends convex polygons whose areas add up to that of the lines' union: the lines, without what two of them share, with
    /// what three share, and so on.
    ///
    /// - Parameter shared: scratch memory.
    func append(to polygons: inout Polygons, _ scale: OutputScale, shared: inout ConvexPolygons) {
        for index in 0..<ContourLines.count {
            guard let quad = quads[index] else { continue }
            for corner in 0..<4 { polygons.append(scale.output(quad.corners[corner])) }
            polygons.endPolygon()
            guard meetings[index] != 0 else { continue }
            shared.removeAll()
            let whole = shared.append(quad)
            appendShared(of: whole, among: meetings[index], isTaken: true, to: &polygons, scale, &shared)
        }
    }

    /// - Parameters:
    ///   - polygon: what some lines share.
    ///   - others: bits of later lines that all of those may meet.
    ///   - isTaken: whether what one more of them shares is to be taken away.
    private func appendShared(
        of polygon: Range<Int>, among others: UInt8, isTaken: Bool, to polygons: inout Polygons, _ scale: OutputScale,
        _ shared: inout ConvexPolygons
    ) {
        var rest = others
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            guard let quad = quads[index] else { continue }
            if let part = shared.append(polygon, clippedBy: quad) {
                for corner in 0..<part.count {
                    polygons.append(
                        scale.output(shared[isTaken ? part.upperBound - 1 - corner : part.lowerBound + corner]))
                }
                polygons.endPolygon()
                appendShared(of: part, among: rest & meetings[index], isTaken: !isTaken, to: &polygons, scale, &shared)
            }
            shared.removeAll(above: polygon)
        }
    }
}
