/// The information in the header of an image file.
public struct ImageHeader: Hashable, Sendable {
    /// In pixels.
    public var size: PixelSize
    /// Whether decoding needs all pixels in memory. Such images have a separate limit.
    public var isHeldWhole: Bool
    /// Whether images of the format can be decoded row by row at all. Those of other formats have a limit of their own.
    public var formatStreams: Bool
    /// Whether pixels may be transparent.
    public var hasAlpha: Bool
    /// Whether the image is drawn in the size that it has in the output (`VectorRaster`), and `size` is only that in
    /// which it lies on the canvas when nothing else is said.
    public var isVector = false
    /// CMYK colours; nil for others.
    public var inks: Inks?

    /// How CMYK colours become RGB.
    public enum Inks: Hashable, Sendable {
        /// With a profile that says how they look.
        case profiled
        case plain
    }

    /// Whether CMYK becomes RGB by the plain formula (spec section 8.4), which shows other colours than a print.
    public func guessesColors(convertsProfiles: Bool) -> Bool {
        inks == .plain || inks == .profiled && !convertsProfiles
    }

    /// The warning about an image for which `guessesColors` holds.
    public static let guessWarning =
        "CMYK without a colour profile that counts, converted plainly; colours may differ from a print"

    public init(size: PixelSize, isHeldWhole: Bool, formatStreams: Bool = true, hasAlpha: Bool = true) {
        self.size = size
        self.isHeldWhole = isHeldWhole
        self.formatStreams = formatStreams
        self.hasAlpha = hasAlpha
    }

    /// The longest edge that is decoded, whatever the limits, because a chunk of 64 rows must be held in memory.
    package static let edgePixelsMax = 1_000_000

    /// Rejects an image that is larger than the limits allow.
    ///
    /// - Throws: `EngineError.overLimit` at `place`.
    public func check(against limits: Limits, place: Place) throws(EngineError) {
        let limit =
            !formatStreams
            ? limits.heldImagePixels : isHeldWhole ? limits.interlacedImagePixels : limits.imagePixels
        guard isVector || size.area <= limit else {
            throw .overLimit(
                place, what: isHeldWhole ? "the image, which has to be held whole," : "the image",
                found: "\(size) = \(size.area) pixels", limit: "\(limit) pixels")
        }
        guard size.longestEdge <= ImageHeader.edgePixelsMax else {
            throw .overLimit(
                place, what: "image edge", found: "\(size.longestEdge) pixels", limit: "\(ImageHeader.edgePixelsMax)")
        }
    }
}
