import Glibc

/// Reads whatever a person names as a project: a project file, a template folder or a template archive.
public enum ProjectLoader {
    /// Reads the project at a path.
    ///
    /// A folder is read as a template, a file that begins like a zip archive or is named `.zip` as a template archive,
    /// any other file as a project. Presets are looked up in `presetFolders`, then in `brushes` beside the project.
    ///
    /// - Parameters:
    ///   - path: a project file, a template folder or a template archive.
    ///   - presetFolders: searched first for brush presets.
    ///   - besideFolders: folders that may contain `brushes`, each with a trailing slash. Default: the folder of the path,
    ///     then, if the path is a link, that of its target.
    ///   - limits: beyond them the project is refused.
    ///   - onText: gets the bytes of a project file (not of a template) just before they are parsed.
    /// - Throws: `io` if the system refuses to read, `badInput` and `overLimit` for the content.
    public static func load(
        path: String, presetFolders: [String] = [], besideFolders: [String]? = nil, limits: Limits = Limits(),
        onText: (([UInt8]) -> Void)? = nil
    ) throws(EngineError) -> ProjectReading {
        if try isFolder(path) { return try TemplateReader.read(path: path, limits: limits) }
        if path.lowercased().hasSuffix(".inktemplate/manifest.json") {
            let bundle = path.dropLast("/manifest.json".count)
            throw .badInput(Place(file: path), reason: "is the manifest of a template; give the whole of it, \(bundle)")
        }
        let bytes = try InputFile.read(path: path, limitBytes: limits.fileBytes)
        let folders = if let besideFolders { besideFolders } else { try folders(of: path) }
        return try load(
            bytes, name: path,
            presets: PresetLibrary(
                folders: presetFolders, besideFolders: folders.map { $0 + "brushes" }, limits: limits),
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
        let head = Array((copy bytes).prefix(1 << 16))
        do throws(EngineError) {
            return try ProjectReader.read(bytes, file: name, presets: presets, limits: limits)
        } catch {
            // Where it is wrong does not matter in what is no project.
            guard case .badInput = error else { throw error }
            if ForeignFormat.isQuickDraw(head) {
                throw .badInput(
                    Place(file: name),
                    reason: "holds drawings of Quick, Draw!, is not an Ink project; ink import makes projects of them")
            }
            guard let foreign = ForeignFormat.name(ofText: head) else { throw error }
            throw .badInput(Place(file: name), reason: "is \(foreign), not an Ink project")
        }
    }

    /// Whether a path is a folder, links followed.
    static func isFolder(_ path: String) throws(EngineError) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// The folder of a path, and that of the file it leads to when it is a link; each as `folder(of:)` gives it.
    private static func folders(of path: String) throws(EngineError) -> [String] {
        let given = folder(of: path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFLNK else { return [given] }
        guard let real = realpath(path, nil) else {
            // What is open and has no name any more has no folder.
            if errno == ENOENT { return [given] }
            throw .io(path: path, operation: "follow the link", errno: errno)
        }
        defer { free(real) }
        return [given, folder(of: String(cString: real))]
    }

    /// The path up to and with its last `/`; empty when it has none.
    private static func folder(of path: String) -> String {
        // By bytes: a slash and an accent behind it are one character.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(decoding: path.utf8[...slash], as: UTF8.self)
    }
}
