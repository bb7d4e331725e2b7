public import InkEngine

extension PictureFormat {
    /// SVG files for pen plotters.
    public static let plot = PictureFormat(rawValue: 22)
    /// PDF files of lines and areas.
    public static let vectorPDF = PictureFormat(rawValue: 23)
}

/// SVG files in millimetres for pen plotters, written by `VectorPicture`.
struct PlotCodec: PictureCodec {
    private let svg = SVGCodec()

    var format: PictureFormat { .plot }
    var name: String { "plot" }
    var fileType: FileType { svg.fileType }
    var hasAlpha: Bool { false }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { svg.edgePixelsMax }
    var isVector: Bool { true }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        svg.rawByteCount(rowCount: rowCount, width: width, pixels: pixels)
    }

    func content(of piece: EncodedPiece) -> [UInt8]? { nil }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        throw .internalError("\(name) is not made of rows")
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try svg.storedDigest(path: path) }
}

/// PDF files of lines and areas, written by `VectorPicture`.
struct VectorPDFCodec: PictureCodec {
    private let pdf = PDFCodec()

    var format: PictureFormat { .vectorPDF }
    var name: String { "vector pdf" }
    var fileType: FileType { pdf.fileType }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { pdf.settings }
    var edgePixelsMax: Int { Limits.edgePixelsMax }
    var isVector: Bool { true }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        pdf.rawByteCount(rowCount: rowCount, width: width, pixels: pixels)
    }

    func content(of piece: EncodedPiece) -> [UInt8]? { nil }

    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {
        try pdf.check(size, encoding, dotsPerInch: dotsPerInch, place: place)
    }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        throw .internalError("a \(name) of lines is not made of rows")
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try pdf.storedDigest(path: path) }
}
