/// The name of a block of content: the SHA-256 of its bytes.
public struct BlockID: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let bytes: InlineArray<4, UInt64>

    /// - Precondition: `digest` has 32 bytes.
    public init(digest: [UInt8]) {
        precondition(digest.count == 32, "a block id is 32 bytes")
        self.bytes = InlineArray { word in
            var value: UInt64 = 0
            for byte in (word * 8..<word * 8 + 8).reversed() { value = value << 8 | UInt64(digest[byte]) }
            return value
        }
    }

    /// The name with the bytes of `words`, lowest byte first in each.
    public init(words: InlineArray<4, UInt64>) { bytes = words }

    /// The 32 bytes in order.
    public var digest: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: bytes[$0 / 8] >> (8 * UInt64($0 % 8))) }
    }

    public static func == (a: BlockID, b: BlockID) -> Bool {
        a.bytes[0] == b.bytes[0] && a.bytes[1] == b.bytes[1] && a.bytes[2] == b.bytes[2] && a.bytes[3] == b.bytes[3]
    }

    public func hash(into hasher: inout Hasher) {
        // The digest is already uniform, so one word of it suffices for a table.
        hasher.combine(bytes[0])
    }

    public var description: String { digest.hexadecimal }
}
