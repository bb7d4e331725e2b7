public import InkEngine

/// A picture that files are made of. It is rendered once, whatever files share it.
public enum PictureSource: Hashable, Sendable {
    /// All of it.
    case whole
    /// All of it, small.
    case thumbnail
    /// The background's colour.
    case background
    case baseImage
    /// The element of the tree with this number, alone or together with what is clipped to it.
    case element(Int, isWithClipped: Bool = false)
    /// The mask of an element, as the alpha of a white picture.
    case mask(Int)
    /// The n-th image in a file of lines of this format.
    case drawn(PictureFormat, Int)

    /// Whether its tiles are pixels for a file of lines, and no pieces of a file.
    public var isDrawn: Bool { if case .drawn = self { true } else { false } }

    /// Whether only the part of the picture is rendered in which something can be.
    public var isCropped: Bool {
        switch self {
        case .element, .mask: true
        case .whole, .thumbnail, .background, .baseImage, .drawn: false
        }
    }
}

/// How pieces of a file come from a picture.
public enum EncodeStep: Hashable, Sendable {
    /// One from each band of rows.
    case bands
    /// One from all rows, which may be halved so often before.
    case whole(halvings: Int)
    /// All of it from what is drawn, not from pixels (`VectorPicture`).
    case drawing
}

/// What a file is made of, known before a pixel is.
public struct FileRecipe: Sendable {
    /// The pictures that are rendered for the file, and how their rows are encoded; the assembler gets their pieces in
    /// this order.
    public var pictures: [(source: PictureSource, encoding: PictureEncoding)]
    /// The layers of a file that holds them; nil for others.
    public var layers: LayeredPicture?
    /// What a file of lines is written from; nil for others.
    public var drawing: (picture: DrawnPicture, survey: VectorSurvey)?

    /// A file that shows the picture and nothing else.
    public init(_ encoding: PictureEncoding) { pictures = [(.whole, encoding)] }

    /// - Parameter encoding: of each picture.
    init(_ layers: LayeredPicture, encoding: (PictureSource) -> PictureEncoding) {
        pictures = layers.parts.map { ($0, encoding($0)) }
        self.layers = layers
    }

    init(_ drawing: DrawnPicture) throws(EngineError) {
        let survey = try drawing.survey()
        pictures = [(.whole, drawing.encoding)]
        for (index, image) in survey.images.enumerated() {
            pictures.append((.drawn(drawing.encoding.format, index), drawing.options(of: image).encoding))
        }
        self.drawing = (drawing, survey)
    }

    /// What of the picture the file cannot hold as it is.
    public var warnings: [ReadingWarning] {
        drawing?.survey.warnings ?? layers?.warnings.map { ReadingWarning(.other, at: nil, $0) } ?? []
    }

    /// The project, the options and the size that one of its pictures is rendered from.
    ///
    /// - Parameters:
    ///   - project: that the file is made of.
    ///   - options: of the picture.
    ///   - size: output pixels.
    public func subject(
        of source: PictureSource, _ project: Project, _ options: PictureOptions, size: PixelSize
    ) -> (project: Project, options: PictureOptions, size: PixelSize) {
        if case .drawn(_, let index) = source, let drawing {
            let image = drawing.survey.images[index]
            return (image.project(of: project), drawing.picture.options(of: image), image.size ?? size)
        }
        return layers?.subject(of: source) ?? (project, options, size)
    }
}

/// The layers of a file, and where the pictures lie that they consist of.
public struct LayeredLayout: Hashable, Sendable {
    /// A picture of the file.
    public struct Part: Hashable, Sendable {
        public var source: PictureSource
        /// The rendered part of the picture, in its pixels.
        public var rect: PixelRect
        public var pixels: PixelFormat

        public init(source: PictureSource, rect: PixelRect, pixels: PixelFormat) {
            self.source = source
            self.rect = rect
            self.pixels = pixels
        }
    }

    /// From the bottom up.
    public var nodes: [LayeredNode]
    /// In the order of the recipe's pictures.
    public var parts: [Part]

    public init(nodes: [LayeredNode], parts: [Part]) {
        self.nodes = nodes
        self.parts = parts
    }
}
