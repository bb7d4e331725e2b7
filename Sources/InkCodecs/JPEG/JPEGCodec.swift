public import InkEngine

extension PictureFormat {
    public static let jpeg = PictureFormat(rawValue: 1)
}

/// Baseline JPEG files: the MCU rows of all bands in order, separated by restart markers. The bytes equal those of one
/// run of libjpeg with the same restart interval.
struct JPEGCodec: PictureCodec {
    var format: PictureFormat { .jpeg }
    var fileType: FileType { .jpeg }
    var hasAlpha: Bool { false }
    var settings: Set<EncodingSetting> { [.quality, .chroma, .progressive, .maxBytes] }
    /// The limit of libjpeg, which is below the format's own 65,535.
    var edgePixelsMax: Int { 65_500 }

    /// The scans of a progressive file go over the whole picture, each with the codes that suit it.
    func steps(_ encoding: PictureEncoding, of size: PixelSize) -> [EncodeStep] {
        encoding.isProgressive ? [.whole(halvings: 0)] : [.bands]
    }

    func encodeWhole(_ picture: WholePicture, _ encoding: PictureEncoding) throws(EngineError) -> [UInt8] {
        let pixels = try picture.allPixels()
        return try pixels.withUnsafeBufferPointer { (bytes) throws(EngineError) in
            try JPEGPieceEncoder.file(
                UnsafeRawBufferPointer(bytes), picture.size, picture.format, encoding, density: nil)
        }
    }

    /// The height of an MCU.
    func rowMultiple(_ encoding: PictureEncoding) -> Int { encoding.jpegChroma == .full ? 8 : 16 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * 3 }

    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func makeEncoder() -> any PieceEncoder { JPEGPieceEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { try JPEGAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? {
        guard let file = try BufferedFile(regularFileAt: path) else { return nil }
        return try JPEGDigest.read(file)
    }
}

extension PictureEncoding {
    /// The default is 90.
    var jpegQuality: Int { quality ?? 90 }
    /// Hatching consists of edges, which 4:2:0 blurs. It is therefore used only if size matters more than quality.
    var jpegChroma: ChromaSampling { chroma ?? (jpegQuality >= 90 ? .full : .quarter) }
}
