import Glibc
import InkEngine
import InkSystem

/// The files of a template, in a folder or in a zip archive.
protocol TemplateBundle: AnyObject {
    /// The bytes of a file, nil if the path does not exist.
    ///
    /// - Throws: `badInput` if the path leaves the bundle or leads through a link, `overLimit` beyond `limitBytes`.
    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]?

    /// The paths of everything in it but folders, links included; in any order.
    ///
    /// - Throws: `overLimit` for more than `limits.archiveEntries`, `io`.
    func names(limits: Limits) throws(EngineError) -> [String]
}

/// A relative path that stays inside a bundle.
struct BundlePath: Hashable {
    /// At least one component; none is empty, `.` or `..`.
    let components: [String]

    var text: String { components.joined(separator: "/") }

    // Swift's == also equates canonically equivalent names, which may be two files.
    static func == (one: BundlePath, other: BundlePath) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
    func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }

    /// Why a path is rejected, as the end of a message.
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
        // A drive letter makes a path absolute on the systems where such archives come from.
        guard bytes[0] != UInt8(ascii: "/"), bytes.count < 2 || bytes[1] != UInt8(ascii: ":") else { throw .absolute }
        // By bytes: a slash and an accent behind it are one character, and a path to the system.
        let parts = text.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard !parts.contains("..") else { throw .parent }
        components = parts.filter { $0 != "." }
        guard !components.isEmpty else { throw .empty }
    }
}

/// A template in a folder. Files are opened component by component, without following links.
final class FolderBundle: TemplateBundle, Sendable {
    static let manifestName = "manifest.json"
    /// The folder that macOS adds to archives is not a second template.
    static let foreignFolder = "__MACOSX"

    private let folder: Int32
    private let name: String

    /// - Parameter path: the folder, which may itself be a link. In a folder named like a template, the files may also
    /// be in   a subfolder, because some archives unpack like that.
    init(path: String) throws(EngineError) {
        let top = path.lowercased().hasSuffix(".inktemplate") ? try Self.top(of: path) : nil
        name = top.map { path + "/" + $0 } ?? path
        folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (top == nil ? 0 : O_NOFOLLOW))
        guard folder >= 0 else { throw .io(path: name, operation: "open", errno: errno) }
    }

    /// The only subfolder with a manifest, in a folder without one; nil for none.
    private static func top(of path: String) throws(EngineError) -> String? {
        func kind(_ path: String) throws(EngineError) -> mode_t? {
            var status = stat()
            if lstat(path, &status) == 0 { return status.st_mode & S_IFMT }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .io(path: path, operation: "look at", errno: errno)
        }
        if try kind("\(path)/\(manifestName)") != nil { return nil }
        var tops: [String] = []
        for name in try InputFile.names(inFolder: path) where name != foreignFolder {
            guard try kind("\(path)/\(name)") == S_IFDIR, try kind("\(path)/\(name)/\(manifestName)") != nil else {
                continue
            }
            tops.append(name)
        }
        guard tops.count <= 1 else {
            throw .badInput(Place(file: path), reason: "the folder holds \(tops.count) templates, must hold one")
        }
        return tops.first
    }

    deinit { if folder >= 0 { close(folder) } }

    /// The path of a file in it, for messages.
    func shownPath(_ path: BundlePath) -> String { name + "/" + path.text }

    func read(_ path: BundlePath, limitBytes: Int) throws(EngineError) -> [UInt8]? {
        var parent = dup(folder)
        guard parent >= 0 else { throw .io(path: name, operation: "open", errno: errno) }
        defer { close(parent) }
        for (depth, component) in path.components.enumerated() {
            let isLast = depth == path.components.count - 1
            guard let (component, status) = try find(component, in: parent, path) else { return nil }
            guard status.st_mode & S_IFMT != S_IFLNK else {
                throw .badInput(
                    Place(file: name, path: path.text),
                    reason: "is or lies behind a symbolic link, which a bundle must not have")
            }
            // A file has nothing below it.
            if !isLast, status.st_mode & S_IFMT != S_IFDIR { return nil }
            // The flags apply even if the folder changes between the check and the opening.
            let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isLast ? 0 : O_DIRECTORY)
            let next = openat(parent, component, flags)
            guard next >= 0 else { throw .io(path: shownPath(path), operation: "open", errno: errno) }
            close(parent)
            parent = next
        }
        return try InputFile.read(descriptor: parent, name: shownPath(path), limitBytes: limitBytes)
    }

    /// The entry with a name in a folder: the exact name, otherwise the first canonically equivalent one by its bytes.
    private func find(
        _ component: String, in parent: Int32, _ path: BundlePath
    ) throws(EngineError) -> (name: String, stat)? {
        let shownPath = shownPath(path)
        func status(_ name: String) throws(EngineError) -> stat? {
            var status = stat()
            if fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .io(path: shownPath, operation: "open", errno: errno)
        }
        if let found = try status(component) { return (component, found) }
        // Only names outside ASCII have equivalents.
        guard !component.utf8.allSatisfy({ $0 < 0x80 }), let names = try names(in: parent, shownPath) else {
            return nil
        }
        let alike = names.filter { $0 == component }.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try alike.flatMap { (name) throws(EngineError) in try status(name).map { (name, $0) } }
    }

    /// nil if this is not a folder.
    private func names(in folder: Int32, _ shownPath: String) throws(EngineError) -> [String]? {
        do throws(SystemFailure) {
            return try FileSystem.names(inOpen: folder).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            if error.errno == ENOTDIR { return nil }
            throw .io(path: shownPath, operation: "read the folder", errno: error.errno)
        }
    }

    /// Folders in folders; a template has one level.
    private static let depthMax = 16

    func names(limits: Limits) throws(EngineError) -> [String] {
        var found: [String] = []
        try addNames(in: folder, "", depth: 0, limits, to: &found)
        return found
    }

    private func addNames(
        in parent: Int32, _ prefix: String, depth: Int, _ limits: Limits, to found: inout [String]
    ) throws(EngineError) {
        let shownPath = name + "/" + prefix
        let listed: [[UInt8]]
        do throws(SystemFailure) { listed = try FileSystem.names(inOpen: parent) } catch {
            throw .io(path: shownPath, operation: "read the folder", errno: error.errno)
        }
        for bytes in listed {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .badInput(
                    Place(file: name, path: prefix + shownText(String(decoding: bytes, as: UTF8.self))),
                    reason: "its name is not UTF-8, rename it")
            }
            var status = stat()
            guard fstatat(parent, text, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                throw .io(path: shownPath + text, operation: "look at", errno: errno)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                found.append(prefix + text)
                guard found.count <= limits.archiveEntries else {
                    throw .overLimit(
                        Place(file: name), what: "the number of files in the template",
                        found: "more than \(limits.archiveEntries)", limit: "\(limits.archiveEntries)")
                }
                continue
            }
            guard depth < Self.depthMax else {
                throw .overLimit(
                    Place(file: name), what: "the depth of folders", found: "more than \(Self.depthMax)",
                    limit: "\(Self.depthMax)")
            }
            let child = openat(parent, text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard child >= 0 else { throw .io(path: shownPath + text, operation: "open", errno: errno) }
            defer { close(child) }
            try addNames(in: child, prefix + text + "/", depth: depth + 1, limits, to: &found)
        }
    }
}
