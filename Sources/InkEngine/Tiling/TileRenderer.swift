/// Provides the contents of the blocks that a tile task refers to.
public protocol TileBlocks {
    /// The samples of a chunk of an image's rows.
    ///
    /// - Throws: `internalError` if the block is missing or cannot be read.
    func bytes(of id: BlockID) throws(EngineError) -> [UInt8]

    /// A block with at least the visible ones of the requested strokes. Called again for every cell that may meet them.
    ///
    /// - Parameters:
    ///   - id: the block.
    ///   - indices: ascending; the strokes needed.
    ///   - isSeen: whether a box is visible; other strokes may be omitted.
    ///   - isCancelled: checked now and then while strokes are prepared.
    /// - Throws: `internalError` if the block is missing or cannot be read, and `cancelled`.
    func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock
}

/// A tile's finished pixels.
public struct RenderedTile: Sendable {
    /// Rows of `rect.width * format.bytesPerPixel` bytes, without padding.
    public var pixels: [UInt8]
    /// Time for strokes and for everything else, in nanoseconds.
    public var rasterNanoseconds: UInt64
    public var compositeNanoseconds: UInt64
}

/// Computes the pixels of a tile: a pure function of the task and its blocks.
///
/// Works through cells that fit a processor's caches. Owns some MB of scratch memory; one renderer is for one thread.
public final class TileRenderer {
    /// Changes whenever the pixels of a task change. All tiles of a picture come from one version, and a picture made
    /// by another version is not up to date.
    public static let version = "32"

    /// Maximum size of a cell, in pixels. Four planes of Float take 2 MB, four of shares half of that. Tables for
    /// strokes are made for every cell that they meet.
    private static let cellSize = PixelSize(width: 512, height: 256)
    /// Height of cells without strokes: only strokes benefit from cells larger than the second-level cache.
    private static let strokelessHeight = 64

    private let tools: CellTools
    private var scratch: [PixelSize: CellPlanes] = [:]

    public convenience init() { self.init(kernels: .selected) }

    init(kernels: CompositingKernels) { tools = CellTools(cellSize: TileRenderer.cellSize, kernels: kernels) }

    /// Renders the tile.
    ///
    /// - Parameters:
    ///   - task: what to render.
    ///   - blocks: the contents of the blocks that the task refers to.
    ///   - isCancelled: checked before every stroke in a cell, now and then within one, and after every cell, because a
    ///     tile may take minutes.
    /// - Throws: `internalError` for a task that is inconsistent with itself or its blocks, and `cancelled`; errors of
    ///   `blocks`.
    public func render(
        _ task: TileTask, blocks: some TileBlocks, isCancelled: @escaping () -> Bool = { false }
    ) throws(EngineError) -> RenderedTile {
        try check(task)
        if let frame = task.frame {
            return try render(task, in: frame, blocks: blocks, isCancelled: isCancelled)
        }
        let scene = try TileScene(task, blocks: blocks, kernels: tools.compositor.kernels)
        let rowBytes = task.rect.width * task.pixelFormat.bytesPerPixel
        var tile = RenderedTile(
            pixels: [UInt8](repeating: 0, count: rowBytes * task.rect.height), rasterNanoseconds: 0,
            compositeNanoseconds: 0)
        let hasStrokes = scene.layers.contains(where: \.hasStrokes)
        let height = hasStrokes ? TileRenderer.cellSize.height : TileRenderer.strokelessHeight
        for cell in TileRenderer.cells(of: task.rect, height: height) {
            let planes = planes(for: cell.size)
            let clock = ContinuousClock()
            let start = clock.now
            var composition = CellComposition(cell, of: scene, planes, tools, isCancelled: isCancelled)
            let isPlain = try !composition.render(blocks)
            if isCancelled() { throw .cancelled }
            write(planes.backdrop, isPlain: isPlain, cell, of: task, rowBytes: rowBytes, to: &tile.pixels)
            tile.rasterNanoseconds += composition.raster.nanoseconds
            tile.compositeNanoseconds += (clock.now - start - composition.raster).nanoseconds
        }
        return tile
    }

    /// Renders what the tile shows of the drawing in its own pixels, and repeats these.
    private func render(
        _ task: TileTask, in frame: PictureFrame, blocks: some TileBlocks, isCancelled: @escaping () -> Bool
    ) throws(EngineError) -> RenderedTile {
        var blank = task
        blank.frame = nil
        blank.baseImage = nil
        blank.layers = []
        blank.rect = PixelRect(x: 0, y: 0, width: 1, height: 1)
        var tile = try render(blank, blocks: blocks)
        let pixel = tile.pixels
        tile.pixels = []
        tile.pixels.reserveCapacity(pixel.count * task.rect.size.area)
        for _ in 0..<task.rect.size.area { tile.pixels += pixel }
        guard let part = frame.shown(in: task.rect, of: task.output) else { return tile }
        var drawing = task
        (drawing.frame, drawing.rect) = (nil, part)
        let drawn = try render(drawing, blocks: blocks, isCancelled: isCancelled)
        frame.put(
            drawn.pixels, part, into: &tile.pixels, task.rect, of: task.output,
            pixelBytes: task.pixelFormat.bytesPerPixel)
        tile.rasterNanoseconds += drawn.rasterNanoseconds
        tile.compositeNanoseconds += drawn.compositeNanoseconds
        return tile
    }

    private func check(_ task: TileTask) throws(EngineError) {
        let edges = 1...Limits.edgePixelsMax
        let picture = task.picture
        let sizes = [task.output.width, task.output.height, picture.width, picture.height]
        guard sizes.allSatisfy(edges.contains), task.canvas.width > 0, task.canvas.height > 0, task.rect.width > 0,
            task.rect.height > 0, task.rect.x >= 0,
            task.rect.y >= 0, task.rect.x <= picture.width - task.rect.width,
            task.rect.y <= picture.height - task.rect.height, task.frame?.holds(task.output) != false
        else {
            throw .internalError("tile \(task.rect) is not a part of a picture of \(picture) pixels")
        }
    }

    /// The tile cut into cells of at most this height, row by row.
    private static func cells(of rect: PixelRect, height: Int) -> [PixelRect] {
        stride(from: rect.y, to: rect.y + rect.height, by: height).flatMap { y in
            stride(from: rect.x, to: rect.x + rect.width, by: cellSize.width).map { x in
                PixelRect(
                    x: x, y: y, width: min(cellSize.width, rect.x + rect.width - x),
                    height: min(height, rect.y + rect.height - y))
            }
        }
    }

    private func planes(for size: PixelSize) -> CellPlanes {
        if let planes = scratch[size] { return planes }
        // A picture has at most twelve sizes of cells: six for strokes, and six a quarter as high.
        let area = scratch.keys.reduce(size.area) { $0 + $1.area }
        if area > 8 * TileRenderer.cellSize.area { scratch.removeAll() }
        let planes = CellPlanes(size: size)
        scratch[size] = planes
        return planes
    }

    /// - Parameter isPlain: all rows equal the first row, whatever the planes contain.
    private func write(
        _ planes: FloatPlanes, isPlain: Bool, _ cell: PixelRect, of task: TileTask, rowBytes: Int,
        to pixels: inout [UInt8]
    ) {
        let offset = (cell.y - task.rect.y) * rowBytes + (cell.x - task.rect.x) * task.pixelFormat.bytesPerPixel
        pixels.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            PixelOutput(
                format: task.pixelFormat, flattenOnWhite: task.pixelFormat == .rgb && !task.background.isOpaque,
                isOpaque: task.background.isOpaque, kernels: tools.compositor.kernels
            ).write(planes, rows: isPlain ? 1 : planes.height, to: base + offset, rowBytes: rowBytes)
            guard isPlain else { return }
            let cellBytes = cell.width * task.pixelFormat.bytesPerPixel
            for y in 1..<cell.height { (base + offset + y * rowBytes).update(from: base + offset, count: cellBytes) }
        }
    }
}

extension Duration {
    /// Whole nanoseconds, 0 for a negative duration.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
}
