import Glibc
import InkEngine

/// Which file a path leads to, whatever its name.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}

/// What a path leads to, links followed.
struct FileStatus: Hashable, Sendable {
    var identity: FileIdentity
    var isFolder: Bool
    var byteCount: Int
}

/// One name in a folder.
enum FolderEntry: Hashable, Sendable {
    case name(String)
    /// A name that is not UTF-8, repaired for messages; it cannot be opened by text.
    case unreadable(String)
}

/// The few questions that planning asks the disk.
enum FileSystem {
    /// nil when nothing is there.
    static func status(_ path: String) throws(EngineError) -> FileStatus? {
        var found = stat()
        guard stat(path, &found) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .io(path: path, operation: "look at it", errno: errno)
        }
        return FileStatus(
            identity: FileIdentity(device: UInt64(found.st_dev), inode: UInt64(found.st_ino)),
            isFolder: found.st_mode & S_IFMT == S_IFDIR, byteCount: Int(found.st_size))
    }

    /// - Throws: `configuration` when one of the folders of `--presets` is none.
    static func checkPresetFolders(_ folders: [String]) throws(CommandError) {
        for folder in folders {
            let found = try asCommand { () throws(EngineError) in try status(folder) }
            guard found?.isFolder == true else { throw .configuration("\(folder): no such folder of presets") }
        }
    }

    /// Whether there is anything at a path, links followed.
    static func exists(_ path: String) throws(EngineError) -> Bool { try status(path) != nil }

    /// What the system says of a file that is not there.
    static let missingError = ENOENT

    /// What the system says of a file that is there and should not be.
    static let existsError = EEXIST

    /// The names in a folder, `.` and `..` left out, in the order of their bytes.
    static func entries(_ folder: String) throws(EngineError) -> [FolderEntry] {
        guard let stream = opendir(folder) else { throw .io(path: folder, operation: "open the folder", errno: errno) }
        defer { closedir(stream) }
        var entries: [(bytes: [UInt8], entry: FolderEntry)] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw .io(path: folder, operation: "read the folder", errno: errno) }
                break
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if bytes == [46] || bytes == [46, 46] { continue }
            if let name = String(validating: bytes, as: UTF8.self) {
                entries.append((bytes, .name(name)))
            } else {
                entries.append((bytes, .unreadable(String(decoding: bytes, as: UTF8.self))))
            }
        }
        entries.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        return entries.map(\.entry)
    }

    /// All bytes of a regular file.
    /// - Throws: `io`, or `overLimit` before more than `limitBytes` are held.
    static func read(_ path: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .io(path: path, operation: "open", errno: errno) }
        defer { close(file) }
        var found = stat()
        guard fstat(file, &found) == 0 else { throw .io(path: path, operation: "look at it", errno: errno) }
        guard found.st_mode & S_IFMT == S_IFREG else {
            throw .badInput(Place(file: path), reason: "not a regular file")
        }
        return try readToEnd(file, name: path, limitBytes: limitBytes)
    }

    /// What is left of an open file.
    static func readToEnd(_ file: Int32, name: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .io(path: name, operation: "read", errno: errno)
            }
            if count == 0 { return bytes }
            guard bytes.count + count <= limitBytes else {
                throw .overLimit(
                    Place(file: name), what: "the file", found: "more than \(limitBytes) bytes",
                    limit: String(limitBytes))
            }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// One spelling for all paths to one place: links in the existing part resolved, the rest as it is.
    static func resolved(_ path: String) -> String {
        var head = path
        var tail: [String] = []
        while true {
            if let real = realpath(head.isEmpty ? "." : head, nil) {
                defer { free(real) }
                return ([String(cString: real)] + tail.reversed()).joined(separator: "/")
            }
            let (folder, name) = head.splitPath()
            guard head != folder, !name.isEmpty else { return path }
            tail.append(name)
            head = folder
        }
    }

    /// The path from the root on, links as they are, without slashes at its end.
    static func absolute(_ path: String) -> String {
        var path = path.hasPrefix("/") ? path : currentFolder().appendingPath(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Makes a folder and those above it; nothing when it is there.
    static func makeFolder(_ path: String) throws(EngineError) {
        if path.isEmpty { return }
        if mkdir(path, 0o777) == 0 || errno == EEXIST {
            if let status = try status(path), !status.isFolder {
                throw .io(path: path, operation: "make the folder", errno: ENOTDIR)
            }
            return
        }
        let reason = errno
        let parent = path.splitPath().folder
        guard reason == ENOENT, !parent.isEmpty, parent != path else {
            throw .io(path: path, operation: "make the folder", errno: reason)
        }
        try makeFolder(parent)
        if mkdir(path, 0o777) != 0, errno != EEXIST {
            throw .io(path: path, operation: "make the folder", errno: errno)
        }
    }

    /// The current folder; "." when the system does not say.
    static func currentFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}

extension String {
    /// The folder and the last name of a path; trailing slashes do not count. The folder of a bare name is empty.
    func splitPath() -> (folder: String, name: String) {
        var bytes = Array(utf8)
        while bytes.count > 1, bytes.last == 47 { bytes.removeLast() }
        guard let slash = bytes.lastIndex(of: 47) else { return ("", String(decoding: bytes, as: UTF8.self)) }
        let name = String(decoding: bytes[(slash + 1)...], as: UTF8.self)
        var folder = bytes[..<slash]
        while let last = folder.last, last == 47 { folder.removeLast() }
        return (folder.isEmpty ? "/" : String(decoding: folder, as: UTF8.self), name)
    }

    /// This folder's path with a name behind it; an empty folder is the current one.
    func appendingPath(_ name: String) -> String {
        isEmpty ? name : utf8.last == 47 ? self + name : self + "/" + name
    }

    /// Whether the path ends so, in any case of ASCII letters.
    func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
}
