#if canImport(Glibc)
    import Glibc
#endif

/// Zeroed memory for rows; freed with the object.
///
/// It comes from `calloc`, so pages that are never written take no memory. A file that claims a large image but
/// contains little of it costs little.
final class RowBuffer {
    let base: UnsafeMutablePointer<UInt8>
    let byteCount: Int

    /// - Precondition: `byteCount` is not negative, and that much memory is available: the caller has checked it
    ///   against its limits.
    init(byteCount: Int) {
        guard let memory = calloc(max(byteCount, 1), 1) else {
            preconditionFailure("no memory for \(byteCount) bytes of pixels")
        }
        self.byteCount = byteCount
        base = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit { free(base) }
}
