public import InkEngine

extension PictureFormat {
    public static let ora = PictureFormat(rawValue: 8)
}

/// OpenRaster: a zip archive of PNG files and a list of the layers.
struct ORACodec: LayeredCodec {
    var format: PictureFormat { .ora }
    var fileType: FileType { .ora }
    var holdsPhotoMetadata: Bool { false }
    var settings: Set<EncodingSetting> { [.effort] }
    var edgePixelsMax: Int { 1 << 20 }

    func storedDigest(path: String) throws(EngineError) -> PictureDigest? { try ArchiveDigest.read(path: path) }
}
