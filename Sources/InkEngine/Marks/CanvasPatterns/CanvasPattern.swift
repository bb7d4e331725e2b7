import CKernels

/// The pattern of a brush that is tied to the canvas, at one size of the export.
final class CanvasPattern {
    /// How the pattern's coverage is found.
    enum Way {
        /// Everywhere the same: lines so wide that they touch, or so close that a pixel meets very many.
        case even(Double)
        /// Lines so close that copies of the motif would take longer than a look-up.
        case table
        /// Copies of the motif's outline.
        case chain(EdgeChain)
        /// Larger than what integers hold: by its parts.
        case parts
    }

    let way: Way
    private let along: Point
    private let across: Point
    private let unit: Double
    private let scale: OutputScale
    private let motif: PatternMotif
    /// A point of the lattice near the canvas's origin, in canvas pixels.
    private let origin: Point
    private let corners: [Double]
    private let counts: [Int32]
    private let bounds: [Double]
    private let kernelMotif: ink_motif
    private var table: [Float] = []
    private var tableSize: (along: Int, across: Int) = (1, 1)

    /// If lines are closer than this, in output pixels, their number in a pixel hardly differs.
    private static let periodMin = 1.0 / 16
    /// If the motif recurs sooner, a table is faster.
    private static let chainPeriodMin = 2.0
    /// The longest period of a table, in output pixels, and the number of its values for a pixel.
    private static let tablePeriodMax = 12.0
    private static let valuesPerPixel = 16.0
    /// The largest motif that is drawn by its outline, in output pixels.
    private static let outlineMax = 4096.0
    /// If lines are closer, intersections with the footprint's border are close to the products of the coverages.
    private static let mixedPeriodMin = 0.25

    /// Whether intersections with the footprint's border have to be computed.
    let isMixed: Bool

    init(_ brush: Brush, scale: OutputScale, level: KernelLevel) {
        self.scale = scale
        unit = min(brush.scale, PatternMotif.lengthMax)
        let turn = sinCos(degrees: brush.rotation)
        along = Point(x: turn.cos, y: turn.sin)
        across = Point(x: -turn.sin, y: turn.cos)
        let found = brush.type.mark.motif(of: brush, pixelsPerUnit: unit * scale.largest)
        motif = found ?? PatternMotif(outline: [], parts: [], along: 1, across: 1)
        let (width, height) = (motif.along * unit, motif.across * unit)
        let start = scale.patternOrigin
        // Exact: the remainder of an origin that is far away still tells where the pattern lies.
        let u = width > 0 ? (start.x * along.x + start.y * along.y).remainder(dividingBy: width) : 0
        let v = height > 0 ? (start.x * across.x + start.y * across.y).remainder(dividingBy: height) : 0
        origin = u * along + v * across
        let columns = width * scale.largest
        let rows = height * scale.largest
        isMixed = rows >= CanvasPattern.mixedPeriodMin
        let (along, across, unit) = (along, across, unit)
        func placed(_ p: Point) -> Point { scale.output((unit * p.x) * along + (unit * p.y) * across) }
        let (a, b) = (placed(Point(x: motif.along, y: 0)), placed(Point(x: 0, y: motif.across)))
        let area = a.x * b.y - a.y * b.x
        guard found != nil, rows >= CanvasPattern.periodMin, columns >= CanvasPattern.periodMin, abs(area).isNormal
        else {
            way = .even(found?.density ?? 1)
            (corners, counts, bounds) = ([], [], [])
            kernelMotif = CanvasPattern.nothing
            return
        }
        let placedParts = motif.parts.map { $0.map(placed) }
        corners = placedParts.flatMap { $0.flatMap { [$0.x, $0.y] } }
        counts = placedParts.map { Int32($0.count) }
        bounds = placedParts.flatMap { part -> [Double] in
            var box = Rect.empty
            for point in part { box.formUnion(point) }
            return [box.minX, box.minY, box.maxX, box.maxY]
        }
        var box = Rect.empty
        for part in placedParts { for point in part { box.formUnion(point) } }
        var own = Rect.empty
        for part in motif.parts { for point in part { own.formUnion(point) } }
        let first = scale.output(origin)
        kernelMotif = ink_motif(
            x: first.x, y: first.y, along_x: a.x, along_y: a.y, across_x: b.x, across_y: b.y,
            columns_along: b.y / area, rows_along: -b.x / area, columns_across: -a.y / area, rows_across: a.x / area,
            least_along: own.minX / motif.along, most_along: own.maxX / motif.along,
            least_across: own.minY / motif.across, most_across: own.maxY / motif.across, left: box.minX, top: box.minY,
            right: box.maxX, bottom: box.maxY,
            // Replaced whenever the motif is used.
            corners: CanvasPattern.nothing.corners, counts: CanvasPattern.nothing.counts,
            bounds: CanvasPattern.nothing.bounds, part_count: counts.count)
        let isLarge = max(box.maxX - box.minX, box.maxY - box.minY) > CanvasPattern.outlineMax
        if isLarge {
            way = .parts
        } else if rows < CanvasPattern.chainPeriodMin, motif.isEndless || columns < CanvasPattern.tablePeriodMax {
            way = .table
            makeTable(columns: motif.isEndless ? 0 : columns, rows: rows, level)
        } else {
            let points = motif.outline.map(placed)
            way = .chain(EdgeChain(points + points.prefix(1), areaMax: 0))
        }
    }

    /// A motif without parts.
    private static var nothing: ink_motif {
        let numbers = UnsafePointer<Double>(bitPattern: MemoryLayout<Double>.alignment)!
        return ink_motif(
            x: 0, y: 0, along_x: 0, along_y: 0, across_x: 0, across_y: 0, columns_along: 0, rows_along: 0,
            columns_across: 0, rows_across: 0, least_along: 0, most_along: 0, least_across: 0, most_across: 0, left: 0,
            top: 0, right: 0, bottom: 0, corners: numbers,
            counts: UnsafePointer(bitPattern: MemoryLayout<Int32>.alignment)!, bounds: numbers, part_count: 0)
    }

    /// Approximate size in a cache, in bytes.
    var byteCount: Int {
        let chain = if case .chain(let chain) = way { 8 * chain.edgeCount } else { 0 }
        return 1024 + chain + 8 * corners.count + 36 * counts.count + 4 * table.count
    }

    private func makeTable(columns: Double, rows: Double, _ level: KernelLevel) {
        func count(_ period: Double) -> Int { max(Int((period * CanvasPattern.valuesPerPixel).rounded(.up)), 8) }
        let size = (along: columns > 0 ? count(columns) : 1, across: count(rows))
        tableSize = size
        let motif = kernelMotif
        var squares: [ink_point] = []
        for j in 0...size.across {
            for i in 0...size.along {
                // The same values at both ends.
                let u = Double(i % size.along) / Double(size.along)
                let v = Double(j % size.across) / Double(size.across)
                squares.append(
                    ink_point(
                        x: motif.x + u * motif.along_x + v * motif.across_x - 0.5,
                        y: motif.y + u * motif.along_y + v * motif.across_y - 0.5))
            }
        }
        table = [Float](repeating: 0, count: squares.count)
        let kernels = ink_raster_kernels(level.c)
        withKernelMotif { motif in kernels.pointee.motif_areas(motif, squares, squares.count, &table) }
    }

    /// Calls `body` with the motif in the form that kernels take.
    func withKernelMotif(_ body: (UnsafePointer<ink_motif>) -> Void) {
        corners.withUnsafeBufferPointer { corners in
            bounds.withUnsafeBufferPointer { bounds in
                counts.withUnsafeBufferPointer { counts in
                    guard let corners = corners.baseAddress, let bounds = bounds.baseAddress,
                        let counts = counts.baseAddress
                    else { return }
                    var motif = kernelMotif
                    motif.corners = corners
                    motif.bounds = bounds
                    motif.counts = counts
                    withUnsafePointer(to: motif, body)
                }
            }
        }
    }

    /// Calls `body` with the table in the form that kernels take.
    func withKernelTable(_ body: (UnsafePointer<ink_motif_table>) -> Void) {
        table.withUnsafeBufferPointer { values in
            guard let first = values.baseAddress else { return }
            withUnsafePointer(
                to: ink_motif_table(
                    values: first, along: Int32(tableSize.along), across: Int32(tableSize.across)), body)
        }
    }

    /// The pattern's parts near a cell, in canvas pixels; they may overlap.
    func parts(near cell: PixelRect) -> [ConvexPart] {
        let motif = kernelMotif
        let width = Double(cell.width) / 2 + 2
        let height = Double(cell.height) / 2 + 2
        let x = Double(cell.x) + Double(cell.width) / 2 - motif.x
        let y = Double(cell.y) + Double(cell.height) / 2 - motif.y
        func range(_ columns: Double, _ rows: Double, _ extent: ClosedRange<Double>) -> ClosedRange<Int> {
            let (middle, reach) = (x * columns + y * rows, abs(columns) * width + abs(rows) * height)
            return Int(
                (middle - reach - extent.upperBound).rounded(.down))...Int(
                    (middle + reach - extent.lowerBound).rounded(.up))
        }
        var extent = Rect.empty
        for part in self.motif.exactParts {
            let bounds = part.bounds
            extent.formUnion(bounds)
        }
        let steps = range(
            motif.columns_along, motif.rows_along,
            extent.minX / self.motif.along...extent.maxX / self.motif.along)
        let lines = range(
            motif.columns_across, motif.rows_across,
            extent.minY / self.motif.across...extent.maxY / self.motif.across)
        let box = PixelRect(x: cell.x - 2, y: cell.y - 2, width: cell.width + 4, height: cell.height + 4)
        var parts: [ConvexPart] = []
        for line in lines {
            for step in steps {
                let place = Stamp(
                    center: origin + (Double(step) * self.motif.along * unit) * along
                        + (Double(line) * self.motif.across * unit) * across,
                    along: along, size: unit, alpha: 1)
                for part in self.motif.exactParts {
                    let placed = part.placed(at: place)
                    if scale.pixels(of: placed.bounds).intersects(box) { parts.append(placed) }
                }
            }
        }
        return parts
    }
}
