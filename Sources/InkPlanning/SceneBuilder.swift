import InkCodecs
package import InkEngine

/// Makes the layer tree of a scene from what is drawn of a project. What paints nothing in the picture is left out, and
/// clipping becomes a group whose first element is the base.
package struct SceneBuilder {
    package typealias Element = SceneLayer<SceneImage<Int>, MarkBlockIndex>

    private let project: Project
    /// From the world to the picture's canvas; nil: they are the same.
    private let view: ViewMap?
    private let order: PictureOrder
    private let canvas: CanvasSize
    /// By the number of the element in the layer tree.
    private let measures: [[StrokeMeasure]]
    package private(set) var images: ImageRequests
    /// How many images other pictures of the job have asked for.
    private let imagesBefore: Int
    /// What the blocks of marks are made by, which receives those of images, too.
    private var marks: MarkBlocks
    /// How many elements the tree that was made has.
    package private(set) var elementCount = 0

    package init(
        _ project: Project, _ measures: [[StrokeMeasure]], through viewport: Viewport? = nil, order: PictureOrder,
        images: ImageRequests, encoder: BlockEncoder
    ) {
        self.project = project
        view = viewport.map { ViewMap($0) }
        self.order = order
        self.measures = measures
        canvas = viewport?.size ?? project.canvasSize
        self.images = images
        imagesBefore = images.requests.count
        marks = MarkBlocks(
            through: view, canvas: canvas, output: order.output, encoder: encoder, costs: RowCosts(output: order.output)
        )
    }

    /// nil for one that lies beside the picture and has no value there.
    package mutating func image(
        _ image: EncodedImage, _ use: ImageUse, _ placement: Placement?, outside: Double = 0,
        filter: ContentFilter = .lanczos
    ) throws(EngineError) -> SceneImage<Int>? {
        var placed = view.map { $0.placement(project.placement(of: image, placement)) } ?? placement
        let scaling = ImageScaling(placement: placed, canvas: canvas, output: order.output)
        if outside == 0, scaling.part(of: image.size, as: use) == nil { return nil }
        var raster: VectorRaster?
        if image.header.isVector {
            let visible = VectorRaster.visible(of: placed, canvas: canvas, output: order.output)
            (raster, placed) = (visible.raster, visible.placement)
        }
        return SceneImage(
            try images.index(of: image, use, raster, scaling, filter, &marks.blocks), placement: placed,
            outside: outside, filter: filter)
    }

    /// Siblings, from the bottom up.
    package mutating func elements(_ siblings: [DrawnTree.Element]) throws(EngineError) -> [Element] {
        var made: [Element] = []
        for sibling in siblings {
            guard let base = try element(sibling) else { continue }
            made.append(clipping(try elements(sibling.clipped), to: base))
        }
        return made
    }

    private mutating func clipping(_ clipped: [Element], to base: Element) -> Element {
        guard !clipped.isEmpty else { return base }
        elementCount += 1
        var own = base
        own.opacity = 1
        own.blendMode = .normal
        return Element(
            opacity: base.opacity, blendMode: base.blendMode, kind: .group(.clipping, [own] + clipped))
    }

    /// An element without what is clipped to it; nil if nothing of it can be visible.
    private mutating func element(_ drawn: DrawnTree.Element) throws(EngineError) -> Element? {
        let layer = drawn.layer
        // What shapes hide wholly is not packed.
        let maskShapes = try layer.maskShapes.map { (shapes) throws(EngineError) in try marks.add(shapes) }
        if let maskShapes, !maskShapes.contains(where: \.union.isPaint) { return nil }
        let kind: Element.Kind
        switch layer.kind {
        case .fill(let paint): kind = .fill(view.map { $0.paint(paint) } ?? paint)
        case .group(_, let isPassThrough):
            let elements = try elements(drawn.children)
            guard !elements.isEmpty else { return nil }
            kind = .group(isPassThrough ? .passThrough : .isolated, elements)
        case .layer:
            guard let marks = try marks(of: layer, measures[drawn.number]) else { return nil }
            kind = marks
        }
        var mask: SceneImage<Int>?
        if let file = layer.maskImage {
            mask = try image(file, .mask, layer.maskPlacement, outside: layer.maskOutside)
            if mask == nil { return nil }
        }
        elementCount += 1
        return Element(
            opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, maskShapes: maskShapes, kind: kind)
    }

    private mutating func marks(
        of layer: Layer, _ measures: [StrokeMeasure]
    ) throws(EngineError) -> Element.Kind? {
        if let pattern = layer.suggestedPattern {
            let fill = [SuggestedFill.stroke(of: pattern, canvas: canvas, through: view)]
            return .marks(nil, try self.marks.add(fill, fill.map { StrokeMeasure($0) }, areSeen: true))
        }
        // Shapes lie below strokes.
        let marks = try self.marks.add(layer.shapes) + self.marks.add(layer.strokes, measures)
        let content = try layer.contentImage.flatMap { (content) throws(EngineError) in
            try image(content, .color, layer.contentPlacement, filter: layer.contentFilter)
        }
        guard content != nil || marks.contains(where: \.union.isPaint) else { return nil }
        return .marks(content, marks)
    }

    /// What the rows cost with all that is composited there.
    package var costs: RowCosts {
        var costs = marks.costs
        costs.add(layers: elementCount, images: images.requests.count - imagesBefore)
        return costs
    }

    /// Those of all that was made.
    package var blocks: [EncodedBlock] { marks.blocks }
}
