public import InkEngine

extension PictureFormat {
    public static let pdf = PictureFormat(rawValue: 3)
}

/// PDF files of one page, which the picture covers. Its stream is that of a PNG; alpha is a stream of its own, the soft
/// mask of the picture.
struct PDFCodec: PictureCodec {
    var format: PictureFormat { .pdf }
    var fileType: FileType { .pdf }
    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [.effort, .bleed] }
    var edgePixelsMax: Int { Int(Int32.max) }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        // Each row is preceded by its filter number, in the soft mask too.
        rowCount * (1 + width * 3) + (pixels == .rgba ? rowCount * (1 + width) : 0)
    }

    func isSound(_ piece: ArraySlice<UInt8>, rowCount: Int, pixels: PixelFormat) -> Bool {
        pixels == .rgb ? !piece.isEmpty : PDFPiece(piece) != nil
    }

    // Equal rows are packed to equal bytes.
    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes.isEmpty ? nil : piece.bytes }

    /// Refuses a page larger than readers show, and a bleed that leaves nothing of it.
    func check(
        _ size: PixelSize, _ encoding: PictureEncoding, dotsPerInch: Double?, place: Place
    ) throws(EngineError) {
        let page = PDFPage(size, encoding, across: dotsPerInch, down: dotsPerInch)
        guard max(page.width, page.height) <= PDFPage.edgePointsMax else {
            let enough = Int((Double(size.longestEdge) * 72 / PDFPage.edgePointsMax).rounded(.up))
            throw .overLimit(
                place, what: "the longest edge",
                found: "\(PDFText.number(max(page.width, page.height))) points",
                limit: "\(Int(PDFPage.edgePointsMax)) points in pdf (--dpi \(enough) makes it fit)")
        }
        guard min(page.width, page.height) > 2 * page.bleed else {
            throw .badInput(
                place,
                reason: "a bleed of \(PDFText.number(page.bleed)) points leaves nothing of a page of "
                    + "\(PDFText.number(page.width)) x \(PDFText.number(page.height)) points")
        }
    }

    func makeEncoder() -> any PieceEncoder { PDFPieceEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { PDFAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try PDFDigest.read(file)
    }
}

/// The size of a page, in points (1/72 inch).
struct PDFPage {
    /// Without a resolution a pixel is a point.
    static let standardDotsPerInch = 72.0
    /// The limit of Adobe's readers (PDF 1.7, annex C).
    static let edgePointsMax = 14_400.0

    var width: Double
    var height: Double
    /// At each edge.
    var bleed: Double

    /// - Parameters:
    ///   - across: dots per inch along rows.
    ///   - down: likewise along columns.
    init(_ size: PixelSize, _ encoding: PictureEncoding, across: Double?, down: Double?) {
        width = Double(size.width) * 72 / (across ?? PDFPage.standardDotsPerInch)
        height = Double(size.height) * 72 / (down ?? PDFPage.standardDotsPerInch)
        bleed = Double(encoding.bleed ?? 0) / 1000
    }

    /// Without the density where the page could not have it, which is a photo's then: one that was asked for has been
    /// checked.
    init(fitting size: PixelSize, _ encoding: PictureEncoding, _ density: PictureDensity?) {
        self.init(size, encoding, across: density?.across, down: density?.down)
        if max(width, height) > PDFPage.edgePointsMax || min(width, height) <= 2 * bleed {
            self.init(size, encoding, across: nil, down: nil)
        }
    }

    /// The page's object.
    ///
    /// - Parameter isTransparent: whether what is on it is blended.
    func dictionary(isTransparent: Bool, resources: String) -> String {
        func box(_ inset: Double) -> String {
            let corners = [inset, inset, width - inset, height - inset]
            return "[" + corners.map(PDFText.number).joined(separator: " ") + "]"
        }
        typealias Numbers = PDFAssembler.Numbers
        var entries = "/Type /Page /Parent \(Numbers.pages) 0 R /MediaBox \(box(0))"
        if bleed > 0 { entries += " /BleedBox \(box(0)) /TrimBox \(box(bleed))" }
        if isTransparent { entries += " /Group << /S /Transparency /CS /DeviceRGB >>" }
        return "<< \(entries) /Resources \(resources) /Contents \(Numbers.contents) 0 R >>"
    }
}

/// A piece with alpha: the length of the colours (8 bytes, little-endian), the Adler-32 of the alpha (4), the colours, the
/// alpha; both as the bands of a PNG.
struct PDFPiece {
    var colors: ArraySlice<UInt8>
    var alpha: ArraySlice<UInt8>
    var alphaAdler32: UInt32

    private static let headBytes = 12

    /// nil if the bytes are no such piece.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count > PDFPiece.headBytes else { return nil }
        func number(_ range: Range<Int>) -> UInt64 {
            bytes[(bytes.startIndex + range.lowerBound)..<(bytes.startIndex + range.upperBound)].reversed()
                .reduce(0) { $0 << 8 | UInt64($1) }
        }
        let streams = bytes.dropFirst(PDFPiece.headBytes)
        guard let count = Int(exactly: number(0..<8)), count > 0, count < streams.count else { return nil }
        colors = streams.prefix(count)
        alpha = streams.dropFirst(count)
        alphaAdler32 = UInt32(number(8..<12))
    }

    static func join(_ colors: EncodedPiece, _ alpha: EncodedPiece) -> [UInt8] {
        littleEndian(UInt64(colors.bytes.count)) + littleEndian(alpha.adler32) + colors.bytes + alpha.bytes
    }
}
