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
    package var marks: @Sendable (MarkList) throws(EngineError) -> EncodedBlock
    package var bytes: @Sendable ([UInt8]) throws(EngineError) -> EncodedBlock
    /// The hash of each mark; nil where nobody needs them.
    package var digest: (@Sendable (MarkList) -> [BlockID])?

    package init(
        marks: @escaping @Sendable (MarkList) throws(EngineError) -> EncodedBlock,
        bytes: @escaping @Sendable ([UInt8]) throws(EngineError) -> EncodedBlock
    ) {
        self.marks = marks
        self.bytes = bytes
    }
}

/// What decides the pixels of a block's marks, in any tile.
package struct DecisiveMarks: Sendable {
    /// One per mark.
    package var digests: [BlockID]
    package var runs: StrokeRuns
}

/// A block of marks and the extent of each.
package struct MarkBlockIndex: Sendable {
    package var id: BlockID
    /// One per mark of the block, in its order; none is empty.
    package var extents: [MarkExtent]
    /// What decides the marks' pixels, if the encoder makes digests.
    package var decisive: DecisiveMarks?
    /// The smallest extent that contains all of them.
    package var union: MarkExtent

    package init(id: BlockID, extents: [MarkExtent]) {
        self.id = id
        self.extents = extents
        union = extents[0]
        for extent in extents.dropFirst() { union.formUnion(extent) }
    }

    /// The marks that meet `rect`, ascending; empty when none does.
    package func indices(meeting rect: PixelRect) -> [Int] {
        guard union.meets(rect) else { return [] }
        return extents.indices.filter { extents[$0].meets(rect) }
    }
}

extension [MarkBlockIndex] {
    /// Those that meet `rect`, by block; nil if none of them paints.
    func selections(meeting rect: PixelRect) -> (all: [StrokeSelection], arePainting: Bool) {
        var arePainting = false
        let all = compactMap { block -> StrokeSelection? in
            let indices = block.indices(meeting: rect)
            guard !indices.isEmpty else { return nil }
            arePainting = arePainting || indices.contains { block.extents[$0].isPaint }
            return StrokeSelection(block: block.id, indices: indices)
        }
        return (all, arePainting)
    }
}

/// Groups marks into blocks, which are compressed, named and fetched as a whole, one after the other.
///
/// The marks themselves decide where a block ends, so that one mark more or less changes a block or two, wherever it is
/// in the drawing.
package struct MarkBlocks {
    private let view: ViewMap?
    private let canvas: CanvasSize
    private let output: PixelSize
    private let encoder: BlockEncoder
    /// Receives the marks' cost.
    package private(set) var costs: RowCosts
    /// All that have been made, of all lists.
    package var blocks: [EncodedBlock] = []

    /// Number of points in a block on average: about 130 KB before compression, enough ink for a few bands.
    package static let pointsPerBlock = 8192
    /// What a shape takes besides its points, in points.
    private static let pointsPerShape = 4

    /// - Parameters:
    ///   - view: from the marks' world to the canvas; nil: they are the same.
    ///   - costs: what the costs of marks are added to.
    package init(
        through view: ViewMap? = nil, canvas: CanvasSize, output: PixelSize, encoder: BlockEncoder, costs: RowCosts
    ) {
        self.view = view
        self.canvas = canvas
        self.output = output
        self.encoder = encoder
        self.costs = costs
    }

    /// Makes blocks of the visible strokes, in drawing order. Strokes without points or outside the picture are left
    /// out.
    ///
    /// - Parameters:
    ///   - measures: the strokes', in the same order.
    ///   - isSeen: whether the strokes are those of the picture's canvas, and not of the world.
    package mutating func add(
        _ strokes: [Stroke], _ measures: [StrokeMeasure], areSeen: Bool = false
    ) throws(EngineError) -> [MarkBlockIndex] {
        let view = areSeen ? nil : view
        var cut = BlockCut<Stroke>()
        for (worldStroke, worldMeasure) in zip(strokes, measures) where !worldStroke.points.isEmpty {
            let measure = view.map { worldMeasure.seen(through: $0) } ?? worldMeasure
            var stroke = worldStroke
            if let view { stroke.brush = view.brush(worldStroke.brush) }
            let extent = MarkExtent(of: stroke, measure, canvas: canvas, output: output)
            guard !extent.isEmpty else { continue }
            // Only now: of a large world little may be visible.
            if let view { stroke = view.stroke(worldStroke) }
            costs.add(stroke, measure, extent: extent, canvas: canvas, output: output)
            if cut.ends(before: stroke.points.count, stroke.fingerprint) { try finish(&cut, MarkList.strokes) }
            cut.add(stroke, extent, points: stroke.points.count)
        }
        return try finished(&cut, MarkList.strokes)
    }

    /// Makes blocks of the visible shapes, in drawing order. Shapes that draw nothing or lie outside the picture are
    /// left out; what they say is of no use for pixels, and is, too.
    package mutating func add(_ shapes: [Shape]) throws(EngineError) -> [MarkBlockIndex] {
        var cut = BlockCut<Shape>()
        for worldShape in shapes where worldShape.drawsSomething {
            var shape = view.map { $0.shape(worldShape) } ?? worldShape
            let extent = MarkExtent(of: shape, canvas: canvas, output: output)
            guard !extent.isEmpty else { continue }
            (shape.text, shape.textOf) = (nil, nil)
            costs.add(shape, extent: extent)
            let points = shape.path.points.count + Self.pointsPerShape
            if cut.ends(before: points, shape.fingerprint) { try finish(&cut, MarkList.shapes) }
            cut.add(shape, extent, points: points)
        }
        return try finished(&cut, MarkList.shapes)
    }

    private mutating func finished<Mark>(
        _ cut: inout BlockCut<Mark>, _ list: ([Mark]) -> MarkList
    ) throws(EngineError) -> [MarkBlockIndex] {
        if !cut.marks.isEmpty { try finish(&cut, list) }
        return cut.made
    }

    private mutating func finish<Mark>(
        _ cut: inout BlockCut<Mark>, _ list: ([Mark]) -> MarkList
    ) throws(EngineError) {
        let marks = list(cut.marks)
        let block = try encoder.marks(marks)
        blocks.append(block)
        var index = MarkBlockIndex(id: block.id, extents: cut.extents)
        if let digest = encoder.digest {
            index.decisive = DecisiveMarks(digests: digest(marks), runs: StrokeRuns(marks))
        }
        cut.finish(index)
    }
}

/// Marks that become a block, and the blocks of those before.
private struct BlockCut<Mark> {
    private(set) var made: [MarkBlockIndex] = []
    private(set) var marks: [Mark] = []
    private(set) var extents: [MarkExtent] = []
    private var points = 0

    /// Whether the block ends before a mark of so many points.
    func ends(before more: Int, _ fingerprint: UInt64) -> Bool {
        if points + more > 2 * MarkBlocks.pointsPerBlock { return points > 0 }
        // One in so many points begins a block.
        return points >= MarkBlocks.pointsPerBlock / 4
            && Int(fingerprint % UInt64(MarkBlocks.pointsPerBlock)) < more
    }

    mutating func add(_ mark: Mark, _ extent: MarkExtent, points: Int) {
        marks.append(mark)
        extents.append(extent)
        self.points += points
    }

    mutating func finish(_ index: MarkBlockIndex) {
        made.append(index)
        marks.removeAll(keepingCapacity: true)
        extents = []
        points = 0
    }
}

extension Shape {
    /// Whether it can change a pixel.
    fileprivate var drawsSomething: Bool {
        guard opacity > 0, !path.isEmpty, !transform.isSingular else { return false }
        return mode == .erase || !fill.isInvisible
    }
}
