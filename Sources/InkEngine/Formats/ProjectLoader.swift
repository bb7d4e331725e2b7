import Glibc

/// Reads whatever a person names as a project: a project file, a template folder or a template archive.
public enum ProjectLoader {
    /// Reads the project at a path.
    ///
    /// A folder is read as a template, a file that begins like a zip archive or is named `.zip` as a template archive,
    /// any other file as a project. Presets are looked up in `presetFolders`, then in `brushes` beside the project.
    ///
    /// - Parameter onText: gets the bytes of a project file just before they are read (not those of a template), so that
    ///   something can be done with them meanwhile.
    /// - Throws: `io` when the system refuses to read, `badInput` and `overLimit` for what is read.
    public static func load(
        path: String, presetFolders: [String] = [], limits: Limits = Limits(), onText: (([UInt8]) -> Void)? = nil
    ) throws(EngineError) -> ProjectReading {
        if try isFolder(path) { return try TemplateReader.read(path: path, limits: limits) }
        if path.lowercased().hasSuffix(".inktemplate/manifest.json") {
            let bundle = path.dropLast("/manifest.json".count)
            throw .badInput(Place(file: path), reason: "is the manifest of a template; give the whole of it, \(bundle)")
        }
        let bytes = try InputFile.read(path: path, limitBytes: limits.fileBytes)
        return try load(
            bytes, name: path,
            presets: PresetLibrary(
                folders: presetFolders, besideFolder: folder(of: path) + "brushes", limits: limits),
            limits: limits, onText)
    }

    /// Reads a project from bytes at hand; `name` names them in messages.
    public static func load(
        bytes: consuming [UInt8], name: String = "standard input", presetFolders: [String] = [],
        limits: Limits = Limits(), onText: (([UInt8]) -> Void)? = nil
    ) throws(EngineError) -> ProjectReading {
        let presets = PresetLibrary(folders: presetFolders, limits: limits)
        return try load(bytes, name: name, presets: presets, limits: limits, onText)
    }

    private static func load(
        _ bytes: consuming [UInt8], name: String, presets: PresetLibrary, limits: Limits,
        _ onText: (([UInt8]) -> Void)?
    ) throws(EngineError) -> ProjectReading {
        let lowercased = name.lowercased()
        // A project is never an archive, so `.ink` with an archive inside is a mistake worth a word of its own.
        if lowercased.hasSuffix(".zip") || InputKind.isArchive(bytes) && !lowercased.hasSuffix(".ink") {
            return try TemplateReader.read(archive: bytes, file: name, limits: limits)
        }
        onText?(copy bytes)
        return try ProjectReader.read(bytes, file: name, presets: presets, limits: limits)
    }

    /// Whether a path is a folder, links followed.
    static func isFolder(_ path: String) throws(EngineError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path up to and with its last `/`; empty when it has none.
    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[...slash])
    }
}
