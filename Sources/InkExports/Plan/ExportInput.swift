package import InkDocuments
package import InkEngine
import InkSystem

/// One project to export, before it has been read.
package struct ExportInput: Hashable, Sendable {
    /// The path to open; `-` for standard input.
    package var path: String
    /// The folders between the searched folder and the project; empty if the project was named itself.
    package var tree: [String]
    /// Whether a search through a folder has found it.
    package var isFound: Bool

    package init(path: String, tree: [String] = [], isFound: Bool = false) {
        self.path = path
        self.tree = tree
        self.isFound = isFound
    }

    /// Its name as it was given, or below the folder that was searched: the same wherever that folder is mounted.
    package var nameInRun: String { isFound ? (tree + [path.splitPath().name]).joined(separator: "/") : path }

    package var isStandardInput: Bool { path == "-" }

    /// Its name in messages.
    package var shownName: String { isStandardInput ? "standard input" : path }

    /// The file's name without its ending.
    package var stem: String {
        if isStandardInput { return "stdin" }
        let name = path.splitPath().name
        for ending in DocumentReaders.folderEndings + DocumentReaders.endings + DocumentReaders.pictureEndings
        where name.hasEnding(ending) && name.utf8.count > ending.utf8.count {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    /// What it is, by its content rather than its name. Nothing is known about standard input, which is read once and
    /// late.
    package var traits: DocumentTraits {
        // Most inputs are projects, which need not be looked at. What cannot be read is reported when it is opened.
        let isKnown = isStandardInput || path.hasEnding(".ink") || isTemplateFolder
        return DocumentReaders.traits(
            of: isKnown ? nil : FileSystem.beginning(of: path, byteCount: 1 << 16), name: path)
    }

    /// The project's folder; empty for the current one.
    var folder: String { isStandardInput ? "" : path.splitPath().folder }

    /// The name of that folder.
    var folderName: String { FileSystem.resolved(folder).splitPath().name }

    /// The size of the file or of all files in the folder; 0 if unknown. Reading reports the error.
    package var byteCount: Int { isStandardInput ? 0 : FileSystem.byteCount(path) }

    /// Whether it is a template folder, whose files are part of the input.
    package var isTemplateFolder: Bool {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        return DocumentReaders.folderEndings.contains { path.lowercased().hasSuffix($0) }
    }
}

extension ExportInput {
    // Compared by bytes: Swift's == also equates canonically equivalent names, which may be two files.
    package static func == (a: ExportInput, b: ExportInput) -> Bool {
        a.path.utf8.elementsEqual(b.path.utf8) && a.tree.elementsEqual(b.tree) { $0.utf8.elementsEqual($1.utf8) }
    }

    package func hash(into hasher: inout Hasher) {
        for name in [path] + tree { hasher.combine(Array(name.utf8)) }
    }
}

/// What was found at a path of the command line.
package enum FoundInput: Sendable {
    case input(ExportInput)
    /// A place that could not be searched; the others continue.
    case failure(String, EngineError)
}
