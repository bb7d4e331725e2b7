/// PNG files as images of layers.
struct PNGImages: ImageDecoder {
    var name: String { "PNG" }
    var mediaType: String { "image/png" }
    var library: ImageLibrary { ImageLibrary("libpng") }

    func recognizes(_ file: [UInt8]) -> Bool { file.starts(with: PNGHeader.signature) }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        let header = try PNGHeader(file, place: place)
        let hasAlpha = header.colorType == .grayAlpha || header.colorType == .rgba || Self.hasTransparency(file)
        return ImageHeader(size: header.size, isHeldWhole: header.isInterlaced, hasAlpha: hasAlpha)
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
