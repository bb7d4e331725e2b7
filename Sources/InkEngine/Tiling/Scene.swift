/// The contents of a picture, from the bottom up. A project being split, a plan and a tile share this type; they differ
/// in the types of images and strokes.
public struct Scene<Image, Strokes> {
    public var canvas: CanvasSize
    /// The size of all that is drawn, output pixels: that of the whole picture where there is no frame.
    public var output: PixelSize
    /// The larger picture that the drawing lies in; nil: none.
    public var frame: PictureFrame?
    public var background: RGBA8
    /// Where patterns that lie still on the canvas begin, in canvas pixels.
    public var patternOrigin: Point
    public var baseImage: Image?
    /// The layers that can be visible, from the bottom up.
    public var layers: [SceneLayer<Image, Strokes>]

    public init(
        canvas: CanvasSize, output: PixelSize, background: RGBA8, patternOrigin: Point = Point(x: 0, y: 0),
        baseImage: Image? = nil, layers: [SceneLayer<Image, Strokes>] = []
    ) {
        self.canvas = canvas
        self.output = output
        self.background = background
        self.patternOrigin = patternOrigin
        self.baseImage = baseImage
        self.layers = layers
    }

    /// The whole picture's size.
    public var picture: PixelSize { frame?.size ?? output }
}

/// An image of a scene and where it lies.
public struct SceneImage<Source> {
    public var source: Source
    /// Canvas pixels; nil: the image fills the picture.
    public var placement: Placement?
    /// A mask's value beyond its placed image, 0...1.
    public var outside: Double
    /// How content becomes pixels of another size.
    public var filter: ContentFilter

    public init(
        _ source: Source, placement: Placement? = nil, outside: Double = 0, filter: ContentFilter = .lanczos
    ) {
        self.source = source
        self.placement = placement
        self.outside = outside
        self.filter = filter
    }

    public func map<New>(_ body: (Source) -> New) -> SceneImage<New> {
        SceneImage<New>(body(source), placement: placement, outside: outside, filter: filter)
    }
}

extension SceneImage: Equatable where Source: Equatable {}
extension SceneImage: Hashable where Source: Hashable {}
extension SceneImage: Sendable where Source: Sendable {}

/// An element of a scene's layer tree.
public struct SceneLayer<Image, Strokes> {
    /// 0...1
    public var opacity: Double
    public var blendMode: BlendMode
    public var mask: Image?
    /// Shapes that are drawn onto nothing and multiply the mask; nil: none.
    public var maskShapes: [Strokes]?
    public var kind: Kind

    /// What the element shows.
    public indirect enum Kind {
        /// An image with shapes and strokes, in drawing order, over it.
        case marks(Image?, [Strokes])
        /// A colour or a gradient everywhere.
        case fill(Paint)
        case group(SceneGroup, [SceneLayer])
    }

    public init(
        opacity: Double = 1, blendMode: BlendMode = .normal, mask: Image? = nil, maskShapes: [Strokes]? = nil,
        kind: Kind
    ) {
        self.opacity = opacity
        self.blendMode = blendMode
        self.mask = mask
        self.maskShapes = maskShapes
        self.kind = kind
    }

    public init(opacity: Double, blendMode: BlendMode, mask: Image?, content: Image?, strokes: [Strokes]) {
        self.init(opacity: opacity, blendMode: blendMode, mask: mask, kind: .marks(content, strokes))
    }

    /// The image under the strokes, if this has marks.
    public var content: Image? {
        if case .marks(let content, _) = kind { content } else { nil }
    }

    /// The strokes, if this has marks.
    public var strokes: [Strokes] {
        if case .marks(_, let strokes) = kind { strokes } else { [] }
    }

    /// All that it draws: the shapes of its mask and its own marks.
    public var marks: [Strokes] { (maskShapes ?? []) + strokes }

    /// The elements of a group, from the bottom up; none for others.
    public var children: [SceneLayer] {
        if case .group(_, let children) = kind { children } else { [] }
    }
}

/// How the elements of a group become a picture.
public enum SceneGroup: UInt8, Hashable, Sendable, CaseIterable {
    /// They are blended onto nothing; the result is a layer's picture.
    case isolated = 0
    /// They are blended onto the backdrop below the group. Mask and opacity say how much of that counts.
    case passThrough = 1
    /// The first is the base; the others change its colours and leave its alpha. The result is a layer's picture.
    case clipping = 2
}

extension Scene: Equatable where Image: Equatable, Strokes: Equatable {}
extension Scene: Hashable where Image: Hashable, Strokes: Hashable {}
extension Scene: Sendable where Image: Sendable, Strokes: Sendable {}
extension SceneLayer: Equatable where Image: Equatable, Strokes: Equatable {}
extension SceneLayer: Hashable where Image: Hashable, Strokes: Hashable {}
extension SceneLayer: Sendable where Image: Sendable, Strokes: Sendable {}
extension SceneLayer.Kind: Equatable where Image: Equatable, Strokes: Equatable {}
extension SceneLayer.Kind: Hashable where Image: Hashable, Strokes: Hashable {}
extension SceneLayer.Kind: Sendable where Image: Sendable, Strokes: Sendable {}

extension SceneLayer {
    /// This tree with other images and strokes. A layer for which `body` gives nil is left out, and so are groups and
    /// clipping that show nothing without it.
    ///
    /// - Parameter body: gets an element with its mask and marks, and the new elements of a group.
    public func mapped<NewImage, NewStrokes, Failure: Error>(
        _ body: (SceneLayer, [SceneLayer<NewImage, NewStrokes>]) throws(Failure) -> SceneLayer<NewImage, NewStrokes>?
    ) throws(Failure) -> SceneLayer<NewImage, NewStrokes>? {
        guard case .group(let group, let children) = kind else { return try body(self, []) }
        var kept: [SceneLayer<NewImage, NewStrokes>] = []
        for (index, child) in children.enumerated() {
            guard let new = try child.mapped(body) else {
                // What is clipped to nothing does not show.
                if group == .clipping, index == 0 { return nil }
                continue
            }
            kept.append(new)
        }
        return kept.isEmpty ? nil : try body(self, kept)
    }

    /// Visits this element and all elements in it, from the bottom up.
    public func forEach(_ body: (SceneLayer) -> Void) {
        body(self)
        for child in children { child.forEach(body) }
    }
}
