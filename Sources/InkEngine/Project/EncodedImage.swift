/// A PNG that has not been decoded: its bytes, and what its header claims.
///
/// The header has been checked against the limits; the rest of the bytes has not been looked at, so decoding
/// may still fail.
public struct EncodedImage: Sendable {
    /// The whole PNG file.
    public var png: [UInt8]
    /// From IHDR.
    public var size: PixelSize
    public var isInterlaced: Bool
    /// Where the image stands, for messages: `layers[3].maskImage`, or a path inside a template.
    public var place: String

    public init(png: [UInt8], size: PixelSize, isInterlaced: Bool, place: String) {
        self.png = png
        self.size = size
        self.isInterlaced = isInterlaced
        self.place = place
    }
}
