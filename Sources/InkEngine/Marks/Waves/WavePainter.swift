import CKernels

/// Draws stamps of waves that are all alike, and more than one, by a table of what they cover of a pixel.
///
/// What it draws is off by a few hundredths of a pixel at most. Lines so close that they nearly touch, and stamps for which
/// a table would be too large, are left to outlines.
final class WavePainter {
    private let kernels: UnsafePointer<ink_raster>
    private var sections: [SectionsKey: WaveSections] = [:]
    private let entries: UnsafeMutablePointer<UInt32>
    private var table: (key: TableKey, waves: ink_waves, table: ink_wave_table)?
    private var places: [ink_place] = []

    private struct SectionsKey: Hashable {
        var spacing: Double
        var lineWidth: Double
        var step: Double
    }

    private struct TableKey: Hashable {
        var sections: SectionsKey
        var along: Point
        var size: Double
        var scale: OutputScale
    }

    init(level: KernelLevel) {
        kernels = ink_raster_kernels(level.c)
        let bytes = WavePainter.entriesMax * MemoryLayout<UInt32>.stride
        entries = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
            .bindMemory(to: UInt32.self, capacity: WavePainter.entriesMax)
    }

    deinit { entries.deallocate() }

    /// Multiplies into `plane` what stamps of a stroke that are all alike leave of each pixel, one after the other; false,
    /// and nothing done, when they are not or are not to be drawn by a table.
    ///
    /// - Parameter stamps: those that may meet the cell.
    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool {
        guard stroke.areStampsAlike, !stroke.isTap else { return false }
        places.removeAll(keepingCapacity: true)
        var prepared: (waves: ink_waves, table: ink_wave_table)?
        for stamp in stamps {
            if prepared == nil {
                guard let found = table(for: stamp, of: stroke.brush, scale: scale) else { return false }
                prepared = found
            }
            places.append(ink_place(stamp, scale))
            if places.count == PlacedStamps.countAtOnce { multiply(prepared, into: plane) }
        }
        multiply(prepared, into: plane)
        return true
    }

    /// Draws the waves at all places, which are forgotten.
    private func multiply(_ prepared: (waves: ink_waves, table: ink_wave_table)?, into plane: RemainingPlane) {
        guard let prepared, !places.isEmpty else { return }
        withUnsafePointer(to: prepared.waves) { waves in
            withUnsafePointer(to: prepared.table) { table in
                kernels.pointee.multiply_waves(plane.kernelPlane, waves, table, places, places.count)
            }
        }
        places.removeAll(keepingCapacity: true)
    }

    private func table(for stamp: Stamp, of brush: Brush, scale: OutputScale) -> (ink_waves, ink_wave_table)? {
        guard brush.lineWidth * stamp.size * min(scale.x, scale.y) >= WavePainter.widthMin else { return nil }
        let step = 1 / (WavePainter.rowsPerPixel * stamp.size * scale.largest)
        let sectionsKey = SectionsKey(spacing: brush.spacing, lineWidth: brush.lineWidth, step: step)
        let key = TableKey(sections: sectionsKey, along: stamp.along, size: stamp.size, scale: scale)
        if let table, table.key == key { return (table.waves, table.table) }
        let shadow = PixelShadow(of: stamp, scale)
        guard var table = layout(of: brush, stamp, shadow, step: step, scale) else { return nil }
        // Where an edge of the output is rounded up to a pixel or two, the two directions may nearly be one.
        let across = Measure(shadow.perPixelAcross)
        let along = Measure(shadow.perPixelAlong)
        let area = abs(across.normal.x * along.normal.y - across.normal.y * along.normal.x)
        guard area > WavePainter.areaMin else { return nil }
        let sections = sections(sectionsKey)
        let slices = shadow.slices(step: step, period: brush.spacing)
        guard slices.count <= INK_WAVE_SLICES_MAX, let widest = slices.map(\.width).max(),
            Int(widest) + Int(sections.widest) < 65_536, sections.reach(Int(table.rows) + slices.count / 2 + 17)
        else { return nil }
        sections.withMiddle { kernels.pointee.wave_table(&table, entries, $0, slices, Int32(slices.count)) }
        let waves = ink_waves(
            across: across.normal, period: brush.spacing / across.perUnit, along: along.normal,
            row: step / along.perUnit, side: sections.side / across.perUnit, end: sections.end / along.perUnit)
        self.table = (key, waves, table)
        return (waves, table)
    }

    /// How large a table has to be; nil when that is too large.
    private func layout(
        of brush: Brush, _ stamp: Stamp, _ shadow: PixelShadow, step: Double, _ scale: OutputScale
    ) -> ink_wave_table? {
        // Steps further apart would pass over the bends of small stamps and the slopes of steep waves.
        guard step * (1 + 0.16 * brush.spacing) <= WavePainter.stepMax else { return nil }
        let period = brush.spacing * stamp.size * scale.largest
        let phasesMax = Int(INK_WAVE_PHASES_MAX)
        guard period >= WavePainter.periodMin, period <= WavePainter.phaseMax * Double(phasesMax) else { return nil }
        let phaseMax = shadow.isUpright ? WavePainter.uprightPhaseMax : WavePainter.phaseMax
        var phases = Int(INK_WAVE_PHASES_MIN)
        while phases < phasesMax, period > phaseMax * Double(phases) { phases *= 2 }
        // How far from a line's middle a pixel may meet it.
        let reach = (1.0 / 4 + (brush.lineWidth / 2 + shadow.across) / brush.spacing) * Double(phases)
        guard brush.lineWidth < Pattern.halfLength, reach < Double(phases) else { return nil }
        let rows = (Pattern.halfLength + brush.lineWidth / 2 + shadow.along) / step + 3
        guard rows < Double(WavePainter.entriesMax / (2 * phases)) else { return nil }
        var table = ink_wave_table(
            entries: entries, phase_bits: Int32(phases.trailingZeroBitCount), rows: Int32(rows), tail_start: 0,
            tail_count: 0)
        let reached = Int(reach.rounded(.up)) + 1
        guard 2 * reached > phases else { return table }
        table.tail_start = Int32(phases - reached)
        table.tail_count = Int32(2 * reached - phases + 2)
        return table.tail_count <= phases / 2 - 2 ? table : nil
    }

    private func sections(_ key: SectionsKey) -> WaveSections {
        if let sections = sections[key] { return sections }
        // Brushes are few, unless somebody makes them up.
        if sections.count >= WavePainter.sectionsMax { sections.removeAll() }
        // As many pixels of the largest stamp: half a pixel's diagonal for the rows and for the slices around them each, and
        // what the kernel reads beyond.
        let margin = 6 * WavePainter.rowsPerPixel * key.step
        let made = WaveSections(spacing: key.spacing, width: key.lineWidth, step: key.step, margin: margin)
        sections[key] = made
        return made
    }

    /// A megabyte: a table of which the tails are not used takes half of it in the second cache.
    private static let entriesMax = 1 << 18
    /// Of the parallelogram between the two normals; 1/2 to 2 where the two scales are alike.
    /// What a table misses of a line is the same at both of its sides, whatever its width; of thinner lines, which are mostly
    /// sides, pictures full of them would be off by more than half a level of 255 on an average. Output pixels.
    private static let widthMin = 0.8
    private static let areaMin = 0.25
    /// Of some kilobytes each.
    private static let sectionsMax = 256
    /// By how much the middle of a line may move from a row to the next either way, canvas pixels of a brush of scale 1.
    private static let stepMax = 0.42
    /// Of waves closer than this so many stamps of a stroke lie over each other that what a table is off by adds up to more
    /// than half a 255th on an average; output pixels.
    private static let periodMin = 3.5
    /// Rows of a table for each pixel along a line.
    private static let rowsPerPixel = 12.0
    /// Pixels from one phase to the next.
    private static let phaseMax = 0.1
    /// The same where pixels lie straight across the lines and begin to meet them at once, not gradually.
    private static let uprightPhaseMax = 0.05
}

/// A normal, and how much of the pattern's own measure a unit of it is.
private struct Measure {
    let normal: ink_normal
    let perUnit: Double

    init(_ perPixel: Point) {
        perUnit = max(abs(perPixel.x), abs(perPixel.y))
        normal = ink_normal(x: perPixel.x / perUnit, y: perPixel.y / perUnit)
    }
}

/// A pixel in a stamp's own space: a parallelogram round the origin.
private struct PixelShadow {
    /// How much further along and across the pattern the next column and row are.
    let perPixelAlong: Point
    let perPixelAcross: Point

    init(of stamp: Stamp, _ scale: OutputScale) {
        let perUnit = Point(x: 1 / (stamp.size * scale.x), y: 1 / (stamp.size * scale.y))
        perPixelAlong = Point(x: stamp.along.x * perUnit.x, y: stamp.along.y * perUnit.y)
        perPixelAcross = Point(x: stamp.across.x * perUnit.x, y: stamp.across.y * perUnit.y)
    }

    /// How far it reaches to either side.
    var along: Double { (abs(perPixelAlong.x) + abs(perPixelAlong.y)) / 2 }
    var across: Double { (abs(perPixelAcross.x) + abs(perPixelAcross.y)) / 2 }

    /// Whether one of its sides leads nearly along the pattern.
    var isUpright: Bool {
        min(abs(perPixelAcross.x), abs(perPixelAcross.y)) < 0.15 * max(abs(perPixelAcross.x), abs(perPixelAcross.y))
    }

    /// The pixel in slices, `step` apart as sections are; the outermost ones are cut off where it ends.
    func slices(step: Double, period: Double) -> [ink_wave_slice] {
        let count = Int((along / step + 0.5).rounded(.down))
        let parts = 4
        return (-count...count).map { index in
            let start = max((Double(index) - 0.5) * step, -along)
            let end = min((Double(index) + 0.5) * step, along)
            var area = 0.0
            var moment = 0.0
            var squares = 0.0
            for part in 0..<parts {
                let x = start + (Double(part) + 0.5) / Double(parts) * (end - start)
                guard let chord = chord(at: x) else { continue }
                let width = chord.upper - chord.lower
                area += width
                moment += width * (chord.upper + chord.lower) / 2
                squares += width * width
            }
            guard area > 0 else { return ink_wave_slice(middle: 0, width: 0, share: 0) }
            // As wide as most of it is, and as thick as makes up its area: not a corner that is spread over the slice.
            let width = squares / area
            let share = area / width / Double(parts) * (end - start) / step
            func ofPeriod(_ length: Double) -> Int { Int((length / period * 65_536).rounded()) }
            return ink_wave_slice(
                middle: UInt16(truncatingIfNeeded: ofPeriod(moment / area)),
                width: UInt16(min(ofPeriod(width), 65_535)), share: UInt16(min(share, 1) * 65_535))
        }
    }

    /// What it has of the line across at `x` along.
    private func chord(at x: Double) -> (lower: Double, upper: Double)? {
        // By the other axis where the first one hardly moves along.
        let isByColumn = abs(perPixelAlong.x) >= abs(perPixelAlong.y)
        let (g, h) =
            isByColumn
            ? (perPixelAlong, perPixelAcross)
            : (Point(x: perPixelAlong.y, y: perPixelAlong.x), Point(x: perPixelAcross.y, y: perPixelAcross.x))
        // |(x - g.y q) / g.x| <= 1/2 and |q| <= 1/2.
        var (low, high) = (-0.5, 0.5)
        if g.y == 0 {
            guard abs(x) <= abs(g.x) / 2 else { return nil }
        } else {
            let a = (x - abs(g.x) / 2) / g.y
            let b = (x + abs(g.x) / 2) / g.y
            low = max(low, min(a, b))
            high = min(high, max(a, b))
        }
        guard low < high else { return nil }
        let start = h.x * (x - g.y * low) / g.x + h.y * low
        let end = h.x * (x - g.y * high) / g.x + h.y * high
        return (min(start, end), max(start, end))
    }
}
