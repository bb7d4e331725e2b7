import CSystem
import Glibc

/// An open file, closed when the object is released. Interrupted calls are repeated, and partial ones continued.
package final class FileDescriptor: Sendable {
    package let rawValue: Int32
    /// Where it was opened; names it in failures.
    private let path: String?

    /// - Parameter mode: permissions of a created file, before the process's umask.
    package init(opening path: String, flags: Int32, mode: UInt32 = 0o666, operation: String) throws(SystemFailure) {
        var descriptor: Int32
        repeat { descriptor = open(path, flags | O_CLOEXEC, mode) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw SystemFailure(operation: operation, errno: errno, path: path) }
        rawValue = descriptor
        self.path = path
    }

    /// A second descriptor of the same open file.
    package init(duplicating descriptor: Int32, operation: String) throws(SystemFailure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemFailure(operation: operation, errno: errno) }
        rawValue = copy
        path = nil
    }

    /// Takes over an open descriptor: the result of a call that returns -1 when it fails.
    init(owning descriptor: Int32, operation: String) throws(SystemFailure) {
        guard descriptor >= 0 else { throw SystemFailure(operation: operation, errno: errno) }
        rawValue = descriptor
        path = nil
    }

    deinit { close(rawValue) }

    /// Writes all of the bytes at the file's position.
    package func write(_ bytes: [UInt8]) throws(SystemFailure) {
        try transfer(bytes.count, operation: "write") { done in
            bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress! + done, $0.count - done) }
        }
    }

    /// Writes all of the bytes at an offset.
    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        try transfer(bytes.count, operation: "write") { done in
            bytes.withUnsafeBytes { pwrite(rawValue, $0.baseAddress! + done, $0.count - done, offset + done) }
        }
    }

    package func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
        var failure: SystemFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(SystemFailure) {
                try transfer(count, operation: "read") { done in
                    pread(rawValue, buffer.baseAddress! + done, count - done, offset + done)
                }
                initialized = count
            } catch {
                failure = error
                initialized = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads at most `buffer.count` bytes from the current position. Returns the number of bytes, 0 at the end.
    package func read(into buffer: inout [UInt8]) throws(SystemFailure) -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { Glibc.read(rawValue, $0.baseAddress, $0.count) }
            if count >= 0 { return count }
            guard errno == EINTR else { throw failure("read") }
        }
    }

    /// What the system reports about the open file.
    package func status() throws(SystemFailure) -> FileStatus {
        var status = stat()
        guard fstat(rawValue, &status) == 0 else { throw failure("look at") }
        return FileStatus(status)
    }

    /// Sets permissions, regardless of the process's umask. A file system without permissions is left as it is.
    package func setMode(_ mode: UInt32) { fchmod(rawValue, mode & 0o777) }

    package func truncate(to size: Int) throws(SystemFailure) {
        guard ftruncate(rawValue, size) == 0 else { throw failure("truncate") }
    }

    /// Allocates disk space for this many bytes from the beginning; sets the file's length.
    package func allocate(_ size: Int) throws(SystemFailure) {
        var code: Int32
        repeat { code = posix_fallocate(rawValue, 0, size) } while code == EINTR
        guard code == 0 else { throw failure("take room on the disk for", code) }
    }

    /// Starts writing to disk, so that `sync` has less to do.
    package func beginSync(of range: Range<Int>) {
        // A file system that does not support this does everything in `sync`.
        ink_begin_sync(rawValue, range.lowerBound, range.count)
    }

    /// Syncs everything written.
    package func sync() throws(SystemFailure) {
        var status: Int32
        repeat { status = fsync(rawValue) } while status != 0 && errno == EINTR
        guard status == 0 else { throw failure("sync") }
    }

    func failure(_ operation: String, _ code: Int32 = errno) -> SystemFailure {
        SystemFailure(operation: operation, errno: code, path: path)
    }

    /// Calls `step` with the number of bytes done until all are done. A step without progress is an I/O error.
    private func transfer(_ count: Int, operation: String, step: (Int) -> Int) throws(SystemFailure) {
        var done = 0
        while done < count {
            let moved = step(done)
            if moved > 0 {
                done += moved
            } else if moved == 0 {
                throw failure(operation, EIO)
            } else if errno != EINTR {
                throw failure(operation)
            }
        }
    }
}
