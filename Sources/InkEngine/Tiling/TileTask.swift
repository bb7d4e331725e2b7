/// Everything that the pixels of a tile depend on, by value or by content hash. The same task gives the same
/// bytes on any worker.
public struct TileTask: Hashable, Sendable {
    public var canvas: CanvasSize
    /// The whole picture's size.
    public var output: PixelSize
    /// What of the picture to make, output pixels.
    public var rect: PixelRect
    public var background: RGBA8
    public var baseImage: ImageSlice?
    /// From the bottom up; layers that cannot show in `rect` are left out.
    public var layers: [TileLayer]
    public var pixelFormat: PixelFormat
    public var delivery: TileDelivery

    public init(
        canvas: CanvasSize, output: PixelSize, rect: PixelRect, background: RGBA8, baseImage: ImageSlice?,
        layers: [TileLayer], pixelFormat: PixelFormat, delivery: TileDelivery
    ) {
        self.canvas = canvas
        self.output = output
        self.rect = rect
        self.background = background
        self.baseImage = baseImage
        self.layers = layers
        self.pixelFormat = pixelFormat
        self.delivery = delivery
    }
}

/// What of a layer meets a tile.
public typealias TileLayer = SceneLayer<ImageSlice, StrokeSelection>

/// Some of the strokes of a block, in its order.
public struct StrokeSelection: Hashable, Sendable {
    public var block: BlockID
    /// Ascending.
    public var indices: [Int]

    public init(block: BlockID, indices: [Int]) {
        self.block = block
        self.indices = indices
    }
}

/// The pixels that leave a tile, 8 bits a channel.
public enum PixelFormat: UInt8, Hashable, Sendable {
    /// Red, green, blue. A picture whose background is not opaque is put onto white when it is finished.
    case rgb = 0
    /// Red, green, blue, straight alpha.
    case rgba = 1

    public var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
}

/// In what form a tile's pixels are handed back.
public enum TileDelivery: Hashable, Sendable {
    /// As a piece of the picture's file; only for tiles as wide as the picture.
    case band(PieceEncoding)
    /// As rows of samples, for a band-encoding task that follows.
    case pixels
}
