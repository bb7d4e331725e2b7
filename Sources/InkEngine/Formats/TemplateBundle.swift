import Glibc

/// The files of a template, in a folder or in a zip archive.
protocol TemplateBundle: AnyObject {
    /// The bytes of a file, nil when there is none of that path.
    ///
    /// - Throws: `badInput` when the path leaves the bundle or leads through a link, `overLimit` beyond `limitBytes`.
    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]?
}

/// A relative path that stays inside a bundle.
struct BundlePath: Hashable {
    /// At least one; none is empty, `.` or `..`.
    let components: [String]

    var text: String { components.joined(separator: "/") }

    /// Why a path is refused, as the tail of a message.
    enum Fault: Error {
        case empty, absolute, parent, backslash, control

        var reason: String {
            switch self {
            case .empty: "is empty"
            case .absolute: "is absolute, must be inside the bundle"
            case .parent: "contains .., must be inside the bundle"
            case .backslash: "contains a backslash, folders are separated by /"
            case .control: "contains a control character"
            }
        }
    }

    init(_ text: String) throws(Fault) {
        guard !text.isEmpty else { throw .empty }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .control }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else { throw .backslash }
        let bytes = Array(text.utf8.prefix(2))
        // A drive letter is absolute where such archives come from.
        guard bytes[0] != UInt8(ascii: "/"), bytes.count < 2 || bytes[1] != UInt8(ascii: ":") else { throw .absolute }
        let parts = text.split(separator: "/").map(String.init)
        guard !parts.contains("..") else { throw .parent }
        components = parts.filter { $0 != "." }
        guard !components.isEmpty else { throw .empty }
    }
}

/// A template in a folder. Files are opened component by component, without following links.
final class FolderBundle: TemplateBundle {
    private let folder: Int32
    private let name: String

    /// - Parameter path: the folder; it may itself be a link.
    init(path: String) throws(EngineError) {
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        name = path
        guard folder >= 0 else { throw .io(path: path, operation: "open", errno: errno) }
    }

    deinit { if folder >= 0 { close(folder) } }

    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]? {
        var parent = dup(folder)
        guard parent >= 0 else { throw .io(path: name, operation: "open", errno: errno) }
        defer { close(parent) }
        for (depth, component) in path.components.enumerated() {
            let isLast = depth == path.components.count - 1
            var status = stat()
            guard fstatat(parent, component, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                if errno == ENOENT || errno == ENOTDIR { return nil }
                throw .io(path: name + "/" + path.text, operation: "open", errno: errno)
            }
            guard status.st_mode & S_IFMT != S_IFLNK else {
                throw .badInput(
                    Place(file: name, path: path.text),
                    reason: "is or lies behind a symbolic link, which a bundle must not have")
            }
            // The flags hold even when somebody changes the folder between the look and the opening.
            let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isLast ? 0 : O_DIRECTORY)
            let next = openat(parent, component, flags)
            guard next >= 0 else { throw .io(path: name + "/" + path.text, operation: "open", errno: errno) }
            close(parent)
            parent = next
        }
        return try InputFile.read(descriptor: parent, name: name + "/" + path.text, limitBytes: limitBytes)
    }
}
