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
    // Scratch memory.
    private var places: [ink_place] = []
    private var bars: [ink_bars] = []
    private var barTables: [ink_bar_tables] = []

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
        private static func table(count: Int) -> UnsafeMutablePointer<UInt16> {
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

    /// - Parameters:
    ///   - accumulator: clean before and after each call; may be shared.
    ///   - isExact: does without tables.
    init(accumulator: CoverageAccumulator, isExact: Bool, level: KernelLevel) {
        self.isExact = isExact
        kernels = ink_raster_kernels(level.c)
        self.accumulator = accumulator
        tables = [DirectionTables(), DirectionTables()]
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
        return true
    }

    /// Multiplies into `plane` what a stamp of a stroke leaves of each pixel; false, and nothing done, for lines too long for
    /// the arithmetic of kernels.
    ///
    /// - Parameter box: what holds the stamp, output pixels.
    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool {
        guard max(box.width, box.height) < BarPainter.sizeMax else { return false }
        if !isExact, !stroke.isTap, prepareBars(of: stamp, in: stroke, scale: scale) {
            places.removeAll(keepingCapacity: true)
            places.append(ink_place(stamp, scale))
            // Ends do not depend on a stamp's size: the stroke's other stamps have the same.
            multiply(isSteady: false, count: stroke.brush.dynamics.tiltAffectsRotation ? 1 : .max, into: plane)
            return true
        }
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
            Bars(brush, stamp, scale, along: stamp.across, across: BarPainter.turned(stamp)).append(to: &polygons)
            lines.takeCrossings(from: &polygons)
        }
        accumulator.add(polygons)
    }

    /// Longer edges would be cut too often, output pixels.
    static let sizeMax = 50_000

    /// Puts the stamp's bars, or both directions' of cross-hatching, in place; false when they are not for kernels.
    private func prepareBars(of stamp: Stamp, in stroke: PreparedStroke, scale: OutputScale) -> Bool {
        let brush = stroke.brush
        bars.removeAll(keepingCapacity: true)
        bars.append(Bars(brush, stamp, scale, along: stamp.along, across: stamp.across).kernelBars)
        if brush.type == .crossHatch {
            bars.append(Bars(brush, stamp, scale, along: stamp.across, across: BarPainter.turned(stamp)).kernelBars)
        }
        guard bars.allSatisfy(\.areFast) else { return false }
        let areThin = bars.contains(where: \.isNarrow) || (bars.count > 1 && bars[0].endsInThinBars(of: bars[1]))
        for index in bars.indices { bars[index].is_thin = areThin }
        return true
    }

    /// Across the second direction of cross-hatching.
    private static func turned(_ stamp: Stamp) -> Point { Point(x: -stamp.along.x, y: -stamp.along.y) }

    /// Draws the bars at all places.
    ///
    /// - Parameter count: how many stamps tables are to serve.
    private func multiply(isSteady: Bool, count: Int, into plane: RemainingPlane) {
        barTables.removeAll(keepingCapacity: true)
        for index in bars.indices {
            barTables.append(tables[index].tables(for: bars[index], isSteady: isSteady, count: count, kernels))
        }
        kernels.pointee.multiply_bars(
            plane.kernelPlane, bars, barTables, Int32(bars.count), places, places.count)
    }
}

extension ink_place {
    init(_ stamp: Stamp, _ scale: OutputScale) {
        self.init(x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, alpha: stamp.alpha)
    }
}
