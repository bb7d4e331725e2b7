public import InkEngine

/// How many stamps a stroke leaves (spec section 3.2), and whether a project stays within the limit.
public enum StampCount {
    /// The exact number of stamps of a stroke; `Int.max` when it cannot be counted, 0 for `solid` and for no points.
    ///
    /// - Complexity: O(points), ten square roots a point.
    public static func exact(of stroke: Stroke) -> Int {
        count(stroke) { $0.length }
    }

    /// The exact number of stamps of a layer; saturates at `Int.max`.
    public static func exact(of layer: Layer) -> Int {
        layer.strokes.reduce(0) { saturatingSum($0, exact(of: $1)) }
    }

    /// No less than the exact number, several times cheaper.
    static func bound(of stroke: Stroke) -> Int {
        count(stroke) { $0.lengthBound }
    }

    /// Refuses a project with more stamps than `limits.stamps`, before anything is made of its strokes.
    ///
    /// - Parameter file: the project's name for the message.
    /// - Throws: `EngineError.overLimit` naming the first stroke that crosses the limit.
    public static func check(_ project: Project, limits: Limits, file: String) throws(EngineError) {
        var bound = 0
        for layer in project.layers {
            for stroke in layer.strokes { bound = saturatingSum(bound, StampCount.bound(of: stroke)) }
        }
        guard bound > limits.stamps else { return }
        var total = 0
        for (layerIndex, layer) in project.layers.enumerated() {
            for (strokeIndex, stroke) in layer.strokes.enumerated() {
                let stamps = exact(of: stroke)
                total = saturatingSum(total, stamps)
                guard total > limits.stamps else { continue }
                throw .overLimit(
                    Place(file: file, path: "layers[\(layerIndex)].strokes[\(strokeIndex)]"),
                    what: "the number of stamps up to here",
                    found: total == .max ? "beyond counting" : "\(total)", limit: "\(limits.stamps)")
            }
        }
    }

    static func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    private static func count(_ stroke: Stroke, length: (StrokeGeometry) -> Double) -> Int {
        guard stroke.brush.type != .solid, !stroke.points.isEmpty else { return 0 }
        let geometry = StrokeGeometry(stroke.points)
        guard geometry.positions.count > 1 else { return 1 }
        return stamps(length: length(geometry), distance: stroke.brush.spacing * stroke.brush.scale)
    }

    /// The stamps at the arc lengths 0, d, 2d, ... up to `length`.
    static func stamps(length: Double, distance: Double) -> Int {
        let steps = (length / distance + 1e-6).rounded(.down)
        // A distance that underflows gives infinity or, for no length, NaN.
        guard distance > 0, steps < 1e15 else { return .max }
        return Int(steps) + 1
    }
}
