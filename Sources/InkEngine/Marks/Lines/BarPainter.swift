import CKernels

/// Draws stamps of straight lines: parallel bars in one direction or two.
///
/// It uses kernels that work line by line if all stamps of a stroke are equal and the gaps between lines are wide,
/// otherwise row by row. Some bars are computed exactly, one by one: bars so close that a pixel may meet two, bars
/// parallel to the pixel grid, and taps.
final class BarPainter: StampPainter {
    let tools: PainterTools
    private let kernels: UnsafePointer<ink_raster>
    private let accumulator: CoverageAccumulator
    private var polygons = Polygons()
    private let lineTables: [LineTable]
    /// Coverage by crossing lines of one direction; 0 between stamps.
    private lazy var aside = KernelPlane<UInt16>(maxWidth: tools.maxWidth, maxHeight: tools.maxHeight, value: 0)
    // Scratch memory.
    private var places: [ink_place] = []
    private var bars: [ink_bars] = []

    /// The table of the lines of one direction, and the properties that determine it.
    private final class LineTable {
        private let values = UnsafeMutableRawPointer.allocate(
            byteCount: Int(INK_LINE_TABLE_COUNT) * MemoryLayout<UInt16>.stride, alignment: 64
        ).bindMemory(to: UInt16.self, capacity: Int(INK_LINE_TABLE_COUNT))
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

    init(_ tools: PainterTools) {
        self.tools = tools
        kernels = tools.kernels
        accumulator = tools.accumulator
        lineTables = [LineTable(), LineTable()]
    }

    // MARK: Stamps

    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool {
        guard !tools.isExact, !stroke.isTap, stroke.areStampsAlike else { return false }
        places.removeAll(keepingCapacity: true)
        var arePrepared = false
        for stamp in stamps {
            if !arePrepared {
                guard prepareBars(of: stamp, in: stroke, scale: scale) else { return false }
                arePrepared = true
            }
            places.append(ink_place(stamp, scale))
            guard places.count == PlacedStamps.countAtOnce else { continue }
            multiply(into: plane)
            places.removeAll(keepingCapacity: true)
        }
        if !places.isEmpty { multiply(into: plane) }
        return true
    }

    /// Draws the bars at all positions.
    private func multiply(into plane: RemainingPlane) {
        if !multiplyLines(into: plane) { multiplyBars(into: plane) }
    }

    private func multiplyBars(into plane: RemainingPlane) {
        kernels.pointee.multiply_bars(plane.kernelPlane, bars, Int32(bars.count), places, places.count)
    }

    /// Returns false for lines too long for the kernels' arithmetic.
    func paint(
        _ stamp: Stamp, of stroke: PreparedStroke, scale: OutputScale, box: PixelRect, into plane: RemainingPlane
    ) -> Bool {
        guard max(box.width, box.height) < BarPainter.sizeMax else { return false }
        if !tools.isExact, !stroke.isTap, prepareBars(of: stamp, in: stroke, scale: scale) {
            places.removeAll(keepingCapacity: true)
            places.append(ink_place(stamp, scale))
            multiplyBars(into: plane)
            return true
        }
        guard box.intersects(accumulator.cell) else { return true }
        addExactly(stamp, of: stroke.brush, scale: scale)
        accumulator.multiplyPolygons(plane, rows: box.rows, alpha: stamp.alpha)
        return true
    }

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
        if brush.hasCrossedLines {
            Bars(brush, stamp, scale, along: stamp.across, across: stamp.turnedBack).append(to: &polygons)
            lines.takeCrossings(from: &polygons)
        }
        accumulator.add(polygons)
    }

    /// Longer edges would be cut too often. In output pixels.
    static let sizeMax = 50_000

    /// Sets up the stamp's bars, in both directions for cross-hatching; false if kernels cannot draw them.
    private func prepareBars(of stamp: Stamp, in stroke: PreparedStroke, scale: OutputScale) -> Bool {
        let brush = stroke.brush
        bars = Bars.kernelBars(of: stamp, brush, scale)
        guard bars.allSatisfy(\.areFast) else { return false }
        let areThin = bars.contains(where: \.isNarrow) || (bars.count > 1 && bars[0].endsInThinBars(of: bars[1]))
        for index in bars.indices { bars[index].is_thin = areThin }
        return true
    }
}

// MARK: Line by line

extension BarPainter {
    /// Draws the bars at all positions line by line. Returns false, and does nothing, if they are not suitable.
    private func multiplyLines(into plane: RemainingPlane) -> Bool {
        guard BarPainter.areForLines(bars) else { return false }
        let widths = bars.map(\.chunkWidth)
        guard widths.allSatisfy({ $0 > 0 }) else { return false }
        let tables = bars.indices.map { lineTables[$0].table(for: bars[$0], width: widths[$0], kernels) }
        let areCrossing = bars.count > 1
        if areCrossing { aside.move(to: plane.pixels.cell) }
        kernels.pointee.multiply_lines(
            plane.kernelPlane, areCrossing ? aside.values : nil, bars, tables, Int32(bars.count), places,
            places.count)
        return true
    }

    /// Whether bars of one direction or two are drawn line by line, which is faster where gaps are wide.
    private static func areForLines(_ bars: [ink_bars]) -> Bool {
        guard !bars[0].is_thin, bars[0].count <= INK_LINE_COUNT_MAX else { return false }
        guard bars.count > 1 else { return true }
        if bars[0].endsAtSides(of: bars[1]) || bars[1].endsAtSides(of: bars[0]) { return false }
        return bars[0].lastCrossed(by: bars[1]) < bars[0].count / 2 || bars[0].period >= crossedPeriodMin
    }

    /// If lines are closer than this, in output pixels, and all of them cross others, drawing row by row is faster.
    private static let crossedPeriodMin = 7.0
}

extension ink_place {
    init(_ stamp: Stamp, _ scale: OutputScale) {
        self.init(x: stamp.center.x * scale.x, y: stamp.center.y * scale.y, alpha: stamp.alpha)
    }
}
