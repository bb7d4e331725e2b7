/// The image formats that can be read.
public enum ImageDecoders {
    public static let all: [any ImageDecoder] = [
        PNGImages(), JPEGImages(), WebPImages(), GIFImages(), TIFFImages(), HEIFImages(isAVIF: false),
        HEIFImages(isAVIF: true), SVGImages(), PackedImages(),
    ]

    /// Those of pictures that are documents themselves.
    static let photos: [any ImageDecoder] = [
        PNGImages(), JPEGImages(), WebPImages(), TIFFImages(), HEIFImages(isAVIF: false), HEIFImages(isAVIF: true),
        GIFImages(), SVGImages(),
    ]

    /// Endings of file names of these formats, in lower case and with the dot.
    public static let endings = [
        ".png", ".jpg", ".jpeg", ".webp", ".gif", ".tif", ".tiff", ".heic", ".heif", ".avif", ".svg",
    ]

    /// The decoder for a file's format.
    ///
    /// - Throws: `badInput` at `place` if the format is unknown.
    public static func decoder(of file: [UInt8], place: Place) throws(EngineError) -> any ImageDecoder {
        guard !file.isEmpty else { throw .badInput(place, reason: "the image is empty") }
        guard let decoder = all.first(where: { $0.recognizes(file) }) else {
            throw .badInput(place, reason: "the image is not a \(names)")
        }
        return decoder
    }

    /// `PNG, JPEG or TIFF`.
    public static var names: String {
        let names = all.filter { !($0 is PackedImages) }.map(\.name)
        return "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    /// Decodes an image of any of these formats; see `ImageDecoder.decode`.
    ///
    /// - Parameter raster: the pixels that a vector image is drawn in; nil for its own size. Other images do not have one.
    public static func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool = false, raster: VectorRaster? = nil, place: Place,
        limits: Limits = Limits(), onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo {
        var decoder = try decoder(of: file, place: place)
        if let raster {
            guard decoder is SVGImages else { throw .internalError("a \(decoder.name) cannot be drawn in any size") }
            decoder = SVGImages(raster: raster)
        }
        return try decoder.decode(
            file, as: use, convertsProfiles: convertsProfiles, place: place, limits: limits, onChunk: onChunk)
    }
}
