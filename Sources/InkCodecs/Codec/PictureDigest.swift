import InkEngine

/// A hash of everything that determines a picture: content, options and renderer version. The code that makes the
/// picture decides what is hashed. Here it is 32 bytes, stored in the picture's `inKD` chunk.
public struct PictureDigest: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// nil unless `bytes` has 32 elements.
    public init?(bytes: [UInt8]) {
        guard bytes.count == PictureDigest.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The length of a SHA-256.
    public static let byteCount = 32

    /// Lower-case hexadecimal.
    public var description: String { bytes.hexadecimal }
}
