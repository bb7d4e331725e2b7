/// The limits beyond which a project is rejected before memory is allocated for it. All can be configured.
public struct Limits: Hashable, Sendable {
    /// Canvas and output edge, pixels.
    public var edgePixels = 65_536
    /// The largest value of `edgePixels`; tiles support picture edges up to this.
    package static let edgePixelsMax = 1 << 20
    /// Output pixels in total.
    public var outputPixels = 1 << 32
    /// One embedded image, pixels.
    public var imagePixels = 100_000_000
    /// Pixels of one embedded image of a streaming format that has to be in memory as a whole while it is decoded, such
    /// as an interlaced PNG, or a progressive or turned JPEG.
    public var interlacedImagePixels = 64_000_000
    /// Pixels of one embedded image of a format that cannot stream.
    public var heldImagePixels = 40_000_000
    /// One SVG, bytes. A page of a document of text that another program has turned into outlines has a few million.
    public var svgBytes = 1 << 26
    /// Project file, bytes.
    public var fileBytes = 1 << 30
    /// JSON depth. A layer tree of the greatest depth takes 69 levels.
    public var jsonDepth = 80
    /// JSON values in a file, including keys. A parsed value takes about 20 bytes, so this limits the memory for a
    /// small file with many values; 20 million points of six numbers are 140 million values.
    public var jsonValues = 160_000_000
    /// Files in a template's zip archive.
    public var archiveEntries = 10_000
    /// The compression ratio of a file in an archive, for the part beyond its first 16 MiB.
    public var archiveRatio = 200
    /// Elements of the layer tree in total.
    public var layers = 1_000
    /// Levels of the layer tree.
    package static let treeDepth = 32
    public var strokes = 1_000_000
    public var pointsPerStroke = 100_000
    public var points = 20_000_000
    public var stamps = 20_000_000
    /// Shapes of a project, and the symbols that they share.
    public var shapes = 100_000
    public var symbols = 10_000
    /// Lines, curves and arcs of one path.
    public var pathSegments = 100_000
    /// Those of all shapes of a project, each symbol counted as often as it is drawn.
    public var segments = 5_000_000
    /// A pack's file, bytes.
    public var packBytes = 16 << 20
    /// Items of a pack, and the pictures that it names.
    public var packItems = 10_000
    public var packPictures = 1_000
    /// A recipe of a target, bytes, and the entries of its files.
    public var recipeBytes = 1 << 20
    public var recipeFiles = 1_000
    /// Largest distance of a coordinate from the origin, canvas pixels.
    public var coordinate = 10_000_000.0
    /// Largest distance of a coordinate from the origin on an infinite canvas.
    public static let worldCoordinate = 1e9

    public init() {}
}
