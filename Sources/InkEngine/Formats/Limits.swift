/// The sizes beyond which a project is refused before memory is taken for it. All can be configured.
public struct Limits: Hashable, Sendable {
    /// Canvas and output edge, pixels.
    public var edgePixels = 65_536
    /// What `edgePixels` may be raised to: tiles are of pictures with edges up to this.
    static let edgePixelsMax = 1 << 20
    /// Output pixels in all.
    public var outputPixels = 1 << 32
    /// One embedded image, pixels.
    public var imagePixels = 100_000_000
    /// One embedded image of a format that can stream, pixels, which has to be held whole while it is decoded: an
    /// interlaced PNG, a progressive or turned JPEG.
    public var interlacedImagePixels = 64_000_000
    /// One embedded image of a format that cannot stream, pixels.
    public var heldImagePixels = 40_000_000
    /// Project file, bytes.
    public var fileBytes = 1 << 30
    /// A tree of the greatest depth takes 69 levels.
    public var jsonDepth = 80
    /// JSON values in a file, keys included. A parsed value takes about 20 bytes, so that this bounds the memory of
    /// a file that is small for its number of values; 20 million points of six numbers are 140 million.
    public var jsonValues = 160_000_000
    /// Files in a template's zip archive.
    public var archiveEntries = 10_000
    /// How many times larger than its compressed form a file of an archive may be, beyond its first 16 MiB.
    public var archiveRatio = 200
    /// Elements of the layer tree in all.
    public var layers = 1_000
    /// Levels of the layer tree.
    static let treeDepth = 32
    public var strokes = 1_000_000
    public var pointsPerStroke = 100_000
    public var points = 20_000_000
    public var stamps = 20_000_000
    /// Largest distance of a coordinate from the origin, canvas pixels.
    public var coordinate = 10_000_000.0
    /// The same on an infinite canvas.
    public static let worldCoordinate = 1e9

    public init() {}
}
