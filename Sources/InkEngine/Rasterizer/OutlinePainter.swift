/// Draws stamps by the outline of their pattern, or by its parts where no outline is worked out.
final class OutlinePainter {
    private let accumulator: CoverageAccumulator
    private let partRasterizer: PartRasterizer
    private var patterns: [PatternKey: Pattern] = [:]
    private var patternPoints = 0
    /// The chains of the last stamp: those of one stroke are often all alike.
    private var chains: [EdgeChain] = []
    private var chainsOf: ChainKey?
    /// Or too large to be kept.
    private var areChainsKept = false
    /// The chains of strokes whose stamps are alike, which are seen again in other cells.
    private var keptChains: [ChainKey: [EdgeChain]] = [:]
    private var keptEdges = 0
    /// Those of some hundred strokes in a picture of 32,768 pixels: 14 MB.
    private static let keptEdgesMax = 500_000

    private struct PatternKey: Hashable {
        var type: BrushType
        var spacing: Double
        var lineWidth: Double
        var pixelsPerUnit: Double
    }

    /// What the chains of a stamp depend on.
    private struct ChainKey: Hashable {
        var pattern: ObjectIdentifier
        var along: Point
        var size: Double
        var scale: OutputScale
    }

    init(accumulator: CoverageAccumulator, parts: PartRasterizer) {
        self.accumulator = accumulator
        partRasterizer = parts
    }

    /// The shape of a brush's stamps at an export's scale.
    func pattern(for brush: Brush, scale: OutputScale) -> Pattern {
        // Whatever pressure does, a stamp's size is at most the brush's scale.
        let key = PatternKey(
            type: brush.type, spacing: brush.spacing, lineWidth: brush.lineWidth,
            pixelsPerUnit: brush.scale * scale.largest)
        if let pattern = patterns[key] { return pattern }
        let pattern = Pattern(
            type: key.type, spacing: key.spacing, lineWidth: key.lineWidth, pixelsPerUnit: key.pixelsPerUnit)
        if patternPoints > 1_000_000 {
            patterns.removeAll()
            patternPoints = 0
            chainsOf = nil
            forgetChains()
        }
        patterns[key] = pattern
        if case .outline(let outline) = pattern.shape { patternPoints += outline.points.count }
        return pattern
    }

    /// Multiplies into `plane` what a stamp leaves of each pixel.
    ///
    /// - Parameter box: what holds the stamp, output pixels.
    func paint(_ stamp: Stamp, of pattern: Pattern, scale: OutputScale, box: PixelRect, into plane: RemainingPlane) {
        add(stamp, of: pattern, scale: scale)
        accumulator.multiply(plane, box: box, alpha: stamp.alpha)
    }

    /// Adds what a stamp covers to the accumulator.
    func add(_ stamp: Stamp, of pattern: Pattern, scale: OutputScale) {
        switch pattern.shape {
        case .outline(let outline): add(outline, of: pattern, at: stamp, scale: scale)
        case .parts(let parts):
            partRasterizer.add(parts.lazy.map { $0.placed(at: stamp) }, scale: scale)
        }
    }

    private func add(_ outline: Outline, of pattern: Pattern, at stamp: Stamp, scale: OutputScale) {
        func map(_ p: Point) -> Point {
            scale.output((stamp.size * p.x) * stamp.along + (stamp.size * p.y) * stamp.across)
        }
        let key = ChainKey(pattern: ObjectIdentifier(pattern), along: stamp.along, size: stamp.size, scale: scale)
        if chainsOf == key {
            // Stamps of changing sizes never come here.
            if !areChainsKept { keepChains() }
        } else if let kept = keptChains[key] {
            (chains, chainsOf, areChainsKept) = (kept, key, true)
        } else {
            chains = outline.chains.map { chain in EdgeChain(outline.points[chain.range].map(map)) }
            (chainsOf, areChainsKept) = (key, false)
        }
        let center = scale.output(stamp.center)
        let cell = accumulator.cell
        let reach = scale.largest * stamp.size
        for copy in outline.copies {
            let place = center + map(copy)
            for (index, chain) in outline.chains.enumerated() {
                let middle = place + map(chain.center)
                let radius = chain.radius * reach + 1
                guard middle.y + radius > Double(cell.y), middle.y - radius < Double(cell.y + cell.height),
                    middle.x - radius < Double(cell.x + cell.width)
                else { continue }
                accumulator.add(chains[index], at: place)
            }
        }
    }

    private func keepChains() {
        guard let chainsOf else { return }
        areChainsKept = true
        // An entry without edges is not nothing.
        let edges = chains.reduce(16) { $0 + $1.edgeCount }
        guard edges <= OutlinePainter.keptEdgesMax else { return }
        if keptEdges + edges > OutlinePainter.keptEdgesMax { forgetChains() }
        keptChains[chainsOf] = chains
        keptEdges += edges
    }

    private func forgetChains() {
        keptChains.removeAll()
        keptEdges = 0
    }
}
