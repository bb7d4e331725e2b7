import CSystem
import Glibc

/// An error number and the call that gave it.
struct SystemFailure: Error, Hashable, Sendable {
    /// A verb for messages: `create`, `write`.
    var operation: String
    var errno: Int32
}

/// An open file; closed when it goes out of use. Interrupted calls are repeated, partial ones continued.
final class FileDescriptor: Sendable {
    let rawValue: Int32

    /// - Parameter mode: permissions of a file that is made, before the process's mask.
    init(opening path: String, flags: Int32, mode: mode_t = 0o666, operation: String) throws(SystemFailure) {
        var descriptor: Int32
        repeat { descriptor = open(path, flags | O_CLOEXEC, mode) } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw SystemFailure(operation: operation, errno: errno) }
        rawValue = descriptor
    }

    deinit { close(rawValue) }

    func write(_ bytes: [UInt8]) throws(SystemFailure) {
        try transfer(bytes.count, operation: "write") { done in
            bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress! + done, $0.count - done) }
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        try transfer(bytes.count, operation: "write") { done in
            bytes.withUnsafeBytes { pwrite(rawValue, $0.baseAddress! + done, $0.count - done, offset + done) }
        }
    }

    func read(_ count: Int, at offset: Int) throws(SystemFailure) -> [UInt8] {
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

    func truncate(to size: Int) throws(SystemFailure) {
        guard ftruncate(rawValue, size) == 0 else { throw SystemFailure(operation: "truncate", errno: errno) }
    }

    /// Lets the disk begin with what was written, so that `sync` has less to wait for.
    func beginSync(of range: Range<Int>) {
        // A file system that cannot do it does all of it in `sync`.
        ink_begin_sync(rawValue, range.lowerBound, range.count)
    }

    /// Brings what was written to the disk.
    func sync() throws(SystemFailure) {
        var status: Int32
        repeat { status = fsync(rawValue) } while status != 0 && errno == EINTR
        guard status == 0 else { throw SystemFailure(operation: "sync", errno: errno) }
    }

    /// Calls `step` with the number of bytes done until all are; a step that makes no progress is an I/O error.
    private func transfer(_ count: Int, operation: String, step: (Int) -> Int) throws(SystemFailure) {
        var done = 0
        while done < count {
            let moved = step(done)
            if moved > 0 {
                done += moved
            } else if moved == 0 {
                throw SystemFailure(operation: operation, errno: EIO)
            } else if errno != EINTR {
                throw SystemFailure(operation: operation, errno: errno)
            }
        }
    }
}

/// Questions to the file system.
enum FileSystem {
    enum Kind {
        case missing
        case regular
        case folder
        case other
    }

    /// What stands at a path, links followed.
    static func kind(of path: String) throws(SystemFailure) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return .missing }
            throw SystemFailure(operation: "look at", errno: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regular
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Where a path leads when its last component is a link; the path itself otherwise.
    static func resolvingLink(_ path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let resolved = realpath(path, nil) else {
            return path
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The folder of a path and its last component.
    static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        return (folder, String(path[path.utf8.index(after: slash)...]))
    }

    /// Makes a folder and those above it; those that were not there are appended to `made`, the outermost first.
    static func makeFolders(_ path: String, made: inout [String]) throws(SystemFailure) {
        if mkdir(path, 0o777) == 0 {
            made.append(path)
            return
        }
        let reason = errno
        if reason == ENOENT {
            let parent = split(path).folder
            guard parent != path else { throw SystemFailure(operation: "make the folder", errno: reason) }
            try makeFolders(parent, made: &made)
            if mkdir(path, 0o777) == 0 {
                made.append(path)
                return
            }
        }
        // Another export may have made it in the meantime.
        switch try kind(of: path) {
        case .folder: return
        case .missing: throw SystemFailure(operation: "make the folder", errno: reason)
        case .regular, .other: throw SystemFailure(operation: "make the folder", errno: ENOTDIR)
        }
    }
}
