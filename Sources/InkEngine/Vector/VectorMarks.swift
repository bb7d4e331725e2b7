/// Writes strokes as SVG elements.
struct VectorMarks {
    let canvas: CanvasSize
    let scale: OutputScale
    /// Digits behind the point of coordinates: a hundredth of an output pixel, or less.
    let decimals: Int
    let limits: VectorLimits
    /// Names of stamps that are defined.
    private var names: [StampKey: Int] = [:]
    private var lastName = 0
    private let picture: Rect

    private struct StampKey: Hashable {
        var type: BrushType
        var spacing: Double
        var lineWidth: Double
        var size: Double
        var along: Point
    }

    init(canvas: CanvasSize, output: PixelSize, patternOrigin: Point, limits: VectorLimits) {
        self.canvas = canvas
        self.limits = limits
        scale = OutputScale(canvas: canvas, output: output, patternOrigin: patternOrigin)
        var decimals = 2
        var largest = scale.largest
        while largest > 1.01, decimals < 9 {
            decimals += 1
            largest /= 10
        }
        self.decimals = decimals
        picture = Rect(minX: 0, minY: 0, maxX: canvas.width, maxY: canvas.height)
    }

    func path() -> VectorPath { VectorPath(decimals: decimals) }

    mutating func newName() -> Int {
        lastName += 1
        return lastName
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
        case .canvas(let path, _):
            let pattern = VectorPattern(brush, origin: scale.patternOrigin, canvas: canvas)
            if !pattern.coversAll, pattern.partCount(path.discs) > Double(limits.patternParts) {
                return "its pattern is too fine"
            }
            return fault(path, needsOutline: true)
        default: return nil
        }
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
    ///
    /// - Parameter emit: takes the text piece by piece.
    mutating func write(
        _ prepared: PreparedStroke, color: RGBA8, emit: ([UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        guard !isHidden(prepared.bounds) else { return }
        switch prepared.marks {
        case .stamps(let stamps): try write(stamps, of: prepared, color, emit)
        case .contour(let stamps): try write(contour: stamps, of: prepared.brush, color, emit)
        case .solid(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            try emit(solid(path, color, alpha: Double(alpha)))
        case .canvas(let path, let alpha):
            guard alpha > 0, !path.discs.isEmpty else { return }
            let pattern = VectorPattern(prepared.brush, origin: scale.patternOrigin, canvas: canvas)
            if pattern.coversAll {
                try emit(outline(path, color, alpha: Double(alpha)))
            } else {
                let clip = newName()
                var text: [UInt8] = []
                text.add("<clipPath id=\"c\(clip)\"><path d=\"")
                text += outlinePath(path).text
                text.add("\"/></clipPath>\n")
                text += lines(pattern, path.discs, color, alpha: Double(alpha), clip: clip)
                try emit(text)
            }
        }
    }

    /// A pattern that is uncovered everywhere.
    func fill(_ brush: Brush) -> [UInt8] {
        let pattern = VectorPattern(brush, origin: scale.patternOrigin, canvas: canvas)
        if brush.type == .solid || pattern.coversAll { return rectangle(brush.color) }
        return lines(pattern, nil, brush.color, alpha: 1, clip: nil)
    }

    func rectangle(_ color: RGBA8) -> [UInt8] {
        var text: [UInt8] = []
        text.add("<rect width=\"")
        text.addLength(canvas.width)
        text.add("\" height=\"")
        text.addLength(canvas.height)
        text.add("\"")
        addPaint("fill", color, alpha: Double(color.alpha) / 255, to: &text)
        text.add("/>\n")
        return text
    }

    private func addPaint(_ name: String, _ color: RGBA8, alpha: Double, to text: inout [UInt8]) {
        text.add(" \(name)=\"\(color.shortHex)\"")
        guard alpha < 1 else { return }
        text.add(" \(name)-opacity=\"")
        text.add(alpha, decimals: 4)
        text.add("\"")
    }

    private func lines(
        _ pattern: VectorPattern, _ discs: [PreparedStroke.Disc]?, _ color: RGBA8, alpha: Double, clip: Int?
    ) -> [UInt8] {
        var path = path()
        pattern.write(discs, to: &path)
        var text: [UInt8] = []
        if path.isEmpty { return text }
        text.add("<path fill=\"none\"")
        addPaint("stroke", color, alpha: alpha, to: &text)
        text.add(" stroke-width=\"")
        text.addLength(pattern.strokeWidth)
        text.add("\"")
        addEnds(of: pattern.brush.type, to: &text)
        if let clip { text.add(" clip-path=\"url(#c\(clip))\"") }
        text.add(" d=\"")
        text += path.text
        text.add("\"/>\n")
        return text
    }

    private func addEnds(of type: BrushType, to text: inout [UInt8]) {
        if type == .dots { text.add(" stroke-linecap=\"round\"") }
        if type == .waves { text.add(" stroke-linejoin=\"round\"") }
    }

    // MARK: Solid strokes

    private func solid(_ path: SolidPath, _ color: RGBA8, alpha: Double) -> [UInt8] {
        guard hasOneRadius(path) else { return outline(path, color, alpha: alpha) }
        let discs = DiscPath(path.discs, tolerance: DiscPath.tolerancePixels / scale.largest).discs
        var line = self.path()
        line.move(to: discs[0].center)
        for disc in discs.dropFirst() { line.line(to: disc.center) }
        line.end()
        var text: [UInt8] = []
        text.add("<path fill=\"none\"")
        addPaint("stroke", color, alpha: alpha, to: &text)
        text.add(" stroke-width=\"")
        text.addLength(2 * discs[0].radius)
        text.add("\" stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"")
        text += line.text
        text.add("\"/>\n")
        return text
    }

    private func outline(_ path: SolidPath, _ color: RGBA8, alpha: Double) -> [UInt8] {
        var text: [UInt8] = []
        text.add("<path")
        addPaint("fill", color, alpha: alpha, to: &text)
        text.add(" d=\"")
        text += outlinePath(path).text
        text.add("\"/>\n")
        return text
    }

    private func outlinePath(_ path: SolidPath) -> VectorPath {
        var text = self.path()
        guard let polygons = path.outline(scale)?.polygons else { return text }
        var start = 0
        for count in polygons.counts {
            let corners = polygons.corners[start..<(start + Int(count))]
            text.polygon(corners.lazy.map { Point(x: $0.x / scale.x, y: $0.y / scale.y) })
            start += Int(count)
        }
        return text
    }

    // MARK: Contour lines

    private func write(
        contour stamps: PlacedStamps, of brush: Brush, _ color: RGBA8, _ emit: ([UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        var alpha = 0.0
        stamps.forEach { alpha = max(alpha, Double($0.alpha)) }
        if alpha == 0 { return }
        var text: [UInt8] = []
        text.add("<path")
        addPaint("fill", color, alpha: alpha, to: &text)
        text.add(" d=\"")
        try emit(text)
        var path = self.path()
        for line in Pattern.lineIndices {
            var strip = ContourStrip(line: Double(line), brush: brush)
            var failure: EngineError?
            stamps.forEach(isCancelled: { failure != nil }) { stamp in
                strip.add(stamp, to: &path)
                if path.text.count > 1 << 16 {
                    do throws(EngineError) { try emit(path.takeText()) } catch { failure = error }
                }
            }
            if let failure { throw failure }
            strip.end(to: &path)
            try emit(path.takeText())
        }
        try emit(Array("\"/>\n".utf8))
    }

    // MARK: Stamps

    private mutating func write(
        _ stamps: PlacedStamps, of prepared: PreparedStroke, _ color: RGBA8,
        _ emit: ([UInt8]) throws(EngineError) -> Void
    ) throws(EngineError) {
        let brush = prepared.brush
        let areAlike = stamps.areAlike
        let reach = Pattern.reach(of: brush)
        let seen = picture.expanded(by: reach)
        var text: [UInt8] = []
        var hasBegun = false
        var name = 0
        var failure: EngineError?
        let sharedAlpha = stamps.haveOneAlpha
        stamps.forEach(isCancelled: { failure != nil }) { stamp in
            let center = stamp.center
            guard stamp.alpha > 0, center.x >= seen.minX, center.x <= seen.maxX, center.y >= seen.minY,
                center.y <= seen.maxY
            else { return }
            if !hasBegun {
                hasBegun = true
                let like = areAlike ? stamp : Stamp(center: center, along: Point(x: 1, y: 0), size: 1, alpha: 1)
                name = define(like, of: brush, to: &text)
                text.add("<g fill=\"none\"")
                addPaint("stroke", color, alpha: sharedAlpha ? Double(stamp.alpha) : 1, to: &text)
                text.add(" stroke-width=\"")
                text.addLength((brush.type == .dots ? 2 * Pattern.dotRadius : brush.lineWidth) * like.size)
                text.add("\"")
                addEnds(of: brush.type, to: &text)
                text.add(">\n")
            }
            text.add("<use xlink:href=\"#s\(name)\"")
            if areAlike {
                text.add(" x=\"")
                text.add(center.x, decimals: decimals)
                text.add("\" y=\"")
                text.add(center.y, decimals: decimals)
            } else {
                text.add(" transform=\"matrix(")
                for value in [stamp.along.x, stamp.along.y, stamp.across.x, stamp.across.y] {
                    text.add(stamp.size * value, decimals: decimals + 2)
                    text.add(" ")
                }
                text.add(center.x, decimals: decimals)
                text.add(" ")
                text.add(center.y, decimals: decimals)
                text.add(")")
            }
            text.add("\"")
            if !sharedAlpha, stamp.alpha < 1 {
                text.add(" stroke-opacity=\"")
                text.add(Double(stamp.alpha), decimals: 4)
                text.add("\"")
            }
            text.add("/>\n")
            if text.count > 1 << 16 {
                do throws(EngineError) { try emit(text) } catch { failure = error }
                text.removeAll(keepingCapacity: true)
            }
        }
        if let failure { throw failure }
        guard hasBegun else { return }
        text.add("</g>\n")
        try emit(text)
    }

    /// The name of a stamp's shape round the origin, which is defined if it is not yet.
    private mutating func define(_ stamp: Stamp, of brush: Brush, to text: inout [UInt8]) -> Int {
        let key = StampKey(
            type: brush.type, spacing: brush.spacing, lineWidth: brush.lineWidth, size: stamp.size, along: stamp.along)
        if let known = names[key] { return known }
        if names.count >= limits.definitions { names.removeAll() }
        let name = newName()
        names[key] = name
        // Shapes of size 1 are scaled by each stamp.
        let isScaled = stamp.size == brush.scale
        var path = VectorPath(decimals: isScaled ? decimals + 1 : decimals + 2)
        func placed(_ u: Double, _ v: Double) -> Point {
            (stamp.size * u) * stamp.along + (stamp.size * v) * stamp.across
        }
        let end = Pattern.halfLength
        switch brush.type {
        case .dots:
            for j in -5...5 {
                for i in -5...5 {
                    path.move(to: placed(Double(i) * brush.spacing, Double(j) * brush.spacing))
                    path.end()
                }
            }
        case .waves:
            for line in Pattern.lineIndices {
                for step in 0...32 {
                    let t = end * (Double(step) / 16 - 1)
                    let v = brush.spacing * (Double(line) + sinPi(Double(step - 16) / 8) / 4)
                    if step == 0 { path.move(to: placed(t, v)) } else { path.line(to: placed(t, v)) }
                }
            }
        default:
            for line in Pattern.lineIndices {
                let v = Double(line) * brush.spacing
                path.move(to: placed(-end, v))
                path.line(to: placed(end, v))
            }
            guard brush.type == .crossHatch else { break }
            for line in Pattern.lineIndices {
                let u = Double(line) * brush.spacing
                path.move(to: placed(u, -end))
                path.line(to: placed(u, end))
            }
        }
        text.add("<defs><path id=\"s\(name)\" d=\"")
        text += path.text
        text.add("\"/></defs>\n")
        return name
    }
}

/// One of the seven lines along a stroke of contour lines, as polygons of neighbouring quads that do not turn back
/// (spec section 3.3).
private struct ContourStrip {
    let line: Double
    let brush: Brush
    private var last: Stamp?
    private var left: [Point] = []
    private var right: [Point] = []

    /// Quads in a polygon; the next one begins at its end.
    private static let quadsMax = 64

    init(line: Double, brush: Brush) {
        self.line = line
        self.brush = brush
    }

    private func point(_ stamp: Stamp, _ offset: Double) -> Point {
        let way = (line * brush.spacing + offset * brush.lineWidth) * stamp.size
        return stamp.center + way * stamp.across
    }

    mutating func add(_ stamp: Stamp, to path: inout VectorPath) {
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

    mutating func end(to path: inout VectorPath) {
        if left.count > 1 {
            path.polygon(left + right.reversed())
        }
        left.removeAll(keepingCapacity: true)
        right.removeAll(keepingCapacity: true)
    }
}
