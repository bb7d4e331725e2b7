/// What of a project's world a picture shows (spec section 8.5), as a person asks for it: what it means is known when
/// the project has been read.
public enum ViewChoice: Hashable, Sendable {
    /// The first of the project's viewports with this name.
    case named(String)
    /// The project's viewport at this index.
    case index(Int)
    /// A place of the world. Without a size: that of the canvas, 2048 x 2048 on an infinite one.
    case place(center: Point, zoom: Double, rotation: Double, size: CanvasSize?)
    /// Everything visible, with so many canvas pixels on each side; nil: 5% of the longer edge, and at least 16.
    case fit(margin: Double?)

    /// For digests; one spelling for one meaning.
    package var canonicalText: String {
        switch self {
        case .named(let name): "named \(name.utf8.count) \(name)"
        case .index(let index): "index \(index)"
        case .place(let center, let zoom, let rotation, let size):
            "place \(center.x) \(center.y) \(zoom) \(rotation) \(size.map { "\($0.width) \($0.height)" } ?? "canvas")"
        case .fit(let margin): "fit \(margin.map { "\($0)" } ?? "default")"
        }
    }

    /// Reads `X,Y,ZOOM[,ROTATION][,WxH]`; nil for anything else, such as a name.
    public init?(place text: String) {
        var parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
            $0.filter { $0 != " " }
        }
        var size: CanvasSize?
        if let last = parts.last?.lowercased(), last.contains("x") {
            let edges = last.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) }
            guard edges.count == 2, let width = edges[0], let height = edges[1], width > 0, height > 0,
                width.isFinite, height.isFinite
            else { return nil }
            size = CanvasSize(width: width, height: height)
            parts.removeLast()
        }
        let numbers = parts.compactMap { Double($0) }.filter(\.isFinite)
        guard numbers.count == parts.count, numbers.count == 3 || numbers.count == 4 else { return nil }
        self = .place(
            center: Point(x: numbers[0], y: numbers[1]), zoom: numbers[2],
            rotation: numbers.count == 4 ? numbers[3] : 0, size: size)
    }
}

extension Project {
    /// What a picture shows; nil: the canvas as it is.
    ///
    /// - Parameters:
    ///   - choice: nil: the canvas, or everything visible on an infinite one.
    ///   - place: names the project in errors.
    /// - Throws: `badInput` at `place` for a viewport that the project does not have, numbers out of range, and an
    ///   infinite canvas on which nothing is visible.
    public func viewport(_ choice: ViewChoice?, place: Place) throws(EngineError) -> Viewport? {
        func fault(_ reason: String) -> EngineError { .badInput(place, reason: reason) }
        switch choice {
        case nil where hasPages: return viewports.first
        case nil: return isInfinite ? try fit(margin: nil, place: place) : nil
        case .fit(let margin): return try fit(margin: margin, place: place)
        case .named(let name):
            if let found = viewports.first(where: { $0.name == name }) { return found }
            let names = viewports.map(\.name)
            let known = names.isEmpty ? "it has none" : "there are " + names.map { "\"\($0)\"" }.joined(separator: ", ")
            throw fault("no viewport \"\(shownText(name))\"\(didYouMean(name, among: names)); \(known)")
        case .index(let index):
            guard viewports.indices.contains(index) else {
                throw fault("no viewport \(index + 1), there are \(viewports.count)")
            }
            return viewports[index]
        case .place(let center, let zoom, let rotation, let size):
            guard Viewport.zooms.contains(zoom) else {
                throw fault("the viewport's zoom is \(shownNumber(zoom)), must be from 1e-9 to 1e9")
            }
            guard max(abs(center.x), abs(center.y)) <= Limits.worldCoordinate, rotation.isFinite else {
                throw fault("the viewport's centre lies beyond 10^9")
            }
            let canvas = isInfinite ? CanvasSize(width: 2048, height: 2048) : canvasSize
            return Viewport(center: center, zoom: zoom, rotation: rotation, size: size ?? canvas)
        }
    }

    private func fit(margin: Double?, place: Place) throws(EngineError) -> Viewport {
        guard let box = visibleBounds else {
            throw .badInput(place, reason: "nothing is visible, so there is nothing that a picture could show")
        }
        let (width, height) = (box.maxX - box.minX, box.maxY - box.minY)
        let grown = margin ?? max(16, 0.05 * max(width, height))
        let size = CanvasSize(width: width + 2 * grown, height: height + 2 * grown)
        guard size.width > 0, size.height > 0 else {
            throw .badInput(place, reason: "what is visible has no extent, and there is no margin")
        }
        return Viewport(
            center: Point(x: box.minX + width / 2, y: box.minY + height / 2), size: size)
    }

    /// The box of the points of visible strokes, the curves of visible shapes and the corners of visible pictures, world
    /// coordinates; nil if there are none.
    public var visibleBounds: Rect? { bounds(of: DrawnTree(layers).elements.visible) }

    /// The pages on which the elements of the top level can be seen, by the numbers of the elements.
    public var pagesOfElements: [Int: Set<Int>] {
        if !self.pageContents.isEmpty {
            let shown = self.pageContents.enumerated().compactMap { page, content in
                content.layer.map { ($0, Set([page])) }
            }
            return Dictionary(shown) { $0.union($1) }
        }
        var pages: [Int: Set<Int>] = [:]
        for element in DrawnTree(layers).elements.flatMap({ [$0] + $0.clipped }) {
            var own = element.unblended
            own.clipped = []
            let visible = [own].visible
            let bounds = bounds(of: visible)
            // A fill is everywhere.
            let isEverywhere = visible.contains { if case .fill = $0.kind { true } else { false } }
            pages[element.number] = Set(
                viewports.indices.filter { index in
                    if isEverywhere { return true }
                    guard let bounds else { return false }
                    let (box, size) = (ViewMap(viewports[index]).box(bounds), viewports[index].size)
                    return box.minX <= size.width && box.maxX >= 0 && box.minY <= size.height && box.maxY >= 0
                })
        }
        return pages
    }

    private func bounds(of layers: [Layer]) -> Rect? {
        var box = Rect.empty
        for layer in layers {
            for shape in layer.shapes where !shape.transform.isSingular {
                box.formUnion(shape.path.extent(under: shape.transform))
            }
            for stroke in layer.strokes {
                for point in stroke.points { box.formUnion(Point(x: point.x, y: point.y)) }
            }
            if let image = layer.contentImage {
                for corner in placement(of: image, layer.contentPlacement).corners { box.formUnion(corner) }
            }
        }
        return box.isEmpty ? nil : box
    }

    /// Where an image lies: at its placement, else over the canvas, and on an infinite one at 0, 0 in its own size.
    public func placement(of image: EncodedImage, _ placement: Placement?) -> Placement {
        placement ?? Placement(filling: isInfinite ? CanvasSize(image.size) : canvasSize)
    }
}
