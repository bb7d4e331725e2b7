/// A hash of everything that a picture was made from: content, options and renderer version. What it is a hash of is
/// decided by whoever makes the picture; here it is 32 bytes that travel in the picture's `inKD` chunk.
public struct PictureDigest: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// nil unless `bytes` are 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == PictureDigest.byteCount else { return nil }
        self.bytes = bytes
    }

    public static let byteCount = 32

    /// Lower-case hexadecimal.
    public var description: String { bytes.hexadecimal }
}
