/// The memory layout of a decoded image's samples. All have 8 bits per sample unless stated otherwise.
public enum SampleFormat: UInt8, Hashable, Sendable, CaseIterable {
    /// A mask with value v / 255.
    case mask8 = 0
    /// A mask with value v / 65025, the product of 8-bit red and 8-bit alpha; UInt16, little-endian.
    case mask16 = 1
    /// Red, green, blue; opaque.
    case rgb8 = 2
    /// Red, green, blue, straight alpha.
    case rgba8 = 3
    /// A mask's value as Float, little-endian, in an image that was scaled when it was decoded (`ImageScaling`).
    case scaledMask = 4
    /// Premultiplied red, green, blue and alpha as Floats, little-endian, in an image that was scaled when it was
    /// decoded.
    case scaledColor = 5

    public var bytesPerPixel: Int {
        switch self {
        case .mask8: 1
        case .mask16: 2
        case .rgb8: 3
        case .rgba8: 4
        case .scaledMask: 4
        case .scaledColor: 16
        }
    }

    /// Whether the samples belong to a mask.
    public var isMask: Bool { self == .mask8 || self == .mask16 || self == .scaledMask }

    public var isScaled: Bool { self == .scaledMask || self == .scaledColor }

    /// Whether pixels of this value (`ChunkPixels.constant`) are transparent, or 0 in a mask.
    public func isInvisible(_ constant: UInt32) -> Bool {
        switch self {
        case .mask8, .mask16, .scaledMask, .scaledColor: constant == 0
        case .rgb8: false
        // Straight RGBA in memory order; the first byte is the lowest.
        case .rgba8: constant >> 24 == 0
        }
    }
}

/// The pixels of consecutive rows of a decoded image: one value, or the block of this name.
public typealias RowChunk = ChunkPixels<BlockID>

/// The rows of one decoded image that a tile needs.
///
/// An image is cut into chunks of `ImageSlice.rowsPerChunk` rows from the top (the last may be shorter);
/// `chunks[i]` is the image's chunk `firstChunk + i`.
public struct ImageSlice: Hashable, Sendable {
    /// Rows in each chunk except the last.
    public static let rowsPerChunk = 64

    /// The whole image's size, in pixels.
    public var size: PixelSize
    public var format: SampleFormat
    public var firstChunk: Int
    public var chunks: [RowChunk]
    /// Where the image lies, in canvas pixels; nil: it fills the picture.
    public var placement: Placement?
    /// A mask's value beyond its placed image, 0...1.
    public var outside: Double
    /// The pixels that a placed image has if it was scaled when it was decoded (`ImageScaling.part`).
    public var part: PixelRect?
    /// How it becomes pixels of another size.
    public var filter: ContentFilter

    public init(
        size: PixelSize, format: SampleFormat, firstChunk: Int, chunks: [RowChunk], placement: Placement? = nil,
        outside: Double = 0, part: PixelRect? = nil, filter: ContentFilter = .lanczos
    ) {
        self.filter = filter
        self.placement = placement
        self.outside = outside
        self.part = part
        self.size = size
        self.format = format
        self.firstChunk = firstChunk
        self.chunks = chunks
    }

    /// The image rows in the chunks.
    public var rows: Range<Int> {
        let first = firstChunk * ImageSlice.rowsPerChunk
        return first..<min(size.height, first + chunks.count * ImageSlice.rowsPerChunk)
    }

    /// The rows of chunk `index` of an image of that height (an index of the image, not of `chunks`).
    public static func rows(ofChunk index: Int, imageHeight: Int) -> Range<Int> {
        let first = index * rowsPerChunk
        return first..<max(first, min(imageHeight, first + rowsPerChunk))
    }

    /// The chunks that contain `rows` (not empty).
    public static func chunks(of rows: Range<Int>) -> Range<Int> {
        rows.lowerBound / rowsPerChunk..<((rows.upperBound - 1) / rowsPerChunk + 1)
    }
}
