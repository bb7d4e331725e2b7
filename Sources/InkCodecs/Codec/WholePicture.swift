public import InkEngine

/// A picture to encode as a whole.
public struct WholePicture {
    public var size: PixelSize
    public var format: PixelFormat
    /// How often the rows have been halved already.
    public var halvings: Int
    /// Passes all rows, from the top, to its argument: a band at a time.
    public var read: (_ take: (PixelRows) throws(EngineError) -> Void) throws(EngineError) -> Void
    /// Whether nobody needs the file any more; asked while it is encoded, as far as the format's library allows.
    public var isCancelled: () -> Bool = { false }

    public init(
        size: PixelSize, format: PixelFormat, halvings: Int = 0,
        read: @escaping (_ take: (PixelRows) throws(EngineError) -> Void) throws(EngineError) -> Void
    ) {
        self.size = size
        self.format = format
        self.halvings = halvings
        self.read = read
    }

    /// All rows, without padding.
    ///
    /// - Throws: what `read` throws, and `EngineError.internalError` if the rows are not those of the size.
    func allPixels() throws(EngineError) -> [UInt8] {
        let count = size.area * format.bytesPerPixel
        var pixels: [UInt8] = []
        pixels.reserveCapacity(count)
        try read { rows throws(EngineError) in pixels.append(contentsOf: rows.pixels) }
        guard pixels.count == count else {
            throw .internalError("\(pixels.count) bytes are not the rows of a picture of \(size)")
        }
        return pixels
    }
}

/// The encoder of pieces of a format that is always encoded as a whole.
final class WholeOnlyEncoder: PieceEncoder {
    private let name: String

    init(name: String) { self.name = name }

    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece {
        throw .internalError("\(name) is not encoded piece by piece")
    }
}
