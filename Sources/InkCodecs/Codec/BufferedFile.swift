import InkEngine

#if canImport(Glibc)
    import Glibc
#endif

/// A regular file that is read from its beginning, through a buffer of fixed size.
final class BufferedFile {
    static let bufferByteCount = 256 << 10

    private let path: String
    private let descriptor: Int32
    private let buffer = RowBuffer(byteCount: BufferedFile.bufferByteCount)
    /// The bytes of the buffer that have been read from the file but not taken yet.
    private var available = 0..<0

    /// Opens the file; nil if there is none at `path`, or if it is not a regular file.
    ///
    /// - Throws: `EngineError.io`.
    init?(regularFileAt path: String) throws(EngineError) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR || errno == ENXIO { return nil }
            throw .io(path: path, operation: "open", errno: errno)
        }
        var status = stat()
        // From here on deinit closes the descriptor.
        guard fstat(descriptor, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next `count` bytes; nil if the file ends before.
    ///
    /// - Precondition: `count` is at most `bufferByteCount`.
    func read(_ count: Int) throws(EngineError) -> [UInt8]? {
        precondition(count <= BufferedFile.bufferByteCount)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            guard try fill() else { return nil }
            let taken = min(available.count, count - bytes.count)
            bytes += UnsafeBufferPointer(start: buffer.base + available.lowerBound, count: taken)
            available = (available.lowerBound + taken)..<available.upperBound
        }
        return bytes
    }

    /// The remaining bytes, at most `count`; nil at the end.
    func readUpTo(_ count: Int) throws(EngineError) -> [UInt8]? {
        guard try fill() else { return nil }
        let taken = min(available.count, count)
        let bytes = Array(UnsafeBufferPointer(start: buffer.base + available.lowerBound, count: taken))
        available = (available.lowerBound + taken)..<available.upperBound
        return bytes
    }

    /// Whether all bytes have been taken.
    func isAtEnd() throws(EngineError) -> Bool { try !fill() }

    /// Ensures that the buffer holds at least one byte; false at the end of the file.
    private func fill() throws(EngineError) -> Bool {
        guard available.isEmpty else { return true }
        while true {
            let count = Glibc.read(descriptor, buffer.base, buffer.byteCount)
            if count >= 0 {
                available = 0..<count
                return count > 0
            }
            guard errno == EINTR else { throw .io(path: path, operation: "read", errno: errno) }
        }
    }
}
