/// Everything that determines the pixels of a tile, by value or by content hash. The same task gives the same bytes on
/// any worker.
public struct TileTask: Hashable, Sendable {
    public var canvas: CanvasSize
    /// The size of all that is drawn, output pixels: that of the whole picture where there is no frame.
    public var output: PixelSize
    /// The larger picture that the drawing lies in; nil: none.
    public var frame: PictureFrame?
    /// The part of the picture to render, in its pixels.
    public var rect: PixelRect
    public var background: RGBA8
    public var baseImage: ImageSlice?
    /// From the bottom up, without layers that cannot be visible in `rect`.
    public var layers: [TileLayer]
    public var pixelFormat: PixelFormat
    public var delivery: TileDelivery
    /// Where patterns that lie still on the canvas begin, in canvas pixels.
    public var patternOrigin: Point

    public init(
        canvas: CanvasSize, output: PixelSize, rect: PixelRect, background: RGBA8, baseImage: ImageSlice?,
        layers: [TileLayer], pixelFormat: PixelFormat, delivery: TileDelivery,
        patternOrigin: Point = Point(x: 0, y: 0), frame: PictureFrame? = nil
    ) {
        self.canvas = canvas
        self.output = output
        self.rect = rect
        self.background = background
        self.baseImage = baseImage
        self.layers = layers
        self.pixelFormat = pixelFormat
        self.delivery = delivery
        self.patternOrigin = patternOrigin
        self.frame = frame
    }

    /// The whole picture's size.
    public var picture: PixelSize { frame?.size ?? output }
}

/// The part of a layer that meets a tile.
public typealias TileLayer = SceneLayer<ImageSlice, StrokeSelection>

/// Some of the strokes of a block, in the block's order.
public struct StrokeSelection: Hashable, Sendable {
    public var block: BlockID
    /// Ascending.
    public var indices: [Int]

    public init(block: BlockID, indices: [Int]) {
        self.block = block
        self.indices = indices
    }
}

/// The form in which a tile's pixels are returned.
public enum TileDelivery: Hashable, Sendable {
    /// As a piece of a file; for tiles as wide as what is rendered of the picture.
    case band(PieceEncoding)
    /// As rows of samples, for a later task.
    case pixels
    /// As a piece, and as rows of samples for files of which a piece is made from the whole picture, halved so many
    /// times.
    case bandAndPixels(PieceEncoding, halvings: Int = 0)

    /// The most halvings that a task may ask for.
    public static let halvingsMax = 8
}
