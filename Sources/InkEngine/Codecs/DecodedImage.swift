/// What a decoded PNG is for; decides the samples that are kept.
public enum ImageUse: UInt8, Hashable, Sendable, CaseIterable {
    /// A mask: red times alpha of each pixel, `SampleFormat.mask8` when the PNG has no transparency, else `.mask16`.
    case mask = 0
    /// A picture: `SampleFormat.rgb8` when the PNG has no transparency, else `.rgba8`.
    case color = 1
}

/// The pixels of a run of rows of an image; `Samples` is what stands for those that are not all equal: the samples
/// themselves, row-major without padding, or the block that holds them.
public enum ChunkPixels<Samples> {
    /// Every pixel has this value: byte k of a pixel is `value >> 8k`, bytes past the format's are 0.
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

/// Some rows of a decoded image: chunk `index` of `ImageSlice.rowsPerChunk` rows.
public struct DecodedChunk: Hashable, Sendable {
    /// From 0 at the top.
    public var index: Int
    /// The image rows it holds.
    public var rows: Range<Int>
    public var content: ChunkPixels<[UInt8]>

    public init(index: Int, rows: Range<Int>, content: ChunkPixels<[UInt8]>) {
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
