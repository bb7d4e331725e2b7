#if canImport(Glibc)
    import Glibc
#endif

/// Memory for rows, zeroed; freed with the object.
///
/// It comes from `calloc`, so pages that are never written take no memory: a file that claims a large image and holds
/// little of it costs little.
final class RowBuffer {
    let base: UnsafeMutablePointer<UInt8>
    let byteCount: Int

    /// - Precondition: `byteCount` is not negative, and there is as much memory; the caller has checked it against its
    ///   limits.
    init(byteCount: Int) {
        guard let memory = calloc(max(byteCount, 1), 1) else {
            preconditionFailure("no memory for \(byteCount) bytes of pixels")
        }
        self.byteCount = byteCount
        base = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit { free(base) }
}
