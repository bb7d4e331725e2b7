/// An image that has not been decoded: its file, and the contents of its header.
///
/// The header has been checked against the limits. The rest of the bytes has not been read, so decoding may still fail.
public struct EncodedImage: Sendable {
    /// The whole file, of one of the formats of `ImageDecoders`.
    public var bytes: [UInt8]
    public var header: ImageHeader
    /// The image's place for messages: `layers[3].maskImage`, or a path inside a template.
    public var place: String

    public init(bytes: [UInt8], header: ImageHeader, place: String) {
        self.bytes = bytes
        self.header = header
        self.place = place
    }

    /// In pixels, as declared in the header.
    public var size: PixelSize { header.size }
}
