/// A format of picture files: how rows become pieces of a file, on workers, and how pieces become the file, at the broker.
///
/// A new format is a type of this kind in a folder of its own, and a line in `PictureCodecs`.
public protocol PictureCodec: Sendable {
    var format: PictureFormat { get }
    /// As options and reports write it: `png`.
    var name: String { get }
    /// Of file names, in lower case without the dot, the usual one first.
    var endings: [String] { get }
    /// Whether a picture may be transparent; where not, it is laid on white.
    var hasAlpha: Bool { get }
    /// What of a `PictureEncoding` changes the file.
    var settings: Set<EncodingSetting> { get }
    /// The longest edge that the format has, pixels.
    var edgePixelsMax: Int { get }
    /// What the height of each piece but the last is a multiple of.
    func rowMultiple(_ encoding: PictureEncoding) -> Int
    /// What an honest piece says of its raw bytes.
    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int
    /// What the bytes of a piece stand for, by which the work of two workers is compared; nil when they cannot be right.
    func content(of piece: EncodedPiece) -> [UInt8]?
    /// One for each thread.
    func makeEncoder() -> any PieceEncoder
    /// - Throws: `EngineError.internalError` for a picture that the format does not have.
    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler
    /// The digest that the file at `path` carries, when it is whole and of this format; nil for any other, or none.
    ///
    /// - Throws: `EngineError.io` when there is a file and it cannot be opened or read.
    func storedDigest(path: String) throws(EngineError) -> PictureDigest?
}

/// An option of encoding.
public enum EncodingSetting: String, Hashable, Sendable, CaseIterable {
    case effort, quality, chroma
}

/// Full-width rows of a picture, to be encoded.
public struct PixelRows {
    /// Rows of `width` pixels of `format`, without padding; at least one row.
    public var pixels: UnsafeRawBufferPointer
    /// Pixels.
    public var width: Int
    public var format: PixelFormat
    /// Where in the picture they begin.
    public var firstRow: Int

    public init(pixels: UnsafeRawBufferPointer, width: Int, format: PixelFormat, firstRow: Int) {
        self.pixels = pixels
        self.width = width
        self.format = format
        self.firstRow = firstRow
    }
}

/// Makes pieces of files; used by one thread. The same rows give the same bytes on every processor.
public protocol PieceEncoder: AnyObject {
    /// - Throws: `EngineError.internalError` when the pixels are not rows of that width, or there is no memory.
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece
}

/// What is to be done with a picture's file.
public enum PictureWrite: Hashable, Sendable {
    /// Bytes at its end.
    case append([UInt8])
}

/// Puts the pieces of a picture together: bytes only, no pixels, no file. `begin`, `add` for each piece from the top, `end`.
public protocol PictureAssembler: Sendable {
    mutating func begin() -> [PictureWrite]
    mutating func add(_ piece: EncodedPiece) -> [PictureWrite]
    mutating func end() -> [PictureWrite]
}

/// What has to be known of a picture before its first row.
public struct PictureHead: Hashable, Sendable {
    /// Output pixels.
    public var size: PixelSize
    public var pixels: PixelFormat
    public var encoding: PictureEncoding
    public var description: PictureDescription

    public init(
        size: PixelSize, pixels: PixelFormat, encoding: PictureEncoding = PictureEncoding(),
        description: PictureDescription = PictureDescription()
    ) {
        self.size = size
        self.pixels = pixels
        self.encoding = encoding
        self.description = description
    }
}

/// What a picture says besides its pixels.
public struct PictureDescription: Hashable, Sendable {
    /// nil: it says none.
    public var dotsPerInch: Double?
    public var text: [PictureText]
    /// What it was made from; nil: it does not say.
    public var digest: PictureDigest?

    public init(dotsPerInch: Double? = nil, text: [PictureText] = [], digest: PictureDigest? = nil) {
        self.dotsPerInch = dotsPerInch
        self.text = text
        self.digest = digest
    }
}
