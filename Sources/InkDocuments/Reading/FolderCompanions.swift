import Glibc
public import InkEngine
import Synchronization

/// Companions on this machine's disk: it alone opens files for readers.
public final class FolderCompanions: CompanionFiles {
    /// The most files of presets.
    private static let presetsMax = 10_000

    private let projectFolders: [String]
    private let presetFolders: [String]
    private let document: String?
    private let bundles = Mutex<[FolderBundle]?>(nil)

    /// - Parameters:
    ///   - projectFolders: where a project finds pictures, and `brushes` with presets, in this order; each with a
    ///     trailing slash, or empty for the current folder. None where the project has no place.
    ///   - presetFolders: searched first for presets; an unreadable one is an error as soon as a preset is needed.
    public init(projectFolders: [String] = [], presetFolders: [String] = []) {
        self.projectFolders = projectFolders
        self.presetFolders = presetFolders
        document = nil
    }

    /// - Parameter document: the path of a folder that is one document.
    public init(document: String) {
        projectFolders = []
        presetFolders = []
        self.document = document
    }

    public func answer(to name: CompanionName, limitBytes: Int) throws(EngineError) -> CompanionAnswer? {
        if name.kind == .presetFolders { return .presetFolders(try listPresets()) }
        if let preset = name.preset { return try readPreset(preset.file, folder: preset.folder, limitBytes) }
        guard let path = name.path else { return .missing }
        let places = name.kind == .image ? projectFolders : document.map { [$0] } ?? []
        guard !places.isEmpty else { return .nowhere }
        for bundle in try open(places) {
            guard let bytes = try bundle.read(path, limitBytes: limitBytes) else { continue }
            return .file(bytes, path: bundle.shownPath(path))
        }
        return .missing
    }

    /// Answers names that a reader elsewhere asked for. Files of one kind have the limit of a document together, as
    /// where the reader opens them.
    ///
    /// - Parameters:
    ///   - names: as `ProjectLoader` gave them.
    ///   - limits: those of the document.
    ///   - answers: those of the rounds before, which get the new ones.
    package func answer(_ names: [CompanionName], limits: Limits, into answers: inout CompanionAnswers) {
        var taken: [CompanionName.Kind: Int] = [:]
        for (name, answer) in answers { Self.count(answer, to: name, &taken) }
        answers.merge(self.answers(to: names, limits: limits, taken: &taken)) { $1 }
    }

    /// As `answer`, for whoever does not keep the answers of the rounds before.
    ///
    /// - Parameter taken: bytes of all files so far, by kind.
    package func answers(
        to names: [CompanionName], limits: Limits, taken: inout [CompanionName.Kind: Int]
    ) -> CompanionAnswers {
        var answers: CompanionAnswers = [:]
        for name in names {
            let answer: Result<CompanionAnswer, EngineError>
            do throws(EngineError) {
                let left = limits.fileBytes - (taken[name.kind] ?? 0)
                answer = .success(try self.answer(to: name, limitBytes: min(name.limitBytes(limits), left)) ?? .missing)
            } catch {
                answer = .failure(error)
            }
            Self.count(answer, to: name, &taken)
            answers[name] = answer
        }
        return answers
    }

    private static func count(
        _ answer: Result<CompanionAnswer, EngineError>, to name: CompanionName, _ taken: inout [CompanionName.Kind: Int]
    ) {
        guard name != .manifest, case .success(.file(let bytes, _)) = answer else { return }
        taken[name.kind, default: 0] += bytes.count
    }

    private func open(_ places: [String]) throws(EngineError) -> [FolderBundle] {
        try bundles.withLock { (opened: inout [FolderBundle]?) throws(EngineError) -> [FolderBundle] in
            if let opened { return opened }
            var made: [FolderBundle] = []
            for place in places { made.append(try FolderBundle(path: place.isEmpty ? "." : place)) }
            opened = made
            return made
        }
    }

    // MARK: - Presets

    private var besideFolders: [String] { projectFolders.map { $0 + "brushes" } }

    private func listPresets() throws(EngineError) -> [PresetFolder] {
        var listed: [PresetFolder] = []
        var count = 0
        for folder in presetFolders {
            listed.append(PresetFolder(path: folder, isBeside: false, files: try presets(in: folder, &count)))
        }
        for folder in besideFolders {
            var files: [String] = []
            var status = stat()
            if stat(folder, &status) == 0 {
                files = try presets(in: folder, &count)
            } else if errno != ENOENT, errno != ENOTDIR {
                throw .io(path: folder, operation: "look at", errno: errno)
            }
            listed.append(PresetFolder(path: folder, isBeside: true, files: files))
        }
        return listed
    }

    private func presets(in folder: String, _ count: inout Int) throws(EngineError) -> [String] {
        let files = try InputFile.names(inFolder: folder).sorted().filter(PresetFolder.isPreset)
        count += files.count
        guard count <= Self.presetsMax else {
            throw .overLimit(
                Place(file: folder), what: "the number of preset files", found: "more than \(Self.presetsMax)",
                limit: "\(Self.presetsMax)")
        }
        return files
    }

    private func readPreset(_ name: String, folder: Int, _ limitBytes: Int) throws(EngineError) -> CompanionAnswer {
        let folders = presetFolders + besideFolders
        guard folders.indices.contains(folder) else { return .missing }
        let path = folders[folder] + "/" + name
        return .file(try InputFile.read(path: path, limitBytes: limitBytes), path: path)
    }
}

extension FolderCompanions {
    /// The bytes of a file in the document's folder.
    ///
    /// - Parameter place: where the document names it.
    /// - Throws: `badInput` at `place` for a path that leaves the folder, or where there is no folder; `io` where there is
    ///   no such file; `overLimit`.
    package func read(_ text: String, limitBytes: Int, place: Place) throws(EngineError) -> [UInt8] {
        let path = try rethrowing(try BundlePath(text)) { (error: BundlePath.Fault) in
            EngineError.badInput(place, reason: "the path \"\(shownText(text))\" \(error.reason)")
        }
        guard let name = CompanionName(.image, utf8: Array(path.text.utf8)) else {
            throw .badInput(place, reason: "the path \"\(shownText(text))\" is too long")
        }
        switch try answer(to: name, limitBytes: limitBytes) {
        case .file(let bytes, _): return bytes
        case .nowhere:
            throw .badInput(place, reason: "names a file, but there is no folder here; give the document by its path")
        case .missing, .presetFolders, nil: throw .io(path: text, operation: "open", errno: ENOENT)
        }
    }
}
