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
        self.init(
            digest: (0..<32).map { (byte: Int) -> UInt8 in
                let (high, low) = (digits[2 * byte] ?? 0, digits[2 * byte + 1] ?? 0)
                return UInt8(high << 4 | low)
            })
    }
}
