import CSystem
import Glibc

/// Questions to the file system, and folders.
package enum FileSystem {
    /// What stands at a path; nil when nothing does.
    ///
    /// - Parameter followingLink: of what a link leads to, not of itself.
    package static func status(of path: String, followingLink: Bool = true) throws(SystemFailure) -> FileStatus? {
        var found = stat()
        guard (followingLink ? stat(path, &found) : lstat(path, &found)) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemFailure(operation: "look at", errno: errno)
        }
        return FileStatus(found)
    }

    /// Where a path leads when its last component is a link; the path itself otherwise.
    package static func resolvingLink(_ path: String) -> String {
        guard (try? status(of: path, followingLink: false))?.kind == .link, let resolved = realpath(path, nil) else {
            return path
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What lies in a folder but for `.` and `..`, each name as its bytes, in their order.
    package static func names(in folder: String) throws(SystemFailure) -> [[UInt8]] {
        try names(in: Array(folder.utf8))
    }

    private static func names(in folder: [UInt8]) throws(SystemFailure) -> [[UInt8]] {
        let stream = (folder + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { opendir($0.baseAddress!) }
        }
        guard let stream else { throw SystemFailure(operation: "open the folder", errno: errno) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemFailure(operation: "read the folder", errno: errno) }
                break
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Makes a folder and those above it; those that were not there are appended to `made`, the outermost first.
    package static func makeFolders(
        _ path: String, mode: UInt32 = 0o777, made: inout [String]
    ) throws(SystemFailure) {
        for attempt in 1... {
            if mkdir(path, mode) == 0 {
                made.append(path)
                return
            }
            let failure = SystemFailure(operation: "make the folder", errno: errno)
            if let found = try status(of: path) {
                if found.isFolder { return }
                throw SystemFailure(operation: "make the folder", errno: ENOTDIR)
            }
            // Others may make the folder, and take it or those above it away again, in the meantime.
            guard failure.errno == ENOENT || failure.errno == EEXIST, attempt < makingAttemptsMax else { throw failure }
            let parent = path.splitPath().folder
            guard !parent.isEmpty, parent != path else { throw failure }
            if failure.errno == ENOENT { try makeFolders(parent, mode: mode, made: &made) }
        }
    }

    private static let makingAttemptsMax = 100

    /// Whether a process listens at a socket in the file system. False also where that cannot be found out.
    package static func isListenedAt(_ path: String) -> Bool {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isShort = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard isShort else { return false }
        return withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Renames a file to a name that nothing has.
    /// - Throws: `EEXIST` when something has it.
    package static func renameToNew(_ path: String, _ target: String) throws(SystemFailure) {
        if renameat2(AT_FDCWD, path, AT_FDCWD, target, UInt32(RENAME_NOREPLACE)) == 0 { return }
        // A file system that does not know the flag may know second names.
        guard errno == EINVAL || errno == ENOSYS else { throw SystemFailure(operation: "rename", errno: errno) }
        guard link(path, target) == 0 else { throw SystemFailure(operation: "rename", errno: errno) }
        unlink(path)
    }

    /// Removes a file, or a folder and all that is in it; links are removed, not followed. What cannot be removed stays.
    package static func removeTree(_ path: String) { removeTree(Array(path.utf8)) }

    // Names need not be UTF-8.
    private static func removeTree(_ path: [UInt8]) {
        let isGone = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { unlink($0.baseAddress!) == 0 || errno == ENOENT }
        }
        if isGone { return }
        for name in (try? names(in: path)) ?? [] { removeTree(path + [UInt8(ascii: "/")] + name) }
        _ = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { rmdir($0.baseAddress!) }
        }
    }

    /// Brings the names in a folder to the disk.
    package static func syncFolder(_ path: String) throws(SystemFailure) {
        do {
            try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY, operation: "open").sync()
        } catch {
            // A file system that cannot sync a folder has no better to offer.
            guard error.errno == EINVAL else { throw error }
        }
    }
}

extension String {
    /// The folder and the last name of a path; trailing slashes do not count. The folder of a bare name is empty.
    package func splitPath() -> (folder: String, name: String) {
        // By bytes, as the system does: a slash and an accent behind it are one character.
        let slash = UInt8(ascii: "/")
        var bytes = Array(utf8)
        while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        guard let last = bytes.lastIndex(of: slash) else { return ("", String(decoding: bytes, as: UTF8.self)) }
        let name = String(decoding: bytes[(last + 1)...], as: UTF8.self)
        var folder = bytes[..<last]
        while folder.last == slash { folder.removeLast() }
        return (folder.isEmpty ? "/" : String(decoding: folder, as: UTF8.self), name)
    }

    /// This folder's path with a name behind it; an empty folder is the current one.
    package func appendingPath(_ name: String) -> String {
        isEmpty ? name : utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
    }
}
