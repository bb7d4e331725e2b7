public import InkEngine

/// Pictures as tile tasks, in bands from the top, with their blocks at hand.
public struct SceneTasks: TileBlocks {
    /// An image of a layer, as large as the canvas.
    public struct Image {
        public var format: SampleFormat
        /// Rows without padding.
        public var samples: [UInt8]

        public init(format: SampleFormat, samples: [UInt8]) {
            self.format = format
            self.samples = samples
        }
    }

    /// A layer of a picture.
    public struct Layer {
        public var opacity = 1.0
        public var blendMode = BlendMode.normal
        public var mask: Image?
        public var content: Image?
        public var strokes: [Stroke] = []

        public init() {}
    }

    private static let bandHeight = 256

    /// From the top; their rects cover the output.
    public private(set) var tasks: [TileTask] = []
    private var samples: [BlockID: [UInt8]] = [:]
    private var strokeBlocks: [BlockID: PreparedStrokeBlock] = [:]

    public init(
        _ layers: [Layer], output: PixelSize, background: RGBA8 = .white, format: PixelFormat = .rgb
    ) {
        let size = Scenes.canvas
        var slices: [(mask: ImageSlice?, content: ImageSlice?)] = []
        var blocks: [(id: BlockID, rows: [Range<Int>])] = []
        for layer in layers {
            slices.append((slice(layer.mask, size), slice(layer.content, size)))
            let id = nextID
            strokeBlocks[id] = PreparedStrokeBlock(layer.strokes)
            blocks.append((id, layer.strokes.map { StrokeRows.of($0, canvas: size, output: output) }))
        }
        tasks = stride(from: 0, to: output.height, by: SceneTasks.bandHeight).map { top in
            let height = min(SceneTasks.bandHeight, output.height - top)
            let band = top..<(top + height)
            return TileTask(
                canvas: CanvasSize(size), output: output,
                rect: PixelRect(x: 0, y: top, width: output.width, height: height),
                background: background, baseImage: nil,
                layers: layers.indices.map { index in
                    let (id, rows) = blocks[index]
                    let indices = rows.indices.filter { rows[$0].overlaps(band) }
                    return TileLayer(
                        opacity: layers[index].opacity, blendMode: layers[index].blendMode,
                        mask: slices[index].mask, content: slices[index].content,
                        strokes: indices.isEmpty ? [] : [StrokeSelection(block: id, indices: indices)])
                },
                pixelFormat: format, delivery: .pixels)
        }
    }

    /// Renders all bands, in one thread; the sums of what the renderer reports, nanoseconds.
    ///
    /// - Parameter onBand: gets each band's pixels.
    @discardableResult
    public func render(
        with renderer: TileRenderer, onBand: ([UInt8]) -> Void = { _ in }
    ) throws -> (raster: UInt64, composite: UInt64) {
        var sums: (raster: UInt64, composite: UInt64) = (0, 0)
        for task in tasks {
            let tile = try renderer.render(task, blocks: self)
            sums.raster += tile.rasterNanoseconds
            sums.composite += tile.compositeNanoseconds
            onBand(tile.pixels)
        }
        return sums
    }

    public func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        guard let bytes = samples[id] else { throw .internalError("no block \(id)") }
        return bytes
    }

    public func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock {
        guard let block = strokeBlocks[id] else { throw .internalError("no block \(id)") }
        return block
    }

    private var nextID: BlockID {
        let count = samples.count + strokeBlocks.count
        return BlockID(digest: (0..<32).map { UInt8(truncatingIfNeeded: count >> (8 * min($0, 7))) })
    }

    private mutating func slice(_ image: Image?, _ size: PixelSize) -> ImageSlice? {
        guard let image else { return nil }
        var chunks: [RowChunk] = []
        let rowBytes = size.width * image.format.bytesPerPixel
        for first in stride(from: 0, to: size.height, by: ImageSlice.rowsPerChunk) {
            let rows = first..<min(size.height, first + ImageSlice.rowsPerChunk)
            let id = nextID
            samples[id] = Array(image.samples[(rows.lowerBound * rowBytes)..<(rows.upperBound * rowBytes)])
            chunks.append(.samples(id))
        }
        return ImageSlice(size: size, format: image.format, firstChunk: 0, chunks: chunks)
    }
}

/// Where a stroke can leave marks.
enum StrokeRows {
    /// The output rows; all that are touched and few others.
    static func of(_ stroke: Stroke, canvas: PixelSize, output: PixelSize) -> Range<Int> {
        let y = stroke.points.map(\.y)
        guard var low = y.first else { return 0..<0 }
        var high = low
        for i in y.indices {
            // The curve lies between its Bezier control points, which are a sixth of the tangent away.
            let tangent = (y[min(i + 1, y.count - 1)] - y[max(i - 1, 0)]) / 3
            low = min(low, y[i] - abs(tangent))
            high = max(high, y[i] + abs(tangent))
        }
        let brush = stroke.brush
        let reach = brush.scale * (10 + 1.5 * (5 * brush.spacing + 2) + 2 * brush.lineWidth)
        let scale = Double(output.height) / Double(canvas.height)
        let first = max(0, Int(((low - reach) * scale).rounded(.down)) - 1)
        return first..<max(first, min(output.height, Int(((high + reach) * scale).rounded(.up)) + 2))
    }
}
