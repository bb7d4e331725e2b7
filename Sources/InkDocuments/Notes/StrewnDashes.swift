import InkEngine

/// Short slanted lines that are strewn evenly over an area, as tldraw's pattern fill has them.
struct StrewnDashes {
    private let outlines: [[Point]]
    private let box: Rect
    /// How much larger than usual the lines are.
    private let scale: Double
    private let rows: ClosedRange<Int>
    /// How often a row is compared with an edge of the area.
    let comparisonCount: Int

    /// The side of the square that repeats, and the middles of its lines.
    private static let period = 8.0
    private static let middles = [
        Point(x: 4 / 3, y: 4 / 3), Point(x: 4, y: 4), Point(x: 20 / 3, y: 20 / 3),
    ]
    /// From the middle of a line to its end, along x and up along y.
    private static let half = 2.0 / 3
    private static let radius = 0.5
    /// Lines in an area, about, and in a row or column of it; of more, each is as much larger.
    private static let (countMax, lineMax) = (60_000.0, 20_000.0)
    private static let countOfPath = 10_000
    /// Comparisons of a whole drawing.
    static let comparisonsMax = 1_000_000_000

    /// Lines whose middles lie inside of outlines.
    ///
    /// - Parameter box: all that may be covered, not empty; within the limit of coordinates.
    init(inside outlines: [[Point]], _ box: Rect) {
        self.outlines = outlines
        self.box = box
        let (across, down) = ((box.maxX - box.minX) / Self.period, (box.maxY - box.minY) / Self.period)
        let many = (across * down * Double(Self.middles.count) / Self.countMax).squareRoot()
        scale = max(many, across / Self.lineMax, down / Self.lineMax, 1)
        let step = Self.period * scale
        rows = Int((box.minY / step).rounded(.down))...Int((box.maxY / step).rounded(.down))
        comparisonCount = rows.count * Self.middles.count * outlines.reduce(0) { $0 + $1.count }
    }

    /// The shapes of the lines, with the boxes around them.
    func shapes() -> [(path: ShapePath, box: Rect)] {
        let step = Self.period * scale
        var (made, path, bounds, count): ([(ShapePath, Rect)], ShapePath, Rect, Int) = ([], ShapePath(), .empty, 0)
        for row in rows {
            for middle in Self.middles {
                let y = Double(row) * step + middle.y * scale
                let crossings = crossings(y: y)
                for index in stride(from: 0, to: crossings.count - 1, by: 2) {
                    let (from, to) = (max(crossings[index], box.minX), min(crossings[index + 1], box.maxX))
                    var column = ((from - middle.x * scale) / step).rounded(.up)
                    while column * step + middle.x * scale < to {
                        Self.add(Point(x: column * step + middle.x * scale, y: y), scale, to: &path, &bounds)
                        column += 1
                        count += 1
                        if count % Self.countOfPath == 0 {
                            made.append((path, bounds))
                            (path, bounds) = (ShapePath(), .empty)
                        }
                    }
                }
            }
        }
        if !path.isEmpty { made.append((path, bounds)) }
        return made
    }

    /// Where outlines cross a row, from left to right; what lies between the first two is inside, and so on.
    private func crossings(y: Double) -> [Double] {
        var crossings: [Double] = []
        for outline in outlines where outline.count > 2 {
            for (from, to) in zip(outline, outline.dropFirst() + outline.prefix(1)) where (from.y <= y) != (to.y <= y) {
                crossings.append(from.x + (to.x - from.x) * ((y - from.y) / (to.y - from.y)))
            }
        }
        return crossings.sorted()
    }

    /// Adds a line with round ends.
    private static func add(_ middle: Point, _ scale: Double, to path: inout ShapePath, _ bounds: inout Rect) {
        let end = half * scale
        let round = radius * scale
        // Along the line, and across it.
        let (along, across) = (0.5.squareRoot() * round, 0.5.squareRoot() * round)
        let (low, high) = (Point(x: middle.x - end, y: middle.y + end), Point(x: middle.x + end, y: middle.y - end))
        let side = Point(x: across, y: across)
        let ahead = Point(x: along, y: -along)
        path.move(to: low - side)
        path.line(to: high - side)
        quarter(of: high, -1 * side, ahead, to: &path)
        quarter(of: high, ahead, side, to: &path)
        path.line(to: low + side)
        quarter(of: low, side, -1 * ahead, to: &path)
        quarter(of: low, -1 * ahead, -1 * side, to: &path)
        path.close()
        bounds.formUnion(Rect(minX: low.x, minY: high.y, maxX: high.x, maxY: low.y).expanded(by: round))
    }

    /// Adds a quarter of a circle between two points, which are given from its center; curves come out of files as they went
    /// in.
    private static func quarter(of center: Point, _ from: Point, _ to: Point, to path: inout ShapePath) {
        path.cubic(center + (from + kappa * to), center + (to + kappa * from), to: center + to)
    }

    /// The length of the handles of a curve that is a quarter of a circle but for a three-thousandth of its radius.
    private static let kappa = 0.5522847498
}
