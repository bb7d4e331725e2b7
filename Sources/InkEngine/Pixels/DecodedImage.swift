/// The purpose of a decoded image, which determines the samples that are kept.
public enum ImageUse: UInt8, Hashable, Sendable, CaseIterable {
    /// A mask: red times alpha of each pixel. `SampleFormat.mask8` if the image has no transparency, else `.mask16`.
    case mask = 0
    /// A picture: `SampleFormat.rgb8` if the image has no transparency, else `.rgba8`.
    case color = 1
}

/// The pixels of consecutive rows of an image. If they are not all equal, they are given as `Samples`: either the
/// samples themselves, row-major without padding, or the block that holds them.
public enum ChunkPixels<Samples> {
    /// Every pixel has this value. Byte k of a pixel is `value >> 8k`; bytes beyond the fourth are 0, and so are those of
    /// the value beyond the format's size.
    case constant(UInt32)
    case samples(Samples)

    public func map<Other>(_ transform: (Samples) -> Other) -> ChunkPixels<Other> {
        switch self {
        case .constant(let value): .constant(value)
        case .samples(let samples): .samples(transform(samples))
        }
    }
}

extension ChunkPixels: Equatable where Samples: Equatable {}
extension ChunkPixels: Hashable where Samples: Hashable {}
extension ChunkPixels: Sendable where Samples: Sendable {}

/// Consecutive rows of a decoded image: chunk `index` of `ImageSlice.rowsPerChunk` rows.
public struct DecodedChunk: Hashable, Sendable {
    /// From 0 at the top.
    public var index: Int
    /// The image rows in the chunk.
    public var rows: Range<Int>
    public var format: SampleFormat
    public var content: ChunkPixels<[UInt8]>

    public init(index: Int, rows: Range<Int>, format: SampleFormat, content: ChunkPixels<[UInt8]>) {
        self.index = index
        self.rows = rows
        self.format = format
        self.content = content
    }
}

/// Properties of an image, known once all of it has been decoded.
public struct DecodedImageInfo: Hashable, Sendable {
    public var size: PixelSize
    public var format: SampleFormat
    /// For a mask, the smallest rectangle that contains every value above 0, or nil if there is none. Always nil for
    /// colour.
    public var maskBounds: PixelRect?

    public init(size: PixelSize, format: SampleFormat, maskBounds: PixelRect? = nil) {
        self.size = size
        self.format = format
        self.maskBounds = maskBounds
    }
}
