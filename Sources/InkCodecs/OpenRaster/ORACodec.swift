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

    var layerAbilities: LayeredPicture.Abilities? { ORAAssembler.abilities }

    /// Its pictures are PNG files.
    func encoding(of source: PictureSource, _ encoding: PictureEncoding) -> PictureEncoding {
        PictureEncoding(effort: encoding.effort)
    }

    func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe {
        let layers = try LayeredPicture(
            project, options, size: size, ORAAssembler.abilities, formatName: name, place: place)
        return FileRecipe(layers) { self.encoding(of: $0, encoding) }
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
