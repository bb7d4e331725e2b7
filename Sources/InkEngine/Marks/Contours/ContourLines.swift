/// The lines of one stamp of contour lines: from seven places across a stamp to seven across the next one. Canvas
/// pixels.
struct ContourLines {
    private(set) var parts: [ConvexPart] = []
    /// Whether none lies over another.
    private(set) var areApart = true
    /// The box that holds them.
    let bounds: Rect

    init(from stamp: Stamp, to next: Stamp, brush: Brush) {
        let width = brush.lineWidth * stamp.size
        var bounds = Rect.empty
        var last: (start: Point, step: Point)?
        for index in Pattern.lineIndices {
            let offset = Double(index) * brush.spacing
            let start = stamp.center + (offset * stamp.size) * stamp.across
            let end = next.center + (offset * next.size) * next.across
            bounds.formUnion(start)
            bounds.formUnion(end)
            parts.append(.line(from: start, to: end, width: width))
            if let (place, step) = last {
                // All of this line lies a width away from the middle of the last one, on one side; then so do all further ones.
                let enough = width * step.length
                let a = step.x * (start.y - place.y) - step.y * (start.x - place.x)
                let b = step.x * (end.y - place.y) - step.y * (end.x - place.x)
                areApart = areApart && (a >= enough && b >= enough || a <= -enough && b <= -enough)
            }
            last = (start, end - start)
        }
        self.bounds = bounds.expanded(by: width / 2)
    }

    /// Appends each line.
    func append(to polygons: inout Polygons, _ scale: OutputScale) {
        for case .quad(let a, let b, let c, let d) in parts {
            for corner in [a, b, c, d] { polygons.append(scale.output(corner)) }
            polygons.endPolygon()
        }
    }
}
