/// Blocks of the output's pixels that hold a stroke.
struct StrokeBlocks {
    private let scale: OutputScale
    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    private let columns: Int
    private let rows: Int

    /// A stroke's outline is looked at in this many blocks at most.
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
            if Double(2 * height) >= radius, columns * rows <= StrokeBlocks.countMax {
                (self.left, self.top, self.width, self.height) = (left, top, width, height)
                (self.columns, self.rows) = (columns, rows)
                return
            }
            height *= 2
        }
    }

    var count: Int { columns * rows }

    func rect(_ block: Int) -> PixelRect {
        PixelRect(
            x: left + block % columns * width, y: top + block / columns * height, width: width, height: height)
    }

    /// Calls `body` with the blocks that the hull of two discs may reach into.
    @inline(__always)
    func forEachBlock(
        _ first: PreparedStroke.Disc, _ second: PreparedStroke.Disc, _ body: (Int) -> Void
    ) {
        let a = scale.output(first.center)
        let b = scale.output(second.center)
        // Coverage is worked out in 1/65,536 pixel.
        let radius = max(first.radius, second.radius) * scale.largest + 0.01
        let firstRow = row(min(a.y, b.y) - radius)
        let lastRow = row(max(a.y, b.y) + radius)
        let isLong = abs(b.x - a.x) > Double(2 * width) && lastRow > firstRow
        for row in firstRow...lastRow {
            var (from, to) = (min(a.x, b.x), max(a.x, b.x))
            if isLong, abs(b.y - a.y) > 1e-6 {
                // Of the way only what lies in the row of blocks or a radius above or below.
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

    private func row(_ y: Double) -> Int { index(y - Double(top), size: height, count: rows) }
    private func column(_ x: Double) -> Int { index(x - Double(left), size: width, count: columns) }

    private func index(_ place: Double, size: Int, count: Int) -> Int {
        Int(min(max(place / Double(size), 0), Double(count - 1)))
    }
}
