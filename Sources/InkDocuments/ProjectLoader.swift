import Glibc
public import InkEngine

/// Reads anything that can be named as a project: the first page of a document of any kind in `DocumentReaders`.
public enum ProjectLoader {
    /// Reads the project at a path.
    ///
    /// Presets are looked up in `presetFolders`, then in `brushes` next to the project.
    ///
    /// - Parameters:
    ///   - path: the document's path.
    ///   - presetFolders: searched first for brush presets.
    ///   - besideFolders: folders that may contain `brushes` and the image files of the project, each with a trailing
    ///     slash. Default: the folder of the path, then, if the path is a link, that of its target.
    ///   - limits: larger projects are rejected.
    ///   - takesMerged: whether the picture that a document holds beside its layers is taken in their place.
    ///   - takesForeign: whether documents of other programs and pictures are read too.
    ///   - brush: for strokes of documents of other programs.
    ///   - paper: that pages are for.
    ///   - onText: gets the bytes of a project file (not of a template) just before they are parsed.
    /// - Throws: `io` if reading fails, `badInput` and `overLimit` for the content.
    public static func load(
        path: String, presetFolders: [String] = [], besideFolders: [String]? = nil, limits: Limits = Limits(),
        takesMerged: Bool = false, takesForeign: Bool = true, brush: BrushChange = BrushChange(),
        paper: PaperChoice = PaperChoice(), onText: (([UInt8]) -> Void)? = nil
    ) throws(EngineError) -> ProjectReading {
        var context = DocumentContext(limits: limits, onText: onText)
        context.takesForeign = takesForeign
        context.paper = paper
        return try load(
            path: path, presetFolders: presetFolders, besideFolders: besideFolders, takesMerged: takesMerged,
            brush: brush,
            context)
    }

    /// All errors of the project at a path; none where it can be read.
    ///
    /// - Parameters:
    ///   - path: the document's path.
    ///   - presetFolders: searched first for brush presets.
    ///   - limits: larger projects are rejected.
    package static func faults(path: String, presetFolders: [String], limits: Limits) -> FaultList {
        faults(limits) { (context) throws(EngineError) in
            _ = try load(
                path: path, presetFolders: presetFolders, besideFolders: nil, takesMerged: false, brush: BrushChange(),
                context)
        }
    }

    /// All errors of a project in memory; none where it can be read.
    package static func faults(
        bytes: [UInt8], name: String = "standard input", presetFolders: [String], limits: Limits
    ) -> FaultList {
        faults(limits) { (context) throws(EngineError) in
            var context = context
            context.companions = FolderCompanions(presetFolders: presetFolders)
            _ = try load(.file(bytes), name: name, context)
        }
    }

    private static func faults(
        _ limits: Limits, _ load: (DocumentContext) throws(EngineError) -> Void
    ) -> FaultList {
        let faults = FaultList()
        var context = DocumentContext(limits: limits)
        context.faults = faults
        do throws(EngineError) {
            try load(context)
        } catch {
            // The error of a document of another kind, or the first of those that were found.
            guard faults.kept.first == error else {
                let only = FaultList()
                only.add(error)
                return only
            }
        }
        return faults
    }

    private static func load(
        path: String, presetFolders: [String], besideFolders: [String]?, takesMerged: Bool, brush: BrushChange,
        _ given: DocumentContext
    ) throws(EngineError) -> ProjectReading {
        let (content, companions) = try open(
            path: path, presetFolders: presetFolders, besideFolders: besideFolders, limits: given.limits)
        var context = given
        context.companions = companions
        context.takesMerged = takesMerged
        context.brush = brush
        return try load(consume content, name: path, context)
    }

    /// Opens the document at a path without reading it, and finds where its companions are.
    ///
    /// - Parameters: as of `load`.
    /// - Throws: `io`, `badInput`, `overLimit`.
    package static func open(
        path: String, presetFolders: [String] = [], besideFolders: [String]? = nil, limits: Limits
    ) throws(EngineError) -> (content: DocumentContent, companions: FolderCompanions) {
        if try InputFile.isFolder(path) { return (.folder, FolderCompanions(document: path)) }
        if path.lowercased().hasSuffix(".inktemplate/manifest.json") {
            let bundle = path.dropLast("/manifest.json".count)
            throw .badInput(Place(file: path), reason: "is the manifest of a template; give the whole of it, \(bundle)")
        }
        let bytes = try InputFile.read(path: path, limitBytes: limits.fileBytes)
        let folders = if let besideFolders { besideFolders } else { try folders(of: path) }
        return (.file(bytes), FolderCompanions(projectFolders: folders, presetFolders: presetFolders))
    }

    /// Reads a project from bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: a whole file.
    ///   - name: names them in messages.
    ///   - isNamedByOthers: whether the name may be that of what the project was made of, so that its ending tells nothing
    ///     of the bytes.
    ///   - presetFolders: searched for brush presets.
    ///   - limits: larger projects are rejected.
    ///   - takesMerged: whether the picture that a document holds beside its layers is taken in their place.
    ///   - brush: for strokes of documents of other programs.
    ///   - paper: that pages are for.
    ///   - onText: gets the bytes of a project file (not of a template) just before they are parsed.
    public static func load(
        bytes: consuming [UInt8], name: String = "standard input", isNamedByOthers: Bool = false,
        presetFolders: [String] = [],
        limits: Limits = Limits(), takesMerged: Bool = false, brush: BrushChange = BrushChange(),
        paper: PaperChoice = PaperChoice(),
        onText: (([UInt8]) -> Void)? = nil
    ) throws(EngineError) -> ProjectReading {
        let companions = FolderCompanions(presetFolders: presetFolders)
        var context = DocumentContext(limits: limits, companions: companions, onText: onText)
        context.takesMerged = takesMerged
        context.brush = brush
        context.paper = paper
        return try load(.file(bytes), name: name, recognizedAs: isNamedByOthers ? "" : name, context)
    }

    /// The most times that a document is read until all its companions are known: for a pack with its pictures, and a
    /// template folder among them with those of its manifest, of the first names of its pictures and of the second ones.
    public static let roundsMax = 5

    /// Reads a project, or says which companions it needs that were not given. Opens nothing.
    ///
    /// Each answer may be a failure, which is the error of the reading where the reader comes to it. With all answers
    /// that were asked for, what is read is the same as for a path.
    ///
    /// - Parameters:
    ///   - content: a whole file, or a folder, whose files are companions.
    ///   - name: names it in messages.
    ///   - isNamedByOthers: whether the name may be that of what the project was made of, so that its ending tells
    ///     nothing of the bytes.
    ///   - companions: those that are known; none at first, then all of the rounds before.
    ///   - limits: larger projects are rejected.
    ///   - takesMerged: whether the picture that a document holds beside its layers is taken in their place.
    ///   - brush: for strokes of documents of other programs.
    /// - Throws: as for a path, where no answer that is missing may come first.
    public static func load(
        _ content: consuming DocumentContent, name: String, isNamedByOthers: Bool = false,
        companions: CompanionAnswers, limits: Limits = Limits(), takesMerged: Bool = false,
        brush: BrushChange = BrushChange()
    ) throws(EngineError) -> ReadingRound {
        let given = GivenCompanions(companions)
        var context = DocumentContext(limits: limits, companions: given)
        context.takesMerged = takesMerged
        context.brush = brush
        do throws(EngineError) {
            let reading = try load(content, name: name, recognizedAs: isNamedByOthers ? "" : name, context)
            if given.unanswered.isEmpty { return .read(reading) }
        } catch {
            // An answer may be an error that comes before this one.
            if given.unanswered.isEmpty { throw error }
        }
        return .needs(given.unanswered)
    }

    private static func load(
        _ content: consuming DocumentContent, name: String, recognizedAs head: String? = nil, _ context: DocumentContext
    ) throws(EngineError) -> ProjectReading {
        let reader = DocumentReaders.reader(of: DocumentHead(content, name: head ?? name))
        guard !reader.isImported else {
            throw .badInput(
                Place(file: name),
                reason: "holds drawings of Quick, Draw!, is not an Ink project; ink import makes projects of them")
        }
        guard reader.isProject || context.takesForeign else {
            throw .badInput(
                Place(file: name), reason: "is neither a project nor a template; ink import makes projects of others")
        }
        guard reader.holdsMerged || !context.takesMerged else {
            throw .badInput(
                Place(file: name),
                reason: "holds no merged picture beside its layers, as --flattened wants; "
                    + "Photoshop, OpenRaster and Krita files do")
        }
        var page: Result<DocumentPage, EngineError>?
        try reader.read(content.decoded(for: reader), name: name, context) { page = page ?? $0 }
        guard let page else { throw .badInput(Place(file: name), reason: "has no page") }
        var reading = try page.get().reading
        if !reader.isProject { context.brush.apply(to: &reading) }
        try context.paper.apply(to: &reading, hasPaper: reader.hasPaper, place: Place(file: name))
        return reading
    }

    /// The folder of a path, and that of the file it leads to when it is a link; each as `folder(of:)` gives it.
    private static func folders(of path: String) throws(EngineError) -> [String] {
        let given = folder(of: path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .io(path: path, operation: "open", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFLNK else { return [given] }
        guard let real = realpath(path, nil) else {
            // An open file that has been deleted has no folder.
            if errno == ENOENT { return [given] }
            throw .io(path: path, operation: "follow the link", errno: errno)
        }
        defer { free(real) }
        return [given, folder(of: String(cString: real))]
    }

    /// The path up to its last `/`, inclusive; empty if it has none.
    private static func folder(of path: String) -> String {
        // By bytes: a slash and an accent behind it are one character.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(decoding: path.utf8[...slash], as: UTF8.self)
    }
}
