import Glibc
import InkEngine
import InkSystem

/// One name in a folder.
enum FolderEntry: Hashable, Sendable {
    case name(String)
    /// A name that is not UTF-8, repaired for messages; it cannot be opened by text.
    case unreadable(String)
}

/// What commands ask of the disk.
extension FileSystem {
    /// What a path leads to, links followed; nil when nothing is there.
    static func status(_ path: String) throws(EngineError) -> FileStatus? {
        try EngineError.wrapping(path) { () throws(SystemFailure) in try status(of: path) }
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
        let names = try EngineError.wrapping(folder) { () throws(SystemFailure) -> [[UInt8]] in
            try FileSystem.names(in: folder)
        }
        return names.map { bytes in
            String(validating: bytes, as: UTF8.self).map { .name($0) }
                ?? .unreadable(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Of a file, or of the files in a folder and two folders below it; 0 where that cannot be had.
    static func byteCount(_ path: String, depth: Int = 2) -> Int {
        guard let found = try? status(path) else { return 0 }
        guard found.isFolder else { return found.byteCount }
        if depth < 0 { return 0 }
        var sum = 0
        for case .name(let name) in (try? entries(path)) ?? [] {
            sum += byteCount(path.appendingPath(name), depth: depth - 1)
        }
        return sum
    }

    /// All bytes of a regular file.
    /// - Throws: `io`, or `overLimit` before more than `limitBytes` are held.
    static func read(_ path: String, limitBytes: Int) throws(EngineError) -> [UInt8] {
        let file = try EngineError.wrapping(path) { () throws(SystemFailure) in
            try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK, operation: "open")
        }
        let status = try EngineError.wrapping(path) { () throws(SystemFailure) in try file.status() }
        guard status.kind == .regular else { throw .badInput(Place(file: path), reason: "not a regular file") }
        return try readToEnd(file.rawValue, name: path, limitBytes: limitBytes)
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
    func hasEnding(_ ending: String) -> Bool { lowercased().hasSuffix(ending) }
}
