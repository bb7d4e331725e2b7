/// A tile task with its images loaded, from which the cells of the tile are computed.
struct TileScene {
    let background: RGBA8
    let baseImage: ScaledImage?
    let layers: [SceneLayer<ScaledImage, SceneStrokes>]
    let scale: OutputScale

    /// - Throws: `internalError` for a chunk of the wrong size; errors of `blocks`.
    init(_ task: TileTask, blocks: some TileBlocks, kernels: CompositingKernels) throws(EngineError) {
        func image(_ slice: ImageSlice?, _ filter: ResampleFilter) throws(EngineError) -> ScaledImage? {
            guard let slice else { return nil }
            let rows = try ImageRows(slice) { id throws(EngineError) in try blocks.bytes(of: id) }
            return ScaledImage(
                rows: rows,
                resampler: try Resampler(
                    source: slice.size, output: task.output, filter: filter, rect: task.rect, kernels: kernels))
        }
        background = task.background
        scale = OutputScale(canvas: task.canvas, output: task.output)
        baseImage = try image(task.baseImage, .lanczos3)
        var layers: [SceneLayer<ScaledImage, SceneStrokes>] = []
        for layer in task.layers {
            layers.append(
                SceneLayer(
                    opacity: layer.opacity, blendMode: layer.blendMode, mask: try image(layer.mask, .triangle),
                    content: try image(layer.content, .lanczos3), strokes: layer.strokes.map { SceneStrokes($0) }))
        }
        self.layers = layers
    }
}

/// An image and its resampler.
struct ScaledImage {
    let rows: ImageRows
    let resampler: Resampler

    /// Whether the values are those of the mask's samples.
    var isPlainMask: Bool { resampler.isIdentity && rows.format == .mask8 }

    /// Whether the pixels are those of the picture's samples.
    var isPlainPicture: Bool { resampler.isIdentity && !rows.format.isMask }

    /// Whether all samples of the cell have one value for which `condition` holds, according to constant chunks.
    ///
    /// - Throws: `internalError` if rows are missing or of the wrong kind.
    func isConstant(
        _ cell: PixelRect, isMask: Bool, where condition: (UInt32) -> Bool
    ) throws(EngineError) -> Bool {
        rows.constant(over: try resampler.check(rows, cell: cell, isMask: isMask)).map(condition) ?? false
    }

    func mask(_ cell: PixelRect, into target: UnsafeMutablePointer<Float>) throws(EngineError) -> Resampler.MaskContent
    {
        try resampler.mask(rows, cell: cell, into: target)
    }

    func color(_ cell: PixelRect, into planes: FloatPlanes) throws(EngineError) -> Resampler.ColorContent {
        try resampler.color(rows, cell: cell, into: planes)
    }
}

/// Strokes of one block. The block is requested when a cell may meet the strokes, and released afterwards, because all
/// blocks of a tile together may exceed the memory.
final class SceneStrokes {
    private let block: BlockID
    let indices: [Int]
    /// Contains the strokes' marks; nil until the block has been loaded.
    private var bounds: Rect?

    init(_ selection: StrokeSelection) {
        block = selection.block
        indices = selection.indices
    }

    /// The block, unless none of the strokes meets the cell.
    ///
    /// - Throws: `internalError` for a stroke that the block does not contain; errors of `blocks`.
    func block(
        near cell: NearCell, from blocks: some TileBlocks, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock? {
        if let bounds, !cell.meets(bounds) { return nil }
        let prepared = try blocks.strokes(
            of: block, among: indices, isSeen: { cell.meets($0) }, isCancelled: isCancelled)
        guard bounds == nil else { return prepared }
        var bounds = Rect.empty
        for index in indices {
            guard prepared.bounds.indices.contains(index) else {
                throw .internalError("block \(block) has only \(prepared.count) strokes")
            }
            bounds.formUnion(prepared.bounds[index])
        }
        self.bounds = bounds
        return cell.meets(bounds) ? prepared : nil
    }
}
