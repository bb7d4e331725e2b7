/// A drawing as its file describes it: plain values, checked against the format's rules and independent of rendering.
public struct Project: Sendable {
    /// The file's `id`; empty when absent.
    public var id: String
    /// The file's `name`; empty when absent.
    public var name: String
    /// As written in the file (ISO 8601), nil when absent.
    public var createdAt: String?
    public var modifiedAt: String?
    /// Canvas pixels; 0 x 0 for an infinite canvas, which only a viewport makes a picture of.
    public var canvasSize: CanvasSize
    /// Whether the canvas has no borders (spec section 8.5).
    public var isInfinite: Bool
    public var viewports: [Viewport] = []
    /// Whether the viewports are the pages of a document of another program, each of which is a picture.
    public var hasPages = false
    /// Pages that are projects of their own; nil: they are parts of this one, or there are none.
    public var pages: (any ProjectPages)?
    /// How the drawing becomes a picture of another size. Not a part of project files.
    public var scaling = DrawingScaling.smooth
    /// What the page of each viewport consists of, where pages have nothing in common; else empty. Not a part of project
    /// files.
    public var pageContents: [PageContent] = []
    /// How the pages follow each other in time; nil where they do not. Not a part of project files.
    public var animation: Animation?
    /// What lies under everything. Default opaque white.
    public var background: RGBA8
    public var baseImage: EncodedImage?
    /// Paths that shapes share; their ids are unique.
    public var symbols: [Symbol] = []
    /// The elements of the top level in file order; drawn in ascending `order`, equal orders in file order.
    public var layers: [Layer]
    public var metadata: ProjectMetadata
    /// Whether colour profiles of images count: in files of version 1.2 and later.
    public var hasColorProfiles = false

    /// A `canvasSize` of nil is an infinite canvas.
    public init(
        id: String = "", name: String = "", createdAt: String? = nil, modifiedAt: String? = nil,
        canvasSize: PixelSize?, background: RGBA8 = .white, baseImage: EncodedImage? = nil,
        layers: [Layer] = [], metadata: ProjectMetadata = ProjectMetadata()
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.modifiedAt = modifiedAt
        self.canvasSize = canvasSize.map { CanvasSize($0) } ?? CanvasSize(width: 0, height: 0)
        isInfinite = canvasSize == nil
        self.background = background
        self.baseImage = baseImage
        self.layers = layers
        self.metadata = metadata
    }

    /// Whether only a file of version 1.2 can say all of this.
    package var needsVersion12: Bool {
        isInfinite || !viewports.isEmpty || hasColorProfiles || layers.contains(where: \.needsVersion12)
    }

    /// Whether only a file of version 1.3 can say all of this.
    package var needsVersion13: Bool {
        !symbols.isEmpty || layers.flattened().contains { $0.layer.needsVersion13 }
    }
}

extension [Layer] {
    /// How many elements the tree has.
    public var elementCount: Int { reduce(count) { $0 + $1.children.elementCount } }

    /// All elements of the tree, groups before their elements, in file order, with their paths in the file. An
    /// element's number is its place here.
    public func flattened(path: String = "layers") -> [(path: String, layer: Layer)] {
        enumerated().flatMap { index, layer in
            [("\(path)[\(index)]", layer)] + layer.children.flattened(path: "\(path)[\(index)].layers")
        }
    }

    /// The indices of siblings in drawing order, hidden ones included.
    public var drawingOrder: [Int] { indices.sorted { (self[$0].order, $0) < (self[$1].order, $1) } }

    /// Siblings in drawing order, each with the elements that are clipped to it (spec section 8.2). Clipped elements
    /// without an unclipped one below them stand for themselves.
    public var clippingStacks: [(base: Int, clipped: [Int])] {
        var stacks: [(base: Int, clipped: [Int])] = []
        var hasBase = false
        for index in drawingOrder {
            if self[index].isClipped, hasBase {
                stacks[stacks.count - 1].clipped.append(index)
            } else {
                hasBase = hasBase || !self[index].isClipped
                stacks.append((index, []))
            }
        }
        return stacks
    }
}

/// A page of a document whose pages have nothing in common.
public struct PageContent: Hashable, Sendable {
    /// The index of the element of the top level that the page shows, and no other does; nil for an empty page.
    public var layer: Int?
    /// A digest of all that a picture of the page depends on.
    public var digest: [UInt8]
    /// Why the page cannot be drawn; nil if it can.
    public var fault: String?

    public init(layer: Int? = nil, digest: [UInt8] = [], fault: String? = nil) {
        self.layer = layer
        self.digest = digest
        self.fault = fault
    }
}

/// How the frames of a document follow each other.
public struct Animation: Hashable, Sendable {
    /// Frames of a name, such as those of a walk.
    public struct Tag: Hashable, Sendable {
        /// In which order the frames are played.
        public enum Direction: String, Hashable, Sendable {
            case forward, reverse
            case pingPong = "pingpong"
            case pingPongReverse = "pingpong_reverse"
        }

        public var name: String
        /// The range of its frames, from 0; the last one belongs to it.
        public var frames: ClosedRange<Int>
        public var direction: Direction
        /// How often it is played; nil for ever, or as the player wants.
        public var repeatCount: Int?

        public init(name: String, frames: ClosedRange<Int>, direction: Direction, repeatCount: Int? = nil) {
            self.name = name
            self.frames = frames
            self.direction = direction
            self.repeatCount = repeatCount
        }
    }

    /// Milliseconds of each frame.
    public var durations: [Int]
    public var tags: [Tag]

    public init(durations: [Int], tags: [Tag] = []) {
        self.durations = durations
        self.tags = tags
    }
}

/// Information about a project and its author; goes into the picture's text chunks.
public struct ProjectMetadata: Hashable, Sendable {
    public var author: String?
    public var license: String?
    /// EXIF and XMP of the picture that the project shows; go into the picture's file where its format has a place for
    /// them.
    public var exif: [UInt8]?
    public var xmp: [UInt8]?
    /// That of the photo or document, for pictures in its own size.
    public var density: PictureDensity?
    /// Units of the canvas in an inch of the paper that viewports are pages of, such as 72 where they are points; nil where
    /// they are pixels.
    public var unitsPerInch: Double?

    public init(author: String? = nil, license: String? = nil) {
        self.author = author
        self.license = license
    }
}

/// What an element of the layer tree is (spec section 8.2).
public enum LayerKind: Sendable {
    /// Content and strokes.
    case layer
    /// Elements of its own, in file order. One that passes through has no picture of its own: its elements are blended
    /// onto what lies below it.
    case group([Layer], isPassThrough: Bool)
    /// A colour or a gradient all over.
    case fill(Paint)
}

/// One element of the layer tree: a layer, a group or a fill.
public struct Layer: Sendable {
    public var kind = LayerKind.layer
    public var id: String
    public var name: String
    public var order: Double
    public var maskImage: EncodedImage?
    /// Where the mask lies; nil: it fills the canvas.
    public var maskPlacement: Placement?
    /// The mask's value beyond its image, 0...1; counts with a placement.
    public var maskOutside = 0.0
    /// What the mask shows as shapes, drawn in order onto nothing; nil: none, empty: nothing of the element shows. It
    /// multiplies with `maskImage`.
    public var maskShapes: [Shape]?
    /// The image of a layer. Only layers have this, a suggested pattern and strokes.
    public var contentImage: EncodedImage?
    /// Where the content lies; nil: it fills the canvas.
    public var contentPlacement: Placement?
    public var contentFilter = ContentFilter.lanczos
    /// 0...1
    public var opacity: Double
    public var blendMode: BlendMode
    public var isVisible: Bool
    /// Whether it is painted only onto the nearest unclipped element below it among its siblings.
    public var isClipped = false
    public var suggestedPattern: SuggestedPattern?
    /// Above the content image and below the strokes. Only layers have them.
    public var shapes: [Shape] = []
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

    /// The elements of a group, in file order; none for others.
    public var children: [Layer] {
        if case .group(let children, _) = kind { children } else { [] }
    }

    /// Whether only a file of version 1.2 can say this; the elements of a group are not looked at.
    public var needsVersion12: Bool {
        if case .layer = kind {
            isClipped || maskPlacement != nil || contentPlacement != nil
                || strokes.contains { $0.brush.anchor == .canvas }
        } else {
            true
        }
    }

    /// Whether only a file of version 1.3 can say this; the elements of a group are not looked at.
    var needsVersion13: Bool {
        if case .fill(.gradient) = kind { return true }
        return !shapes.isEmpty || maskShapes != nil || contentFilter != .lanczos
            || strokes.contains { $0.needsVersion13 }
    }
}

/// How a content image becomes pixels of another size.
public enum ContentFilter: String, Hashable, Sendable, CaseIterable {
    case lanczos
    /// Every pixel takes the sample that holds its centre (spec section 10.7).
    case nearest
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
