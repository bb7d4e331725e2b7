public import InkEngine

/// A picture file format: how rows become pieces of a file (on workers), and how pieces become the file (at the
/// broker).
///
/// To add a format, write a type that conforms in a folder of its own, and add a line to `PictureCodecs`.
public protocol PictureCodec: Sendable {
    var format: PictureFormat { get }
    /// What its files are called.
    var fileType: FileType { get }
    /// The name in options and reports: that of its files, where it is not another form of such a format.
    var name: String { get }
    /// Whether a picture may be transparent. If not, it is composited onto white.
    var hasAlpha: Bool { get }
    /// Whether a file has a place for the EXIF and XMP data of the photo that it shows.
    var holdsPhotoMetadata: Bool { get }
    /// The fields of a `PictureEncoding` that affect the file.
    var settings: Set<EncodingSetting> { get }
    /// Maximum edge length of the format, in pixels.
    var edgePixelsMax: Int { get }
    /// The library that writing needs and that is loaded only then; nil for formats that the program itself can write.
    var loadedLibrary: ImageLibrary? { get }
    /// How pieces come from a picture of a size: at most one step of each kind, the same kinds for every size.
    /// `encodeWhole` makes the piece of `.whole`, the encoder of pieces those of `.bands`.
    func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep]
    /// What a file of a project is made of.
    ///
    /// - Parameters:
    ///   - options: of the picture; its files do not count.
    ///   - size: output pixels.
    ///   - place: names the project in errors.
    /// - Throws: as `Project.viewport`, and `overLimit` for what the format cannot hold.
    func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe
    /// How a picture of a file is encoded that has this encoding.
    func encoding(of source: PictureSource, _ encoding: PictureEncoding) -> PictureEncoding
    /// What of a project's layers a file can hold; nil for a format without layers.
    var layerAbilities: LayeredPicture.Abilities? { get }
    /// Encodes all of a picture, or its last piece. The result depends on nothing but the pixels and the encoding.
    ///
    /// - Throws: what `picture.read` throws, and `EngineError.internalError` if there is no memory or the library fails.
    func encodeWhole(_ picture: WholePicture, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8]
    /// The height of each piece except the last is a multiple of this.
    func rowMultiple(_ encoding: PictureEncoding) -> Int
    /// The size of the raw bytes that a correct piece declares.
    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int
    /// Whether the assembler can take a piece apart. Pieces come from other machines, so it must not rely on them.
    func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool
    /// Whether the assembler can take a piece apart, for formats where that depends on size and encoding too.
    func isSound(
        _ piece: ArraySlice<UInt8>, _ size: PixelSize, _ encoding: PictureEncoding, pixels: PixelFormat
    ) -> Bool
    /// Whether the assembler can take apart a piece that `encodeWhole` has made of a picture of this size.
    func isSoundWhole(_ piece: [UInt8], _ size: PixelSize, _ encoding: PictureEncoding) -> Bool
    /// The decoded content of a piece, used to compare the results of two workers; nil if the piece is invalid.
    func content(of piece: EncodedPiece) -> [UInt8]?
    /// Checks that the format can represent a picture, before it is rendered.
    ///
    /// - Throws: `EngineError.overLimit` or `badInput` at `place`.
    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError)
    /// Makes an encoder; each thread needs its own.
    func makeEncoder() -> any PieceEncoder
    /// - Throws: `EngineError.internalError` for a picture that the format cannot represent.
    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler
    /// The digest in the file at `path` if it is complete and of this format; nil for any other file, or if there is
    /// none.
    ///
    /// - Throws: `EngineError.io` if there is a file that cannot be opened or read.
    func storedDigest(path: String) throws(EngineError) -> PictureDigest?
}

extension PictureCodec {
    public var name: String { fileType.name }

    /// File name extensions in lower case without the dot, the usual one first.
    public var endings: [String] { fileType.endings }

    public var holdsPhotoMetadata: Bool { true }

    /// Whether a file is made from the project's geometry, by `VectorPicture`, and not from pixels.
    public var isVector: Bool {
        steps(PictureEncoding(format: format), of: PixelSize(width: 1, height: 1)).contains(.drawing)
    }

    public var loadedLibrary: ImageLibrary? { nil }

    /// What is to be installed before files can be written here; nil if nothing is missing.
    public var missingPackage: String? { loadedLibrary?.missingPackage }

    public func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep] { [.bands] }

    public func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe { FileRecipe(encoding) }

    public func encoding(of source: PictureSource, _ encoding: PictureEncoding) -> PictureEncoding { encoding }

    public var layerAbilities: LayeredPicture.Abilities? { nil }

    public func encodeWhole(_ picture: WholePicture, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8] {
        throw .internalError("\(name) is encoded piece by piece")
    }

    public func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool { !piece.isEmpty }

    public func isSound(
        _ piece: ArraySlice<UInt8>, _ size: PixelSize, _ encoding: PictureEncoding, pixels: PixelFormat
    ) -> Bool { isSound(piece, rowCount: size.height, pixels: pixels) }

    public func isSoundWhole(_ piece: [UInt8], _ size: PixelSize, _ encoding: PictureEncoding) -> Bool {
        !piece.isEmpty
    }

    public func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {}
}

/// An option for encoding.
public enum EncodingSetting: String, Hashable, Sendable, CaseIterable {
    case effort, quality, chroma, progressive, lossless, compression, bleed
    /// The best quality whose file is not too large.
    case maxBytes = "max-bytes"
    case tileSize = "tile-size"
    case tileOverlap = "tile-overlap"
    case plotHidden = "plot-hidden"
    case pens
    case plotFill = "plot-fill"
}

/// Full-width rows of a picture to encode.
public struct PixelRows {
    /// Rows of `width` pixels of `format`, without padding; at least one row.
    public var pixels: UnsafeRawBufferPointer
    /// In pixels.
    public var width: Int
    public var format: PixelFormat
    /// Index of the first row in the picture.
    public var firstRow: Int

    public init(pixels: UnsafeRawBufferPointer, width: Int, format: PixelFormat, firstRow: Int) {
        self.pixels = pixels
        self.width = width
        self.format = format
        self.firstRow = firstRow
    }
}

/// Encodes pieces of files; used by one thread. Equal rows give equal bytes on every processor.
public protocol PieceEncoder: AnyObject {
    /// - Throws: `EngineError.internalError` if the pixels are not rows of that width, or there is no memory.
    func encode(_ rows: PixelRows, _ encoding: PieceEncoding) throws(EngineError) -> EncodedPiece
}

/// An operation on a picture's files. Its files are numbered from 0; further numbers are temporary stores of bytes whose
/// place in a file is known only later.
public enum PictureWrite: Hashable, Sendable {
    /// Append these bytes to a file or store.
    case append([UInt8], to: Int = 0)
    /// Replace bytes that were appended before.
    case patch([UInt8], at: Int, of: Int = 0)
    /// Append everything in a store to a file or another store. The store is empty then.
    case move(Int, to: Int = 0)
    /// Append some bytes of a store, which stays as it is.
    case copy(Int, at: Int, count: Int, to: Int = 0)
    /// The picture cannot be written.
    case refuse(EngineError)
}

/// Joins the pieces of a picture. It handles only bytes: no pixels and no files. Call `begin`, `add` for each piece
/// from the top, then `end`.
public protocol PictureAssembler: Sendable {
    /// 1 for most formats.
    var fileCount: Int { get }
    /// Whether bytes in a file never change, so that it can be sent while it grows.
    var isAppendOnly: Bool { get }
    mutating func begin() -> [PictureWrite]
    mutating func add(_ piece: EncodedPiece) -> [PictureWrite]
    mutating func end() -> [PictureWrite]
}

extension PictureAssembler {
    public var fileCount: Int { 1 }
    public var isAppendOnly: Bool { true }
}

/// What must be known about a picture before its first row.
public struct PictureHead: Hashable, Sendable {
    /// In output pixels.
    public var size: PixelSize
    public var pixels: PixelFormat
    public var encoding: PictureEncoding
    public var description: PictureDescription
    /// The layers of a file that holds them; nil for others.
    public var layers: LayeredLayout?

    public init(
        size: PixelSize, pixels: PixelFormat, encoding: PictureEncoding = PictureEncoding(),
        description: PictureDescription = PictureDescription(), layers: LayeredLayout? = nil
    ) {
        self.layers = layers
        self.size = size
        self.pixels = pixels
        self.encoding = encoding
        self.description = description
    }
}

/// Metadata of a picture.
public struct PictureDescription: Hashable, Sendable {
    /// The resolution; nil: not written.
    public var density: PictureDensity?
    public var text: [PictureText]
    /// Metadata of the picture that is shown, where that is one itself; at most 65,000 bytes each. nil: not written.
    public var exif: [UInt8]?
    public var xmp: [UInt8]?
    /// Digest of the inputs; nil: not written.
    public var digest: PictureDigest?
    /// Whether a profile says that the colours are sRGB, in formats where it is not plain.
    public var hasProfile: Bool

    public init(
        dotsPerInch: Double? = nil, text: [PictureText] = [], digest: PictureDigest? = nil, hasProfile: Bool = false
    ) {
        density = dotsPerInch.flatMap { PictureDensity(across: $0, down: $0) }
        self.text = text
        self.digest = digest
        self.hasProfile = hasProfile
    }

    /// The cleaned text of a keyword; nil if there is none.
    func text(_ keyword: PictureText.Keyword) -> String? {
        text.first { $0.keyword == keyword }.map(\.cleanedText).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension PictureWrite {
    func renumbered(_ number: (Int) -> Int) -> PictureWrite {
        switch self {
        case .append(let bytes, let stream): .append(bytes, to: number(stream))
        case .patch(let bytes, let offset, let stream): .patch(bytes, at: offset, of: number(stream))
        case .move(let store, let stream): .move(number(store), to: number(stream))
        case .copy(let store, let offset, let count, let stream):
            .copy(number(store), at: offset, count: count, to: number(stream))
        case .refuse: self
        }
    }
}
