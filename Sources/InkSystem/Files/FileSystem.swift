import CSystem
import Glibc

/// Queries to the file system, and operations on folders.
package enum FileSystem {
    /// The status of a path; nil if nothing exists there: no such name, or one of its parents is not a folder. Anything
    /// else that prevents the query is an error.
    ///
    /// - Parameter followingLink: whether to follow a symbolic link.
    package static func status(of path: String, followingLink: Bool = true) throws(SystemFailure) -> FileStatus? {
        var found = stat()
        guard (followingLink ? stat(path, &found) : lstat(path, &found)) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemFailure(operation: "look at", errno: errno, path: path)
        }
        return FileStatus(found)
    }

    /// The target of a path whose last component is a symbolic link, even if nothing exists there; otherwise the path
    /// itself.
    package static func resolvingLink(_ path: String) throws(SystemFailure) -> String {
        var place = path
        for _ in 0...linksMax {
            let target: String?
            do throws(SystemFailure) { target = try linkTarget(place) } catch { throw error.at(path) }
            guard let next = target else { return place }
            place = next
        }
        throw SystemFailure(operation: "follow the link", errno: ELOOP, path: path)
    }

    /// The limit of the kernel.
    private static let linksMax = 40

    /// The target of a symbolic link, as a path from the current folder; nil if the path is not one.
    private static func linkTarget(_ path: String) throws(SystemFailure) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path, &bytes, bytes.count)
        guard count >= 0 else {
            if errno == EINVAL || errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemFailure(operation: "follow the link", errno: errno, path: path)
        }
        guard let text = String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
            throw SystemFailure(operation: "follow the link", errno: EILSEQ, path: path)
        }
        return text.hasPrefix("/") ? text : path.splitPath().folder.appendingPath(text)
    }

    /// A canonical path. Links in the existing part are resolved, a dangling link is replaced by its target, and the
    /// rest is unchanged.
    package static func resolved(_ path: String) -> String {
        var head = path
        var tail: [String] = []
        var linksLeft = linksMax
        while true {
            if let real = realpath(head.isEmpty ? "." : head, nil) {
                defer { free(real) }
                return tail.reversed().reduce(String(cString: real)) { place, name in
                    // The name does not exist, so it is not a link to another folder.
                    name == ".." ? place.splitPath().folder : place.appendingPath(name)
                }
            }
            // A path that cannot be resolved is unchanged; using it gives the error.
            if linksLeft > 0, let next = try? linkTarget(head) {
                head = next
                linksLeft -= 1
                continue
            }
            let (folder, name) = head.splitPath()
            guard head != folder, !name.isEmpty else { return path }
            if name != "." { tail.append(name) }
            head = folder
        }
    }

    /// The number of the descriptor that a path such as `/dev/stdin` or `/dev/fd/63` denotes by its name alone. If
    /// `/proc` is not mounted, the system does not support such names.
    package static func descriptor(named path: String) -> Int32? {
        if let index = ["/dev/stdin", "/dev/stdout", "/dev/stderr"].firstIndex(of: path) { return Int32(index) }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            let digits = path.dropFirst(folder.count)
            guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
            return Int32(digits)
        }
        return nil
    }

    /// The entries of a folder except `.` and `..`, in byte order; for each, the kind of its target, or the error of
    /// finding it.
    package static func listing(of folder: String) throws(SystemFailure) -> [ListedName] {
        let listed = try read(folder: Array(folder.utf8)) { stream, entry, name in
            let kind: Result<FileStatus.Kind?, SystemFailure>
            switch Int(entry.pointee.d_type) {
            case Int(DT_REG): kind = .success(.regular)
            case Int(DT_DIR): kind = .success(.folder)
            case Int(DT_LNK), Int(DT_UNKNOWN): kind = Self.kind(of: name, in: stream, at: folder)
            default: kind = .success(.other)
            }
            return ListedName(bytes: name, kind: kind)
        }
        return listed.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static func kind(
        of name: [UInt8], in stream: OpaquePointer, at folder: String
    ) -> Result<FileStatus.Kind?, SystemFailure> {
        var found = stat()
        let isFound = (name + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { fstatat(dirfd(stream), $0.baseAddress!, &found, 0) == 0 }
        }
        if isFound { return .success(FileStatus(found).kind) }
        // A dangling link, or a name that has been removed.
        if errno == ENOENT || errno == ENOTDIR { return .success(nil) }
        let code = errno
        let path = folder.appendingPath(String(decoding: name, as: UTF8.self))
        return .failure(SystemFailure(operation: "look at", errno: code, path: path))
    }

    /// The names in a folder except `.` and `..`, as bytes, in byte order.
    package static func names(in folder: String) throws(SystemFailure) -> [[UInt8]] {
        try names(in: Array(folder.utf8))
    }

    /// The names in an open folder, whose read position does not change.
    package static func names(inOpen folder: Int32) throws(SystemFailure) -> [[UInt8]] {
        // A new open file description, because reading moves the position.
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw SystemFailure(operation: "open the folder", errno: errno) }
        guard let stream = fdopendir(copy) else {
            let failure = SystemFailure(operation: "open the folder", errno: errno)
            close(copy)
            throw failure
        }
        return try read(stream) { _, _, name in name }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func names(in folder: [UInt8]) throws(SystemFailure) -> [[UInt8]] {
        try read(folder: folder) { _, _, name in name }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func read<T>(
        folder: [UInt8], _ item: (OpaquePointer, UnsafeMutablePointer<dirent>, _ name: [UInt8]) -> T
    ) throws(SystemFailure) -> [T] {
        let stream = (folder + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { opendir($0.baseAddress!) }
        }
        // What failed is kept before the path is made.
        let code = errno
        let path = String(decoding: folder, as: UTF8.self)
        guard let stream else { throw SystemFailure(operation: "open the folder", errno: code, path: path) }
        return try read(stream, path, item)
    }

    /// Closes the stream.
    private static func read<T>(
        _ stream: OpaquePointer, _ path: String? = nil,
        _ item: (OpaquePointer, UnsafeMutablePointer<dirent>, _ name: [UInt8]) -> T
    ) throws(SystemFailure) -> [T] {
        defer { closedir(stream) }
        var items: [T] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemFailure(operation: "read the folder", errno: errno, path: path) }
                break
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { items.append(item(stream, entry, name)) }
        }
        return items
    }

    /// Makes a folder and its missing parents. The folders created are appended to `made`, outermost first.
    /// - Throws: a failure at `path`, even if one of its parents cannot be made.
    package static func makeFolders(
        _ path: String, mode: UInt32 = 0o777, made: inout [String]
    ) throws(SystemFailure) {
        do throws(SystemFailure) {
            try makeMissingFolders(path, mode: mode, made: &made)
        } catch {
            throw error.at(path)
        }
    }

    private static func makeMissingFolders(_ path: String, mode: UInt32, made: inout [String]) throws(SystemFailure) {
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
            // For a dangling link, the target folder is made, but none of its parents: a drive may be missing.
            if failure.errno == EEXIST, case let target = try resolvingLink(path), target != path {
                if mkdir(target, mode) == 0 {
                    made.append(target)
                    return
                }
                guard errno == EEXIST, attempt < makingAttemptsMax else {
                    throw SystemFailure(operation: "make the folder \(target)", errno: errno)
                }
                continue
            }
            // Other processes may create the folder, and remove it or its parents again, in the meantime.
            guard failure.errno == ENOENT || failure.errno == EEXIST, attempt < makingAttemptsMax else { throw failure }
            let parent = path.splitPath().folder
            guard !parent.isEmpty, parent != path else { throw failure }
            if failure.errno == ENOENT { try makeMissingFolders(parent, mode: mode, made: &made) }
        }
    }

    private static let makingAttemptsMax = 100

    /// Writes a new file of a folder that is not complete yet, and makes the folders that it lies in. It is not synced.
    ///
    /// - Throws: a failure at `path`, also if there is a file already.
    package static func writeNewFile(_ bytes: [UInt8], at path: String) throws(SystemFailure) {
        func open() throws(SystemFailure) -> FileDescriptor {
            try FileDescriptor(opening: path, flags: O_CREAT | O_EXCL | O_WRONLY, operation: "create")
        }
        let file: FileDescriptor
        do throws(SystemFailure) { file = try open() } catch {
            guard error.errno == ENOENT else { throw error }
            var made: [String] = []
            try makeFolders(path.splitPath().folder, made: &made)
            file = try open()
        }
        try file.write(bytes)
    }

    /// Whether a process listens on a socket in the file system; also false if that cannot be determined.
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

    /// Renames a file to a name that does not exist.
    /// - Throws: `EEXIST` if the name exists.
    package static func renameToNew(_ path: String, _ target: String) throws(SystemFailure) {
        if ink_rename_to_new(path, target) == 0 { return }
        // A file system that does not support the flag may support hard links.
        guard errno == EINVAL || errno == ENOSYS else {
            throw SystemFailure(operation: "rename", errno: errno, path: path)
        }
        guard link(path, target) == 0 else { throw SystemFailure(operation: "rename", errno: errno, path: path) }
        unlink(path)
    }

    /// Exchanges what two paths name, in one step where the file system can.
    package static func exchange(_ path: String, _ other: String) throws(SystemFailure) {
        guard ink_rename_exchange(path, other) == 0 else {
            throw SystemFailure(operation: "replace", errno: errno, path: other)
        }
    }

    /// Brings all that the file system of a folder holds to the disk; for many small files.
    package static func syncFileSystem(of folder: String) throws(SystemFailure) {
        guard ink_sync_file_system(folder) == 0 else {
            throw SystemFailure(operation: "sync", errno: errno, path: folder)
        }
    }

    /// Removes a file, or a folder with its contents. Links are removed, not followed. Anything that cannot be removed
    /// stays.
    package static func removeTree(_ path: String) { removeTree(Array(path.utf8)) }

    // Names need not be UTF-8.
    private static func removeTree(_ path: [UInt8]) {
        let isGone = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { unlink($0.baseAddress!) == 0 || errno == ENOENT }
        }
        if isGone { return }
        // A folder that cannot be read stays, with its contents.
        for name in (try? names(in: path)) ?? [] { removeTree(path + [UInt8(ascii: "/")] + name) }
        _ = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { rmdir($0.baseAddress!) }
        }
    }

    /// Syncs the names in a folder to the disk.
    package static func syncFolder(_ path: String) throws(SystemFailure) {
        do {
            try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY, operation: "open").sync()
        } catch {
            // A file system that cannot sync a folder offers no alternative.
            guard error.errno == EINVAL else { throw error }
        }
    }
}

/// A name in a folder.
package struct ListedName: Hashable, Sendable {
    package let bytes: [UInt8]
    /// The kind of its target, following links; nil if nothing exists there.
    package let kind: Result<FileStatus.Kind?, SystemFailure>
}

extension String {
    /// The folder and the last name of a path, without trailing slashes. The folder of a bare name is empty.
    package func splitPath() -> (folder: String, name: String) {
        // By bytes, as in the system: in Swift, a slash followed by a combining accent is one character.
        let slash = UInt8(ascii: "/")
        var bytes = Array(utf8)
        while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        guard let last = bytes.lastIndex(of: slash) else { return ("", String(decoding: bytes, as: UTF8.self)) }
        let name = String(decoding: bytes[(last + 1)...], as: UTF8.self)
        var folder = bytes[..<last]
        while folder.last == slash { folder.removeLast() }
        return (folder.isEmpty ? "/" : String(decoding: folder, as: UTF8.self), name)
    }

    /// Whether it consists only of names, so that it leads nowhere but below a folder. By bytes, as in the system: in
    /// Swift, a slash followed by a combining accent is one character.
    package var isPlainRelativePath: Bool {
        utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { name in
            !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8) && name.count <= 255
                && !name.contains(0)
        }
    }

    /// This folder's path followed by a name; an empty folder means the current one.
    package func appendingPath(_ name: String) -> String {
        isEmpty ? name : utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
    }
}
