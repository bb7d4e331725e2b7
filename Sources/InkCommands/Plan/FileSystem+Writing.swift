import Glibc
import InkEngine

extension FileSystem {
    /// Replaces a file in one step: whoever reads it sees the old or the new one, whole. A link is followed; a device or
    /// a pipe is written to as it stands, for it cannot be replaced by a file.
    ///
    /// - Throws: `io` with `path`; nothing is left behind then.
    static func writeAtomically(_ bytes: [UInt8], to path: String) throws(EngineError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .io(path: path, operation: "write", errno: EISDIR)
            }
            try write(bytes, toExisting: path)
            return
        }
        let target = resolved(path)
        let (file, part) = try createPart(beside: target, name: path)
        do throws(EngineError) {
            defer { close(file) }
            try writeAll(bytes, to: file, name: path)
            guard fsync(file) == 0 else { throw .io(path: path, operation: "sync", errno: errno) }
        } catch {
            unlink(part)
            throw error
        }
        guard rename(part, target) == 0 else {
            let reason = errno
            unlink(part)
            throw .io(path: path, operation: "rename", errno: reason)
        }
    }

    /// Finds out whether `writeAtomically` could begin, and leaves everything as it was.
    /// - Throws: `io` with `path`.
    static func checkWritable(_ path: String) throws(EngineError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .io(path: path, operation: "write", errno: EISDIR)
            }
            guard access(path, W_OK) == 0 else { throw .io(path: path, operation: "write", errno: errno) }
            return
        }
        let (file, part) = try createPart(beside: resolved(path), name: path)
        close(file)
        unlink(part)
    }

    /// A new file beside `target`, open for writing.
    private static func createPart(
        beside target: String, name path: String
    ) throws(EngineError) -> (file: Int32, part: String) {
        let (folder, name) = target.splitPath()
        // Short, so that a name of the greatest length still has room beside it.
        let part = folder.appendingPath(".\(name.prefix(16)).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part")
        let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw .io(path: path, operation: "create", errno: errno) }
        return (file, part)
    }

    private static func write(_ bytes: [UInt8], toExisting path: String) throws(EngineError) {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw .io(path: path, operation: "open", errno: errno) }
        defer { close(file) }
        try writeAll(bytes, to: file, name: path)
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32, name: String) throws(EngineError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw .io(path: name, operation: "write", errno: errno)
            }
            rest = rest.dropFirst(written)
        }
    }
}
