import InkCodecs
import InkEngine

/// Makes the layer tree of a scene from that of a project (spec section 8.2). What cannot be visible is left out, and
/// clipping becomes a group whose first element is the base.
struct SceneBuilder {
    typealias Element = SceneLayer<SceneImage<Int>, StrokeBlockIndex>

    private let project: Project
    /// From the world to the picture's canvas; nil: they are the same.
    private let view: ViewMap?
    private let order: PictureOrder
    private let canvas: CanvasSize
    private let encoder: BlockEncoder
    /// By the number of the element in the layer tree.
    private let measures: [[StrokeMeasure]]
    private(set) var images: ImageRequests
    private(set) var costs: RowCosts
    private(set) var blocks: [EncodedBlock] = []
    /// How many elements the tree that was made has.
    private(set) var elementCount = 0

    init(
        _ project: Project, _ measures: [[StrokeMeasure]], through viewport: Viewport? = nil, order: PictureOrder,
        name: String, limits: Limits, encoder: BlockEncoder
    ) {
        self.project = project
        view = viewport.map { ViewMap($0) }
        self.order = order
        self.encoder = encoder
        self.measures = measures
        canvas = viewport?.size ?? project.canvasSize
        images = ImageRequests(
            project: name, convertsProfiles: project.hasColorProfiles, limits: limits, encoder: encoder)
        costs = RowCosts(output: order.output)
    }

    /// nil for one that lies beside the picture and has no value there.
    mutating func image(
        _ image: EncodedImage, _ use: ImageUse, _ placement: Placement?, outside: Double = 0
    ) throws(BrokerError) -> SceneImage<Int>? {
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

    /// What is to be drawn of siblings, from the bottom up.
    ///
    /// - Parameters:
    ///   - number: of the first of them in the layer tree.
    ///   - chosen: numbers of the elements to draw, whether visible or not, with all that is visible in them; nil for
    ///     all that is visible.
    mutating func elements(
        _ siblings: [Layer], number: Int = 0, chosen: Set<Int>?
    ) throws(BrokerError) -> [Element] {
        var numbers: [Int] = []
        var next = number
        for sibling in siblings {
            numbers.append(next)
            next += 1 + sibling.children.elementCount
        }
        var made: [Element] = []
        for stack in siblings.clippingStacks {
            let (base, index) = (siblings[stack.base], numbers[stack.base])
            guard let chosen, !chosen.contains(index) else {
                guard base.isVisible || chosen != nil else { continue }
                // A base comes with what is clipped to it.
                let clipped = stack.clipped.filter { siblings[$0].isVisible }
                guard let element = try element(base, number: index, chosen: nil, isIsolated: !clipped.isEmpty)
                else { continue }
                var above: [Element] = []
                for other in clipped {
                    let layer = siblings[other]
                    if let element = try self.element(
                        layer, number: numbers[other], chosen: nil, isIsolated: true)
                    {
                        above.append(element)
                    }
                }
                made.append(clipping(above, to: element))
                continue
            }
            // Elements that were chosen inside of others, and clipped ones that were chosen alone.
            for other in [stack.base] + stack.clipped {
                let layer = siblings[other]
                let isChosen = chosen.contains(numbers[other])
                guard isChosen || contains(chosen, inside: layer, numbers[other]) else { continue }
                if let element = try element(
                    layer, number: numbers[other], chosen: isChosen ? nil : chosen,
                    isIsolated: false)
                {
                    made.append(element)
                }
            }
        }
        return made
    }

    private func contains(_ chosen: Set<Int>, inside layer: Layer, _ number: Int) -> Bool {
        let count = layer.children.elementCount
        return count > 0 && chosen.contains { $0 > number && $0 <= number + count }
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

    /// nil if nothing of it can be visible.
    ///
    /// - Parameter isIsolated: whether a group that passes through has a picture of its own nevertheless.
    private mutating func element(
        _ layer: Layer, number: Int, chosen: Set<Int>?, isIsolated: Bool
    ) throws(BrokerError) -> Element? {
        guard layer.opacity > 0 else { return nil }
        let kind: Element.Kind
        switch layer.kind {
        case .fill(let color):
            guard color.alpha > 0 else { return nil }
            kind = .fill(color)
        case .group(let children, let isPassThrough):
            let elements = try elements(children, number: number + 1, chosen: chosen)
            guard !elements.isEmpty else { return nil }
            kind = .group(isPassThrough && !isIsolated ? .passThrough : .isolated, elements)
        case .layer:
            guard let marks = try marks(of: layer, measures[number]) else { return nil }
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
    ) throws(BrokerError) -> Element.Kind? {
        let isEmpty = layer.strokes.isEmpty && layer.contentImage == nil
        if isEmpty {
            guard order.options.fillsSuggested, let pattern = layer.suggestedPattern else { return nil }
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
        let content = try layer.contentImage.flatMap { (content) throws(BrokerError) in
            try image(content, .color, layer.contentPlacement)
        }
        guard content != nil || strokes.contains(where: \.union.isPaint) else { return nil }
        return .marks(content, strokes)
    }

    /// What every row costs for what is composited there.
    mutating func finishCosts() { costs.add(layers: elementCount, images: images.requests.count) }
}
