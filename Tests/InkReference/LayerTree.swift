package import InkEngine

extension ReferenceRenderer {
    /// Siblings that are drawn for themselves, in drawing order, each with what is painted onto it. Indices into
    /// `siblings`.
    ///
    /// Spec 8.2: "the element is painted only onto the nearest element below it among its siblings that is not clipped, its
    /// *base*"; "A hidden base hides what is clipped to it. An element with no unclipped sibling below is drawn as if
    /// `clipped` were false, with a warning; it is no base."
    package static func drawnElements(_ siblings: [Layer]) -> [(base: Int, clipped: [Int])] {
        // Spec 2.1: "Layers are drawn in ascending `order`; equal orders keep file order."
        let order = siblings.indices.sorted { (siblings[$0].order, $0) < (siblings[$1].order, $1) }
        var drawn: [(base: Int, clipped: [Int])] = []
        for (place, index) in order.enumerated() where siblings[index].isVisible {
            let base = order[..<place].last { !siblings[$0].isClipped }
            guard siblings[index].isClipped, let base else {
                drawn.append((index, []))
                continue
            }
            if let owner = drawn.firstIndex(where: { $0.base == base }) { drawn[owner].clipped.append(index) }
        }
        return drawn
    }

    /// The elements of a tree that are clipped with nothing to be clipped to, hidden ones included: each has a warning.
    /// Numbered as by `ImageKey`.
    package static func elementsWithoutBase(_ siblings: [Layer], firstIndex: Int = 0) -> [Int] {
        var found: [Int] = []
        var number = firstIndex
        for (index, element) in siblings.enumerated() {
            let hasBase = siblings.enumerated().contains { other, base in
                !base.isClipped && (base.order, other) < (element.order, index)
            }
            if element.isClipped, !hasBase { found.append(number) }
            found += elementsWithoutBase(element.children, firstIndex: number + 1)
            number += elementCount(element)
        }
        return found
    }

    /// How many elements a tree has from `element` on, itself included.
    static func elementCount(_ element: Layer) -> Int { element.children.reduce(1) { $0 + elementCount($1) } }
}

/// Paints the layer tree of spec 8.2. Pictures are premultiplied RGBA at the output's size.
struct TreePainter {
    let project: Project
    let images: DecodedImages
    let view: ReferenceView
    let output: PixelSize
    let scanner: CoverageScanner

    private var scale: (x: Double, y: Double) { (scanner.scaleX, scanner.scaleY) }

    /// Blends siblings onto `backdrop` in order.
    ///
    /// - Parameter firstIndex: the number of the first sibling in the file, by `ImageKey`.
    func paint(_ siblings: [Layer], firstIndex: Int, onto backdrop: inout [Double]) {
        var numbers: [Int] = []
        var next = firstIndex
        for element in siblings {
            numbers.append(next)
            next += ReferenceRenderer.elementCount(element)
        }
        for (base, clipped) in ReferenceRenderer.drawnElements(siblings) {
            let element = siblings[base]
            // "A pass-through group that is a base of a visible element or is clipped counts as isolated". One that is
            // clipped to nothing is drawn here as if it were not clipped.
            if case .group(let children, isPassThrough: true) = element.kind, clipped.isEmpty {
                pass(children, of: element, number: numbers[base], onto: &backdrop)
                continue
            }
            // "The base's picture (Cb, ab; masked, not yet times its opacity) takes the clipped ones in order"
            var picture = maskedPicture(element, number: numbers[base])
            for index in clipped {
                var source = maskedPicture(siblings[index], number: numbers[index])
                multiply(&source, by: siblings[index].opacity)
                clip(source, onto: &picture, mode: siblings[index].blendMode)
            }
            // "Then the whole is blended with the base's mode and opacity."
            multiply(&picture, by: element.opacity)
            blendLayer(picture, onto: &backdrop, mode: element.blendMode)
        }
    }

    /// "its elements are blended onto the backdrop below it; with m = mask * opacity at a pixel the result is
    /// (1 - m) * before + m * after, premultiplied, alpha too"
    private func pass(_ children: [Layer], of group: Layer, number: Int, onto backdrop: inout [Double]) {
        var after = backdrop
        paint(children, firstIndex: number + 1, onto: &after)
        let mask = mask(of: group, number: number)
        for index in backdrop.indices {
            let m = (mask?[index / 4] ?? 1) * group.opacity
            backdrop[index] = (1 - m) * backdrop[index] + m * after[index]
        }
    }

    /// An element's own picture under its mask.
    private func maskedPicture(_ element: Layer, number: Int) -> [Double] {
        var pixels = [Double](repeating: 0, count: output.area * 4)
        switch element.kind {
        case .layer: pixels = contents(of: element, number: number)
        // "its elements are blended in order onto nothing (5.4 with a transparent backdrop); what comes of it is a layer's
        // picture"
        case .group(let children, _): paint(children, firstIndex: number + 1, onto: &pixels)
        // "a fill has a `color` ... which covers the canvas"
        case .fill(let paint):
            // Spec 9.2: "the canvas' for a fill element"
            let color = color(of: paint) { $0 }
            pixels = (0..<output.area).flatMap { color($0 % output.width, $0 / output.width) }
        }
        // Spec 5.2: "The layer is multiplied by its mask at that pixel (1 where it has none), then by `opacity`."
        if let mask = mask(of: element, number: number) {
            for index in pixels.indices { pixels[index] *= mask[index / 4] }
        }
        return pixels
    }

    /// Spec 5.1: content, shapes and strokes.
    private func contents(of layer: Layer, number: Int) -> [Double] {
        // "A layer starts transparent, or as its `contentImage` scaled to the output."
        var pixels = [Double](repeating: 0, count: output.area * 4)
        if layer.contentImage != nil {
            pixels = picture(
                .content(layerIndex: number), placement: layer.contentPlacement, filter: layer.contentFilter)
        }
        // Spec 9.1: "They are drawn in order, above the layer's content image and below its strokes"
        for shape in layer.shapes { draw(shape, on: &pixels) }
        // "Strokes follow in file order"
        for stroke in layer.strokes { draw(view.stroke(stroke), on: &pixels) }
        return pixels
    }

    private func draw(_ stroke: Stroke, on pixels: inout [Double]) {
        let origin = view.point(Point(x: 0, y: 0))
        let alphas = ReferenceRenderer.strokeAlpha(stroke, output: output, scanner: scanner, origin: origin)
        let color = stroke.brush.color
        let channels = [color.red, color.green, color.blue].map { Double($0) / 255 }
        for (pixel, alpha) in alphas.enumerated() where alpha > 0 {
            // "`paint` source-over, `erase` destination-out"
            for channel in 0..<4 { pixels[pixel * 4 + channel] *= 1 - alpha }
            guard stroke.mode == .paint else { continue }
            for channel in 0..<3 { pixels[pixel * 4 + channel] += alpha * channels[channel] }
            pixels[pixel * 4 + 3] += alpha
        }
    }

    // MARK: Images

    /// A content or base image in the picture.
    ///
    /// - Parameter placement: in the world.
    func picture(_ key: ImageKey, placement: Placement?, filter: ContentFilter = .lanczos) -> [Double] {
        let image = decoded(key)
        let world = view.world(placement, imageSize: image.size, project: project)
        if filter == .nearest {
            let filling = Placement(width: project.canvasSize.width, height: project.canvasSize.height)
            return nearestSamples(
                image, at: world.map { view.placement($0) } ?? filling, scale: scale, output: output)
        }
        guard let world else { return scaledPicture(image, to: output) }
        return placedPicture(image, at: view.placement(world), scale: scale, output: output)
    }

    /// One number a pixel; nil for an element without a mask.
    private func mask(of element: Layer, number: Int) -> [Double]? {
        guard let shapes = element.maskShapes.map(maskValues) else { return imageMask(of: element, number: number) }
        // Spec 9.5: "it multiplies with `maskImage`'s where both are there"
        guard let image = imageMask(of: element, number: number) else { return shapes }
        return zip(shapes, image).map { $0 * $1 }
    }

    private func imageMask(of element: Layer, number: Int) -> [Double]? {
        guard element.maskImage != nil else { return nil }
        let image = decoded(.mask(layerIndex: number))
        guard let placement = view.world(element.maskPlacement, imageSize: image.size, project: project) else {
            return scaledMask(image, to: output)
        }
        return placedMask(
            image, at: view.placement(placement), outside: element.maskOutside, scale: scale, output: output)
    }

    private func decoded(_ key: ImageKey) -> StraightImage {
        guard let image = images[key] else {
            preconditionFailure("the project has an image that was not decoded: \(key)")
        }
        return image
    }
}

private func multiply(_ pixels: inout [Double], by factor: Double) {
    for index in pixels.indices { pixels[index] *= factor }
}

/// Spec 8.2: "Cb becomes (1 - as) Cb + as B(Cb, Cs) ... (plus: B = min(1, Cb + Cs)), ab stays; where ab is 0, nothing
/// happens."
package func clip(_ source: [Double], onto base: inout [Double], mode: BlendMode) {
    for start in stride(from: 0, to: base.count, by: 4) where base[start + 3] > 0 {
        let (alphaS, alphaB) = (source[start + 3], base[start + 3])
        let cb = straight(base, start, alphaB)
        let cs = straight(source, start, alphaS)
        let b =
            mode == .plus
            ? StraightColor(min(1, cb.red + cs.red), min(1, cb.green + cs.green), min(1, cb.blue + cs.blue))
            : blend(mode, backdrop: cb, source: cs)
        base[start] = ((1 - alphaS) * cb.red + alphaS * b.red) * alphaB
        base[start + 1] = ((1 - alphaS) * cb.green + alphaS * b.green) * alphaB
        base[start + 2] = ((1 - alphaS) * cb.blue + alphaS * b.blue) * alphaB
    }
}
