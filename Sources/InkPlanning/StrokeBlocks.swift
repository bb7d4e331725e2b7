package import InkEngine

/// Content in wire form, with its name.
package struct EncodedBlock: Sendable {
    package var id: BlockID
    /// The bytes whose hash is `id`; empty for a block that stays in the process.
    package var frame: [UInt8]

    package init(id: BlockID, frame: [UInt8]) {
        self.id = id
        self.frame = frame
    }
}

/// Functions that turn content into blocks; in the program, the protocol's codecs.
package struct BlockEncoder: Sendable {
    package var strokes: @Sendable ([Stroke]) throws(EngineError) -> EncodedBlock
    package var bytes: @Sendable ([UInt8]) throws(EngineError) -> EncodedBlock
    /// The hash of a stroke; nil where nobody needs it.
    package var digest: (@Sendable (Stroke) -> BlockID)?

    package init(
        strokes: @escaping @Sendable ([Stroke]) throws(EngineError) -> EncodedBlock,
        bytes: @escaping @Sendable ([UInt8]) throws(EngineError) -> EncodedBlock
    ) {
        self.strokes = strokes
        self.bytes = bytes
    }
}

/// What decides the pixels of a block's strokes, in any tile.
package struct DecisiveStrokes: Sendable {
    /// One per stroke.
    package var digests: [BlockID]
    package var runs: StrokeRuns
}

/// A block of strokes and the extent of each.
package struct StrokeBlockIndex: Sendable {
    package var id: BlockID
    /// One per stroke of the block, in its order; none is empty.
    package var extents: [StrokeExtent]
    /// What decides the strokes' pixels, if the encoder makes digests.
    package var decisive: DecisiveStrokes?
    /// The smallest extent that contains all of them.
    package var union: StrokeExtent

    package init(id: BlockID, extents: [StrokeExtent]) {
        self.id = id
        self.extents = extents
        union = extents[0]
        for extent in extents.dropFirst() { union.formUnion(extent) }
    }

    /// The strokes that meet `rect`, ascending; empty when none does.
    package func indices(meeting rect: PixelRect) -> [Int] {
        guard union.meets(rect) else { return [] }
        return extents.indices.filter { extents[$0].meets(rect) }
    }
}

/// Groups a layer's strokes into blocks, which are compressed, named and fetched as a whole.
///
/// The strokes themselves decide where a block ends, so that one stroke more or less changes a block or two, wherever
/// it is in the drawing.
package enum StrokeBlocks {
    /// Number of points in a block on average: about 130 KB before compression, enough ink for a few bands.
    package static let pointsPerBlock = 8192

    /// Whether a block of so many points ends before the stroke.
    private static func ends(after points: Int, before stroke: Stroke) -> Bool {
        if points + stroke.points.count > 2 * pointsPerBlock { return points > 0 }
        // One in so many points begins a block.
        return points >= pointsPerBlock / 4
            && Int(stroke.fingerprint % UInt64(pointsPerBlock)) < stroke.points.count
    }

    /// Makes blocks of the visible strokes, in drawing order. Strokes without points or outside the picture are left
    /// out.
    ///
    /// - Parameters:
    ///   - measures: the strokes', in the same order.
    ///   - costs: receives the strokes' cost.
    package static func make(
        of strokes: [Stroke], _ measures: [StrokeMeasure], through view: ViewMap? = nil, canvas: CanvasSize,
        output: PixelSize, encoder: BlockEncoder,
        costs: inout RowCosts, into blocks: inout [EncodedBlock]
    ) throws(EngineError) -> [StrokeBlockIndex] {
        var made: [StrokeBlockIndex] = []
        var pending: [Stroke] = []
        var extents: [StrokeExtent] = []
        var points = 0
        for (worldStroke, worldMeasure) in zip(strokes, measures) where !worldStroke.points.isEmpty {
            let measure = view.map { worldMeasure.seen(through: $0) } ?? worldMeasure
            var stroke = worldStroke
            if let view { stroke.brush = view.brush(worldStroke.brush) }
            let extent = StrokeExtent(of: stroke, measure, canvas: canvas, output: output)
            guard !extent.isEmpty else { continue }
            // Only now: of a large world little may be visible.
            if let view { stroke = view.stroke(worldStroke) }
            costs.add(stroke, measure, extent: extent, canvas: canvas, output: output)
            if ends(after: points, before: stroke) {
                try made.append(finish(pending, extents, encoder, &blocks))
                pending.removeAll(keepingCapacity: true)
                extents = []
                points = 0
            }
            pending.append(stroke)
            extents.append(extent)
            points += stroke.points.count
        }
        if !pending.isEmpty { try made.append(finish(pending, extents, encoder, &blocks)) }
        return made
    }

    private static func finish(
        _ strokes: [Stroke], _ extents: [StrokeExtent], _ encoder: BlockEncoder, _ blocks: inout [EncodedBlock]
    ) throws(EngineError) -> StrokeBlockIndex {
        let block = try encoder.strokes(strokes)
        blocks.append(block)
        var index = StrokeBlockIndex(id: block.id, extents: extents)
        if let digest = encoder.digest {
            index.decisive = DecisiveStrokes(digests: strokes.map(digest), runs: StrokeRuns(strokes))
        }
        return index
    }
}
