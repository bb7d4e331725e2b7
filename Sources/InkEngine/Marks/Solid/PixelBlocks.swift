/// Blocks of output pixels that contain a stroke.
struct PixelBlocks {
    private let scale: OutputScale
    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    private let columns: Int
    let rowCount: Int
    /// Exact: sizes are powers of two.
    private let perWidth: Double
    private let perHeight: Double

    /// Maximum number of blocks for the analysis of an outline.
    private static let countMax = 1 << 18

    init(_ discs: [PreparedStroke.Disc], scale: OutputScale) {
        self.scale = scale
        var bounds = Rect.empty
        var radius = 0.0
        for disc in discs {
            let center = scale.output(disc.center)
            bounds.formUnion(center)
            radius = max(radius, disc.radius)
        }
        radius *= scale.largest
        bounds = bounds.expanded(by: radius + 1)
        func whole(_ value: Double) -> Int { Int(value.rounded(.down)) }
        // Some blocks across the stroke.
        var height = 4
        while true {
            let width = 2 * height
            let (left, top) = (whole(bounds.minX) & -width, whole(bounds.minY) & -height)
            let columns = (whole(bounds.maxX) - left) / width + 1
            let rows = (whole(bounds.maxY) - top) / height + 1
            if Double(2 * height) >= radius, columns * rows <= PixelBlocks.countMax {
                (self.left, self.top, self.width, self.height) = (left, top, width, height)
                (self.columns, rowCount) = (columns, rows)
                (perWidth, perHeight) = (1 / Double(width), 1 / Double(height))
                return
            }
            height *= 2
        }
    }

    var count: Int { columns * rowCount }

    func row(ofBlock block: Int) -> Int { block / columns }

    func rect(_ block: Int) -> PixelRect {
        PixelRect(
            x: left + block % columns * width, y: top + block / columns * height, width: width, height: height)
    }

    /// Calls `body` with the blocks that the hull of two discs may meet.
    @inline(__always)
    func forEachBlock(
        _ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc, _ body: (Int) -> Void
    ) {
        let a = scale.output(first.center)
        let b = scale.output(second.center)
        let radius = reach(first, second)
        let rows = rows(first, second)
        let isLong = abs(b.x - a.x) > Double(2 * width) && rows.count > 1
        for row in rows {
            var (from, to) = (min(a.x, b.x), max(a.x, b.x))
            if isLong, abs(b.y - a.y) > 1e-6 {
                // Only the part of the path within the row of blocks, or within a radius above or below it.
                let rowTop = Double(top + row * height) - radius
                let rowBottom = Double(top + (row + 1) * height) + radius
                let slope = (b.x - a.x) / (b.y - a.y)
                let atTop = a.x + (rowTop - a.y) * slope
                let atBottom = a.x + (rowBottom - a.y) * slope
                from = min(max(from, min(atTop, atBottom)), to)
                to = max(min(to, max(atTop, atBottom)), from)
            }
            for column in column(from - radius)...column(to + radius) { body(row * columns + column) }
        }
    }

    /// The rows of blocks that the hull of two discs may meet.
    @inline(__always)
    func rows(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) -> ClosedRange<Int> {
        let (a, b) = (first.center.y * scale.y, second.center.y * scale.y)
        let radius = reach(first, second)
        return row(min(a, b) - radius)...row(max(a, b) + radius)
    }

    /// In output pixels. Coverage is computed in 1/65,536 pixel.
    @inline(__always)
    private func reach(_ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc) -> Double {
        max(first.radius, second.radius) * scale.largest + 0.01
    }

    @inline(__always)
    private func row(_ y: Double) -> Int { Int(min(max((y - Double(top)) * perHeight, 0), Double(rowCount - 1))) }

    @inline(__always)
    private func column(_ x: Double) -> Int { Int(min(max((x - Double(left)) * perWidth, 0), Double(columns - 1))) }
}
