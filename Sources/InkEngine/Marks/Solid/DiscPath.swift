import Synchronization

/// The discs along a solid stroke, and its outlines.
final class SolidPath: Sendable {
    let discs: [PreparedStroke.Disc]
    /// The box that holds all discs, canvas pixels.
    let bounds: Rect
    /// Names it among all that there are and were.
    private let number: UInt64

    private static let lastNumber = Atomic<UInt64>(0)

    init(_ discs: [PreparedStroke.Disc]) {
        self.discs = discs
        var bounds = Rect.empty
        for disc in discs { bounds.formUnion(disc.bounds) }
        self.bounds = bounds
        number = SolidPath.lastNumber.add(1, ordering: .relaxed).newValue
    }

    deinit { OutlineCache.shared.removeOutlines(of: number) }

    /// The outline at a size of the export; nil when it was cancelled.
    ///
    /// - Parameter isCancelled: asked now and then.
    /// - Precondition: there are discs.
    func outline(_ scale: OutputScale, isCancelled: () -> Bool = { false }) -> SolidOutline? {
        if let kept = OutlineCache.shared.outline(of: number, scale) { return kept }
        let discs = DiscPath(self.discs, tolerance: DiscPath.tolerancePixels / scale.largest).discs
        guard let outline = SolidOutline(discs, scale: scale, isCancelled: isCancelled) else { return nil }
        OutlineCache.shared.keep(outline, of: number, scale)
        return outline
    }
}

/// A solid stroke's discs without those that its outline can do without.
///
/// A smoothed stroke has ten discs between two points of the pen, often a fraction of a pixel apart. A run of discs is
/// replaced by its first and last one when every disc between them lies, within the tolerance, where their hull has it.
struct DiscPath {
    /// How far the outline may move, output pixels: a quarter of what one line of the part rasterizer stands for.
    static let tolerancePixels = 1.0 / 256
    /// The longest run that is replaced; bounds the work.
    private static let runMax = 40

    private(set) var discs: [PreparedStroke.Disc]

    /// - Parameter tolerance: canvas pixels.
    init(_ all: [PreparedStroke.Disc], tolerance: Double) {
        discs = []
        guard let first = all.first else { return }
        discs.append(first)
        var start = 0
        while start + 1 < all.count {
            var end = start + 1
            while end + 1 < all.count, end + 1 - start <= DiscPath.runMax,
                DiscPath.isRun(all, from: start, to: end + 1, tolerance: tolerance)
            {
                end += 1
            }
            discs.append(all[end])
            start = end
        }
    }

    private static func isRun(_ discs: [PreparedStroke.Disc], from start: Int, to end: Int, tolerance: Double) -> Bool {
        let step = discs[end].center - discs[start].center
        let length = step.length
        guard length > 0 else { return false }
        let along = (1 / length) * step
        let taper = (discs[end].radius - discs[start].radius) / length
        for disc in discs[(start + 1)..<end] {
            let offset = disc.center - discs[start].center
            let position = offset.x * along.x + offset.y * along.y
            let deviation = abs(offset.x * along.y - offset.y * along.x)
            guard position >= 0, position <= length else { return false }
            let radius = discs[start].radius + position * taper
            // A hull's sides are tangents: between its discs it is as wide as they are, up to the slant of the taper.
            guard deviation + abs(disc.radius - radius) <= tolerance else { return false }
        }
        return true
    }
}
