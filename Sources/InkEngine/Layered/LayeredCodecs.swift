extension PictureFormat {
    public static let psd = PictureFormat(rawValue: 7)
    public static let ora = PictureFormat(rawValue: 8)
    public static let psb = PictureFormat(rawValue: 11)
}

/// A format whose files hold the layers of a project beside the picture of it. The client puts them together from
/// pictures of the layers; a broker knows nothing of them.
protocol LayeredCodec: PictureCodec {}

extension LayeredCodec {
    var hasAlpha: Bool { true }
    var isLayered: Bool { true }

    func isWhole(_ encoding: PictureEncoding) -> Bool { true }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func content(of piece: EncodedPiece) -> [UInt8]? { nil }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        throw .internalError("\(name) is not made by a broker")
    }
}

/// Photoshop's files, up to 30,000 pixels a side and 2 GB; larger ones are written as PSB.
struct PSDCodec: LayeredCodec {
    var format: PictureFormat { .psd }
    var name: String { "psd" }
    var endings: [String] { ["psd"] }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { PSDWriter.edgePixelsMax }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PSDWriter.storedDigest(path: path) }
}

/// Photoshop's large document format.
struct PSBCodec: LayeredCodec {
    var format: PictureFormat { .psb }
    var name: String { "psb" }
    var endings: [String] { ["psb"] }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { PSDWriter.edgePixelsMax }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PSDWriter.storedDigest(path: path) }
}

/// OpenRaster: a zip archive of PNG files and a list of the layers.
struct ORACodec: LayeredCodec {
    var format: PictureFormat { .ora }
    var name: String { "ora" }
    var holdsPhotoMetadata: Bool { false }
    var endings: [String] { ["ora"] }
    var settings: Set<EncodingSetting> { [.effort] }
    var edgePixelsMax: Int { 1 << 20 }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try ArchiveDigest.read(path: path) }
}
