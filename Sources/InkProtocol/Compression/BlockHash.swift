public import InkEngine

extension BlockID {
    /// The name of a block: SHA-256 (FIPS 180-4) of its bytes as they travel.
    public init(hashing bytes: [UInt8]) {
        self.init(digest: SHA256.digest(bytes))
    }
}
