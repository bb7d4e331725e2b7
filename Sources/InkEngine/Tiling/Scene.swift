/// The contents of a picture, from the bottom up. A project being split, a plan and a tile share this type; they differ
/// in the types of images and strokes.
public struct Scene<Image, Strokes> {
    public var canvas: CanvasSize
    /// The whole picture's size.
    public var output: PixelSize
    public var background: RGBA8
    public var baseImage: Image?
    /// The layers that can be visible, from the bottom up.
    public var layers: [SceneLayer<Image, Strokes>]

    public init(
        canvas: CanvasSize, output: PixelSize, background: RGBA8, baseImage: Image? = nil,
        layers: [SceneLayer<Image, Strokes>] = []
    ) {
        self.canvas = canvas
        self.output = output
        self.background = background
        self.baseImage = baseImage
        self.layers = layers
    }
}

/// A layer of a scene.
public struct SceneLayer<Image, Strokes> {
    /// 0...1
    public var opacity: Double
    public var blendMode: BlendMode
    public var mask: Image?
    public var content: Image?
    /// In drawing order.
    public var strokes: [Strokes]

    public init(opacity: Double, blendMode: BlendMode, mask: Image?, content: Image?, strokes: [Strokes]) {
        self.opacity = opacity
        self.blendMode = blendMode
        self.mask = mask
        self.content = content
        self.strokes = strokes
    }
}

extension Scene: Equatable where Image: Equatable, Strokes: Equatable {}
extension Scene: Hashable where Image: Hashable, Strokes: Hashable {}
extension Scene: Sendable where Image: Sendable, Strokes: Sendable {}
extension SceneLayer: Equatable where Image: Equatable, Strokes: Equatable {}
extension SceneLayer: Hashable where Image: Hashable, Strokes: Hashable {}
extension SceneLayer: Sendable where Image: Sendable, Strokes: Sendable {}
