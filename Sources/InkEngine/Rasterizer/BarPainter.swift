import CKernels

/// Draws stamps of straight lines: bars side by side, in one direction or two.
///
/// They go by a kernel that takes many stamps at once, whose tables all stamps of one direction and size share. Bars so close
/// that a pixel may meet two are worked out exactly one by one; so are bars along the pixels, and taps.
final class BarPainter {
    private let kernels: UnsafePointer<ink_raster>
    private let isExact: Bool
    private let accumulator: CoverageAccumulator
    private var polygons = Polygons()
    private let tables: [DirectionTables]
    private let lineTables: [LineTable]
    /// What crossing lines of one direction cover, 0 between stamps.
    private lazy var aside = KernelPlane<UInt16>(maxWidth: maxWidth, maxHeight: maxHeight, value: 0)
    private let maxWidth: Int
    private let maxHeight: Int
    // Scratch memory.
    private var places: [ink_place] = []
    private var bars: [ink_bars] = []
    private var barTables: [ink_bar_tables] = []
    /// Of stamps that are kept for later: the bars of the largest, and the width of their chunks.
    private var fullBars: [ink_bars] = []
    private var fullWidths: [Int32] = []

    /// The tables of the bars of one direction, and what they were worked out for.
    private final class DirectionTables {
        private let side = DirectionTables.table(count: Int(2 * INK_BAR_PHASES_MAX * INK_BAR_ENTRY_SIZE))
        private let end = DirectionTables.table(count: Int(INK_BAR_END_COUNT))
        private var sideOf: ink_bars?
        private var endOf: ink_normal?

        deinit {
            side.deallocate()
            end.deallocate()
        }

        /// Entries do not cross cache lines.
        static func table(count: Int) -> UnsafeMutablePointer<UInt16> {
            UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<UInt16>.stride, alignment: 64)
                .bindMemory(to: UInt16.self, capacity: count)
        }

        /// - Parameters:
        ///   - isSteady: whether all stamps of a stroke are the same; then a table of sides may serve them.
        ///   - count: how many stamps are to be drawn.
        func tables(
            for bars: ink_bars, isSteady: Bool, count: Int, _ kernels: UnsafePointer<ink_raster>
        ) -> ink_bar_tables {
            var tables = ink_bar_tables()
            tables.phases = isSteady ? DirectionTables.phases(of: bars) : 0
            if tables.phases > 0, count >= DirectionTables.sideStampsMin {
                let isThere = sideOf.map {
                    $0.across == bars.across && $0.half_width == bars.half_width && $0.period == bars.period
                        && $0.is_thin == bars.is_thin
                }
                if isThere != true {
                    withUnsafePointer(to: bars) { kernels.pointee.side_table(side, $0, tables.phases) }
                    sideOf = bars
                }
                tables.side = UnsafePointer(side)
            }
            if endOf.map({ $0 == bars.along }) == true {
                tables.end = UnsafePointer(end)
            } else if count >= DirectionTables.endStampsMin {
                kernels.pointee.end_table(end, bars.along)
                endOf = bars.along
                tables.end = UnsafePointer(end)
            }
            return tables
        }

        // Fewer stamps are drawn faster than the tables are made.
        private static let sideStampsMin = 8
        private static let endStampsMin = 4

        /// 0 when there would be too many.
        private static func phases(of bars: ink_bars) -> Int32 {
            let phases = (bars.period / bars.phaseStepMax).rounded(.up)
            return phases <= Double(INK_BAR_PHASES_MAX) ? Int32(phases) : 0
        }
    }

    /// The table of the lines of one direction, and what it was worked out for.
    private final class LineTable {
        private let values = DirectionTables.table(count: Int(INK_LINE_TABLE_COUNT))
        private var of: (across: ink_normal, halfWidth: Double, width: Int32)?

        deinit { values.deallocate() }

        func table(for bars: ink_bars, width: Int32, _ kernels: UnsafePointer<ink_raster>) -> ink_line_table {
            let isThere = of.map { $0.across == bars.across && $0.halfWidth == bars.half_width && $0.width == width }
            if isThere != true {
                withUnsafePointer(to: bars) { kernels.pointee.line_table(values, $0, width) }
                of = (bars.across, bars.half_width, width)
            }
            return ink_line_table(values: values, width: width)
        }
    }

    /// - Parameters:
    ///   - maxWidth, maxHeight: of the planes to draw on.
    ///   - accumulator: clean before and after each call; may be shared.
    ///   - isExact: does without tables.
    init(maxWidth: Int, maxHeight: Int, accumulator: CoverageAccumulator, isExact: Bool, level: KernelLevel) {
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.isExact = isExact
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
        tables = [DirectionTables(), DirectionTables()]
        lineTables = [LineTable(), LineTable()]
    }

    // MARK: Stamps

    /// Multiplies into `plane` what stamps of a stroke leave of each pixel, one after the other; false, and nothing done,
    /// when they are not to be drawn together.
    ///
    /// - Parameter stamps: those that may meet the cell.
    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool {
        guard !isExact, !stroke.isTap, stroke.areStampsAlike else { return false }
        places.removeAll(keepingCapacity: true)
        var arePrepared = false
        for stamp in stamps {
            if !arePrepared {
                guard prepareBars(of: stamp, in: stroke, scale: scale) else { return false }
                arePrepared = true
            }
            places.append(ink_place(stamp, scale))
            guard places.count == PlacedStamps.countAtOnce else { continue }
            multiply(isSteady: true, count: places.count, into: plane)
            places.removeAll(keepingCapacity: true)
        }
        if !places.isEmpty { multiply(isSteady: true, count: places.count, into: plane) }
        places.removeAll(keepingCapacity: true)
        return true
    }

    /// Draws what was kept for later; to be called behind the last stamp of a stroke.
    func finish(into plane: RemainingPlane) {
        guard !places.isEmpty else { return }
        let tables = fullWidths.map { ink_line_table(values: nil, width: $0) }
        multiplyLines(fullBars, tables, into: plane)
        places.removeAll(keepingCapacity: true)
    }

    /// Multiplies into `plane` what a stamp of a stroke leaves of each pixel, at once or by `finish`; false, and nothing done, for
    /// lines too long for the arithmetic of kernels.
    ///
    /// - Parameter box: what holds the stamp, output pixels.
    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool {
        guard max(box.width, box.height) < BarPainter.sizeMax else {
            // Others draw this stamp at once, over those before it.
            finish(into: plane)
            return false
        }
        if !isExact, !stroke.isTap, prepareBars(of: stamp, in: stroke, scale: scale) {
            if keepForLater(stamp, of: stroke, scale: scale, into: plane) { return true }
            finish(into: plane)
            places.append(ink_place(stamp, scale))
            defer { places.removeAll(keepingCapacity: true) }
            // Ends do not depend on a stamp's size: the stroke's other stamps have the same.
            multiply(isSteady: false, count: stroke.brush.dynamics.tiltAffectsRotation ? 1 : .max, into: plane)
            return true
        }
        finish(into: plane)
        guard box.intersects(accumulator.cell) else { return true }
        addExactly(stamp, of: stroke.brush, scale: scale)
        accumulator.multiplyPolygons(plane, rows: box.rows, alpha: stamp.alpha)
        return true
    }

    /// Adds `weight` times what a stamp of `brush` covers to `covered`; false, and nothing done, as above.
    func add(
        _ stamp: Stamp, of brush: Brush, scale: OutputScale, box: PixelRect, weight: Float,
        to covered: KernelPlane<Float>
    ) -> Bool {
        guard max(box.width, box.height) < BarPainter.sizeMax else { return false }
        addExactly(stamp, of: brush, scale: scale)
        accumulator.addPolygons(to: covered, rows: box.rows, weight: weight)
        return true
    }

    /// Adds the stamp's bars to the accumulator.
    private func addExactly(_ stamp: Stamp, of brush: Brush, scale: OutputScale) {
        polygons.removeAll()
        let lines = Bars(brush, stamp, scale, along: stamp.along, across: stamp.across)
        lines.append(to: &polygons)
        if brush.type == .crossHatch {
            Bars(brush, stamp, scale, along: stamp.across, across: stamp.turnedBack).append(to: &polygons)
            lines.takeCrossings(from: &polygons)
        }
        accumulator.add(polygons)
    }

    /// Longer edges would be cut too often, output pixels.
    static let sizeMax = 50_000

    /// Puts the stamp's bars, or both directions' of cross-hatching, in place; false when they are not for kernels.
    private func prepareBars(of stamp: Stamp, in stroke: PreparedStroke, scale: OutputScale) -> Bool {
        let brush = stroke.brush
        bars = Bars.kernelBars(of: stamp, brush, scale)
        guard bars.allSatisfy(\.areFast) else { return false }
        let areThin = bars.contains(where: \.isNarrow) || (bars.count > 1 && bars[0].endsInThinBars(of: bars[1]))
        for index in bars.indices { bars[index].is_thin = areThin }
        return true
    }

    /// Draws the bars at all places.
    ///
    /// - Parameter count: how many stamps tables are to serve.
    private func multiply(isSteady: Bool, count: Int, into plane: RemainingPlane) {
        if isSteady, multiplyLines(into: plane) { return }
        barTables.removeAll(keepingCapacity: true)
        for index in bars.indices {
            barTables.append(tables[index].tables(for: bars[index], isSteady: isSteady, count: count, kernels))
        }
        kernels.pointee.multiply_bars(
            plane.kernelPlane, bars, barTables, Int32(bars.count), places, places.count)
    }
}

// MARK: Line by line

extension BarPainter {
    /// Draws the bars at all places line by line; false, and nothing done, when they are not for that.
    private func multiplyLines(into plane: RemainingPlane) -> Bool {
        guard BarPainter.areForLines(bars) else { return false }
        let widths = bars.map(\.chunkWidth)
        guard widths.allSatisfy({ $0 > 0 }) else { return false }
        let tables = bars.indices.map { lineTables[$0].table(for: bars[$0], width: widths[$0], kernels) }
        multiplyLines(bars, tables, into: plane)
        return true
    }

    private func multiplyLines(_ bars: [ink_bars], _ tables: [ink_line_table], into plane: RemainingPlane) {
        let areCrossing = bars.count > 1
        if areCrossing { aside.move(to: plane.pixels.cell) }
        kernels.pointee.multiply_lines(
            plane.kernelPlane, areCrossing ? aside.values : nil, bars, tables, Int32(bars.count), places,
            places.count)
    }

    /// Keeps a stamp, whose bars are prepared, for `finish`, where those of a stroke differ by their size alone: their lines are
    /// drawn together, each of its size. False, and nothing done, when they are not for that.
    private func keepForLater(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool {
        let brush = stroke.brush
        guard !brush.dynamics.tiltAffectsRotation, BarPainter.areForLines(bars) else { return false }
        if places.isEmpty {
            var full = stamp
            full.size = brush.scale
            fullBars = Bars.kernelBars(of: full, brush, scale)
            fullWidths = fullBars.map { $0.half_width < BarPainter.halfWidthMax ? $0.chunkWidth : 0 }
        }
        // Whether lines touch is a matter of rounding where they just do.
        guard fullWidths.allSatisfy({ $0 > 0 }), fullBars[0].count == bars[0].count else { return false }
        places.append(ink_place(stamp, scale, size: Float(stamp.size / brush.scale)))
        if places.count == PlacedStamps.countAtOnce { finish(into: plane) }
        return true
    }

    /// Whether bars of one direction or two are drawn line by line, which is faster where there is much between them.
    private static func areForLines(_ bars: [ink_bars]) -> Bool {
        guard !bars[0].is_thin else { return false }
        guard bars.count > 1 else { return true }
        if bars[0].endsAtSides(of: bars[1]) || bars[1].endsAtSides(of: bars[0]) { return false }
        return bars[0].lastCrossed(by: bars[1]) < bars[0].count / 2 || bars[0].period >= crossedPeriodMin
    }

    /// Of wider lines distances would not fit 16 bits, output pixels.
    private static let halfWidthMax = 12.0
    /// Of lines closer than this, output pixels, those of which all cross others are faster drawn row by row.
    private static let crossedPeriodMin = 7.0
}

extension ink_place {
    init(_ stamp: Stamp, _ scale: OutputScale, size: Float = 1) {
        self.init(x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, alpha: stamp.alpha, size: size)
    }
}
