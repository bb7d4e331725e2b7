import Foundation

/// A new, empty folder that goes away, with all in it, with its last reference.
public final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at the end.
    public let path: String

    /// In `parent`, or where the system has its temporary files. Throws when there is no place for a folder.
    public init(prefix: String = "ink-test", in parent: String? = nil) throws {
        var template = Array(((parent ?? NSTemporaryDirectory()) + "/\(prefix)-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        // Resolved, so that it compares equal to paths that programs under test print.
        path =
            URL(fileURLWithPath: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
            .resolvingSymlinksInPath().path
    }

    deinit {
        // What a test has made unreadable stays behind; that is no reason to fail it.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside the folder; `name` may have slashes.
    public func path(of name: String) -> String { path + "/" + name }

    /// Makes a folder inside, with those above it, and returns its path.
    @discardableResult
    public func makeFolder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(of: name), withIntermediateDirectories: true)
        return path(of: name)
    }

    /// Writes a file inside, making the folders above it, and returns its path.
    @discardableResult
    public func write(_ bytes: [UInt8], to name: String) throws -> String {
        let url = URL(fileURLWithPath: path(of: name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return url.path
    }

    @discardableResult
    public func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    public func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(of: name))))
    }

    /// Everything inside, relative paths, sorted.
    public func contents() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }
}
