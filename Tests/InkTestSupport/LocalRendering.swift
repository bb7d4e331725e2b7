public import InkEngine
public import InkReference

/// The engine's renderer on whole pictures, without broker, workers or files: the same tile tasks, blocks by reference.
public enum LocalRendering {
    /// The 8-bit pixels of `project` at `output`, rendered in tiles of `tile` (the whole picture when nil).
    ///
    /// - Parameters:
    ///   - viewport: what of the world the picture shows; nil for the canvas.
    ///   - keptStampsMax: of each layer; others are placed for every cell.
    public static func render(
        _ project: Project, viewport: Viewport? = nil, images: DecodedImages, output: PixelSize,
        tile: PixelSize? = nil, format: PixelFormat = .rgba, keptStampsMax: Int = .max,
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> [UInt8] {
        var scene = LocalScene(project: project, viewport: viewport, images: images, keptStampsMax: keptStampsMax)
        let base = scene.slice(.base, placement: nil)
        let layers = scene.elements(project.layers, firstNumber: 0)
        let blocks = scene.blocks
        let renderer = TileRenderer()
        var pixels = [UInt8](repeating: 0, count: output.area * format.bytesPerPixel)
        for rect in tiles(of: output, tile: tile ?? output) {
            let task = TileTask(
                canvas: viewport?.size ?? project.canvasSize, output: output, rect: rect,
                background: project.background,
                baseImage: base, layers: layers, pixelFormat: format, delivery: .pixels,
                patternOrigin: viewport.map { ViewMap($0).point(Point(x: 0, y: 0)) } ?? Point(x: 0, y: 0))
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

    private static func tiles(of size: PixelSize, tile: PixelSize) -> [PixelRect] {
        stride(from: 0, to: size.height, by: tile.height).flatMap { y in
            stride(from: 0, to: size.width, by: tile.width).map { x in
                PixelRect(
                    x: x, y: y, width: min(tile.width, size.width - x), height: min(tile.height, size.height - y))
            }
        }
    }
}

/// Makes what a tile draws from a project, with everything that is visible in every tile.
private struct LocalScene {
    let project: Project
    let viewport: Viewport?
    let images: DecodedImages
    let keptStampsMax: Int
    var blocks = LocalBlocks()

    private var view: ViewMap? { viewport.map { ViewMap($0) } }

    /// - Parameter firstNumber: of the first sibling, as `ImageKey` counts.
    mutating func elements(_ siblings: [Layer], firstNumber: Int) -> [TileLayer] {
        var numbers: [Int] = []
        var next = firstNumber
        for sibling in siblings {
            numbers.append(next)
            next += 1 + elementCount(sibling.children)
        }
        var made: [TileLayer] = []
        for (base, clipped) in siblings.clippingStacks where siblings[base].isVisible {
            let clipped = clipped.filter { siblings[$0].isVisible }
            var element = element(siblings[base], number: numbers[base], isBase: !clipped.isEmpty)
            if !clipped.isEmpty {
                let (opacity, blendMode) = (element.opacity, element.blendMode)
                (element.opacity, element.blendMode) = (1, .normal)
                let above = clipped.map { self.element(siblings[$0], number: numbers[$0], isBase: true) }
                element = TileLayer(opacity: opacity, blendMode: blendMode, kind: .group(.clipping, [element] + above))
            }
            made.append(element)
        }
        return made
    }

    /// - Parameter isBase: whether it is clipped or a base, so that a group has a picture of its own.
    private mutating func element(_ layer: Layer, number: Int, isBase: Bool) -> TileLayer {
        let mask = slice(.mask(layerIndex: number), placement: layer.maskPlacement, outside: layer.maskOutside)
        let kind: TileLayer.Kind
        switch layer.kind {
        case .layer:
            let strokes = layer.strokes.map { stroke in view?.stroke(stroke) ?? stroke }
            var content = slice(.content(layerIndex: number), placement: layer.contentPlacement)
            content?.filter = layer.contentFilter
            kind = .marks(content, selections(layer.shapes) + selections(.strokes(strokes)))
        case .fill(let paint): kind = .fill(view?.paint(paint) ?? paint)
        case .group(let children, let isPassThrough):
            let group: SceneGroup = isPassThrough && !isBase ? .passThrough : .isolated
            kind = .group(group, elements(children, firstNumber: number + 1))
        }
        return TileLayer(
            opacity: layer.opacity, blendMode: layer.blendMode, mask: mask,
            maskShapes: layer.maskShapes.map { selections($0) }, kind: kind)
    }

    private mutating func selections(_ shapes: [Shape]) -> [StrokeSelection] {
        selections(.shapes(shapes.map { view?.shape($0) ?? $0 }))
    }

    /// All of some marks, as a block.
    private mutating func selections(_ marks: MarkList) -> [StrokeSelection] {
        guard marks.count > 0 else { return [] }
        let block = blocks.add(PreparedStrokeBlock(marks, keptStampsMax: keptStampsMax))
        return [StrokeSelection(block: block, indices: Array(0..<marks.count))]
    }

    private func elementCount(_ layers: [Layer]) -> Int {
        layers.reduce(layers.count) { $0 + elementCount($1.children) }
    }

    /// The whole of an image; nil if there is none.
    mutating func slice(_ key: ImageKey, placement: Placement?, outside: Double = 0) -> ImageSlice? {
        guard let image = images[key] else { return nil }
        let isMask = if case .mask = key { true } else { false }
        let chunkCount = (image.size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk
        let chunks = (0..<chunkCount).map { index -> RowChunk in
            let rows = ImageSlice.rows(ofChunk: index, imageHeight: image.size.height)
            let start = rows.lowerBound * image.size.width * 4
            let rgba = Array(image.rgba[start..<(start + rows.count * image.size.width * 4)])
            return .samples(blocks.add(isMask ? maskSamples(rgba) : rgba))
        }
        let filling = Placement(filling: project.isInfinite ? CanvasSize(image.size) : project.canvasSize)
        return ImageSlice(
            size: image.size, format: isMask ? .mask16 : .rgba8, firstChunk: 0, chunks: chunks,
            placement: view.map { $0.placement(placement ?? filling) } ?? placement, outside: outside)
    }

    /// A mask's samples: red times alpha, 16 bits, little-endian.
    private func maskSamples(_ rgba: [UInt8]) -> [UInt8] {
        stride(from: 0, to: rgba.count, by: 4).flatMap { i -> [UInt8] in
            let value = UInt16(rgba[i]) * UInt16(rgba[i + 3])
            return [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
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
