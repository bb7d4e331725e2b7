import Foundation

/// A folder of its own for a test, removed at the end.
public final class ScratchFolder: Sendable {
    public let path: String

    public init() {
        let made = FileManager.default.temporaryDirectory.appendingPathComponent("ink-scratch-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Makes a file and the folders above it; the path.
    @discardableResult
    public func file(_ name: String, _ text: String = "") -> String {
        let full = self(name)
        let folder = (full as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: full, contents: Data(text.utf8))
        return full
    }

    public func folder(_ name: String) {
        try? FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
    }

    public func link(_ name: String, to target: String) {
        try? FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
    }

    public func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: self(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All files below the folder, sorted.
    public var files: [String] {
        (FileManager.default.subpaths(atPath: path) ?? []).filter { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: self(name), isDirectory: &isFolder)
            return !isFolder.boolValue
        }.sorted()
    }
}
