import Glibc
package import InkEngine
package import InkSystem

/// An entry of a folder.
struct FolderEntry: Hashable, Sendable {
    /// Repaired for messages if it is not text.
    var name: String
    /// Whether the name is UTF-8; other names cannot be opened by text.
    var isText: Bool
    /// The kind of file, links followed; nil if it does not exist.
    var kind: Result<FileStatus.Kind?, SystemFailure>
}

/// Questions of commands to the disk.
extension FileSystem {
    /// The kind of file at a path, links followed; nil if it does not exist.
    ///
    /// - Throws: `io`.
    package static func status(_ path: String) throws(EngineError) -> FileStatus? {
        try EngineError.wrapping { () throws(SystemFailure) in try status(of: path) }
    }

    /// - Throws: `configuration` if a folder of `--presets` is not a folder.
    package static func checkPresetFolders(_ folders: [String]) throws(ExportError) {
        for folder in folders {
            let found = try ExportError.wrapping(try status(folder))
            guard found?.isFolder == true else {
                throw .configuration(
                    "\(folder): no such folder of presets; --presets names a folder of JSON files (\"ink preset show ID > FOLDER/ID.json\")"
                )
            }
        }
    }

    /// Whether a path exists, links followed.
    ///
    /// - Throws: `io`.
    package static func exists(_ path: String) throws(EngineError) -> Bool { try status(path) != nil }

    /// The system's message for a missing file.
    package static let missingError = ENOENT

    /// The system's message for a file that already exists.
    package static let existsError = EEXIST

    /// The entries of a folder without `.` and `..`, sorted by the bytes of their names.
    static func entries(_ folder: String) throws(EngineError) -> [FolderEntry] {
        let names = try EngineError.wrapping { () throws(SystemFailure) in try listing(of: folder) }
        return names.map { listed in
            FolderEntry(
                name: String(decoding: listed.bytes, as: UTF8.self),
                isText: String(validating: listed.bytes, as: UTF8.self) != nil, kind: listed.kind)
        }
    }

    /// The size of a file, or of the files in a folder and two levels below it; 0 if it cannot be determined.
    package static func byteCount(_ path: String, depth: Int = 2) -> Int {
        // Whoever reads the file reports the error.
        guard let found = try? status(path) else { return 0 }
        guard found.isFolder else { return found.byteCount }
        if depth < 0 { return 0 }
        var sum = 0
        // A folder that cannot be read adds nothing.
        for entry in (try? entries(path)) ?? [] {
            sum += byteCount(path.appendingPath(entry.name), depth: depth - 1)
        }
        return sum
    }

    /// All bytes of a file, or of a pipe up to its end; waits for the writer of a named pipe.
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

    /// The first bytes of a regular file; nil for anything else, of which reading would take something away, and for what
    /// cannot be read.
    package static func beginning(of path: String, byteCount: Int) -> [UInt8]? {
        // Whoever opens the file for its content reports the error.
        guard let status = try? status(of: path), status.kind == .regular,
            let file = try? FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        // One that opens and cannot be read is reported there, too.
        guard let count = try? file.read(into: &bytes) else { return nil }
        return Array(bytes[..<count])
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

    /// The absolute path, links not resolved, without slashes at its end.
    package static func absolute(_ path: String) -> String {
        var path = path.hasPrefix("/") ? path : currentFolder().appendingPath(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Creates a folder and its parents, if missing.
    ///
    /// - Throws: `io`.
    package static func makeFolder(_ path: String) throws(EngineError) {
        if path.isEmpty { return }
        try EngineError.wrapping { () throws(SystemFailure) in
            var made: [String] = []
            try makeFolders(path, made: &made)
        }
    }

    /// The current folder; "." if the system does not report it.
    static func currentFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}

extension String {
    /// Whether the path has this ending, ignoring the case of ASCII letters.
    package func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
}
