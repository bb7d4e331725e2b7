/// An image that has not been decoded: its file, and what its head claims.
///
/// The head has been checked against the limits; the rest of the bytes has not been looked at, so decoding
/// may still fail.
public struct EncodedImage: Sendable {
    /// The whole file, of one of the formats of `ImageDecoders`.
    public var bytes: [UInt8]
    public var header: ImageHeader
    /// Where the image stands, for messages: `layers[3].maskImage`, or a path inside a template.
    public var place: String

    public init(bytes: [UInt8], header: ImageHeader, place: String) {
        self.bytes = bytes
        self.header = header
        self.place = place
    }

    /// Pixels, as the head claims.
    public var size: PixelSize { header.size }
}
