public import InkEngine

/// Counts the stamps of strokes (spec section 3.2), and checks a project against the limit.
public enum StampCount {
    /// The exact number of stamps of a stroke; `Int.max` if it is too large to count, 0 for one that is a single shape and for
    /// no points.
    ///
    /// - Complexity: O(points), ten square roots per point.
    public static func exact(of stroke: Stroke) -> Int {
        stroke.brush.leavesStamps ? PreparedStroke.stampCount(of: stroke) : 0
    }

    /// The exact number of stamps of a layer; saturates at `Int.max`.
    public static func exact(of layer: Layer) -> Int {
        layer.strokes.reduce(0) { saturatingSum($0, exact(of: $1)) }
    }

    /// An upper bound of the exact number, several times cheaper.
    package static func bound(of stroke: Stroke, _ measure: StrokeMeasure) -> Int {
        guard stroke.brush.leavesStamps, measure.positionCount > 0 else { return 0 }
        return stamps(length: measure.lengthBound, of: stroke.brush)
    }

    /// Rejects a project with more stamps than `limits.stamps`, before anything is made from its strokes.
    ///
    /// - Parameter file: the project's name for the message.
    /// - Throws: `EngineError.overLimit` with the first stroke that crosses the limit.
    public static func check(_ project: Project, limits: Limits, file: String) throws(EngineError) {
        try check(project, StrokeMeasure.all(of: project), limits: limits, file: file)
    }

    /// Checks the number of stamps by measures of the strokes, layer by layer.
    package static func check(
        _ project: Project, _ measures: [[StrokeMeasure]], limits: Limits, file: String
    ) throws(EngineError) {
        let elements = project.layers.flattened()
        var bound = 0
        for (element, measures) in zip(elements, measures) {
            for (stroke, measure) in zip(element.layer.strokes, measures) {
                bound = saturatingSum(bound, StampCount.bound(of: stroke, measure))
            }
        }
        guard bound > limits.stamps else { return }
        var total = 0
        for element in elements {
            for (index, stroke) in element.layer.strokes.enumerated() {
                let stamps = exact(of: stroke)
                total = saturatingSum(total, stamps)
                guard total > limits.stamps else { continue }
                throw .overLimit(
                    Place(file: file, path: "\(element.path).strokes[\(index)]"),
                    what: "the number of stamps up to here",
                    found: total == .max ? "beyond counting" : "\(total)", limit: "\(limits.stamps)")
            }
        }
    }

    package static func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    private static func stamps(length: Double, of brush: Brush) -> Int {
        // A tap has one stamp for any spacing.
        length == 0 ? 1 : stamps(length: length, distance: brush.stampDistance)
    }

    /// Number of stamps at the arc lengths 0, d, 2d, ... up to `length`.
    package static func stamps(length: Double, distance: Double) -> Int {
        let steps = (length / distance + 1e-6).rounded(.down)
        // A distance that underflows gives infinity or, for length 0, NaN.
        guard distance > 0, steps < 1e15 else { return .max }
        return Int(steps) + 1
    }
}
