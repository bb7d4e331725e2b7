/// A tile task with its blocks in place: what the cells of the tile are made from.
struct TileScene {
    struct SceneLayer {
        var opacity: Float
        var blendMode: BlendMode
        var mask: ScaledImage?
        var content: ScaledImage?
        var strokes: [(block: PreparedStrokeBlock, indices: [Int])]
    }

    let background: RGBA8
    let baseImage: ScaledImage?
    let layers: [SceneLayer]
    let scale: OutputScale

    /// - Throws: `internalError` for a chunk of the wrong size or a stroke that a block does not hold; what `blocks`
    ///   throws.
    init(_ task: TileTask, blocks: some TileBlocks, kernels: CompositingKernels) throws(EngineError) {
        func image(_ slice: ImageSlice?, _ filter: ResampleFilter) throws(EngineError) -> ScaledImage? {
            guard let slice else { return nil }
            let rows = try ImageRows(slice) { id throws(EngineError) in try blocks.bytes(of: id) }
            return ScaledImage(
                rows: rows,
                resampler: try Resampler(
                    source: slice.size, output: task.output, filter: filter, rect: task.rect, kernels: kernels))
        }
        func strokes(_ selection: StrokeSelection) throws(EngineError) -> (PreparedStrokeBlock, [Int]) {
            let block = try blocks.strokes(of: selection.block)
            guard selection.indices.allSatisfy(block.strokes.indices.contains) else {
                throw .internalError("block \(selection.block) has only \(block.strokes.count) strokes")
            }
            return (block, selection.indices)
        }
        background = task.background
        scale = OutputScale(canvas: task.canvas, output: task.output)
        baseImage = try image(task.baseImage, .lanczos3)
        var layers: [SceneLayer] = []
        for layer in task.layers {
            var selections: [(PreparedStrokeBlock, [Int])] = []
            for selection in layer.strokes { selections.append(try strokes(selection)) }
            layers.append(
                SceneLayer(
                    opacity: Float(layer.opacity), blendMode: layer.blendMode, mask: try image(layer.mask, .triangle),
                    content: try image(layer.content, .lanczos3), strokes: selections))
        }
        self.layers = layers
    }
}

/// An image and how it is brought to the output's size.
struct ScaledImage {
    let rows: ImageRows
    let resampler: Resampler

    /// The values are those of the mask's samples.
    var isPlainMask: Bool { resampler.isIdentity && rows.format == .mask8 }

    /// The pixels are those of the picture's samples.
    var isPlainPicture: Bool { resampler.isIdentity && !rows.format.isMask }

    /// Whether all samples of the cell have one value for which `condition` holds, as whole chunks say.
    ///
    /// - Throws: `internalError` when rows are missing or of the wrong kind.
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
