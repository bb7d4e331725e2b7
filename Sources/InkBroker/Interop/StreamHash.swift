import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces; OpenSSL's.
///
/// One owner at a time.
final class StreamHash {
    private let context: OpaquePointer

    init() throws(BrokerError) {
        guard let context = EVP_MD_CTX_new() else { throw .internalError("no memory for a hash") }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw .internalError("SHA-256 is not available")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: [UInt8]) throws(BrokerError) {
        let status = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        guard status == 1 else { throw .internalError("SHA-256 failed") }
    }

    /// The 32 bytes of the hash; nothing can be added afterwards.
    func finish() throws(BrokerError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = digest.withUnsafeMutableBufferPointer { EVP_DigestFinal_ex(context, $0.baseAddress, nil) }
        guard status == 1 else { throw .internalError("SHA-256 failed") }
        return digest
    }
}
