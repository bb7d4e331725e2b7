public import InkEngine

extension PictureFormat {
    public static let ora = PictureFormat(rawValue: 8)
}

/// OpenRaster: a zip archive of PNG files and a list of the layers.
struct ORACodec: PictureCodec {
    var format: PictureFormat { .ora }
    var fileType: FileType { .ora }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> { [.effort] }
    var edgePixelsMax: Int { 1 << 20 }
    var hasAlpha: Bool { true }

    func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe {
        let layers = try LayeredPicture(
            project, options, size: size, ORAAssembler.abilities, formatName: name, place: place)
        // Its pictures are PNG files.
        return FileRecipe(layers) { _ in PictureEncoding(effort: encoding.effort) }
    }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int {
        PNGCodec().rawByteCount(rowCount: rowCount, width: width, pixels: pixels)
    }

    func content(of piece: EncodedPiece) -> [UInt8]? { PNGCodec().content(of: piece) }

    func makeEncoder() -> any PieceEncoder { PNGCodec().makeEncoder() }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler { try ORAAssembler(head) }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try ArchiveDigest.read(path: path) }
}
