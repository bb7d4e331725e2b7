import CKernels

/// Draws two or more equal stamps of the usual waves, from a table of their coverage of a pixel.
///
/// The error is at most a few hundredths of a pixel. Lines so close that they almost touch, and stamps that would need
/// too large a table, are drawn by outlines.
final class WavePainter: StampPainter {
    let tools: PainterTools
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

    init(_ tools: PainterTools) {
        self.tools = tools
        kernels = tools.kernels
        let bytes = WavePainter.entriesMax * MemoryLayout<UInt32>.stride
        entries = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
            .bindMemory(to: UInt32.self, capacity: WavePainter.entriesMax)
    }

    deinit { entries.deallocate() }

    /// Returns false if the stamps differ or cannot be drawn from a table.
    func paint(
        _ stamps: some Sequence<Stamp>, of stroke: PreparedStroke, scale: OutputScale, into plane: RemainingPlane
    ) -> Bool {
        guard !tools.isExact, stroke.areStampsAlike, !stroke.isTap else { return false }
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

    /// Draws the waves at all positions and clears the list.
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
        // Tables are made for the middle of seven lines, whose ends lie at the middle of a wave.
        guard brush.lines == WaveSections.lines, brush.waveLength == WaveSections.waveLength else { return nil }
        guard brush.lineWidth * stamp.size * min(scale.x, scale.y) >= WavePainter.widthMin else { return nil }
        let step = 1 / (WavePainter.rowsPerPixel * stamp.size * scale.largest)
        let sectionsKey = SectionsKey(spacing: brush.spacing, lineWidth: brush.lineWidth, step: step)
        let key = TableKey(sections: sectionsKey, along: stamp.along, size: stamp.size, scale: scale)
        if let table, table.key == key { return (table.waves, table.table) }
        let shadow = PixelShadow(of: stamp, scale)
        guard var table = layout(of: brush, stamp, shadow, step: step, scale) else { return nil }
        // If an edge of the output is rounded up to one or two pixels, the two directions may almost coincide.
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

    /// The dimensions of a table; nil if it would be too large.
    private func layout(
        of brush: Brush, _ stamp: Stamp, _ shadow: PixelShadow, step: Double, _ scale: OutputScale
    ) -> ink_wave_table? {
        // Larger steps would miss the bends of small stamps and the slopes of steep waves.
        guard step * (1 + 0.16 * brush.spacing) <= WavePainter.stepMax else { return nil }
        let period = brush.spacing * stamp.size * scale.largest
        let phasesMax = Int(INK_WAVE_PHASES_MAX)
        guard period >= WavePainter.periodMin, period <= WavePainter.phaseMax * Double(phasesMax) else { return nil }
        let phaseMax = shadow.isUpright ? WavePainter.uprightPhaseMax : WavePainter.phaseMax
        var phases = Int(INK_WAVE_PHASES_MIN)
        while phases < phasesMax, period > phaseMax * Double(phases) { phases *= 2 }
        // Maximum distance from a line's middle at which a pixel may meet it.
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
        // There are few brushes, unless an input is malicious.
        if sections.count >= WavePainter.sectionsMax { sections.removeAll() }
        // In pixels of the largest stamp: half a pixel's diagonal each for the rows and for the slices around them,
        // plus what the kernel reads beyond.
        let margin = 6 * WavePainter.rowsPerPixel * key.step
        let made = WaveSections(spacing: key.spacing, width: key.lineWidth, step: key.step, margin: margin)
        sections[key] = made
        return made
    }

    /// One megabyte. A table without tails occupies half of it in the second-level cache.
    private static let entriesMax = 1 << 18
    /// The error of a table at a line's sides is the same for every width. For thinner lines, which consist mostly of
    /// sides, pictures full of them would be off by more than half a level of 255 on average. In output pixels.
    private static let widthMin = 0.8
    private static let areaMin = 0.25
    /// Entries of some kilobytes each.
    private static let sectionsMax = 256
    /// Maximum shift of a line's middle from one row to the next, in canvas pixels of a brush of scale 1.
    private static let stepMax = 0.42
    /// If waves are closer than this, so many stamps of a stroke overlap that the errors of a table add up to more than
    /// half a level of 255 on average. In output pixels.
    private static let periodMin = 3.5
    /// Rows of a table per pixel along a line.
    private static let rowsPerPixel = 12.0
    /// Distance between phases, in pixels.
    private static let phaseMax = 0.1
    /// Distance between phases, in pixels, if pixels are aligned with the lines and meet them abruptly, not gradually.
    private static let uprightPhaseMax = 0.05
}

/// A normal, and the length in the pattern's unit that corresponds to one of its units.
private struct Measure {
    let normal: ink_normal
    let perUnit: Double

    init(_ perPixel: Point) {
        perUnit = max(abs(perPixel.x), abs(perPixel.y))
        normal = ink_normal(x: perPixel.x / perUnit, y: perPixel.y / perUnit)
    }
}

/// A pixel in the space of a stamp: a parallelogram round the origin.
private struct PixelShadow {
    /// Increments along and across the pattern for the next column and row.
    let perPixelAlong: Point
    let perPixelAcross: Point

    init(of stamp: Stamp, _ scale: OutputScale) {
        let perUnit = Point(x: 1 / (stamp.size * scale.x), y: 1 / (stamp.size * scale.y))
        perPixelAlong = Point(x: stamp.along.x * perUnit.x, y: stamp.along.y * perUnit.y)
        perPixelAcross = Point(x: stamp.across.x * perUnit.x, y: stamp.across.y * perUnit.y)
    }

    /// Half its extent in each direction.
    var along: Double { (abs(perPixelAlong.x) + abs(perPixelAlong.y)) / 2 }
    var across: Double { (abs(perPixelAcross.x) + abs(perPixelAcross.y)) / 2 }

    /// Whether one of its sides is almost parallel to the pattern.
    var isUpright: Bool {
        min(abs(perPixelAcross.x), abs(perPixelAcross.y)) < 0.15 * max(abs(perPixelAcross.x), abs(perPixelAcross.y))
    }

    /// The pixel cut into slices, `step` apart like the sections. The outermost slices are cut off where the pixel
    /// ends.
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
            // As wide as most of the slice, and with the thickness that gives its area: not a corner spread over the
            // slice.
            let width = squares / area
            let share = area / width / Double(parts) * (end - start) / step
            func ofPeriod(_ length: Double) -> Int { Int((length / period * 65_536).rounded()) }
            return ink_wave_slice(
                middle: UInt16(truncatingIfNeeded: ofPeriod(moment / area)),
                width: UInt16(min(ofPeriod(width), 65_535)), share: UInt16(min(share, 1) * 65_535))
        }
    }

    /// Its intersection with the line across at `x` along.
    private func chord(at x: Double) -> (lower: Double, upper: Double)? {
        // Uses the other axis if the first one is almost perpendicular to the pattern.
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
