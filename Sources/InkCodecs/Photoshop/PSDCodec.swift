public import InkEngine

extension PictureFormat {
    public static let psd = PictureFormat(rawValue: 7)
    public static let psb = PictureFormat(rawValue: 11)
}

/// Photoshop's files, up to 30,000 pixels a side and 2 GB; larger ones are written as PSB.
struct PSDCodec: LayeredCodec {
    var format: PictureFormat { .psd }
    var fileType: FileType { .psd }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { PSDWriter.edgePixelsMax }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PSDWriter.storedDigest(path: path) }
}

/// Photoshop's large document format.
struct PSBCodec: LayeredCodec {
    var format: PictureFormat { .psb }
    var fileType: FileType { .psb }
    var settings: Set<EncodingSetting> { [] }
    var edgePixelsMax: Int { PSDWriter.edgePixelsMax }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try PSDWriter.storedDigest(path: path) }
}
