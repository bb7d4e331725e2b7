import InkEngine

/// The geometry of strokes: what can be written of them, and how.
struct VectorMarks {
    private let canvas: CanvasSize
    private let scale: OutputScale
    private let output: PixelSize
    private let limits: VectorLimits
    private let picture: Rect
    private let isCancelled: () -> Bool

    init(_ scene: VectorScene) {
        canvas = scene.canvas
        scale = scene.scale
        output = scene.output
        limits = scene.limits
        isCancelled = scene.tools.isCancelled
        picture = Rect(minX: 0, minY: 0, maxX: canvas.width, maxY: canvas.height)
    }

    /// Whether nothing of a box can be seen.
    func isHidden(_ box: Rect) -> Bool {
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
            let most = stroke.points.map { brush.dynamics.opacity($0.pressure) }.max() ?? 1
            if brush.opacity * most < 1.0 / 256, brush.opacity * most > 0 { return "its ink is too faint" }
            return nil
        }
        let prepared = PreparedStroke(stroke)
        if isHidden(prepared.bounds) { return nil }
        if Set(stroke.points.map { brush.dynamics.opacity($0.pressure) }).count > 1 {
            return "the opacity of a stroke changes along it"
        }
        switch prepared.marks {
        case .solid(let path, _): return fault(path, needsOutline: !hasOneRadius(path))
        case .canvas(let path, _): return partsFault(prepared) ?? fault(path, needsOutline: true)
        case .contour: return partsFault(prepared)
        case .stamps: return nil
        }
    }

    /// Why the pattern that a stroke uncovers or its contour lines cannot be written; nil if they can, or there are
    /// none.
    func partsFault(_ prepared: PreparedStroke) -> String? {
        if isHidden(prepared.bounds) { return nil }
        switch prepared.marks {
        case .canvas(let path, _):
            return fault(prepared.brush, uncoveredBy: .discs(path.discs), in: prepared.bounds)
        case .contour(let line): return fault(isolines(line, prepared.brush), in: prepared.bounds)
        case .solid, .stamps: return nil
        }
    }

    private func fault(_ brush: Brush, uncoveredBy region: VectorPattern.Region, in box: Rect) -> String? {
        guard let pattern = pattern(of: brush) else { return nil }
        let isTooFine =
            pattern.partCount(region) > Double(limits.patternParts)
            || (brush.edge == .whole && pattern.partCount(.box(box)) > Double(limits.wholeDots))
        return isTooFine ? "its pattern is too fine" : nil
    }

    /// The pattern of a brush where it lies still; nil if it leaves nothing uncovered.
    private func pattern(of brush: Brush) -> VectorPattern? {
        VectorPattern(brush, origin: scale.patternOrigin, canvas: canvas)
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
    func fault(_ fill: Brush) -> String? { fault(fill, uncoveredBy: .box(picture), in: picture) }

    /// Why a shape cannot be written; nil if it can.
    func fault(_ shape: VectorShape) -> String? {
        if shape.isEmpty { return nil }
        let box = shape.box
        if isHidden(box) { return nil }
        let isNear = [(box.minX, scale.x), (box.maxX, scale.x), (box.minY, scale.y), (box.maxY, scale.y)].allSatisfy {
            abs($0 * $1) < limits.farthest
        }
        guard isNear else { return "a shape reaches too far beyond the picture" }
        if case .pattern(let brush, _) = shape.fill { return fault(brush, uncoveredBy: .box(box), in: box) }
        return nil
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
        case .contour(let line):
            try write(isolines(line, prepared.brush), of: prepared.brush, color, to: &file)
        case .solid(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            try write(solid: path, color, alpha: Double(alpha), to: &file)
        case .canvas(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            if let dots = prepared.wholeDots(scale, output: output) {
                try write(dots, of: prepared.brush, color, alpha: Double(alpha), to: &file)
            } else if let pattern = pattern(of: prepared.brush) {
                try write(
                    pattern, .discs(path.discs), inside: .stroke(path), color, alpha: Double(alpha), to: &file)
            } else {
                try write(area: path, color, alpha: Double(alpha), to: &file)
            }
        }
    }

    /// Writes a pattern that is uncovered everywhere.
    func write(fill brush: Brush, to file: inout some VectorDrawing) throws(EngineError) {
        guard let pattern = pattern(of: brush) else { return try file.fill(brush.color) }
        try write(pattern, .all, inside: nil, brush.color, alpha: 1, to: &file)
    }

    /// Writes a shape.
    func write(_ shape: VectorShape, to file: inout some VectorWriter) throws(EngineError) {
        if shape.isEmpty || isHidden(shape.box) { return }
        guard case .pattern(let brush, let alpha) = shape.fill else { return try file.draw(shape) }
        try writePattern(of: shape, brush, alpha: alpha, to: &file)
    }

    /// Writes what a shape uncovers of a pattern.
    func writePattern(
        of shape: VectorShape, _ brush: Brush, alpha: Double, to file: inout some VectorDrawing
    ) throws(EngineError) {
        let own = Shape(path: shape.path, transform: shape.map, rule: shape.rule, fill: .pattern(brush))
        if let dots = PreparedShape(own).wholeDots(scale, output: output) {
            return try write(dots, of: brush, brush.color, alpha: alpha, to: &file)
        }
        guard let pattern = pattern(of: brush) else { return }
        try write(pattern, .box(shape.box), inside: .shape(shape), brush.color, alpha: alpha, to: &file)
    }

    private func write<File: VectorDrawing>(
        _ dots: [Point], of brush: Brush, _ color: RGBA8, alpha: Double, to file: inout File
    ) throws(EngineError) {
        if dots.isEmpty { return }
        let line = brush.line(size: brush.scale)
        var path = file.path(line)
        for dot in dots { path.polyline([dot]) }
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: nil)
        try file.add(&path)
        try file.end(paint)
    }

    private func write<File: VectorDrawing>(
        _ pattern: VectorPattern, _ region: VectorPattern.Region, inside footprint: VectorFootprint?, _ color: RGBA8,
        alpha: Double, to file: inout File
    ) throws(EngineError) {
        let line = pattern.line
        var path = file.path(line)
        pattern.write(region, to: &path)
        if path.isEmpty { return }
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: footprint)
        try file.add(&path)
        try file.end(paint)
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
        let line = LineStyle(width: width, hasRoundCaps: true, hasRoundJoins: true)
        var path = file.path(line)
        path.polyline(discs.map(\.center))
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
        VectorFootprint.stroke(path).write(to: &outline, scale: scale)
        let paint = VectorPaint(color: color, alpha: alpha)
        try file.begin(paint, inside: nil)
        try file.add(&outline)
        try file.end(paint)
    }

    // MARK: Contour lines

    private func write<File: VectorDrawing>(
        _ isolines: ContourIsolines, of brush: Brush, _ color: RGBA8, to file: inout File
    ) throws(EngineError) {
        // Only pens, which know no alpha, draw strokes along which it changes.
        let alpha = isolines.alphaMax
        if alpha == 0 { return }
        let line = File.hasAreas ? nil : LineStyle(width: brush.lineWidth * brush.scale)
        let paint = VectorPaint(color: color, alpha: alpha, line: line)
        try file.begin(paint, inside: nil)
        var path = file.path(line)
        if File.hasAreas {
            try isolines.forEachArea(isCancelled: isCancelled) { (area) throws(EngineError) in
                path.polygon(area)
                if path.byteCount > VectorMarks.partBytes { try file.add(&path) }
            }
        } else {
            try isolines.forEachCurve(isCancelled: isCancelled) { (curve) throws(EngineError) in
                path.polyline(curve)
                if path.byteCount > VectorMarks.partBytes { try file.add(&path) }
            }
        }
        try file.add(&path)
        try file.end(paint)
    }

    private func isolines(_ line: NearestLine, _ brush: Brush) -> ContourIsolines {
        ContourIsolines(line, brush, pixelsPerUnit: scale.largest, seen: picture)
    }

    private func fault(_ isolines: ContourIsolines, in box: Rect) -> String? {
        if isolines.pointCount > Double(limits.contourPoints) { return "its contour lines are too long" }
        let farthest = [box.minX, box.maxX, box.minY, box.maxY].map(abs).max() ?? 0
        return farthest * scale.largest < limits.farthest ? nil : "a stroke reaches too far beyond the picture"
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
                let begun = VectorStamps(
                    shape: VectorStampShape(like, of: brush), color: color,
                    alpha: haveOneAlpha ? Double(stamp.alpha) : nil, areAlike: areAlike,
                    scaleMax: areAlike ? 1 : brush.scale, line: brush.line(size: like.size))
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
