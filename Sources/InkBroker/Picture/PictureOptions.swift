public import InkEngine

/// What one export of a project shows and in what form it is written.
public struct PictureOptions: Hashable, Sendable {
    /// Output pixels; see `ExportSize.outputSize(canvas:limits:)`.
    public var output: PixelSize
    /// Takes the place of the project's background; nil keeps it.
    public var background: RGBA8?
    /// Whether the base image is drawn.
    public var includeBase: Bool
    /// Indices into the project's `layers`, drawn in drawing order whether visible or not; nil draws every visible
    /// layer.
    public var layers: Set<Int>?
    /// Fills layers without strokes and content with their suggested pattern.
    public var fillSuggested: Bool
    public var colorMode: ColorMode
    public var effort: EncodingEffort
    /// Tiles of this size, clipped to the picture; nil lets the splitter choose bands by their cost.
    public var tile: PixelSize?
    /// Dots an inch for the `pHYs` chunk, nil for none.
    public var dpi: Double?
    /// Text chunks, in order.
    public var text: [PictureText]
    /// What the picture was made from, for `skip-unchanged`; nil writes none.
    public var digest: [UInt8]?

    public init(
        output: PixelSize, background: RGBA8? = nil, includeBase: Bool = true, layers: Set<Int>? = nil,
        fillSuggested: Bool = false, colorMode: ColorMode = .automatic, effort: EncodingEffort = .balanced,
        tile: PixelSize? = nil, dpi: Double? = nil, text: [PictureText] = [], digest: [UInt8]? = nil
    ) {
        self.output = output
        self.background = background
        self.includeBase = includeBase
        self.layers = layers
        self.fillSuggested = fillSuggested
        self.colorMode = colorMode
        self.effort = effort
        self.tile = tile
        self.dpi = dpi
        self.text = text
        self.digest = digest
    }
}

/// Which channels the picture has.
public enum ColorMode: String, Hashable, Sendable, CaseIterable {
    /// `rgb` when the background is opaque, `rgba` otherwise.
    case automatic
    /// Opaque; a background that is not is laid on white first.
    case rgb
    case rgba
}

/// One text chunk of a PNG (PNG specification, section 11.3.3).
public struct PictureText: Hashable, Sendable {
    /// `Title`, `Software`, `Author`, `Copyright` or `Creation Time`.
    public var keyword: String
    public var text: String

    public init(keyword: String, text: String) {
        self.keyword = keyword
        self.text = text
    }

    /// The text chunks that an export of `project` carries; empty values are left out.
    ///
    /// - Parameter software: the program's name and version.
    public static func entries(of project: Project, software: String) -> [PictureText] {
        let values: [(String, String?)] = [
            ("Title", project.name), ("Software", software), ("Author", project.metadata.author),
            ("Copyright", project.metadata.license), ("Creation Time", project.createdAt),
        ]
        return values.compactMap { keyword, text in
            guard let text, !text.isEmpty else { return nil }
            return PictureText(keyword: keyword, text: text)
        }
    }
}

/// What the container of the picture needs to know before the first row.
public struct PictureHead: Hashable, Sendable {
    public var size: PixelSize
    public var format: OutputFormat
    public var dpi: Double?
    public var text: [PictureText]
    public var digest: [UInt8]?

    public init(size: PixelSize, format: OutputFormat, dpi: Double?, text: [PictureText], digest: [UInt8]?) {
        self.size = size
        self.format = format
        self.dpi = dpi
        self.text = text
        self.digest = digest
    }
}

/// How the pieces of a compressed picture become a file: PNG chunks, in the program; something plainer in tests.
public struct PictureContainer: Sendable {
    /// The bytes before the first piece.
    public var prologue: @Sendable (PictureHead) -> [UInt8]
    /// The bytes that carry a piece of the deflate stream; `isFirst` for the one that the zlib header precedes.
    public var data: @Sendable (_ piece: [UInt8], _ isFirst: Bool) -> [UInt8]
    /// The bytes after the last piece, from the Adler-32 of all filtered rows.
    public var epilogue: @Sendable (_ adler32: UInt32) -> [UInt8]

    public init(
        prologue: @escaping @Sendable (PictureHead) -> [UInt8],
        data: @escaping @Sendable (_ piece: [UInt8], _ isFirst: Bool) -> [UInt8],
        epilogue: @escaping @Sendable (_ adler32: UInt32) -> [UInt8]
    ) {
        self.prologue = prologue
        self.data = data
        self.epilogue = epilogue
    }
}
