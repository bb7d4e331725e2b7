/// Whether the dots of a stroke's stamps lie on those of the stamps before, as along a ruler: then a dot is drawn up to eleven
/// times at one place, and by strokes beside this one again, so that no error averages out.
enum DotSharing: Sendable {
    case none
    /// Within a fraction of a pixel.
    case near
    /// At the very same places.
    case exact

    init(_ stamps: [Stamp], spacing: Double) {
        self = .none
        guard stamps.count > 1 else { return }
        let offsets = zip(stamps, stamps.dropFirst()).map { stamp, next in
            stamp.isNearlyAlike(next) ? stamp.offset(of: next.center - stamp.center, spacing: spacing) : 1
        }
        if offsets.allSatisfy({ $0 < 1e-6 }), stamps.allSatisfy({ $0.size == stamps[0].size }) {
            self = .exact
        } else if 2 * offsets.count(where: { $0 < 0.01 }) >= stamps.count
            || DotSharing.isOfRuler(stamps, spacing: spacing)
        {
            self = .near
        }
    }

    /// Whether this is a straight stroke of which every stamp, or every second, third or fourth, nearly has its dots where
    /// others have theirs.
    private static func isOfRuler(_ stamps: [Stamp], spacing: Double) -> Bool {
        let first = stamps[0]
        let way = (1 / Double(stamps.count - 1)) * (stamps[stamps.count - 1].center - first.center)
        let isShared = (1...4).contains { count in
            first.offset(of: Double(count) * way, spacing: spacing) < (count == 1 ? 0.08 : 0.02)
        }
        guard isShared else { return false }
        let tolerance = 0.02 * spacing * first.size
        return zip(stamps, stamps.dropFirst()).allSatisfy { stamp, next in
            stamp.isNearlyAlike(first) && (next.center - stamp.center - way).length <= tolerance
        }
    }
}

extension Stamp {
    /// How far, in distances between dots, `way` is from one that leads from dots to dots, along or across, whichever is more.
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
