import Synchronization

/// The discs along a solid stroke, and its outlines.
package final class SolidPath: Sendable {
    package let discs: [PreparedStroke.Disc]
    /// The box that contains all discs, in canvas pixels.
    let bounds: Rect
    /// Identifies the path uniquely for the life of the process.
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

    /// Whether one of the discs contains a whole cell.
    func holds(_ cell: PixelRect, scale: OutputScale) -> Bool {
        let box = scale.pixels(of: bounds)
        guard box.x <= cell.x, box.y <= cell.y, box.x + box.width >= cell.x + cell.width,
            box.y + box.height >= cell.y + cell.height
        else { return false }
        let near = NearCell(cell, scale: scale)
        return discs.contains { near.isHeld(by: $0) }
    }

    /// The outline at a size of the export; nil if cancelled.
    ///
    /// - Parameter isCancelled: called now and then.
    /// - Precondition: there are discs.
    package func outline(_ scale: OutputScale, isCancelled: () -> Bool = { false }) -> SolidOutline? {
        if let kept = OutlineCache.shared.outline(of: number, scale) { return kept }
        let discs = DiscPath(self.discs, tolerance: DiscPath.tolerancePixels / scale.largest).discs
        guard let outline = SolidOutline(discs, scale: scale, isCancelled: isCancelled) else { return nil }
        OutlineCache.shared.keep(outline, of: number, scale)
        return outline
    }
}

/// The discs of a solid stroke, without those that do not affect its outline.
///
/// A smoothed stroke has ten discs between two points of the pen, often a fraction of a pixel apart. A run of discs is
/// replaced by its first and last one if every disc between them agrees, within the tolerance, with their hull.
package struct DiscPath {
    /// How far the outline may move, in output pixels: a quarter of the distance between lines of the part rasterizer.
    package static let tolerancePixels = 1.0 / 256
    /// The longest run that is replaced; limits the work.
    private static let runMax = 40

    package private(set) var discs: [PreparedStroke.Disc]

    /// - Parameter tolerance: in canvas pixels.
    package init(_ all: [PreparedStroke.Disc], tolerance: Double) {
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
            // A hull's sides are tangents. Between its discs, its width is interpolated between theirs, except for the
            // slant of the taper.
            guard deviation + abs(disc.radius - radius) <= tolerance else { return false }
        }
        return true
    }
}
