/// What a decoded PNG is for; decides the samples that are kept.
public enum ImagePurpose: UInt8, Hashable, Sendable, CaseIterable {
    /// A mask: red times alpha of each pixel, `SampleFormat.mask8` when the PNG has no transparency, else `.mask16`.
    case mask = 0
    /// A picture: `SampleFormat.rgb8` when the PNG has no transparency, else `.rgba8`.
    case color = 1
}

/// Some rows of a decoded image: chunk `index` of `ImageSlice.rowsPerChunk` rows.
public struct DecodedChunk: Hashable, Sendable {
    /// A chunk's pixels.
    public enum Content: Hashable, Sendable {
        /// Every pixel has this value: byte k of a pixel is `value >> 8k`, bytes past the format's are 0.
        case constant(UInt32)
        /// The rows' samples in the image's format, row-major without padding.
        case samples([UInt8])
    }

    /// From 0 at the top.
    public var index: Int
    /// The image rows it holds.
    public var rows: Range<Int>
    public var content: Content

    public init(index: Int, rows: Range<Int>, content: Content) {
        self.index = index
        self.rows = rows
        self.content = content
    }
}

/// What is known of an image once all of it has been decoded.
public struct DecodedImageInfo: Hashable, Sendable {
    public var size: PixelSize
    public var format: SampleFormat
    /// For a mask the smallest rectangle that holds every value above 0, nil when there is none. Always nil for colour.
    public var maskBounds: PixelRect?

    public init(size: PixelSize, format: SampleFormat, maskBounds: PixelRect? = nil) {
        self.size = size
        self.format = format
        self.maskBounds = maskBounds
    }
}
