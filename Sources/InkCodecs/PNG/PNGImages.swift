import InkEngine

/// PNG files as images of layers.
struct PNGImages: ImageDecoder {
    var name: String { "PNG" }
    var fileType: FileType? { .png }
    var library: ImageLibrary { ImageLibrary("libpng") }

    func recognizes(_ file: [UInt8]) -> Bool { file.starts(with: PNGHeader.signature) }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        let header = try PNGHeader(file, place: place)
        let hasAlpha = header.colorType == .grayAlpha || header.colorType == .rgba || Self.hasTransparency(file)
        let orientation = ImageOrientation(ofPNG: file)
        return ImageHeader(
            size: orientation.turned(header.size), isHeldWhole: header.isInterlaced || orientation != .upright,
            hasAlpha: hasAlpha)
    }

    /// Whether a chunk before the pixels says which colours are transparent.
    private static func hasTransparency(_ file: [UInt8]) -> Bool {
        for (type, _) in PNGChunks(file) {
            if type.elementsEqual("tRNS".utf8) { return true }
            if type.elementsEqual("IDAT".utf8) { return false }
        }
        return false
    }

    func colors(of file: [UInt8]) -> FileColors {
        var coded: (primaries: Int, transfer: Int)?
        for (type, data) in PNGChunks(file) {
            if type.elementsEqual("IDAT".utf8) { break }
            let bytes = Array(data.prefix(4))
            if type.elementsEqual("cICP".utf8), bytes.count == 4 { coded = (Int(bytes[0]), Int(bytes[1])) }
        }
        return FileColors(profile: PNGProfile.find(in: file), coded: coded)
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try PNGDecoder.decode(
            file, as: use, convertsProfiles: convertsProfiles, place: place, limits: limits, onChunk: onChunk)
    }
}

extension ImageOrientation {
    /// As the EXIF data of a PNG say, which may lie behind the pixels. Upright if there are none.
    init(ofPNG file: [UInt8]) { self = PNGExif.find(in: file).map { ImageOrientation(exif: $0[...]) } ?? .upright }
}

/// The EXIF data of a PNG.
enum PNGExif {
    /// Those of the chunk `eXIf`, or, without one, of a text, as programs wrote them before there was that chunk; nil if there
    /// are none, or they are damaged.
    static func find(in file: [UInt8]) -> [UInt8]? {
        var texts: [PNGText] = []
        for (type, data) in PNGChunks(file) {
            if type.elementsEqual("eXIf".utf8) { return ExifSegment.withoutMark(data) }
            // More than a few are not believed, because each is unpacked.
            if texts.count < 4, let text = PNGText(type: type, data: data),
                ["exif", "app1"].contains(text.profileKind)
            {
                texts.append(text)
            }
        }
        for text in texts {
            if let found = text.profile, text.profileKind == "exif" || found.starts(with: ExifSegment.mark) {
                return ExifSegment.withoutMark(found)
            }
        }
        return nil
    }
}
