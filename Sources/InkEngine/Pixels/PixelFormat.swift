/// The pixel format of finished tiles, 8 bits per channel.
public enum PixelFormat: UInt8, Hashable, Sendable {
    /// Red, green, blue. A picture whose background is not opaque is composited onto white at the end.
    case rgb = 0
    /// Red, green, blue, straight alpha.
    case rgba = 1

    public var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
}
