public import InkEngine

/// The image formats that can be read.
public enum ImageDecoders {
    public static let all: [any ImageDecoder] = [
        PNGImages(), JPEGImages(), WebPImages(), GIFImages(), TIFFImages(), HEIFImages(isAVIF: false),
        HEIFImages(isAVIF: true), SVGImages(), PackedImages(),
    ]

    /// Those of pictures that are documents themselves.
    package static let photos = all.filter { $0.fileType != nil }

    /// Endings of file names of these formats, in lower case and with the dot.
    public static let endings = all.compactMap(\.fileType).flatMap(\.endings).map { ".\($0)" }

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
        let names = photos.map(\.name)
        return "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    /// Decodes an image of any of these formats; see `ImageDecoder.decode`.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - use: whether it becomes colours or a mask.
    ///   - convertsProfiles: whether colours are converted by the file's colour profile.
    ///   - raster: the pixels that a vector image is drawn in; nil for its own size. Other images do not have one.
    ///   - place: names the image in errors.
    ///   - limits: larger images are refused.
    ///   - onChunk: gets the next rows.
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

    /// Decodes an image of any of these formats and scales it at the same time, so that it is not held whole.
    ///
    /// - Parameters:
    ///   - file: the whole file.
    ///   - use: whether it becomes colours or a mask.
    ///   - convertsProfiles: whether colours are converted by the file's colour profile.
    ///   - scalings: not empty, and worthwhile for the image.
    ///   - place: names the image in errors.
    ///   - limits: larger images are refused.
    ///   - isCancelled: checked every 64 rows of the image.
    ///   - onChunk: gets the index of a scaling and its next rows.
    /// - Returns: what each scaling gives.
    /// - Throws: as `decode`, and `internalError` if the scalings are not worthwhile, and `cancelled`.
    public static func decode(
        _ file: [UInt8], as use: ImageUse, convertsProfiles: Bool = false, scalings: [ImageScaling], place: Place,
        limits: Limits = Limits(), isCancelled: () -> Bool = { false },
        onChunk: (Int, DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> [DecodedImageInfo] {
        let header = try decoder(of: file, place: place).header(file, place: place)
        // Before memory is taken for what comes of it.
        try header.check(against: limits, place: place)
        guard !header.isVector, ImageScaling.isWorthwhile(scalings, of: header.size, as: use) else {
            throw .internalError("an image of \(header.size) pixels is to be scaled to more than it is worth")
        }
        var scalers: [ImageScaler] = []
        for scaling in scalings { scalers.append(try ImageScaler(scaling, of: header.size, as: use)) }
        let info = try decode(
            file, as: use, convertsProfiles: convertsProfiles, place: place, limits: limits
        ) { (chunk) throws(EngineError) in
            if isCancelled() { throw .cancelled }
            for index in scalers.indices {
                try scalers[index].take(chunk) { (scaled) throws(EngineError) in try onChunk(index, scaled) }
            }
        }
        guard info.size == header.size else {
            throw .internalError("an image of \(header.size) pixels was decoded as \(info.size)")
        }
        return scalers.map(\.info)
    }
}
