import InkCodecs
package import InkEngine

/// Makes the layer tree of a scene from what is drawn of a project. What paints nothing in the picture is left out, and
/// clipping becomes a group whose first element is the base.
package struct SceneBuilder {
    package typealias Element = SceneLayer<SceneImage<Int>, StrokeBlockIndex>

    private let project: Project
    /// From the world to the picture's canvas; nil: they are the same.
    private let view: ViewMap?
    private let order: PictureOrder
    private let canvas: CanvasSize
    private let encoder: BlockEncoder
    /// By the number of the element in the layer tree.
    private let measures: [[StrokeMeasure]]
    package private(set) var images: ImageRequests
    /// How many images other pictures of the job have asked for.
    private let imagesBefore: Int
    package private(set) var costs: RowCosts
    package private(set) var blocks: [EncodedBlock] = []
    /// How many elements the tree that was made has.
    package private(set) var elementCount = 0

    package init(
        _ project: Project, _ measures: [[StrokeMeasure]], through viewport: Viewport? = nil, order: PictureOrder,
        images: ImageRequests, encoder: BlockEncoder
    ) {
        self.project = project
        view = viewport.map { ViewMap($0) }
        self.order = order
        self.encoder = encoder
        self.measures = measures
        canvas = viewport?.size ?? project.canvasSize
        self.images = images
        imagesBefore = images.requests.count
        costs = RowCosts(output: order.output)
    }

    /// nil for one that lies beside the picture and has no value there.
    package mutating func image(
        _ image: EncodedImage, _ use: ImageUse, _ placement: Placement?, outside: Double = 0
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
            try images.index(of: image, use, raster, scaling, &blocks), placement: placed, outside: outside)
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
        let kind: Element.Kind
        switch layer.kind {
        case .fill(let paint): kind = .fill(paint)
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
        return Element(opacity: layer.opacity, blendMode: layer.blendMode, mask: mask, kind: kind)
    }

    private mutating func marks(
        of layer: Layer, _ measures: [StrokeMeasure]
    ) throws(EngineError) -> Element.Kind? {
        if let pattern = layer.suggestedPattern {
            let fill = [SuggestedFill.stroke(of: pattern, canvas: canvas, through: view)]
            return .marks(
                nil,
                try StrokeBlocks.make(
                    of: fill, fill.map { StrokeMeasure($0) }, canvas: canvas, output: order.output, encoder: encoder,
                    costs: &costs, into: &blocks))
        }
        let strokes = try StrokeBlocks.make(
            of: layer.strokes, measures, through: view, canvas: canvas, output: order.output, encoder: encoder,
            costs: &costs,
            into: &blocks)
        let content = try layer.contentImage.flatMap { (content) throws(EngineError) in
            try image(content, .color, layer.contentPlacement)
        }
        guard content != nil || strokes.contains(where: \.union.isPaint) else { return nil }
        return .marks(content, strokes)
    }

    /// What every row costs for what is composited there.
    package mutating func finishCosts() {
        costs.add(layers: elementCount, images: images.requests.count - imagesBefore)
    }
}
