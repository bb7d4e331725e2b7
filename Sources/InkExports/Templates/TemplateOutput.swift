import InkDocuments
package import InkEngine
import InkSystem

/// Where a template is written to: a folder, or a zip archive. It gets its name when it is complete.
package struct TemplateOutput: Hashable, Sendable {
    /// Ends in `.zip` for an archive.
    package var path: String
    /// Whether a template of this name is replaced.
    package var replaces: Bool

    package init(path: String, replaces: Bool) {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.replaces = replaces
    }

    package static let folderEnding = ".inktemplate"
    package static let archiveEnding = ".zip"

    package var isArchive: Bool { path.hasEnding(Self.archiveEnding) }

    /// That writing could start.
    ///
    /// - Throws: `io` if something of this name is there and may not be replaced.
    package func check() throws(EngineError) {
        guard let found = try FileSystem.status(path) else { return }
        func fault(_ operation: String) -> EngineError {
            .io(path: path, operation: operation, errno: FileSystem.existsError)
        }
        guard replaces else { throw fault("make it (--if-exists fail)") }
        guard found.isFolder != isArchive, isArchive || hasManifest else { throw fault("replace it") }
        if !isArchive, let foreign = try TemplateFiles.foreignFile(in: path, limits: Limits()) {
            throw fault("replace the folder, which holds \(foreign) too:")
        }
    }

    /// Whatever else lies there is not removed.
    private var hasManifest: Bool { (try? FileSystem.exists(path.appendingPath("manifest.json"))) == true }

    /// Lets `fill` write the files of the template into a new folder, and gives it its name.
    ///
    /// - Throws: errors of `fill`, and `io`. Nothing is left behind then.
    package func write(_ fill: (_ folder: String) throws(ExportError) -> Void) throws(ExportError) {
        try ExportError.wrapping(try check())
        let parent = path.splitPath().folder
        let work = try ExportError.wrapping { () throws(EngineError) in
            try FileSystem.makeFolder(parent)
            return try TemporaryFolder.make(".ink-template", in: parent.isEmpty ? "." : parent)
        }
        defer { TemporaryFolder.remove(work) }
        let new = work.appendingPath("template")
        try ExportError.wrapping(try FileSystem.makeFolder(new))
        try fill(new)
        try ExportError.wrapping(try isArchive ? TemplateOutput.pack(new, to: path, replaces: replaces) : publish(new))
    }

    /// Packs a template, in a folder or an archive, into an archive: the same bytes for the same files.
    ///
    /// - Throws: as `TemplateFiles`.
    package static func pack(
        _ template: String, to path: String, replaces: Bool, limits: Limits = Limits()
    ) throws(EngineError) {
        let files = try TemplateFiles(path: template, limits: limits)
        try FileSystem.writeInPieces(to: path, replaces: replaces) { (write) throws(EngineError) in
            try files.pack(write)
        }
    }

    private func publish(_ new: String) throws(EngineError) {
        try EngineError.wrapping(path) { () throws(SystemFailure) in
            try FileSystem.syncFileSystem(of: new)
            guard try FileSystem.status(of: path) != nil else { return try FileSystem.renameToNew(new, path) }
            guard replaces, hasManifest else {
                throw SystemFailure(operation: "replace", errno: FileSystem.existsError)
            }
            // A link to a folder stays one.
            try FileSystem.exchange(new, try FileSystem.resolvingLink(path))
        }
    }
}
