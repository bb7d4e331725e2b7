import InkEngine

/// The geometry of strokes: what can be written of them, and how.
struct VectorMarks {
    private let canvas: CanvasSize
    private let scale: OutputScale
    private let limits: VectorLimits
    private let picture: Rect

    init(_ scene: VectorScene) {
        canvas = scene.canvas
        scale = scene.scale
        limits = scene.limits
        picture = Rect(minX: 0, minY: 0, maxX: canvas.width, maxY: canvas.height)
    }

    /// Whether nothing of a box can be seen.
    private func isHidden(_ box: Rect) -> Bool {
        box.isEmpty || box.maxX < 0 || box.maxY < 0 || box.minX > canvas.width || box.minY > canvas.height
    }

    // MARK: What can be written

    /// Why a stroke cannot be written; nil if it can.
    ///
    /// - Parameters:
    ///   - stroke: on the picture's canvas.
    ///   - stamps: the number of stamps so far, and on return with this stroke's.
    func fault(_ stroke: Stroke, stamps: inout Int) -> String? {
        let brush = stroke.brush
        if brush.leavesStamps {
            stamps = saturatingSum(stamps, PreparedStroke.stampCount(of: stroke))
            if stamps > limits.stamps { return "it has more than \(limits.stamps) stamps" }
            let pressures = brush.dynamics.pressureAffectsOpacity ? stroke.points.map(\.pressure) : [1]
            let (least, most) = (pressures.min() ?? 1, pressures.max() ?? 1)
            if brush.type == .contourLines, least != most { return "the opacity of contour lines changes along them" }
            if brush.opacity * most < 1.0 / 256, brush.opacity * most > 0 { return "its ink is too faint" }
            return nil
        }
        let prepared = PreparedStroke(stroke)
        if isHidden(prepared.bounds) { return nil }
        switch prepared.marks {
        case .solid(let path, _): return fault(path, needsOutline: !hasOneRadius(path))
        case .canvas(let path, _): return patternFault(prepared) ?? fault(path, needsOutline: true)
        default: return nil
        }
    }

    /// Why the pattern that a stroke uncovers cannot be written; nil if it can, or there is none.
    func patternFault(_ prepared: PreparedStroke) -> String? {
        guard case .canvas(let path, _) = prepared.marks, !isHidden(prepared.bounds) else { return nil }
        let pattern = VectorPattern(prepared.brush, origin: scale.patternOrigin, canvas: canvas)
        let isTooFine = !pattern.coversAll && pattern.partCount(path.discs) > Double(limits.patternParts)
        return isTooFine ? "its pattern is too fine" : nil
    }

    private func fault(_ path: SolidPath, needsOutline: Bool) -> String? {
        let isNear = path.discs.allSatisfy { disc in
            let center = scale.output(disc.center)
            return abs(center.x) < limits.farthest && abs(center.y) < limits.farthest
                && disc.radius * scale.largest < limits.farthest
        }
        guard isNear, !needsOutline || path.outline(scale)?.isOfUse == true else {
            return "a stroke reaches too far beyond the picture, or has too many corners"
        }
        return nil
    }

    /// Why a suggested pattern cannot be written; nil if it can.
    func fault(_ fill: Brush) -> String? {
        let pattern = VectorPattern(fill, origin: scale.patternOrigin, canvas: canvas)
        guard fill.type != .solid, !pattern.coversAll else { return nil }
        let all = PreparedStroke.Disc(
            center: Point(x: canvas.width / 2, y: canvas.height / 2), radius: canvas.width + canvas.height)
        return pattern.partCount([all]) > Double(limits.patternParts) ? "its pattern is too fine" : nil
    }

    private func saturatingSum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }

    private func hasOneRadius(_ path: SolidPath) -> Bool {
        path.discs.allSatisfy { $0.radius == path.discs[0].radius }
    }

    // MARK: Writing

    /// Writes a stroke in this colour.
    func write(
        _ prepared: PreparedStroke, color: RGBA8, to file: inout some VectorDrawing
    ) throws(EngineError) {
        guard !isHidden(prepared.bounds) else { return }
        switch prepared.marks {
        case .stamps(let stamps): try write(stamps, of: prepared.brush, color, to: &file)
        case .contour(let stamps): try write(contour: stamps, of: prepared.brush, color, to: &file)
        case .solid(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            try write(solid: path, color, alpha: Double(alpha), to: &file)
        case .canvas(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            let pattern = VectorPattern(prepared.brush, origin: scale.patternOrigin, canvas: canvas)
            if pattern.coversAll {
                try write(area: path, color, alpha: Double(alpha), to: &file)
            } else {
                try write(pattern, inside: path, color, alpha: Double(alpha), to: &file)
            }
        }
    }

    /// Writes a pattern that is uncovered everywhere.
    func write(fill brush: Brush, to file: inout some VectorDrawing) throws(EngineError) {
        let pattern = VectorPattern(brush, origin: scale.patternOrigin, canvas: canvas)
        if brush.type == .solid || pattern.coversAll { return try file.fill(brush.color) }
        try write(pattern, inside: nil, brush.color, alpha: 1, to: &file)
    }

    private func write<File: VectorDrawing>(
        _ pattern: VectorPattern, inside area: SolidPath?, _ color: RGBA8, alpha: Double, to file: inout File
    ) throws(EngineError) {
        let line = VectorMarks.line(of: pattern.brush.type, width: pattern.strokeWidth)
        var path = file.path(line)
        pattern.write(area?.discs, to: &path)
        if path.isEmpty { return }
        let footprint = area.map { VectorFootprint($0, scale: scale) }
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: footprint)
        try file.add(&path)
        try file.end(paint)
    }

    private static func line(of type: BrushType, width: Double) -> VectorLine {
        VectorLine(width: width, hasRoundCaps: type == .dots, hasRoundJoins: type == .waves)
    }

    // MARK: Solid strokes

    private func write<File: VectorDrawing>(
        solid path: SolidPath, _ color: RGBA8, alpha: Double, to file: inout File
    ) throws(EngineError) {
        guard hasOneRadius(path) || !File.hasAreas else {
            return try write(area: path, color, alpha: alpha, to: &file)
        }
        let discs = DiscPath(path.discs, tolerance: DiscPath.tolerancePixels / scale.largest).discs
        let width = 2 * (discs.map(\.radius).max() ?? 0)
        let line = VectorLine(width: width, hasRoundCaps: true, hasRoundJoins: true)
        var path = file.path(line)
        path.move(to: discs[0].center)
        for disc in discs.dropFirst() { path.line(to: disc.center) }
        path.end()
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: nil)
        try file.add(&path)
        try file.end(paint)
    }

    private func write<File: VectorDrawing>(
        area path: SolidPath, _ color: RGBA8, alpha: Double, to file: inout File
    ) throws(EngineError) {
        guard File.hasAreas else { return try write(solid: path, color, alpha: alpha, to: &file) }
        var outline = file.path(nil)
        VectorFootprint(path, scale: scale).write(to: &outline)
        let paint = VectorPaint(color: color, alpha: alpha)
        try file.begin(paint, inside: nil)
        try file.add(&outline)
        try file.end(paint)
    }

    // MARK: Contour lines

    private func write<File: VectorDrawing>(
        contour stamps: PlacedStamps, of brush: Brush, _ color: RGBA8, to file: inout File
    ) throws(EngineError) {
        var alpha = 0.0
        stamps.forEach { alpha = max(alpha, Double($0.alpha)) }
        if alpha == 0 { return }
        let line = File.hasAreas ? nil : VectorLine(width: brush.lineWidth * brush.scale)
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: nil)
        var path = file.path(line)
        for index in Pattern.lineIndices {
            var strip = ContourStrip(line: Double(index), brush: brush, isArea: File.hasAreas)
            var failure: EngineError?
            stamps.forEach(isCancelled: { failure != nil }) { stamp in
                strip.add(stamp, to: &path)
                if path.byteCount > VectorMarks.partBytes {
                    do throws(EngineError) { try file.add(&path) } catch { failure = error }
                }
            }
            if let failure { throw failure }
            strip.end(to: &path)
            try file.add(&path)
        }
        try file.end(paint)
    }

    /// Bytes of a path that are handed on at once.
    private static let partBytes = 1 << 16

    // MARK: Stamps

    private func write<File: VectorDrawing>(
        _ placed: PlacedStamps, of brush: Brush, _ color: RGBA8, to file: inout File
    ) throws(EngineError) {
        let seen = picture.expanded(by: brush.stampReach)
        let (areAlike, haveOneAlpha) = (placed.areAlike, placed.haveOneAlpha)
        var stamps: VectorStamps?
        var failure: EngineError?
        placed.forEach(isCancelled: { failure != nil }) { stamp in
            let center = stamp.center
            guard stamp.alpha > 0, center.x >= seen.minX, center.x <= seen.maxX, center.y >= seen.minY,
                center.y <= seen.maxY
            else { return }
            do throws(EngineError) {
                if let stamps { return try file.add(stamp, of: stamps) }
                let like = areAlike ? stamp : Stamp(center: center, along: Point(x: 1, y: 0), size: 1, alpha: 1)
                let width = (brush.type == .dots ? 2 * Pattern.dotRadius : brush.lineWidth) * like.size
                let begun = VectorStamps(
                    shape: VectorStampShape(like, of: brush), color: color,
                    alpha: haveOneAlpha ? Double(stamp.alpha) : nil, areAlike: areAlike,
                    scaleMax: areAlike ? 1 : brush.scale,
                    line: VectorMarks.line(of: brush.type, width: width))
                stamps = begun
                try file.begin(begun)
                try file.add(stamp, of: begun)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if let stamps { try file.end(stamps) }
    }
}

/// One of the seven lines along a stroke of contour lines, as polygons of neighbouring quads that do not turn back
/// (spec section 3.3).
private struct ContourStrip {
    let line: Double
    let brush: Brush
    /// If not, the line in the middle is drawn.
    let isArea: Bool
    private var last: Stamp?
    private var left: [Point] = []
    private var right: [Point] = []

    /// Quads in a polygon; the next one begins at its end.
    private static let quadsMax = 64

    init(line: Double, brush: Brush, isArea: Bool) {
        self.line = line
        self.brush = brush
        self.isArea = isArea
    }

    private func point(_ stamp: Stamp, _ offset: Double) -> Point {
        let way = (line * brush.spacing + offset * brush.lineWidth) * stamp.size
        return stamp.center + way * stamp.across
    }

    mutating func add(_ stamp: Stamp, to path: inout some VectorPathText) {
        defer { last = stamp }
        guard let last else { return }
        let step = stamp.center - last.center
        let middle = point(stamp, 0) - point(last, 0)
        let turn = last.across.x * stamp.across.x + last.across.y * stamp.across.y
        guard middle.x * step.x + middle.y * step.y > 0, turn > 0 else { return end(to: &path) }
        if left.count > ContourStrip.quadsMax { end(to: &path) }
        if left.isEmpty {
            left.append(point(last, -0.5))
            right.append(point(last, 0.5))
        }
        left.append(point(stamp, -0.5))
        right.append(point(stamp, 0.5))
    }

    mutating func end(to path: inout some VectorPathText) {
        if left.count > 1, isArea {
            path.polygon(left + right.reversed())
        } else if left.count > 1 {
            path.move(to: 0.5 * (left[0] + right[0]))
            for (a, b) in zip(left, right).dropFirst() { path.line(to: 0.5 * (a + b)) }
            path.end()
        }
        left.removeAll(keepingCapacity: true)
        right.removeAll(keepingCapacity: true)
    }
}
