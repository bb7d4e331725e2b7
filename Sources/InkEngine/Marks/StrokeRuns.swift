/// Which strokes or shapes of a block are composited together, and how each of these runs is rounded.
///
/// Consecutive marks that paint in one colour form a run, as do consecutive marks that erase. Their transmittances are
/// multiplied, and the colour is applied once. Runs are a property of the block and not of the marks that meet a tile,
/// so a pixel is computed by the same operations in every tiling. A gradient is a run of its own.
public struct StrokeRuns: Sendable {
    /// The run of each mark, ascending from 0.
    public let numbers: [Int32]
    /// Where each run rounds between two shares, in 1/65,536.
    ///
    /// If all rounded to the nearest, thousands of faint runs would round away. The place must not depend on the pixel or
    /// the tile, because tiles would then show. It follows from the run's strokes alone, and one stroke more seldom changes
    /// it, so that results of tiles that such a stroke does not meet stay valid.
    public let roundings: [UInt16]

    public init(_ marks: MarkList) {
        switch marks {
        case .strokes(let strokes): self.init(strokes)
        case .shapes(let shapes): self.init(shapes)
        }
    }

    private init(_ strokes: [Stroke]) {
        // Consecutive erasing marks multiply their transmittances, whatever their colours.
        self.init(strokes, fingerprint: \.fingerprint) { first, second in
            first.mode == second.mode && (first.mode == .erase || first.brush.color == second.brush.color)
        }
    }

    private init(_ shapes: [Shape]) {
        self.init(shapes, fingerprint: \.fingerprint) { first, second in
            guard first.mode == second.mode else { return false }
            guard first.mode == .paint else { return true }
            guard let color = first.fill.inkColor else { return false }
            return color == second.fill.inkColor
        }
    }

    private init<Mark>(
        _ marks: [Mark], fingerprint: (Mark) -> UInt64, isRun: (_ first: Mark, _ second: Mark) -> Bool
    ) {
        var numbers: [Int32] = []
        numbers.reserveCapacity(marks.count)
        var least: [UInt64] = []
        for (index, mark) in marks.enumerated() {
            let fingerprint = fingerprint(mark)
            if index > 0, isRun(marks[index - 1], mark) {
                least[least.count - 1] = min(least[least.count - 1], fingerprint)
            } else {
                least.append(fingerprint)
            }
            numbers.append(Int32(least.count - 1))
        }
        // A drawing may repeat a mark any number of times: equal runs are spread evenly.
        var repetitions: [UInt64: Int] = [:]
        roundings = least.map { least in
            let repetition = repetitions[least, default: 0]
            repetitions[least] = repetition + 1
            // The highest bits of what is the least of many are small, and the lowest ones decide where blocks begin.
            return UInt16(truncatingIfNeeded: Int(truncatingIfNeeded: least >> 16) &+ repetition &* Self.goldenShare)
        }
        self.numbers = numbers
    }

    /// Runs of which only this is known.
    ///
    /// - Precondition: there is a rounding for each number.
    package init(numbers: [Int32], roundings: [UInt16]) {
        precondition(numbers.allSatisfy { roundings.indices.contains(Int($0)) })
        self.numbers = numbers
        self.roundings = roundings
    }

    /// 65,536 divided by the golden ratio: any number of its multiples are evenly spread.
    private static let goldenShare = 40_503
}

extension Stroke {
    /// A number that is seldom the same for another stroke, evenly spread, and cheap: of the number of points and the
    /// places of the first and the last.
    public var fingerprint: UInt64 {
        guard let first = points.first, let last = points.last else { return 0 }
        return spread(UInt64(points.count), [first.x, first.y, last.x, last.y])
    }
}

extension Shape {
    /// A fingerprint of a shape: of its path's points and its place.
    public var fingerprint: UInt64 {
        guard let first = path.points.first, let last = path.points.last else { return 0 }
        let map = transform
        return spread(
            UInt64(path.points.count), [first.x, first.y, last.x, last.y, map.a, map.b, map.c, map.d, map.x, map.y])
    }
}

private func spread(_ count: UInt64, _ values: [Double]) -> UInt64 {
    var hash = count
    for value in values {
        // The finalizer of SplitMix64.
        hash = (hash ^ value.bitPattern) &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        hash ^= hash >> 31
    }
    return hash
}

extension Paint {
    /// The opaque colour in which it paints; nil if that differs from pixel to pixel.
    var inkColor: RGBA8? {
        switch self {
        case .color(let color): RGBA8(red: color.red, green: color.green, blue: color.blue)
        case .gradient: nil
        case .pattern(let brush): brush.color
        }
    }
}
