import Glibc
package import InkEngine
import InkSystem

extension FileSystem {
    /// Writes a file piece by piece. If it throws, nothing is left behind, and what was there before still is.
    static func writeInPieces(
        to path: String, replaces: Bool = true,
        _ body: (_ write: @escaping ([UInt8]) throws(EngineError) -> Void) throws(EngineError) -> Void
    ) throws(EngineError) {
        var file = try EngineError.wrapping { () throws(SystemFailure) in
            try PendingFile(target: path, replaces: replaces)
        }
        do throws(EngineError) {
            try body { (bytes) throws(EngineError) in
                try EngineError.wrapping { () throws(SystemFailure) in try file.write(bytes) }
            }
            try EngineError.wrapping { () throws(SystemFailure) in
                try file.sync()
                try file.publish()
            }
        } catch {
            file.discard()
            throw error
        }
    }

    /// Replaces a file in one step: whoever reads it sees the old or the new one, whole. A link is followed; a device,
    /// a pipe or what is open already is written to as it stands, for it cannot be replaced by a file. A missing folder is
    /// created, as that of a picture is.
    ///
    /// - Parameter replaces: whether there may be a file already.
    /// - Throws: `io` with `path`; nothing is left behind then.
    package static func writeAtomically(_ bytes: [UInt8], to path: String, replaces: Bool = true) throws(EngineError) {
        try EngineError.wrapping(path) { () throws(SystemFailure) in
            if let number = descriptor(named: path) {
                return try FileDescriptor(duplicating: number, operation: "write").write(bytes)
            }
            guard try !isStream(path) else {
                return try FileDescriptor(opening: path, flags: O_WRONLY | O_APPEND, operation: "open").write(bytes)
            }
            try PendingFile.write(bytes, to: path, makesFolders: true, replaces: replaces)
        }
    }

    /// As `writeNewFile`.
    ///
    /// - Throws: `io` with `path`.
    package static func writeNew(_ bytes: [UInt8], to path: String) throws(EngineError) {
        try EngineError.wrapping(path) { () throws(SystemFailure) in try writeNewFile(bytes, at: path) }
    }

    /// Whether a path leads to what is written to as it stands: a device, a pipe, or a file that is open already.
    private static func isStream(_ path: String) throws(SystemFailure) -> Bool {
        guard let found = try status(of: path) else { return false }
        if found.kind == .other { return true }
        // Links below /proc lead to what is open, whatever it is called.
        guard let folder = realpath(path.splitPath().folder.isEmpty ? "." : path.splitPath().folder, nil) else {
            return false
        }
        defer { free(folder) }
        return found.kind == .regular && String(cString: folder).hasPrefix("/proc/")
    }

    /// Checks that `writeAtomically` could start, without changing anything.
    /// - Throws: `io` with `path`.
    package static func checkWritable(_ path: String) throws(EngineError) {
        try EngineError.wrapping(path) { () throws(SystemFailure) in
            if let number = descriptor(named: path) {
                let flags = fcntl(number, F_GETFL)
                guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
                    throw SystemFailure(operation: "write", errno: EBADF)
                }
                return
            }
            guard try !isStream(path) else {
                guard access(path, W_OK) == 0 else { throw SystemFailure(operation: "write", errno: errno) }
                return
            }
            var file = try PendingFile(target: path)
            file.discard()
        }
    }
}
