import CCrypto

/// A UUID that follows from a name (RFC 9562), so that equal names have equal ones.
package struct NameUUID: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// The UUID of a name in a namespace: SHA-1 as for version 5, but with the version digit 4, because public schemas and
    /// editors of packs accept no other.
    ///
    /// - Throws: `internalError` where the library of digests refuses SHA-1.
    package init(namespace: NameUUID, name: String) throws(EngineError) {
        let text = namespace.bytes + Array(name.utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        guard text.withUnsafeBytes({ ink_sha1($0.baseAddress, $0.count, &digest) }) == 1 else {
            throw .internalError("SHA-1 is not available")
        }
        digest[6] = digest[6] & 0x0F | 0x40
        digest[8] = digest[8] & 0x3F | 0x80
        bytes = Array(digest.prefix(16))
    }

    /// Parses 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, in any case; nil for anything else.
    package init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = Array(groups.joined().utf8)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard digits[index] != UInt8(ascii: "+"), digits[index] != UInt8(ascii: "-"),
                let byte = UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    package var description: String {
        let digits = bytes.hexadecimal
        var groups: [Substring] = []
        var rest = digits[...]
        for count in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: "-")
    }
}
