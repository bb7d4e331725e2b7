import CCrypto

/// SHA-256 (FIPS 180-4), by OpenSSL, which uses the processor's instructions for it.
public final class SHA256 {
    private let context: OpaquePointer

    public init() {
        // It fails only when memory is exhausted, which Swift's own allocations trap on as well.
        guard let context = ink_sha256_new() else { preconditionFailure("no memory for a digest") }
        self.context = context
    }

    deinit { ink_sha256_free(context) }

    /// Adds bytes to what is digested.
    public func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes to what is digested.
    public func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let status = ink_sha256_update(context, base, bytes.count)
        precondition(status == 1, "a digest refused bytes before its end")
    }

    /// Adds one of several parts with a label, so that different parts never give the same bytes.
    public func update(label: String, _ bytes: [UInt8]) {
        let name = Array(label.utf8)
        update(SHA256.littleEndian(name.count) + name + SHA256.littleEndian(bytes.count))
        update(bytes)
    }

    /// The 32 bytes of the digest. Call it once; add nothing afterwards.
    public func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = ink_sha256_finish(context, &digest)
        precondition(status == 1, "a digest was finished twice")
        return digest
    }

    /// The digest of some bytes, 32 bytes.
    public static func digest(_ bytes: [UInt8]) -> [UInt8] {
        let digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
