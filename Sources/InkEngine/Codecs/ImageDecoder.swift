/// What the head of an image file says.
public struct ImageHeader: Hashable, Sendable {
    /// Pixels.
    public var size: PixelSize
    /// Whether all pixels have to be held to decode it; such images have a limit of their own.
    public var isHeldWhole: Bool

    public init(size: PixelSize, isHeldWhole: Bool) {
        self.size = size
        self.isHeldWhole = isHeldWhole
    }

    /// Refuses an image that is larger than the limits allow.
    ///
    /// - Throws: `EngineError.overLimit` at `place`.
    public func check(against limits: Limits, place: Place) throws(EngineError) {
        let limit = isHeldWhole ? limits.interlacedImagePixels : limits.imagePixels
        guard size.area <= limit else {
            throw .overLimit(
                place, what: isHeldWhole ? "the interlaced image" : "the image",
                found: "\(size) = \(size.area) pixels", limit: "\(limit) pixels")
        }
    }
}

/// A format of images that layers may have.
///
/// A new format is a type of this kind in a folder of its own, and a line in `ImageDecoders`.
public protocol ImageDecoder: Sendable {
    /// For messages: `PNG`.
    var name: String { get }
    /// As data URLs have it: `image/png`.
    var mediaType: String { get }
    /// Whether a file that begins so is of this format.
    func recognizes(_ file: [UInt8]) -> Bool
    /// Looks at the head only, and takes no memory for pixels.
    ///
    /// - Throws: `badInput` at `place` when it contradicts the format.
    func header(_ file: [UInt8], place: Place) throws(EngineError) -> ImageHeader
    /// Hands chunks of `ImageSlice.rowsPerChunk` rows to `onChunk` in order. An error may come after chunks have been
    /// handed out, even after the last: only a return says that the image is sound.
    ///
    /// - Throws: `badInput` at `place` for damage, `overLimit` before memory is taken; what `onChunk` throws.
    func decode(
        _ file: [UInt8], as use: ImageUse, place: Place, limits: Limits,
        onChunk: (DecodedChunk) throws(EngineError) -> Void
    ) throws(EngineError) -> DecodedImageInfo
}
