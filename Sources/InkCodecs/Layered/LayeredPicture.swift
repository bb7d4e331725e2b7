public import InkEngine

/// One of the pictures that a layered file is made of.
public enum LayeredPart: Hashable, Sendable {
    /// The background's colour.
    case background
    case baseImage
    /// An element of the tree: its places in the levels of the tree, from the top. Together with siblings that are
    /// clipped to it, if there are any.
    case element([Int], clipped: [Int] = [])
    /// The mask of an element, as the alpha of a white picture.
    case mask([Int])
    /// All of it.
    case merged
    /// All of it, small.
    case thumbnail
}

/// An element of a layered file.
public struct LayeredNode: Hashable, Sendable {
    /// What the element is: one picture, or a group.
    public enum Kind: Hashable, Sendable {
        case picture(LayeredPart)
        /// From the bottom up.
        case group([LayeredNode], isPassThrough: Bool, mask: LayeredPart?)
    }

    public var name: String
    /// 0...1
    public var opacity = 1.0
    public var blendMode = BlendMode.normal
    public var isVisible = true
    /// Whether it is painted only onto the nearest unclipped element below it.
    public var isClipped = false
    public var kind: Kind

    /// Itself and all in it.
    public var elementCount: Int {
        guard case .group(let nodes, _, _) = kind else { return 1 }
        return 1 + nodes.reduce(0) { $0 + $1.elementCount }
    }

    fileprivate var parts: [LayeredPart] {
        switch kind {
        case .picture(let part): [part]
        case .group(let nodes, _, let mask): nodes.flatMap(\.parts) + [mask].compactMap(\.self)
        }
    }
}

/// What a layered file of a project consists of, and how each picture in it comes about.
public struct LayeredPicture: Sendable {
    /// What a format cannot hold as it is.
    public struct Abilities: Hashable, Sendable {
        /// Groups with masks, and elements that are clipped to others. In a format without, they are one picture.
        public var hasMasksAndClipping: Bool
        /// The modes that it has.
        public var modes: Set<BlendMode>
        /// Whether a group that passes through may have an opacity.
        public var hasPassThroughOpacity: Bool
        public var hasThumbnail: Bool
    }

    /// The longest edge of a thumbnail, pixels.
    public static let thumbnailEdge = 256

    /// From the bottom up.
    public let nodes: [LayeredNode]
    /// What differs between the project and the file, each once.
    public let warnings: [String]
    /// All pictures, each once.
    public let parts: [LayeredPart]
    private let whole: (project: Project, options: PictureOptions)
    /// With the viewport alone that the picture shows.
    private let project: Project
    private let options: PictureOptions
    private let size: PixelSize
    private let shownTree: [Layer]
    private let background: RGBA8

    /// - Parameters:
    ///   - project: whose layers it has.
    ///   - options: of the picture; its files do not count.
    ///   - size: output pixels.
    ///   - abilities: of the format.
    ///   - place: names the project in errors.
    /// - Throws: as `Project.viewport`.
    public init(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ abilities: Abilities, place: Place
    ) throws(EngineError) {
        var own = options
        var base = project
        if let viewport = try project.viewport(options.view, place: place) {
            // The view of a part of the project would be another viewport.
            base.viewports = [viewport]
            own.view = .index(0)
        } else {
            base.viewports = []
        }
        shownTree = project.layers.shown(options.layers.map { Set($0) })
        let color = options.background ?? project.background
        background = options.colorMode == .rgb && !color.isOpaque ? color.onWhite : color
        var builder = TreeBuilder(abilities: abilities)
        var nodes: [LayeredNode] = []
        if background.alpha > 0 { nodes.append(LayeredNode(name: "Background", kind: .picture(.background))) }
        if options.includesBaseImage, project.baseImage != nil {
            nodes.append(LayeredNode(name: "Base image", kind: .picture(.baseImage)))
        }
        nodes += builder.nodes(shownTree, path: [])
        self.nodes = nodes
        warnings = builder.warnings
        parts = nodes.flatMap(\.parts) + [.merged] + (abilities.hasThumbnail ? [.thumbnail] : [])
        whole = (project, options)
        self.project = base
        self.options = own
        self.size = size
    }

    /// The number of groups and layers in the file.
    public var elementCount: Int { nodes.reduce(0) { $0 + $1.elementCount } }

    /// The project, the options and the size that one picture is rendered from: a PNG.
    public func source(
        of part: LayeredPart, effort: EncodingEffort
    ) -> (project: Project, options: PictureOptions, size: PixelSize) {
        var (project, options) = part == .merged || part == .thumbnail ? whole : (project, options)
        options.files = [PictureFileOptions(encoding: PictureEncoding(effort: effort))]
        switch part {
        case .merged: return (project, options, size)
        case .thumbnail:
            options.dotsPerInch = nil
            return (project, options, size.fitting(LayeredPicture.thumbnailEdge))
        case .background, .baseImage:
            project.layers = []
        case .element(let path, let clipped):
            project.layers = shownTree.elements(path, clipped: clipped)
        case .mask(let path):
            project.layers = shownTree.elements(path, clipped: []).map { layer in
                var fill = layer
                fill.kind = .fill(.white)
                return fill
            }
        }
        if part != .baseImage {
            project.baseImage = nil
            options.includesBaseImage = false
        }
        options.background = part == .background ? background : .transparent
        options.colorMode = .rgba
        options.layers = nil
        options.dotsPerInch = nil
        options.hasMetadata = false
        return (project, options, size)
    }
}

/// Makes the nodes of a tree.
private struct TreeBuilder {
    let abilities: LayeredPicture.Abilities
    private(set) var warnings: [String] = []

    init(abilities: LayeredPicture.Abilities) { self.abilities = abilities }

    mutating func nodes(_ siblings: [Layer], path: [Int]) -> [LayeredNode] {
        var made: [LayeredNode] = []
        for stack in siblings.clippingStacks {
            let (base, ownPath) = (siblings[stack.base], path + [stack.base])
            guard !stack.clipped.isEmpty else {
                made.append(node(base, ownPath))
                continue
            }
            let visible = stack.clipped.filter { siblings[$0].isVisible }
            guard abilities.hasMasksAndClipping else {
                if !visible.isEmpty {
                    warn("clipped layers become one layer with the layer that they are clipped to")
                }
                made.append(
                    visible.isEmpty ? node(base, ownPath) : flat(base, .element(ownPath, clipped: visible)))
                continue
            }
            made.append(node(base, ownPath, isIsolated: !visible.isEmpty))
            for index in stack.clipped {
                var clipped = node(siblings[index], path + [index], isIsolated: true)
                clipped.isClipped = true
                if case .group = siblings[index].kind, siblings[index].isVisible {
                    warn("a group that is clipped to another layer is drawn unclipped by some programs")
                }
                made.append(clipped)
            }
        }
        return made
    }

    /// - Parameter isIsolated: whether a group that passes through has a picture of its own nevertheless.
    private mutating func node(_ layer: Layer, _ path: [Int], isIsolated: Bool = false) -> LayeredNode {
        guard case .group(let children, let isPassThrough) = layer.kind else { return flat(layer, .element(path)) }
        if layer.maskImage != nil, !abilities.hasMasksAndClipping {
            warn("a group with a mask becomes one layer")
            return flat(layer, .element(path))
        }
        var node = plain(layer, .group([], isPassThrough: false, mask: nil))
        let passes = isPassThrough && !isIsolated
        if passes {
            node.blendMode = .normal
            if layer.opacity < 1, !abilities.hasPassThroughOpacity {
                warn("a group that passes through and has an opacity is isolated")
            }
        }
        node.kind = .group(
            nodes(children, path: path), isPassThrough: passes, mask: layer.maskImage.map { _ in .mask(path) })
        return node
    }

    private mutating func flat(_ layer: Layer, _ part: LayeredPart) -> LayeredNode { plain(layer, .picture(part)) }

    private mutating func plain(_ layer: Layer, _ kind: LayeredNode.Kind) -> LayeredNode {
        var node = LayeredNode(name: layer.name.isEmpty ? layer.id : layer.name, kind: kind)
        node.opacity = min(max(layer.opacity, 0), 1)
        node.isVisible = layer.isVisible
        node.blendMode = layer.blendMode
        if case .group(_, true) = layer.kind, case .group = kind { return node }
        if !abilities.modes.contains(layer.blendMode) {
            warn("layers of mode \(layer.blendMode.rawValue) look different, because the format does not have it")
        }
        return node
    }

    private mutating func warn(_ text: String) {
        if !warnings.contains(text) { warnings.append(text) }
    }
}

extension [Layer] {
    /// The tree with hidden elements, or only those elements that were chosen, which are visible then.
    ///
    /// - Parameters:
    ///   - chosen: numbers of elements; nil for all.
    ///   - number: of the first of these.
    fileprivate func shown(_ chosen: Set<Int>?, number: Int = 0) -> [Layer] {
        guard let chosen else { return self }
        var numbers: [Int] = []
        var next = number
        for layer in self {
            numbers.append(next)
            next += 1 + layer.children.elementCount
        }
        var kept: [Int: Layer] = [:]
        for stack in clippingStacks {
            for (index, isBase) in [(stack.base, true)] + stack.clipped.map({ ($0, false) }) {
                var layer = self[index]
                let isChosen = chosen.contains(numbers[index])
                if !isBase, chosen.contains(numbers[stack.base]) {
                    kept[index] = layer
                    continue
                }
                if !isChosen {
                    guard case .group(let children, let passes) = layer.kind else { continue }
                    let inside = children.shown(chosen, number: numbers[index] + 1)
                    guard !inside.isEmpty else { continue }
                    layer.kind = .group(inside, isPassThrough: passes)
                }
                layer.isVisible = true
                layer.isClipped = false
                kept[index] = layer
            }
        }
        return indices.compactMap { kept[$0] }
    }

    /// An element as the only one, without its opacity and mode, and visible; with what is clipped to it.
    fileprivate func elements(_ path: [Int], clipped: [Int]) -> [Layer] {
        var siblings = self
        for index in path.dropLast() { siblings = siblings[index].children }
        var base = siblings[path[path.count - 1]]
        (base.opacity, base.blendMode, base.isVisible, base.isClipped) = (1, .normal, true, false)
        base.order = 0
        return [base]
            + clipped.enumerated().map { place, index in
                var layer = siblings[index]
                layer.order = Double(place + 1)
                return layer
            }
    }
}

extension RGBA8 {
    fileprivate var onWhite: RGBA8 {
        let (alpha, white) = (UInt32(alpha), 255 * (255 - UInt32(alpha)))
        func mixed(_ value: UInt8) -> UInt8 { UInt8((UInt32(value) * alpha + white + 127) / 255) }
        return RGBA8(red: mixed(red), green: mixed(green), blue: mixed(blue))
    }
}

extension PixelSize {
    /// Scaled down until its longest edge is at most `edge`.
    fileprivate func fitting(_ edge: Int) -> PixelSize {
        let longest = longestEdge
        guard longest > edge else { return self }
        func scaled(_ value: Int) -> Int { Swift.max(1, (value * edge + longest / 2) / longest) }
        return PixelSize(width: scaled(width), height: scaled(height))
    }
}
