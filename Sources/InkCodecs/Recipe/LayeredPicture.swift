public import InkEngine

/// An element of a layered file.
public struct LayeredNode: Hashable, Sendable {
    /// What the element is: one picture, or a group.
    public enum Kind: Hashable, Sendable {
        case picture(PictureSource)
        /// From the bottom up.
        case group([LayeredNode], isPassThrough: Bool, mask: PictureSource?)
    }

    public var name: String
    /// 0...1
    public var opacity = 1.0
    public var blendMode = BlendMode.normal
    public var isVisible = true
    /// Whether it is painted only onto the nearest unclipped element below it.
    public var isClipped = false
    public var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// Itself and all in it.
    package var elementCount: Int {
        guard case .group(let nodes, _, _) = kind else { return 1 }
        return 1 + nodes.reduce(0) { $0 + $1.elementCount }
    }

    /// The pictures that it is made of.
    package var parts: [PictureSource] {
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
    /// What differs between the project and the file, each once, with the format's name in front.
    public let warnings: [String]
    /// All pictures, each once; the picture of everything first.
    public let parts: [PictureSource]
    private let whole: (project: Project, options: PictureOptions)
    /// With the viewport alone that the picture shows.
    private let project: Project
    private let options: PictureOptions
    private let size: PixelSize
    private let tree: DrawnTree
    private let background: RGBA8

    /// - Parameters:
    ///   - project: whose layers it has.
    ///   - options: of the picture; its files do not count.
    ///   - size: output pixels.
    ///   - abilities: of the format.
    ///   - formatName: in warnings.
    ///   - place: names the project in errors.
    /// - Throws: as `Project.viewport`.
    public init(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ abilities: Abilities, formatName: String,
        place: Place
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
        tree = DrawnTree(project.layers, chosen: options.layers)
        let color = options.background ?? project.background
        background = options.colorMode == .rgb && !color.isOpaque ? color.onWhite : color
        var builder = TreeBuilder(abilities: abilities)
        var nodes: [LayeredNode] = []
        if background.alpha > 0 { nodes.append(LayeredNode(name: "Background", kind: .picture(.background))) }
        if options.includesBaseImage, project.baseImage != nil {
            nodes.append(LayeredNode(name: "Base image", kind: .picture(.baseImage)))
        }
        nodes += builder.nodes(tree.elements)
        self.nodes = nodes
        warnings = builder.warnings.map { "\(formatName): \($0)" }
        parts = [.whole] + nodes.flatMap(\.parts) + (abilities.hasThumbnail ? [.thumbnail] : [])
        whole = (project, options)
        self.project = base
        self.options = own
        self.size = size
    }

    /// The number of groups and layers in the file.
    var elementCount: Int { nodes.reduce(0) { $0 + $1.elementCount } }

    /// The project, the options and the size that one picture is rendered from.
    public func subject(of part: PictureSource) -> (project: Project, options: PictureOptions, size: PixelSize) {
        var (project, options) = part == .whole || part == .thumbnail ? whole : (project, options)
        switch part {
        case .whole, .drawn: return (project, options, size)
        case .thumbnail: return (project, options, size.fitting(LayeredPicture.thumbnailEdge))
        case .background, .baseImage:
            project.layers = []
        case .element(let number, let isWithClipped):
            var element = tree[number].unblended
            if !isWithClipped { element.clipped = [] }
            project.layers = element.layers
        case .mask(let number): project.layers = [tree[number].layer.shownMask]
        }
        if part != .baseImage {
            project.baseImage = nil
            options.includesBaseImage = false
        }
        options.background = part == .background ? background : .transparent
        options.colorMode = .rgba
        options.layers = nil
        return (project, options, size)
    }
}

/// Makes the nodes of a tree.
private struct TreeBuilder {
    let abilities: LayeredPicture.Abilities
    private(set) var warnings: [String] = []

    init(abilities: LayeredPicture.Abilities) { self.abilities = abilities }

    mutating func nodes(_ elements: [DrawnTree.Element]) -> [LayeredNode] {
        elements.flatMap { element in
            let hasClipped = element.clipped.contains(where: \.layer.isVisible)
            guard abilities.hasMasksAndClipping else {
                guard hasClipped else { return [node(element)] }
                warn("clipped layers become one layer with the layer that they are clipped to")
                return [plain(element, .picture(.element(element.number, isWithClipped: true)))]
            }
            return [node(element)]
                + element.clipped.map { element in
                    var clipped = node(element)
                    clipped.isClipped = true
                    if case .group = clipped.kind, clipped.isVisible {
                        warn("a group that is clipped to another layer is drawn unclipped by some programs")
                    }
                    return clipped
                }
        }
    }

    private mutating func node(_ element: DrawnTree.Element) -> LayeredNode {
        let layer = element.layer
        guard case .group(_, let isPassThrough) = layer.kind,
            !layer.isMasked || abilities.hasMasksAndClipping
        else {
            if case .group = layer.kind { warn("a group with a mask becomes one layer") }
            return plain(element, .picture(.element(element.number)))
        }
        let mask = layer.isMasked ? PictureSource.mask(element.number) : nil
        var node = plain(element, .group([], isPassThrough: isPassThrough, mask: mask))
        if isPassThrough, layer.opacity < 1, !abilities.hasPassThroughOpacity {
            warn("a group that passes through and has an opacity is isolated")
        }
        node.kind = .group(nodes(element.children), isPassThrough: isPassThrough, mask: mask)
        return node
    }

    private mutating func plain(_ element: DrawnTree.Element, _ kind: LayeredNode.Kind) -> LayeredNode {
        let layer = element.layer
        var node = LayeredNode(name: layer.name.isEmpty ? layer.id : layer.name, kind: kind)
        node.opacity = min(max(layer.opacity, 0), 1)
        node.isVisible = layer.isVisible
        // The mode of what passes through counts for nothing.
        if !element.isPassThrough { node.blendMode = layer.blendMode }
        if !abilities.modes.contains(node.blendMode) {
            warn("layers of mode \(layer.blendMode.rawValue) look different, because the format does not have it")
        }
        return node
    }

    private mutating func warn(_ text: String) {
        if !warnings.contains(text) { warnings.append(text) }
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
