import InkCodecs
import InkDocuments
package import InkEngine
import InkSystem

/// Makes a template of a document whose layers are separated already: each layer becomes one of the template, its alpha
/// the mask.
package struct LayeredTemplate {
    private let name: String
    private let project: Project
    private let base: NewTemplate.Base
    private let limits: Limits
    private let canvas: PixelSize

    /// - Parameters:
    ///   - name: of the template.
    ///   - project: what the document was read as.
    ///   - place: of the document.
    /// - Throws: `badInput` for a document without a canvas.
    package init(
        name: String, _ project: Project, base: NewTemplate.Base, place: Place, limits: Limits
    ) throws(EngineError) {
        guard !project.isInfinite else { throw .badInput(place, reason: "has no canvas for a template") }
        self.name = name
        self.project = project
        self.base = base
        self.limits = limits
        canvas = project.canvasSize.pixels
    }

    /// A layer, and the elements of the project that show nothing else.
    private struct Leaf {
        var layer: Layer
        var name: String
        var opacity: Double
        var isVisible: Bool
        var tree: [Layer]
        /// What it is clipped to.
        var clippingTree: [Layer]?
    }

    /// Makes the template.
    ///
    /// - Parameter warn: gets a line for each layer that is left out.
    /// - Throws: `badInput` where no layer shows anything; errors of rendering.
    package func make(place: Place, warn: (String) -> Void) throws(ExportError) -> NewTemplate {
        let images = RenderedImages(workerCount: UsableCores.count(), limits: limits)
        defer { images.stop() }
        var map = RegionMap(size: canvas)
        var found: [(leaf: Leaf, color: RGBA8, mask: [UInt8])] = []
        for leaf in leaves(of: project.layers) {
            let decoded = try rgba(leaf.tree, images)
            var alpha = Self.alpha(decoded)
            if let tree = leaf.clippingTree {
                let limit = Self.alpha(try rgba(tree, images))
                for index in alpha.indices { alpha[index] = UInt8((Int(alpha[index]) * Int(limit[index]) + 127) / 255) }
            }
            guard let color = Self.meanColor(decoded, alpha) else {
                warn("the layer \"\(leaf.name)\" is empty and left out")
                continue
            }
            map.add(mask: alpha)
            found.append(
                (
                    leaf, color,
                    try ExportError.wrapping { [alpha, canvas] () throws(EngineError) in
                        try WholePNG.encode(samples: alpha, size: canvas)
                    }
                ))
        }
        guard !found.isEmpty else { throw .engine(.badInput(place, reason: "no layer shows anything")) }
        let thin = map.thin
        let patterns = PatternSuggestion.patterns(
            for: found.indices.map { PatternSuggestion.Area(color: found[$0].color, isThin: thin[$0]) },
            neighbours: map.neighbours)
        let names = RegionNames.unique(found.map(\.leaf.name))
        var template = NewTemplate(
            name: name, canvas: canvas,
            layers: found.indices.map { index in
                var layer = TemplateLayer(name: names[index], mask: found[index].mask, pattern: patterns[index])
                layer.opacity = found[index].leaf.opacity
                layer.blendMode = found[index].leaf.layer.blendMode
                layer.isVisible = found[index].leaf.isVisible
                return layer
            })
        let shown = try rgba(project.layers, background: nil, images)
        let picture = try ExportError.wrapping { () throws(EngineError) in
            // Encoded again, so that the file does not depend on how many threads have rendered it.
            try WholePNG.encode(samples: shown.samples, size: canvas, format: shown.format)
        }
        template.guide = picture
        switch base {
        case .none: break
        case .picture: template.base = picture
        case .outline:
            template.base = try ExportError.wrapping(
                try WholePNG.encode(samples: map.outlines(isLine: thin), size: canvas))
        }
        return template
    }

    // MARK: - Layers one by one

    private func leaves(of layers: [Layer]) -> [Leaf] {
        leaves(of: layers, path: "", opacity: 1, isVisible: true) { [$0] }
    }

    private func leaves(
        of layers: [Layer], path: String, opacity: Double, isVisible: Bool, _ around: (Layer) -> [Layer]
    ) -> [Leaf] {
        var found: [Leaf] = []
        for stack in layers.clippingStacks {
            for index in [stack.base] + stack.clipped {
                let layer = layers[index]
                let clipping = index == stack.base ? nil : around(Self.plain(layers[stack.base]))
                let name = layer.name.isEmpty ? layer.id.isEmpty ? "Layer \(index + 1)" : layer.id : layer.name
                let isShown = isVisible && layer.isVisible
                if case .group(let children, _) = layer.kind {
                    let inside = leaves(
                        of: children, path: path + name + "/", opacity: opacity * layer.opacity, isVisible: isShown
                    ) { child in
                        var group = Self.plain(layer)
                        group.kind = .group([child], isPassThrough: false)
                        return around(group)
                    }
                    found += inside.map { leaf in
                        var leaf = leaf
                        leaf.clippingTree = leaf.clippingTree ?? clipping
                        return leaf
                    }
                } else {
                    found.append(
                        Leaf(
                            layer: layer, name: path + name, opacity: opacity * layer.opacity, isVisible: isShown,
                            tree: around(Self.plain(layer)), clippingTree: clipping))
                }
            }
        }
        return found
    }

    /// The element without all that does not change what it covers.
    private static func plain(_ layer: Layer) -> Layer {
        var layer = layer
        (layer.opacity, layer.blendMode, layer.isVisible, layer.isClipped) = (1, .normal, true, false)
        return layer
    }

    private func rgba(
        _ tree: [Layer], background: RGBA8? = .transparent, _ images: RenderedImages
    ) throws(ExportError) -> DecodedPicture {
        var alone = project
        alone.layers = tree
        let png = try images.png(
            of: alone, name: name, size: canvas, options: PictureOptions(background: background, hasMetadata: false))
        return try ExportError.wrapping(try DecodedPicture(png, place: Place(file: name), limits: limits))
    }

    private static func alpha(_ picture: DecodedPicture) -> [UInt8] {
        guard picture.format == .rgba8 else { return [UInt8](repeating: 255, count: picture.size.area) }
        return stride(from: 3, to: picture.samples.count, by: 4).map { picture.samples[$0] }
    }

    /// nil for a mask that is 0 everywhere.
    private static func meanColor(_ picture: DecodedPicture, _ alpha: [UInt8]) -> RGBA8? {
        let channels = picture.format.bytesPerPixel
        var sums = (red: 0, green: 0, blue: 0, alpha: 0)
        for index in alpha.indices where alpha[index] > 0 {
            let weight = Int(alpha[index])
            sums.red += weight * Int(picture.samples[index * channels])
            sums.green += weight * Int(picture.samples[index * channels + 1])
            sums.blue += weight * Int(picture.samples[index * channels + 2])
            sums.alpha += weight
        }
        guard sums.alpha > 0 else { return nil }
        func mean(_ sum: Int) -> UInt8 { UInt8((sum + sums.alpha / 2) / sums.alpha) }
        return RGBA8(red: mean(sums.red), green: mean(sums.green), blue: mean(sums.blue))
    }
}
