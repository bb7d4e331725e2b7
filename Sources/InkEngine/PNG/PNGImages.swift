/// PNG files as images of layers.
struct PNGImages: ImageDecoder {
    var name: String { "PNG" }
    var mediaType: String { "image/png" }
    var library: ImageLibrary { ImageLibrary("libpng") }

    func recognizes(_ file: [UInt8]) -> Bool { file.starts(with: PNGHeader.signature) }

    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader {
        let header = try PNGHeader(file, place: place)
        return ImageHeader(size: header.size, isHeldWhole: header.isInterlaced)
    }

    func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        try PNGDecoder.decode(
            file, as: use, convertsProfiles: convertsProfiles, place: place, limits: limits, onChunk: onChunk)
    }
}
