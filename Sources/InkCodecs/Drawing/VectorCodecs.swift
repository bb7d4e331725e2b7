public import InkEngine

extension PictureFormat {
    /// SVG files for pen plotters.
    public static let plot = PictureFormat(rawValue: 22)
    /// PDF files of lines and areas.
    public static let vectorPDF = PictureFormat(rawValue: 23)
}

/// Files that `VectorPicture` writes from the project's geometry, in one task.
protocol VectorCodec: PictureCodec {
    /// What all files begin with.
    var head: [UInt8] { get }
    /// The format of the images in its files.
    var imageFormat: PictureFormat { get }
}

extension VectorCodec {
    var edgePixelsMax: Int { Limits.edgePixelsMax }

    func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep] { [.drawing] }

    func encoding(of source: PictureSource, _ encoding: PictureEncoding) -> PictureEncoding {
        source == .whole ? encoding : PictureEncoding(format: imageFormat, effort: encoding.effort)
    }

    func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe {
        var own = options
        own.encoding = encoding
        return try FileRecipe(
            DrawnPicture(
                project, options: own, output: size, name: place.file, description: PictureDescription()))
    }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func isSoundWhole(_ piece: [UInt8], _ size: PixelSize, _ encoding: PictureEncoding) -> Bool {
        piece.starts(with: head)
    }

    func makeEncoder() -> any PieceEncoder { WholeOnlyEncoder(name: name) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { VectorAssembler() }
}

/// A file whose only piece is all of it.
private struct VectorAssembler: PictureAssembler {
    func begin() -> [PictureWrite] { [] }
    func add(_ piece: EncodedPiece) -> [PictureWrite] { [.append(piece.bytes)] }
    func end() -> [PictureWrite] { [] }
}

/// SVG files in millimetres for pen plotters.
struct PlotCodec: VectorCodec {
    private let svg = SVGCodec()

    var format: PictureFormat { .plot }
    var name: String { "plot" }
    var fileType: FileType { svg.fileType }
    var hasAlpha: Bool { false }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> { [.plotHidden, .pens, .plotFill] }
    var head: [UInt8] { svg.head }
    var imageFormat: PictureFormat { .png }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try svg.storedDigest(path: path) }
}

/// PDF files of lines and areas.
struct VectorPDFCodec: VectorCodec {
    private let pdf = PDFCodec()

    var format: PictureFormat { .vectorPDF }
    var name: String { "vector pdf" }
    var fileType: FileType { pdf.fileType }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { pdf.settings }
    var head: [UInt8] { PDFAssembler.header }
    var imageFormat: PictureFormat { PDFWriter.imageFormat }

    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {
        try pdf.check(size, encoding, dotsPerInch: dotsPerInch, place: place)
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try pdf.storedDigest(path: path) }
}
