import CKernels

/// Draws stamps by the outline of their pattern, or by its parts if there is no outline.
final class OutlinePainter {
    private let accumulator: CoverageAccumulator
    private let partRasterizer: PartRasterizer
    private var patterns: [Pattern.Properties: Pattern] = [:]
    private var patternPoints = 0
    /// The chains of the last stamp. Stamps of one stroke are often equal, or differ only slightly in size.
    private var chains: [EdgeChain] = []
    private var chainsOf: ChainKey?
    /// The chains of other stamps, which recur in other cells.
    private var keptChains: [ChainKey: [EdgeChain]] = [:]
    private var keptEdges = 0
    /// The chains of some hundred strokes in a picture of 32,768 pixels: 4 MB, or twice as much if each is one small
    /// dot.
    private static let keptEdgesMax = 500_000

    /// The properties that determine a stamp's chains.
    private struct ChainKey: Hashable {
        var pattern: ObjectIdentifier
        var along: Point
        /// The size that they are made for, in fractions of the pattern's largest size.
        var step: Int
        var scale: OutputScale
    }

    /// Number of sizes for which chains are made, as fractions of a pattern's largest size; pressure uses the upper
    /// half unless a brush says otherwise. Chains are slightly too large for most stamps. Chains for much larger stamps would have more edges than
    /// needed.
    private static let sizeSteps = 16.0

    init(accumulator: CoverageAccumulator, parts: PartRasterizer) {
        self.accumulator = accumulator
        partRasterizer = parts
    }

    /// The shape of a stroke's stamps at the scale of an export.
    func pattern(for stroke: PreparedStroke, scale: OutputScale) -> Pattern {
        let brush = stroke.brush
        // With any pressure, a stamp's size is at most the brush's scale.
        let key = Pattern.Properties(
            brush, pixelsPerUnit: brush.scale * scale.largest, fineness: stroke.dotSharing == .none ? .usual : .fine)
        if let pattern = patterns[key] { return pattern }
        let pattern = Pattern(key)
        if patternPoints > 1_000_000 {
            patterns.removeAll()
            patternPoints = 0
            chainsOf = nil
            forgetChains()
        }
        patterns[key] = pattern
        patternPoints += pattern.pointCount
        return pattern
    }

    /// Multiplies `plane` by the transmittance of a stamp.
    ///
    /// - Parameter box: contains the stamp, in output pixels.
    func paint(_ stamp: Stamp, of pattern: Pattern, scale: OutputScale, box: PixelRect, into plane: RemainingPlane) {
        add(stamp, of: pattern, scale: scale)
        accumulator.multiply(plane, box: box, alpha: stamp.alpha)
    }

    /// Adds the coverage by a stamp to the accumulator.
    func add(_ stamp: Stamp, of pattern: Pattern, scale: OutputScale) {
        switch pattern.shape {
        case .outline(let outline): add(outline, of: pattern, at: stamp, scale: scale)
        case .parts(let parts):
            partRasterizer.add(parts.lazy.map { $0.placed(at: stamp) }, scale: scale)
        }
    }

    private func add(_ outline: Outline, of pattern: Pattern, at stamp: Stamp, scale: OutputScale) {
        let chainSize = prepareChains(of: outline, of: pattern, at: stamp, scale: scale)
        // A stamp whose size underflows is invisible.
        guard chainSize > 0 else { return }
        let factor = Float(stamp.size / chainSize)
        let center = scale.output(stamp.center)
        let cell = accumulator.cell
        let reach = scale.largest * stamp.size
        for (chain, edges) in zip(outline.chains, chains) {
            let middle = center + OutlinePainter.turned(chain.center, as: stamp, size: stamp.size, scale)
            let radius = chain.radius * reach + 1
            withUnsafeTemporaryAllocation(of: ink_point.self, capacity: chain.copies.count) { places in
                var count = 0
                for copy in chain.copies {
                    let way = OutlinePainter.turned(copy, as: stamp, size: stamp.size, scale)
                    guard middle.y + way.y + radius > Double(cell.y),
                        middle.y + way.y - radius < Double(cell.y + cell.height),
                        middle.x + way.x - radius < Double(cell.x + cell.width)
                    else { continue }
                    places.initializeElement(at: count, to: ink_point(x: center.x + way.x, y: center.y + way.y))
                    count += 1
                }
                guard count > 0 else { return }
                accumulator.add(edges, factor: factor, at: UnsafeBufferPointer(rebasing: places[..<count]))
            }
        }
    }

    /// Sets up the chains for a stamp.
    ///
    /// - Returns: The size that they are made for: the stamp's or slightly more.
    private func prepareChains(of outline: Outline, of pattern: Pattern, at stamp: Stamp, scale: OutputScale) -> Double
    {
        let sizeMax = pattern.pixelsPerUnit / scale.largest
        guard sizeMax > 0 else { return 0 }
        let step = min(max((stamp.size / sizeMax * OutlinePainter.sizeSteps).rounded(.up), 1), OutlinePainter.sizeSteps)
        let chainSize = step / OutlinePainter.sizeSteps * sizeMax
        var stamp = stamp
        if outline.isRound { stamp.along = Point(x: 1, y: 0) }
        let key = ChainKey(pattern: ObjectIdentifier(pattern), along: stamp.along, step: Int(step), scale: scale)
        guard chainsOf != key else { return chainSize }
        if let kept = keptChains[key] {
            chains = kept
        } else {
            chains = outline.chains.map { chain in
                EdgeChain(
                    chain.points.map { OutlinePainter.turned($0, as: stamp, size: chainSize, scale) },
                    areaMax: pattern.fineness.areaMax, shapeCount: chain.shapeCount)
            }
            keep(chains, of: key)
        }
        chainsOf = key
        return chainSize
    }

    /// A point of pattern space after scaling to this size and rotation as in a stamp; in output pixels from the
    /// stamp's centre.
    private static func turned(_ p: Point, as stamp: Stamp, size: Double, _ scale: OutputScale) -> Point {
        scale.output((size * p.x) * stamp.along + (size * p.y) * stamp.across)
    }

    private func keep(_ chains: [EdgeChain], of key: ChainKey) {
        // An entry without edges also takes memory.
        let edges = chains.reduce(16) { $0 + $1.edgeCount }
        guard edges <= OutlinePainter.keptEdgesMax else { return }
        if keptEdges + edges > OutlinePainter.keptEdgesMax { forgetChains() }
        keptChains[key] = chains
        keptEdges += edges
    }

    private func forgetChains() {
        keptChains.removeAll()
        keptEdges = 0
    }
}
