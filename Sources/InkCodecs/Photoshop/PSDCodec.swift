public import InkEngine

extension PictureFormat {
    public static let psd = PictureFormat(rawValue: 7)
    public static let psb = PictureFormat(rawValue: 11)
    /// The channels of a layer in a PSD, which are no file of their own.
    static let layerPlanes = PictureFormat(rawValue: 24)
}

/// Photoshop's files, up to 30,000 pixels a side and 2 GB, and its large document format, in which larger ones are
/// written whatever is asked for.
struct PSDCodec: PictureCodec {
    let format: PictureFormat
    let fileType: FileType

    static let psd = PSDCodec(format: .psd, fileType: .psd)
    static let psb = PSDCodec(format: .psb, fileType: .psb)
    static let planes = PSDCodec(format: .layerPlanes, fileType: .psd)

    var hasAlpha: Bool { true }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { PSDLimits.edgePixelsMax }

    var layerAbilities: LayeredPicture.Abilities? { format == .layerPlanes ? nil : PSDLimits.abilities }

    func encoding(of source: PictureSource, _ encoding: PictureEncoding) -> PictureEncoding {
        source == .whole ? encoding : PictureEncoding(format: .layerPlanes)
    }

    func recipe(
        _ project: Project, _ options: PictureOptions, size: PixelSize, _ encoding: PictureEncoding, place: Place
    ) throws(EngineError) -> FileRecipe {
        let layers = try LayeredPicture(
            project, options, size: size, PSDLimits.abilities, formatName: name, place: place)
        guard layers.elementCount * 2 <= PSDLimits.recordsMax else {
            throw .overLimit(
                place, what: "the number of layers and groups", found: "\(layers.elementCount)",
                limit: "\(PSDLimits.recordsMax / 2) in psd")
        }
        return FileRecipe(layers) { self.encoding(of: $0, encoding) }
    }

    func rowMultiple(_ encoding: PictureEncoding) -> Int { 1 }

    func rawByteCount(rowCount: Int, width: Int, pixels: PixelFormat) -> Int { rowCount * width * pixels.bytesPerPixel }

    func isSound(
        _ piece: ArraySlice<UInt8>, _ size: PixelSize, _ encoding: PictureEncoding, pixels: PixelFormat
    ) -> Bool { PackedRows(piece, rowCount: size.height, width: size.width, pixels: pixels) != nil }

    // Equal pixels give equal bytes.
    func content(of piece: EncodedPiece) -> [UInt8]? { piece.bytes }

    func makeEncoder() -> any PieceEncoder { PackedRowsEncoder(isOnWhite: format != .layerPlanes) }

    func makeAssembler(_ head: PictureHead) throws(EngineError) -> any PictureAssembler {
        guard format != .layerPlanes else { throw .internalError("a layer's channels are no file") }
        return try PSDAssembler(head)
    }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PSDResources.storedDigest(path: path) }
}
