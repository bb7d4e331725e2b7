import Glibc
package import InkEngine
package import InkSystem

/// One name in a folder.
struct FolderEntry: Hashable, Sendable {
    /// Repaired for messages if it is not text.
    var name: String
    /// Whether the name is UTF-8; another one cannot be opened by text.
    var isText: Bool
    /// Of what it leads to, links followed; nil when nothing is there.
    var kind: Result<FileStatus.Kind?, SystemFailure>
}

/// What commands ask of the disk.
extension FileSystem {
    /// What a path leads to, following links; nil if nothing is there.
    package static func status(_ path: String) throws(EngineError) -> FileStatus? {
        try EngineError.wrapping(path) { () throws(SystemFailure) in try status(of: path) }
    }

    /// - Throws: `configuration` when one of the folders of `--presets` is none.
    package static func checkPresetFolders(_ folders: [String]) throws(ExportError) {
        for folder in folders {
            let found = try ExportError.wrapping { () throws(EngineError) in try status(folder) }
            guard found?.isFolder == true else { throw .configuration("\(folder): no such folder of presets") }
        }
    }

    /// Whether there is anything at a path, links followed.
    package static func exists(_ path: String) throws(EngineError) -> Bool { try status(path) != nil }

    /// What the system says of a file that is not there.
    package static let missingError = ENOENT

    /// What the system says of a file that is there and should not be.
    package static let existsError = EEXIST

    /// The names in a folder, `.` and `..` left out, in the order of their bytes.
    static func entries(_ folder: String) throws(EngineError) -> [FolderEntry] {
        let names = try EngineError.wrapping(folder) { () throws(SystemFailure) in try listing(of: folder) }
        return names.map { listed in
            FolderEntry(
                name: String(decoding: listed.bytes, as: UTF8.self),
                isText: String(validating: listed.bytes, as: UTF8.self) != nil, kind: listed.kind)
        }
    }

    /// Of a file, or of the files in a folder and two folders below it; 0 where that cannot be had.
    package static func byteCount(_ path: String, depth: Int = 2) -> Int {
        guard let found = try? status(path) else { return 0 }
        guard found.isFolder else { return found.byteCount }
        if depth < 0 { return 0 }
        var sum = 0
        for entry in (try? entries(path)) ?? [] {
            sum += byteCount(path.appendingPath(entry.name), depth: depth - 1)
        }
        return sum
    }

    /// All bytes of a file, or of a pipe up to its end; a named one is waited for.
    /// - Throws: `io`, `badInput` for a folder, or `overLimit` before more than `limitBytes` are held.
    package static func read(_ path: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        let file = try EngineError.wrapping(path) { () throws(SystemFailure) in
            if let number = descriptor(named: path) {
                return try FileDescriptor(duplicating: number, operation: "open")
            }
            return try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        }
        let status = try EngineError.wrapping(path) { () throws(SystemFailure) in try file.status() }
        guard !status.isFolder else { throw .badInput(Place(file: path), reason: "is a folder, not a file") }
        return try readToEnd(file.rawValue, name: path, limitBytes: limitBytes)
    }

    /// The rest of an open file.
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

    /// The path from the root on, links as they are, without slashes at its end.
    package static func absolute(_ path: String) -> String {
        var path = path.hasPrefix("/") ? path : currentFolder().appendingPath(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Makes a folder and those above it; nothing when it is there.
    package static func makeFolder(_ path: String) throws(EngineError) {
        if path.isEmpty { return }
        try EngineError.wrapping(path) { () throws(SystemFailure) in
            var made: [String] = []
            try makeFolders(path, made: &made)
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
    /// Whether the path ends so, in any case of ASCII letters.
    package func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
}
