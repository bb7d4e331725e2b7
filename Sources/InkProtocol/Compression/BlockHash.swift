public import InkEngine

extension BlockID {
    /// The name of a block: SHA-256 (FIPS 180-4) of its bytes on the wire.
    public init(hashing bytes: [UInt8]) {
        self.init(digest: SHA256.digest(bytes))
    }

    /// Reads 64 hexadecimal digits, as `description` writes them.
    public init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        self.init(digest: stride(from: 0, to: 64, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) })
    }
}
