/// PNG files as images of layers.
struct PNGImages: ImageDecoder {
    var name: String { "PNG" }
    var mediaType: String { "image/png" }
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
        var at = PNGHeader.signature.count
        while at + 12 <= file.count {
            let length = Int(bigEndian(file, at: at))
            let type = file[(at + 4)..<(at + 8)]
            if type.elementsEqual("tRNS".utf8) { return true }
            guard length <= file.count - at - 12, !type.elementsEqual("IDAT".utf8) else { return false }
            at += length + 12
        }
        return false
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
    init(ofPNG file: [UInt8]) {
        var at = PNGHeader.signature.count
        while at + 12 <= file.count {
            let length = Int(bigEndian(file, at: at))
            guard length <= file.count - at - 12 else { break }
            if file[(at + 4)..<(at + 8)].elementsEqual("eXIf".utf8) {
                self.init(exif: file[(at + 8)..<(at + 8 + length)])
                return
            }
            at += length + 12
        }
        self = .upright
    }
}
