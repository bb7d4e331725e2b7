/// A tile task with its images loaded, from which the cells of the tile are computed.
struct TileScene {
    let background: RGBA8
    let baseImage: ScaledImage?
    let layers: [SceneLayer<ScaledImage, SceneStrokes>]
    let scale: OutputScale

    /// - Throws: `internalError` for a chunk of the wrong size; errors of `blocks`.
    init(_ task: TileTask, blocks: some TileBlocks, kernels: CompositingKernels) throws(EngineError) {
        let scale = OutputScale(canvas: task.canvas, output: task.output, patternOrigin: task.patternOrigin)
        self.scale = scale
        func image(_ slice: ImageSlice?, _ filter: ResampleFilter) throws(EngineError) -> ScaledImage? {
            guard let slice else { return nil }
            let rows = try ImageRows(slice) { id throws(EngineError) in try blocks.bytes(of: id) }
            let isIdentity = slice.placement == nil && slice.size == task.output
            if slice.filter == .nearest, filter == .lanczos3, !isIdentity {
                return ScaledImage(
                    rows: rows, way: .nearest(try NearestImage(rows, slice.placement, scale: scale, kernels: kernels)))
            }
            if let placement = slice.placement {
                let geometry = PlacedGeometry(
                    placement, image: slice.size, part: slice.part, scale: scale, filter: filter)
                guard slice.format.isScaled == (slice.part != nil), geometry.imageSize == slice.size else {
                    throw .internalError("an image of \(slice.size) pixels is not a part of a scaled one")
                }
                return ScaledImage(
                    rows: rows, way: .placed(PlacedImage(rows, geometry, outside: slice.outside, kernels: kernels)))
            }
            return ScaledImage(
                rows: rows,
                way: .filling(
                    try Resampler(
                        source: slice.size, output: task.output, filter: filter, rect: task.rect, kernels: kernels)))
        }
        background = task.background
        baseImage = try image(task.baseImage, .lanczos3)
        func scaled(_ layer: TileLayer) throws(EngineError) -> SceneLayer<ScaledImage, SceneStrokes> {
            let kind: SceneLayer<ScaledImage, SceneStrokes>.Kind =
                switch layer.kind {
                case .marks(let content, let strokes):
                    .marks(try image(content, .lanczos3), strokes.map { SceneStrokes($0) })
                case .fill(let color): .fill(color)
                case .group(let group, let children): .group(group, try scaled(children))
                }
            return SceneLayer(
                opacity: layer.opacity, blendMode: layer.blendMode, mask: try image(layer.mask, .triangle),
                maskShapes: layer.maskShapes?.map { SceneStrokes($0) }, kind: kind)
        }
        func scaled(_ layers: [TileLayer]) throws(EngineError) -> [SceneLayer<ScaledImage, SceneStrokes>] {
            try layers.map { (layer) throws(EngineError) in try scaled(layer) }
        }
        layers = try scaled(task.layers)
    }
}

/// An image, with the way in which it becomes pixels of the output.
struct ScaledImage {
    enum Way {
        case filling(Resampler)
        case placed(PlacedImage)
        case nearest(NearestImage)
    }

    let rows: ImageRows
    let way: Way

    /// Whether the mask's values are its samples: an 8-bit mask that fills an output of its own size.
    var isPlainMask: Bool { isIdentity && rows.format == .mask8 }

    /// Whether the pixels are the picture's samples: a picture that fills an output of its own size.
    var isPlainPicture: Bool { isIdentity && !rows.format.isMask && !rows.format.isScaled }

    private var isIdentity: Bool {
        if case .filling(let resampler) = way { resampler.isIdentity } else { false }
    }

    /// Whether all samples of the cell have one value that meets `condition`, according to whole chunks.
    ///
    /// - Throws: `internalError` if rows are missing or of the wrong kind.
    func isConstant(
        _ cell: PixelRect, isMask: Bool, where condition: (UInt32) -> Bool
    ) throws(EngineError) -> Bool {
        guard case .filling(let resampler) = way else { return false }
        return rows.constant(over: try resampler.check(rows, cell: cell, isMask: isMask)).map(condition) ?? false
    }

    func mask(_ cell: PixelRect, into target: UnsafeMutablePointer<Float>) throws(EngineError) -> Resampler.MaskContent
    {
        switch way {
        case .filling(let resampler): try resampler.mask(rows, cell: cell, into: target)
        case .placed(let image): try image.mask(cell, into: target)
        case .nearest: throw .internalError("a mask that takes the nearest samples")
        }
    }

    func color(_ cell: PixelRect, into planes: FloatPlanes) throws(EngineError) -> Resampler.ColorContent {
        switch way {
        case .filling(let resampler): try resampler.color(rows, cell: cell, into: planes)
        case .placed(let image): try image.color(cell, into: planes)
        case .nearest(let image): try image.color(cell, into: planes)
        }
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
