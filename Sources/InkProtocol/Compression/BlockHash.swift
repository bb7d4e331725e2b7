import CCrypto
public import InkEngine

extension BlockID {
    /// The name of a block: SHA-256 (FIPS 180-4) of its bytes as they travel.
    public init(hashing bytes: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = digest.withUnsafeMutableBufferPointer { target in
            bytes.withUnsafeBytes { source in
                EVP_Digest(source.baseAddress, source.count, target.baseAddress, nil, EVP_sha256(), nil)
            }
        }
        // EVP_Digest of SHA-256 fails only when the library has no memory for its state.
        precondition(status == 1, "SHA-256 is not available")
        self.init(digest: digest)
    }
}
