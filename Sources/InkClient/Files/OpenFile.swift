import CSystem
import Glibc

/// An open file; closed when it goes out of use. Interrupted calls are repeated, partial ones continued. All methods
/// throw `ClientError.file`.
struct OpenFile: ~Copyable {
    /// As a person knows it.
    private let name: String
    private let descriptor: Int32

    /// Opens a file for reading.
    init(reading path: String) throws(ClientError) {
        // Without waiting, so that a pipe without a writer does not hold up the thread.
        try self.init(path, name: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
    }

    /// Makes a new file for writing.
    ///
    /// - Parameter name: what errors call it.
    init(creating path: String, name: String) throws(ClientError) {
        try self.init(path, name: name, flags: O_WRONLY | O_CREAT | O_EXCL, operation: "create")
    }

    private init(_ path: String, name: String, flags: Int32, operation: String) throws(ClientError) {
        var descriptor: Int32
        repeat { descriptor = open(path, flags | O_CLOEXEC, 0o666) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw .file(path: name, operation: operation, errno: errno) }
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    /// Throws `file` also for what is not a regular file.
    func stamp() throws(ClientError) -> FileStamp {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path: name, operation: "look at", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let reason = status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE
            throw .file(path: name, operation: "read", errno: reason)
        }
        return FileStamp(status)
    }

    /// Exactly so many bytes; a file that ends before is an input/output error.
    func read(_ count: Int, at offset: UInt64) throws(ClientError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = 0
            while done < count, failure == 0 {
                let moved = pread(descriptor, buffer.baseAddress! + done, count - done, off_t(offset) + off_t(done))
                if moved > 0 {
                    done += moved
                } else if moved == 0 || errno != EINTR {
                    failure = moved == 0 ? EIO : errno
                }
            }
        }
        guard failure == 0 else { throw .file(path: name, operation: "read", errno: failure) }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws(ClientError) {
        var done = 0
        while done < bytes.count {
            let moved = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if moved > 0 {
                done += moved
            } else if moved == 0 || errno != EINTR {
                throw .file(path: name, operation: "write", errno: moved == 0 ? EIO : errno)
            }
        }
    }

    /// Lets the disk begin with what was written there, in the time that the rest takes to come.
    func beginSync(offset: UInt64, byteCount: Int) {
        // A file system that cannot do it does all of it in `sync`.
        ink_begin_sync(descriptor, Int(offset), byteCount)
    }

    /// Brings what was written to the disk.
    func sync() throws(ClientError) {
        var status: Int32
        repeat { status = fsync(descriptor) } while status != 0 && errno == EINTR
        guard status == 0 else { throw .file(path: name, operation: "sync", errno: errno) }
    }
}
