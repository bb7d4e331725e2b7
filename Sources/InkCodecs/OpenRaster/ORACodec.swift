public import InkEngine

extension PictureFormat {
    public static let ora = PictureFormat(rawValue: 8)
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
