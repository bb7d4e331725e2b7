/// A drawing as its file describes it: plain values, checked against the format's rules and independent of rendering.
public struct Project: Sendable {
    /// The file's `id`; empty when absent.
    public var id: String
    /// The file's `name`; empty when absent.
    public var name: String
    /// As written in the file (ISO 8601), nil when absent.
    public var createdAt: String?
    public var modifiedAt: String?
    public var canvasSize: PixelSize
    /// The colour below all layers. Default: opaque white.
    public var background: RGBA8
    public var baseImage: EncodedImage?
    /// In file order; drawn in ascending `order`, equal orders in file order.
    public var layers: [Layer]
    public var metadata: ProjectMetadata

    public init(
        id: String = "", name: String = "", createdAt: String? = nil, modifiedAt: String? = nil,
        canvasSize: PixelSize, background: RGBA8 = .white, baseImage: EncodedImage? = nil,
        layers: [Layer] = [], metadata: ProjectMetadata = ProjectMetadata()
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.canvasSize = canvasSize
        self.background = background
        self.baseImage = baseImage
        self.layers = layers
        self.metadata = metadata
    }

    /// The indices of `layers` in drawing order, hidden ones included.
    public var drawingOrder: [Int] {
        layers.indices.sorted { (layers[$0].order, $0) < (layers[$1].order, $1) }
    }
}

/// Information about a project and its author; goes into the picture's text chunks.
public struct ProjectMetadata: Hashable, Sendable {
    public var author: String?
    public var license: String?

    public init(author: String? = nil, license: String? = nil) {
        self.author = author
        self.license = license
    }
}

/// One layer of a project.
public struct Layer: Sendable {
    public var id: String
    public var name: String
    public var order: Double
    public var maskImage: EncodedImage?
    public var contentImage: EncodedImage?
    /// 0...1
    public var opacity: Double
    public var blendMode: BlendMode
    public var isVisible: Bool
    public var suggestedPattern: SuggestedPattern?
    public var strokes: [Stroke]

    public init(
        id: String = "", name: String = "", order: Double = 0, maskImage: EncodedImage? = nil,
        contentImage: EncodedImage? = nil, opacity: Double = 1, blendMode: BlendMode = .normal,
        isVisible: Bool = true, suggestedPattern: SuggestedPattern? = nil, strokes: [Stroke] = []
    ) {
        self.id = id
        self.name = name
        self.order = order
        self.maskImage = maskImage
        self.contentImage = contentImage
        self.opacity = opacity
        self.blendMode = blendMode
        self.isVisible = isVisible
        self.suggestedPattern = suggestedPattern
        self.strokes = strokes
    }
}

/// A pattern that a template suggests for a layer; drawn only with `--fill suggested`.
public struct SuggestedPattern: Hashable, Sendable {
    public var type: BrushType
    /// Degrees.
    public var rotation: Double
    /// Canvas pixels, above 0.
    public var spacing: Double
    /// Opaque.
    public var color: RGBA8

    public init(type: BrushType, rotation: Double = 0, spacing: Double = 6, color: RGBA8 = .black) {
        self.type = type
        self.rotation = rotation
        self.spacing = spacing
        self.color = color
    }
}
