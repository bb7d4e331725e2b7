/// Whether the dots of consecutive stamps of a stroke coincide, as when drawn along a ruler. A dot is then drawn up to
/// eleven times at one place, and again by neighbouring strokes, so that no error averages out.
enum DotSharing: Sendable {
    case none
    /// Within a fraction of a pixel.
    case near
    /// At exactly the same places.
    case exact

    /// - Parameter isCancelled: called now and then. If it returns true, the result must not be used.
    init(_ stamps: PlacedStamps, spacing: Double, isCancelled: () -> Bool = { false }) {
        self = .none
        var ends: (first: Stamp, last: Stamp)?
        var areExact = true
        var nearCount = 0
        stamps.forEach(isCancelled: isCancelled) { stamp in
            guard let (first, last) = ends else {
                ends = (stamp, stamp)
                return
            }
            let offset = last.isNearlyAlike(stamp) ? last.offset(of: stamp.center - last.center, spacing: spacing) : 1
            areExact = areExact && offset < 1e-6 && stamp.size == first.size
            if offset < 0.01 { nearCount += 1 }
            ends = (first, stamp)
        }
        guard stamps.count > 1, let (first, last) = ends else { return }
        let way = (1 / Double(stamps.count - 1)) * (last.center - first.center)
        if areExact {
            self = .exact
        } else if 2 * nearCount >= stamps.count
            || DotSharing.areOfRuler(stamps, first: first, way: way, spacing: spacing, isCancelled)
        {
            self = .near
        }
    }

    /// Whether this is a straight stroke in which the dots of every stamp, or of every second, third or fourth, almost
    /// coincide with those of others.
    ///
    /// - Parameter way: the average vector from a stamp to the next.
    private static func areOfRuler(
        _ stamps: PlacedStamps, first: Stamp, way: Point, spacing: Double, _ isCancelled: () -> Bool
    ) -> Bool {
        let isShared = (1...4).contains { count in
            first.offset(of: Double(count) * way, spacing: spacing) < (count == 1 ? 0.08 : 0.02)
        }
        guard isShared else { return false }
        let tolerance = 0.02 * spacing * first.size
        var last: Stamp?
        var isStraight = true
        stamps.forEach(isCancelled: { !isStraight || isCancelled() }) { stamp in
            if let last {
                isStraight =
                    isStraight && last.isNearlyAlike(first)
                    && (stamp.center - last.center - way).length <= tolerance
            }
            last = stamp
        }
        return isStraight
    }
}

extension Stamp {
    /// How far `way` is from a vector that maps dots to dots, in multiples of the distance between dots: the larger of
    /// the components along and across.
    ///
    /// - Parameter spacing: the brush's.
    fileprivate func offset(of way: Point, spacing: Double) -> Double {
        let distance = spacing * size
        func offset(_ axis: Point) -> Double {
            let steps = (way.x * axis.x + way.y * axis.y) / distance
            return abs(steps - steps.rounded())
        }
        return max(offset(along), offset(across))
    }

    fileprivate func isNearlyAlike(_ other: Stamp) -> Bool {
        abs(other.size / size - 1) < 0.005 && (other.along - along).length < 0.005
    }
}
