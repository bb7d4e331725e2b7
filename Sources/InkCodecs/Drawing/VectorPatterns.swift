import InkEngine

/// What is drawn of a pattern that lies still on the canvas (spec section 8.1), where discs uncover it.
struct VectorPattern {
    /// Where it is uncovered, in canvas pixels.
    enum Region {
        case all
        /// By discs and the hulls between them.
        case discs([PreparedStroke.Disc])
        case box(Rect)
    }

    let line: LineStyle
    private let still: StillLines
    private let along: Point
    private let across: Point
    private let origin: Point
    /// Distance between lines.
    private let period: Double
    /// In the pattern's coordinates: everything that the picture shows.
    private let seen: Rect

    /// Nil for a pattern that leaves nothing uncovered.
    init?(_ brush: Brush, origin: Point, canvas: CanvasSize) {
        guard let still = brush.type.mark.stillLines(of: brush) else { return nil }
        self.still = still
        line = brush.line(size: brush.scale)
        self.origin = origin
        period = brush.spacing * brush.scale
        let turn = sinCos(degrees: brush.rotation)
        along = Point(x: turn.cos, y: turn.sin)
        across = Point(x: -turn.sin, y: turn.cos)
        var seen = Rect.empty
        for x in [0, canvas.width] {
            for y in [0, canvas.height] {
                let way = Point(x: x, y: y) - origin
                seen.formUnion(
                    Point(x: way.x * along.x + way.y * along.y, y: way.x * across.x + way.y * across.y))
            }
        }
        self.seen = seen
    }

    private func placed(_ u: Double, _ v: Double) -> Point { origin + u * along + v * across }

    private func local(_ point: Point) -> Point {
        let way = point - origin
        return Point(x: way.x * along.x + way.y * along.y, y: way.x * across.x + way.y * across.y)
    }

    /// About as many parts as `write` adds, or more.
    func partCount(_ region: Region) -> Double {
        let discs: [PreparedStroke.Disc]
        if case .discs(let own) = region { discs = own } else { discs = [] }
        let widest = discs.map(\.radius).max() ?? 0
        var box = Rect.empty
        switch region {
        case .all: box = seen
        case .discs: for disc in discs { box.formUnion(local(disc.center)) }
        case .box(let own): box = local(own)
        }
        box = shown(box.expanded(by: widest + still.reach))
        if box.isEmpty { return 0 }
        let lines = (box.maxY - box.minY) / period + 2
        switch still.lines {
        case .straight(let areCrossed): return areCrossed ? lines + (box.maxX - box.minX) / period + 2 : lines
        case .cells(let offsets, let cell):
            var count = lines * ((box.maxX - box.minX) / cell + 2)
            if !discs.isEmpty {
                var swept = 0.0
                let wide = 2 * (widest + still.reach + period + cell)
                for (a, b) in zip(discs, discs.dropFirst()) { swept += (b.center - a.center).length * wide }
                count = min(count, (swept + wide * wide) / (period * cell) + 4)
            }
            return count * max(Double(offsets.count - 1) / 4, 1)
        }
    }

    /// A box in the pattern's coordinates that holds one of the canvas.
    private func local(_ box: Rect) -> Rect {
        var own = Rect.empty
        for x in [box.minX, box.maxX] { for y in [box.minY, box.maxY] { own.formUnion(local(Point(x: x, y: y))) } }
        return own
    }

    private func shown(_ box: Rect) -> Rect {
        Rect(
            minX: max(box.minX, seen.minX), minY: max(box.minY, seen.minY), maxX: min(box.maxX, seen.maxX),
            maxY: min(box.maxY, seen.maxY))
    }

    /// Adds the lines of which a region may show something.
    func write(_ region: Region, to path: inout some VectorPathText) {
        switch still.lines {
        case .straight(let areCrossed):
            writeLines(region, isAcross: false, to: &path)
            if areCrossed { writeLines(region, isAcross: true, to: &path) }
        case .cells(let offsets, let width): writeCells(region, offsets, width: width, to: &path)
        }
    }

    /// The boxes, in the pattern's coordinates, round what is uncovered; parts of long ways, if they are to be short.
    private func boxes(_ region: Region, areShort: Bool, _ body: (Rect) -> Void) {
        let discs: [PreparedStroke.Disc]
        switch region {
        case .all: return body(seen.expanded(by: still.reach))
        case .box(let own):
            let box = shown(local(own).expanded(by: still.reach))
            if !box.isEmpty { body(box) }
            return
        case .discs(let own): discs = own
        }
        for index in 0..<max(discs.count - 1, 1) {
            let (a, b) = (discs[index], discs[min(index + 1, discs.count - 1)])
            let (start, end) = (local(a.center), local(b.center))
            let radius = max(a.radius, b.radius) + still.reach
            let whole = bounds(start, end).expanded(by: radius)
            if shown(whole).isEmpty { continue }
            let parts = areShort ? Int(min(max(((end - start).length / radius).rounded(.up), 1), 100_000)) : 1
            for part in 0..<parts {
                let (from, to) = (Double(part) / Double(parts), Double(part + 1) / Double(parts))
                let way = end - start
                let box = shown(bounds(start + from * way, start + to * way).expanded(by: radius).expanded(by: 0))
                if !box.isEmpty { body(box) }
            }
        }
    }

    private func bounds(_ a: Point, _ b: Point) -> Rect {
        var box = Rect.empty
        box.formUnion(a)
        box.formUnion(b)
        return box
    }

    private func writeLines(_ region: Region, isAcross: Bool, to path: inout some VectorPathText) {
        var rows: [Int: ClosedRange<Double>] = [:]
        boxes(region, areShort: false) { box in
            let (from, to) = isAcross ? (box.minX, box.maxX) : (box.minY, box.maxY)
            let ends = isAcross ? box.minY...box.maxY : box.minX...box.maxX
            for row in whole((from - still.reach) / period)...(whole((to + still.reach) / period) + 1) {
                let known = rows[row] ?? ends
                rows[row] = min(known.lowerBound, ends.lowerBound)...max(known.upperBound, ends.upperBound)
            }
        }
        for (index, (row, ends)) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
            let place = Double(row) * period
            // To and fro, as a pen would go.
            let (from, to) = index % 2 == 0 ? (ends.lowerBound, ends.upperBound) : (ends.upperBound, ends.lowerBound)
            path.move(to: isAcross ? placed(place, from) : placed(from, place))
            path.line(to: isAcross ? placed(place, to) : placed(to, place))
        }
    }

    private func writeCells(
        _ region: Region, _ offsets: [Double], width: Double, to path: inout some VectorPathText
    ) {
        let reach = still.reach
        var rows: [Int: Set<Int>] = [:]
        boxes(region, areShort: true) { box in
            let columns = whole((box.minX - reach) / width)...(whole((box.maxX + reach) / width) + 1)
            for row in whole((box.minY - reach) / period)...(whole((box.maxY + reach) / period) + 1) {
                rows[row, default: []].formUnion(columns)
            }
        }
        let steps = Double(max(offsets.count - 1, 1))
        for (row, columns) in rows.sorted(by: { $0.key < $1.key }) {
            var last: Int?
            for column in columns.sorted() {
                func vertex(_ index: Int) -> Point {
                    placed(
                        (Double(column) * steps + Double(index)) * (width / steps),
                        Double(row) * period + period * offsets[index])
                }
                // A polyline goes on from the cell before.
                if last != column - 1 || offsets.count == 1 { path.move(to: vertex(0)) }
                for index in offsets.indices.dropFirst() { path.line(to: vertex(index)) }
                if offsets.count == 1 { path.end() }
                last = column
            }
        }
    }

    private func whole(_ value: Double) -> Int { Int(min(max(value.rounded(.down), -1e15), 1e15)) }
}
