public import InkEngine
public import InkReference

/// The engine's renderer on whole pictures, without broker, workers or files: the same tile tasks, blocks by reference.
public enum LocalRendering {
    /// The 8-bit pixels of `project` at `output`, rendered in tiles of `tile` (the whole picture when nil).
    ///
    /// - Parameter keptStampsMax: of each layer; others are placed for every cell.
    public static func render(
        _ project: Project, images: DecodedImages, output: PixelSize, tile: PixelSize? = nil,
        format: PixelFormat = .rgba, keptStampsMax: Int = .max, isCancelled: @escaping () -> Bool = { false }
    ) throws -> [UInt8] {
        var blocks = LocalBlocks()
        func slice(_ image: StraightImage?, isMask: Bool) -> ImageSlice? {
            guard let image else { return nil }
            let format: SampleFormat = isMask ? .mask16 : .rgba8
            let chunkCount = (image.size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk
            let chunks = (0..<chunkCount).map { index -> RowChunk in
                let rows = ImageSlice.rows(ofChunk: index, imageHeight: image.size.height)
                let start = rows.lowerBound * image.size.width * 4
                let rgba = Array(image.rgba[start..<(start + rows.count * image.size.width * 4)])
                return .samples(blocks.add(isMask ? maskSamples(rgba) : rgba))
            }
            return ImageSlice(size: image.size, format: format, firstChunk: 0, chunks: chunks)
        }
        let layers = project.drawingOrder.filter { project.layers[$0].isVisible }.map { index -> TileLayer in
            let layer = project.layers[index]
            let block = blocks.add(PreparedStrokeBlock(layer.strokes, keptStampsMax: keptStampsMax))
            return TileLayer(
                opacity: layer.opacity, blendMode: layer.blendMode,
                mask: slice(images[.mask(layerIndex: index)], isMask: true),
                content: slice(images[.content(layerIndex: index)], isMask: false),
                strokes: layer.strokes.isEmpty
                    ? [] : [StrokeSelection(block: block, indices: Array(layer.strokes.indices))])
        }
        let base = slice(images[.base], isMask: false)
        let renderer = TileRenderer()
        var pixels = [UInt8](repeating: 0, count: output.area * format.bytesPerPixel)
        for rect in tiles(of: output, tile: tile ?? output) {
            let task = TileTask(
                canvas: project.canvasSize, output: output, rect: rect, background: project.background,
                baseImage: base, layers: layers, pixelFormat: format, delivery: .pixels)
            let rendered = try renderer.render(task, blocks: blocks, isCancelled: isCancelled)
            let rowBytes = rect.width * format.bytesPerPixel
            for row in 0..<rect.height {
                let target = ((rect.y + row) * output.width + rect.x) * format.bytesPerPixel
                pixels.replaceSubrange(
                    target..<(target + rowBytes), with: rendered.pixels[(row * rowBytes)..<((row + 1) * rowBytes)])
            }
        }
        return pixels
    }

    /// A mask's samples: red times alpha, 16 bits, little-endian.
    private static func maskSamples(_ rgba: [UInt8]) -> [UInt8] {
        stride(from: 0, to: rgba.count, by: 4).flatMap { i -> [UInt8] in
            let value = UInt16(rgba[i]) * UInt16(rgba[i + 3])
            return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
        }
    }

    private static func tiles(of size: PixelSize, tile: PixelSize) -> [PixelRect] {
        stride(from: 0, to: size.height, by: tile.height).flatMap { y in
            stride(from: 0, to: size.width, by: tile.width).map { x in
                PixelRect(
                    x: x, y: y, width: min(tile.width, size.width - x), height: min(tile.height, size.height - y))
            }
        }
    }
}

/// Blocks by number.
private struct LocalBlocks: TileBlocks {
    private var samples: [BlockID: [UInt8]] = [:]
    private var strokes: [BlockID: PreparedStrokeBlock] = [:]

    private var nextID: BlockID {
        var digest = [UInt8](repeating: 0, count: 32)
        for byte in 0..<8 { digest[byte] = UInt8(truncatingIfNeeded: (samples.count + strokes.count) >> (8 * byte)) }
        return BlockID(digest: digest)
    }

    mutating func add(_ samples: [UInt8]) -> BlockID {
        let id = nextID
        self.samples[id] = samples
        return id
    }

    mutating func add(_ strokes: PreparedStrokeBlock) -> BlockID {
        let id = nextID
        self.strokes[id] = strokes
        return id
    }

    func bytes(of id: BlockID) throws(EngineError) -> [UInt8] { samples[id]! }
    func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock { strokes[id]! }
}
