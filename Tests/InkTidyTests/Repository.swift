import Foundation

/// Files of the repository by their paths from its root, as the rules see them.
struct Repository: Sendable {
    struct File: Sendable {
        var path: String
        var text: String

        var name: String { String(path.split(separator: "/").last ?? "") }
        /// The last folder of the path.
        var folder: String { String(path.split(separator: "/").dropLast().last ?? "") }
        /// The folder below `Sources`, `Tests`, ...
        var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
        var isSwift: Bool { name.hasSuffix(".swift") }
        var isSource: Bool { isSwift && path.hasPrefix("Sources/") }
        var isDocument: Bool { name.hasSuffix(".md") }
        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        /// The matches of a regular expression: the text of its last group, and the line where that begins.
        func matches(_ pattern: String) -> [(text: String, line: Int)] {
            let whole = text as NSString
            let expression: NSRegularExpression
            do { expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines) } catch {
                preconditionFailure("\(pattern): \(error)")
            }
            return expression.matches(in: text, range: NSRange(location: 0, length: whole.length)).map { match in
                let range = match.range(at: match.numberOfRanges - 1)
                return (
                    whole.substring(with: range),
                    whole.substring(to: range.location).utf8.count(where: { $0 == UInt8(ascii: "\n") }) + 1
                )
            }
        }
    }

    /// The texts that rules read.
    var files: [File]
    /// Everything that exists: files and folders.
    var paths: Set<String>

    /// An example: files that a rule is tried on.
    init(_ texts: [String: String]) {
        files = texts.map { File(path: $0.key, text: $0.value) }
        paths = Set(texts.keys)
    }

    /// Reads the repository around this file.
    init() throws {
        let root = Self.root
        (files, paths) = ([], ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"])
        for top in ["Sources", "Tests", "docs", "Scripts", "Benchmarks", "Fuzz", "examples", "deploy"] {
            let folder = root.appendingPathComponent(top)
            paths.insert(top)
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !path.contains(".build")
            {
                paths.insert("\(top)/\(path)")
            }
        }
        for path in paths.sorted() where Self.isRead(path) {
            files.append(
                File(path: path, text: try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)))
        }
    }

    /// Documents and sources are read, without the bad examples of these tests.
    private static func isRead(_ path: String) -> Bool {
        if path.hasPrefix("Tests/InkTidyTests/") { return path == allowancesPath }
        if path.hasSuffix(".md") { return path.hasPrefix("docs/") || path.hasPrefix("Sources/") || !path.contains("/") }
        return ["Sources/", "Tests/"].contains { path.hasPrefix($0) }
            && [".swift", ".c", ".h", ".cpp"].contains { path.hasSuffix($0) }
    }

    /// The folder of the package, also if these tests are compiled by themselves through a symbolic link.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let allowancesPath = "Tests/InkTidyTests/Allowances.txt"
}

/// A place that breaks a rule.
struct Finding: Hashable, CustomStringConvertible {
    var file: Repository.File
    var line: Int
    var advice: String

    var description: String { "\(file.path):\(line): \(advice)" }

    static func == (a: Finding, b: Finding) -> Bool { a.description == b.description }
    func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
