/// What compositing cells needs and does not depend on their size. For one thread.
final class CellTools {
    let strokes: StrokeLayer
    let constants: ConstantRows
    let compositor: LayerCompositor

    /// - Parameter cellSize: the largest.
    init(cellSize: PixelSize, kernels: CompositingKernels) {
        strokes = StrokeLayer(maxWidth: cellSize.width, maxHeight: cellSize.height)
        constants = ConstantRows(maxCount: cellSize.width)
        compositor = LayerCompositor(kernels: kernels)
    }
}

/// The planes for cells of one size; made when they are needed first.
final class CellPlanes {
    let size: PixelSize
    let backdrop: FloatPlanes
    /// For scaled images.
    private(set) lazy var image = FloatPlanes(width: size.width, height: size.height)
    /// For layers with strokes.
    private(set) lazy var layer = SharePlanes(width: size.width, height: size.height)
    private var levels: [Level] = []

    /// What the elements of one level of the tree need, because those of the levels above it are still in use.
    final class Level {
        /// Masks of the elements.
        let mask: AlignedFloats
        /// The picture of a group, or what was there before a group that passes through.
        private(set) lazy var group = FloatPlanes(width: size.width, height: size.height)
        private let size: PixelSize

        init(size: PixelSize) {
            self.size = size
            mask = AlignedFloats(count: size.area)
        }
    }

    init(size: PixelSize) {
        self.size = size
        backdrop = FloatPlanes(width: size.width, height: size.height)
    }

    func level(_ depth: Int) -> Level {
        while levels.count <= depth { levels.append(Level(size: size)) }
        return levels[depth]
    }
}

/// Composites the layer tree of a scene in one cell (spec sections 5 and 8.2).
struct CellComposition {
    /// What elements are blended onto.
    private struct Target {
        let planes: FloatPlanes
        /// Alpha is 1 everywhere; it is then neither read nor written.
        let isOpaque: Bool
        /// Fills the planes as long as nothing has been drawn: they are not filled before, but for the first row.
        let background: RGBA8
        var isBlank = true

        /// - Parameter background: is put into the first row.
        init(_ planes: FloatPlanes, background: RGBA8) {
            self.planes = planes
            self.background = background
            isOpaque = background.isOpaque
            planes.fill(background, rows: 0..<1, hasAlpha: !isOpaque)
        }

        /// The straight colours of planes with something drawn in them, for what leaves their alpha as it is.
        init(straight planes: FloatPlanes) {
            self.planes = planes
            background = .white
            isOpaque = true
            isBlank = false
        }

        /// Makes the planes what they stand for.
        mutating func fill() {
            if isBlank { planes.fill(background, rows: 1..<planes.height, hasAlpha: !isOpaque) }
            isBlank = false
        }
    }

    private let cell: PixelRect
    private let scene: TileScene
    private let planes: CellPlanes
    private let tools: CellTools
    private let isCancelled: () -> Bool
    /// Time spent on strokes.
    private(set) var raster = Duration.zero

    init(
        _ cell: PixelRect, of scene: TileScene, _ planes: CellPlanes, _ tools: CellTools,
        isCancelled: @escaping () -> Bool
    ) {
        self.cell = cell
        self.scene = scene
        self.planes = planes
        self.tools = tools
        self.isCancelled = isCancelled
    }

    /// Composites everything in the scene that meets the cell onto the planes' backdrop. Returns false if there is
    /// nothing; only the first row of the backdrop then contains the background.
    mutating func render(_ blocks: some TileBlocks) throws(EngineError) -> Bool {
        var target = Target(planes.backdrop, background: scene.background)
        if let base = scene.baseImage, let pixels = try pixels(of: base) {
            blend(CellLayer(pixels: pixels, mask: .one, opacity: 1, mode: .normal), onto: &target)
        }
        try draw(scene.layers[...], onto: &target, depth: 0, blocks)
        return !target.isBlank
    }

    /// - Parameter depth: of these elements, from 0.
    private mutating func draw(
        _ layers: ArraySlice<SceneLayer<ScaledImage, SceneStrokes>>, onto target: inout Target, depth: Int,
        isClipped: Bool = false, _ blocks: some TileBlocks
    ) throws(EngineError) {
        for layer in layers {
            guard let mask = try mask(of: layer, into: planes.level(depth).mask, blocks) else { continue }
            let pixels: CellLayer.Pixels?
            switch layer.kind {
            case .marks(let content, let strokes):
                pixels = try marks(content, strokes, blocks)
            case .fill(let paint):
                pixels = fill(paint)
            case .group(.passThrough, let children):
                try passThrough(layer, children, mask: mask, onto: &target, depth: depth, blocks)
                pixels = nil
            case .group(let group, let children):
                pixels = try self.group(group, children, depth: depth, blocks)
            }
            guard let pixels else { continue }
            // On straight colours as clipped elements see them, the sum of both is linear dodge.
            let mode = isClipped && layer.blendMode == .plus ? .linearDodge : layer.blendMode
            blend(
                CellLayer(pixels: pixels, mask: mask, opacity: Float(layer.opacity), mode: mode), onto: &target)
        }
    }

    /// The pixels of a paint that is everywhere; nil if they are transparent.
    private func fill(_ paint: Paint) -> CellLayer.Pixels? {
        guard !paint.isInvisible else { return nil }
        switch paint {
        case .color(let color): planes.image.fill(color)
        case .gradient(let gradient):
            planes.image.fill(GradientField(gradient, map: scene.scale.map), cell: cell)
        // Only shapes have patterns.
        case .pattern: return nil
        }
        return .planes(planes.image)
    }

    /// The picture of a group with one of its own; nil if it is transparent.
    private mutating func group(
        _ group: SceneGroup, _ children: [SceneLayer<ScaledImage, SceneStrokes>], depth: Int, _ blocks: some TileBlocks
    ) throws(EngineError) -> CellLayer.Pixels? {
        var own = Target(planes.level(depth).group, background: .transparent)
        guard group == .clipping else {
            try draw(children[...], onto: &own, depth: depth + 1, blocks)
            return own.isBlank ? nil : .planes(own.planes)
        }
        try draw(children.prefix(1), onto: &own, depth: depth + 1, blocks)
        if own.isBlank { return nil }
        let clipped = children.dropFirst()
        if !clipped.isEmpty {
            own.planes.divideByAlpha()
            var straight = Target(straight: own.planes)
            try draw(clipped, onto: &straight, depth: depth + 1, isClipped: true, blocks)
            own.planes.multiplyByAlpha()
        }
        return .planes(own.planes)
    }

    /// Draws the elements of a group onto what lies below it, as far as mask and opacity let them.
    private mutating func passThrough(
        _ group: SceneLayer<ScaledImage, SceneStrokes>, _ children: [SceneLayer<ScaledImage, SceneStrokes>],
        mask: CellLayer.Mask, onto target: inout Target, depth: Int, _ blocks: some TileBlocks
    ) throws(EngineError) {
        if case .one = mask, group.opacity == 1 {
            return try draw(children[...], onto: &target, depth: depth + 1, blocks)
        }
        let before = planes.level(depth).group
        target.fill()
        before.copy(target.planes, hasAlpha: !target.isOpaque)
        try draw(children[...], onto: &target, depth: depth + 1, blocks)
        CellLayer(pixels: .planes(before), mask: mask, opacity: Float(group.opacity), mode: .normal).fade(
            target.planes, isOpaque: target.isOpaque, cell: cell, constants: tools.constants)
    }

    /// The pixels of an image with strokes over it; nil if they are transparent.
    private mutating func marks(
        _ content: ScaledImage?, _ strokes: [SceneStrokes], _ blocks: some TileBlocks
    ) throws(EngineError) -> CellLayer.Pixels? {
        guard !strokes.isEmpty else {
            return try content.flatMap { (image) throws(EngineError) in try pixels(of: image) }
        }
        let image = try content?.color(cell, into: planes.image)
        if image == .varied { planes.layer.take(planes.image, kernels: tools.compositor.kernels) }
        var isBlank = image != .varied
        try draw(strokes, isOpaque: scene.background.isOpaque, isBlank: &isBlank, blocks)
        if isBlank { return nil }
        guard image == .varied else { return .shares(planes.layer) }
        planes.layer.give(planes.image, kernels: tools.compositor.kernels)
        return .planes(planes.image)
    }

    /// Draws strokes and shapes onto `planes.layer`.
    ///
    /// - Parameters:
    ///   - isOpaque: whether what becomes of them is. If not, the faintest is visible.
    ///   - isBlank: whether the planes stand for nothing, whatever they contain.
    private mutating func draw(
        _ marks: [SceneStrokes], isOpaque: Bool, isBlank: inout Bool, _ blocks: some TileBlocks
    ) throws(EngineError) {
        let start = ContinuousClock.now
        let near = NearCell(cell, scale: scene.scale)
        for selection in marks {
            guard let block = try selection.block(near: near, from: blocks, isCancelled: isCancelled) else { continue }
            tools.strokes.draw(
                selection.indices, of: block, scale: scene.scale, cell: cell, isOpaque: isOpaque, onto: planes.layer,
                isBlank: &isBlank, isCancelled: isCancelled)
        }
        raster += ContinuousClock.now - start
    }

    /// A layer's mask in the cell; nil if it is 0 everywhere.
    private mutating func mask(
        of layer: SceneLayer<ScaledImage, SceneStrokes>, into values: AlignedFloats, _ blocks: some TileBlocks
    ) throws(EngineError) -> CellLayer.Mask? {
        guard let shapes = layer.maskShapes else { return try mask(layer.mask, into: values) }
        var isBlank = true
        try draw(shapes, isOpaque: false, isBlank: &isBlank, blocks)
        if isBlank { return nil }
        let image = try layer.mask?.mask(cell, into: values.values) ?? .one
        if image == .zero { return nil }
        planes.layer.copyAlpha(to: values.values, isFactor: image == .varied)
        return .values(values.values)
    }

    /// The mask of an image in the cell, likewise.
    private func mask(_ image: ScaledImage?, into values: AlignedFloats) throws(EngineError) -> CellLayer.Mask? {
        guard let image else { return .one }
        if image.isPlainMask {
            return try image.isConstant(cell, isMask: true, where: { $0 & 0xFF == 0 }) ? nil : .samples(image.rows)
        }
        switch try image.mask(cell, into: values.values) {
        case .zero: return nil
        case .one: return .one
        case .varied: return .values(values.values)
        }
    }

    /// A picture's pixels in the cell; nil if transparent. May use `planes.image`.
    private func pixels(of image: ScaledImage) throws(EngineError) -> CellLayer.Pixels? {
        if image.isPlainPicture {
            return try image.isConstant(cell, isMask: false, where: image.rows.format.isInvisible)
                ? nil : .samples(image.rows)
        }
        return try image.color(cell, into: planes.image) == .varied ? .planes(planes.image) : nil
    }

    private func blend(_ layer: CellLayer, onto target: inout Target) {
        target.fill()
        layer.blend(
            onto: target.planes, isOpaque: target.isOpaque, cell: cell, constants: tools.constants,
            compositor: tools.compositor)
    }
}

extension SceneLayer {
    /// Whether this or an element in it has strokes or shapes.
    var hasStrokes: Bool {
        !strokes.isEmpty || maskShapes?.isEmpty == false || children.contains(where: \.hasStrokes)
    }
}
