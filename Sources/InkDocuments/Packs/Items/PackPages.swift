import InkEngine
import Synchronization

/// The items of a pack as projects, each made when it is needed: the base's elements, with a clipped fill for each
/// colour step and a layer for each picture over it.
final class PackPages: ProjectPages {
    let pack: Pack
    let pictures: PackPictures
    private let file: String
    private let limits: Limits
    /// Bases with replaced colours. Few, because each holds pixels.
    private let replaced = Mutex<[(base: Int, colors: [UInt32: UInt32], layers: [Layer])]>([])
    private static let replacedMax = 16

    /// - Parameter file: names the pack in messages.
    /// - Throws: `badInput` for a drawing that lies somewhere else than over the whole canvas.
    init(_ pack: Pack, _ pictures: PackPictures, file: String, limits: Limits) throws(EngineError) {
        self.pack = pack
        self.pictures = pictures
        self.file = file
        self.limits = limits
        for making in pack.makings {
            let base = pictures.images[making.base]
            for case .layer(let layer) in steps(of: making) { try check(layer, over: base) }
        }
    }

    private func steps(of making: PackMaking) -> [PackStep] {
        making.colors + making.effects.flatMap { pack.effects[$0].steps }
    }

    private func check(_ layer: PackLayer, over base: PackImage) throws(EngineError) {
        let image = pictures.images[layer.picture]
        if image.image != nil { return }
        guard layer.placement == nil, image.viewport == nil, base.viewport == nil,
            image.project.canvasSize == base.project.canvasSize
        else {
            throw .badInput(
                image.place,
                reason:
                    "is a drawing of \(image.canvas.width) x \(image.canvas.height), which can only lie over a base "
                    + "of the same size, without a place; export it as a picture first")
        }
    }

    func page(_ index: Int) throws(EngineError) -> (project: Project, view: ViewChoice?) {
        let item: PackItem
        let making: PackMaking
        if pack.items.indices.contains(index) {
            (item, making) = (pack.items[index], pack.makings[index])
        } else if index == pack.items.count, let icon = pack.iconPicture {
            // Behind the items the picture for icons, as it is.
            item = PackItem(id: "icon", name: pack.info.name, base: "")
            making = PackMaking(base: icon, colors: [], effects: [])
        } else {
            throw .badInput(
                Place(file: file), reason: "there is no item \(index + 1), there are \(pack.items.count)")
        }
        let base = pictures.images[making.base]
        let steps = steps(of: making).filter { !$0.isIdle }
        var project = base.project
        (project.id, project.name) = (item.id, item.name)
        (project.hasPages, project.pages, project.animation) = (false, nil, nil)
        project.metadata.author = pack.info.author.isEmpty ? nil : pack.info.author
        project.metadata.license = pack.info.license.isEmpty ? nil : pack.info.license
        project.scaling = base.scaling == .pixel ? .pixel : .smooth
        var stack = LayerStack(try layers(of: base, making.base, steps))
        for step in steps {
            switch step {
            case .replace: continue
            case .fill(let paint, let mode, let amount):
                var fill = Layer(opacity: amount, blendMode: mode)
                fill.kind = .fill(self.paint(paint, base))
                fill.isClipped = true
                stack.add(fill)
            case .layer(let layer):
                let image = pictures.images[layer.picture]
                project.hasColorProfiles = project.hasColorProfiles || image.project.hasColorProfiles
                stack.add(self.layer(layer, image, base))
            }
        }
        project.layers = stack.finished
        guard let viewport = base.viewport else { return (project, nil) }
        return (
            project,
            .place(center: viewport.center, zoom: viewport.zoom, rotation: viewport.rotation, size: viewport.size)
        )
    }

    // MARK: - Elements

    private func paint(_ paint: PackPaint, _ base: PackImage) -> Paint {
        switch paint {
        case .color(let color): return .color(color)
        case .gradient(let stops, let angle):
            let (sine, cosine) = sinCos(degrees: angle)
            let (width, height) = (base.canvas.width, base.canvas.height)
            // Half the way between the colours' ends; as long as the canvas is in that direction.
            let half = (width * abs(sine) + height * abs(cosine)) / 2
            func end(_ sign: Double) -> Point {
                let place = Point(x: width / 2 + sign * half * sine, y: height / 2 - sign * half * cosine)
                guard let viewport = base.viewport else { return place }
                return viewport.world(Placement(x: place.x, y: place.y, width: 0, height: 0)).center
            }
            return .gradient(Gradient(kind: .linear(from: end(-1), to: end(1)), stops: stops))
        }
    }

    private func layer(_ layer: PackLayer, _ image: PackImage, _ base: PackImage) -> Layer {
        var made = Layer(opacity: layer.opacity, blendMode: layer.mode)
        made.isClipped = layer.isClipped
        guard let content = image.image else {
            made.kind = .group(image.project.layers, isPassThrough: false)
            return made
        }
        made.contentImage = content
        let canvas = base.canvas
        var placement = layer.placement.map {
            Placement(
                x: $0.x * canvas.width, y: $0.y * canvas.height, width: $0.width * canvas.width,
                height: $0.height * canvas.height, rotation: $0.rotation)
        }
        if let viewport = base.viewport { placement = viewport.world(placement ?? Placement(filling: canvas)) }
        made.contentPlacement = placement
        if image.scaling == .pixel, layer.placement?.quarterTurns ?? 0 == 0 { made.contentFilter = .nearest }
        return made
    }

    /// The elements of the base, with replaced colours.
    private func layers(of base: PackImage, _ number: Int, _ steps: [PackStep]) throws(EngineError) -> [Layer] {
        var colors: [UInt32: UInt32] = [:]
        for case .replace(let map) in steps {
            for (from, to) in colors { colors[from] = map[to] ?? to }
            for (from, to) in map where colors[from] == nil { colors[from] = to }
        }
        guard !colors.isEmpty else { return base.project.layers }
        if let known = replaced.withLock({ $0.first { $0.base == number && $0.colors == colors } }) {
            return known.layers
        }
        let palette = PackPalette(
            colors, convertsProfiles: base.project.hasColorProfiles, file: file, limits: limits)
        let layers = try palette.applied(to: base.project.layers)
        replaced.withLock {
            if $0.count == Self.replacedMax { $0.removeFirst() }
            $0.append((number, colors, layers))
        }
        return layers
    }
}

/// Elements from the bottom up, onto which steps are put.
private struct LayerStack {
    private var layers: [Layer]

    /// - Parameter base: elements, which become one.
    init(_ base: [Layer]) {
        if base.count == 1, let only = base.first, !only.isClipped, only.blendMode == .normal, only.isVisible {
            layers = base
        } else {
            layers = [LayerStack.group(base)]
        }
    }

    /// What is clipped is painted onto all that is there, and what is not clipped lies over that.
    mutating func add(_ layer: Layer) {
        let isApart =
            layer.isClipped ? layers.filter { !$0.isClipped }.count > 1 : layers.contains(where: \.isClipped)
        if isApart { layers = [LayerStack.group(layers)] }
        layers.append(layer)
    }

    /// One element where the background would count otherwise.
    var finished: [Layer] {
        layers.contains { !$0.isClipped && $0.blendMode != .normal } ? [LayerStack.group(layers)] : layers
    }

    private static func group(_ layers: [Layer]) -> Layer {
        var group = Layer()
        group.kind = .group(layers, isPassThrough: false)
        return group
    }
}
