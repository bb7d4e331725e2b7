import InkEngine

/// What is drawn of a pattern that lies still on the canvas (spec section 8.1), where discs uncover it.
struct VectorPattern {
    let brush: Brush
    private let along: Point
    private let across: Point
    private let origin: Point
    private let scale: Double
    /// Distance between lines.
    private let period: Double
    /// In the pattern's coordinates: everything that the picture shows.
    private let seen: Rect

    private static let waveLength = 10.0
    private static let waveSteps = 16

    init(_ brush: Brush, origin: Point, canvas: CanvasSize) {
        self.brush = brush
        self.origin = origin
        scale = brush.scale
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

    /// Whether the pattern leaves nothing uncovered.
    var coversAll: Bool {
        switch brush.type {
        case .dots: Pattern.dotRadius * Pattern.dotRadius * 2 >= brush.spacing * brush.spacing
        case .waves: false
        default: brush.lineWidth >= brush.spacing
        }
    }

    var strokeWidth: Double { brush.type == .dots ? 2 * Pattern.dotRadius * scale : brush.lineWidth * scale }

    /// How far beyond the line that they lie on the pattern's parts reach.
    private var reach: Double {
        switch brush.type {
        case .dots: Pattern.dotRadius * scale
        case .waves: period / 4 + brush.lineWidth * scale
        default: brush.lineWidth * scale
        }
    }

    private func placed(_ u: Double, _ v: Double) -> Point { origin + u * along + v * across }

    private func local(_ point: Point) -> Point {
        let way = point - origin
        return Point(x: way.x * along.x + way.y * along.y, y: way.x * across.x + way.y * across.y)
    }

    /// About as many parts as `write` adds, or more.
    func partCount(_ discs: [PreparedStroke.Disc]) -> Double {
        var box = Rect.empty
        for disc in discs {
            let center = local(disc.center)
            box.formUnion(center)
        }
        let widest = discs.map(\.radius).max() ?? 0
        box = shown(box.expanded(by: widest + reach))
        if box.isEmpty { return 0 }
        let lines = (box.maxY - box.minY) / period + 2
        switch brush.type {
        case .dots, .waves:
            let cell = brush.type == .dots ? period : VectorPattern.waveLength * scale
            let all = lines * ((box.maxX - box.minX) / cell + 2)
            var swept = 0.0
            let wide = 2 * (widest + reach + period + cell)
            for (a, b) in zip(discs, discs.dropFirst()) { swept += (b.center - a.center).length * wide }
            let near = (swept + wide * wide) / (period * cell) + 4
            return min(all, near) * (brush.type == .waves ? Double(VectorPattern.waveSteps) / 4 : 1)
        case .crossHatch: return lines + (box.maxX - box.minX) / period + 2
        default: return lines
        }
    }

    private func shown(_ box: Rect) -> Rect {
        Rect(
            minX: max(box.minX, seen.minX), minY: max(box.minY, seen.minY), maxX: min(box.maxX, seen.maxX),
            maxY: min(box.maxY, seen.maxY))
    }

    /// Adds the lines that the discs and the hulls between them may uncover.
    ///
    /// - Parameter discs: nil: everything is uncovered.
    func write(_ discs: [PreparedStroke.Disc]?, to path: inout some VectorPathText) {
        switch brush.type {
        case .dots:
            writeCells(discs, width: period, to: &path) { row, columns, path in
                for column in columns {
                    path.move(to: placed(Double(column) * period, Double(row) * period))
                    path.end()
                }
            }
        case .waves: writeCells(discs, width: VectorPattern.waveLength * scale, to: &path, write: writeWave)
        default:
            writeLines(discs, isAcross: false, to: &path)
            if brush.type == .crossHatch { writeLines(discs, isAcross: true, to: &path) }
        }
    }

    /// The boxes, in the pattern's coordinates, round neighbouring discs; parts of long ways, if they are to be short.
    private func boxes(_ discs: [PreparedStroke.Disc]?, areShort: Bool, _ body: (Rect) -> Void) {
        guard let discs else { return body(seen.expanded(by: reach)) }
        for index in 0..<max(discs.count - 1, 1) {
            let (a, b) = (discs[index], discs[min(index + 1, discs.count - 1)])
            let (start, end) = (local(a.center), local(b.center))
            let radius = max(a.radius, b.radius) + reach
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

    private func writeLines(_ discs: [PreparedStroke.Disc]?, isAcross: Bool, to path: inout some VectorPathText) {
        var rows: [Int: ClosedRange<Double>] = [:]
        boxes(discs, areShort: false) { box in
            let (from, to) = isAcross ? (box.minX, box.maxX) : (box.minY, box.maxY)
            let ends = isAcross ? box.minY...box.maxY : box.minX...box.maxX
            let reach = brush.lineWidth * scale
            for row in whole((from - reach) / period)...(whole((to + reach) / period) + 1) {
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

    private func writeCells<Path: VectorPathText>(
        _ discs: [PreparedStroke.Disc]?, width: Double, to path: inout Path,
        write: (_ row: Int, _ columns: [Int], inout Path) -> Void
    ) {
        var rows: [Int: Set<Int>] = [:]
        boxes(discs, areShort: true) { box in
            let columns = whole((box.minX - reach) / width)...(whole((box.maxX + reach) / width) + 1)
            for row in whole((box.minY - reach) / period)...(whole((box.maxY + reach) / period) + 1) {
                rows[row, default: []].formUnion(columns)
            }
        }
        for (row, columns) in rows.sorted(by: { $0.key < $1.key }) { write(row, columns.sorted(), &path) }
    }

    private func whole(_ value: Double) -> Int { Int(min(max(value.rounded(.down), -1e15), 1e15)) }

    private func writeWave(_ row: Int, _ columns: [Int], to path: inout some VectorPathText) {
        var last: Int?
        let step = VectorPattern.waveLength * scale / Double(VectorPattern.waveSteps)
        for column in columns {
            func vertex(_ index: Int) -> Point {
                let count = Double(column) * Double(VectorPattern.waveSteps) + Double(index)
                return placed(count * step, Double(row) * period + period / 4 * sinPi(Double(index) / 8))
            }
            if last != column - 1 { path.move(to: vertex(0)) }
            for index in 1...VectorPattern.waveSteps { path.line(to: vertex(index)) }
            last = column
        }
    }
}
