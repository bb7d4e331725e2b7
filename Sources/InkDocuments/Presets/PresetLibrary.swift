import Glibc
import InkCodecs
public import InkEngine
import Synchronization

/// A brush preset: settings that a stroke uses by naming the preset's id.
struct BrushPreset: Sendable {
    /// As an app shows it; empty for none.
    var name: String
    var settings: BrushSettings
    /// SHA-256 of the preset's file.
    var contentDigest: [UInt8]
    /// The warnings of the preset's file, reported where the preset is used.
    var warnings: [ReadingWarning]
}

/// The brush presets of some folders: `*.json` files with `id`, `type`, `defaults` and `dynamics`.
///
/// Nothing is read before a stroke names a preset. An invalid file fails only the projects that need it. If several
/// presets have the same id, the one in the first folder counts, within a folder the first file by name.
public final class PresetLibrary: Sendable {
    /// The most bytes of a preset file.
    static let fileBytesMax = 1 << 20

    private let companions: any CompanionFiles
    private let limits: Limits
    private let index = Mutex<Index?>(nil)

    private struct Index {
        var folders: [PresetFolder] = []
        var presets: [String: Result<BrushPreset, EngineError>] = [:]
        var entries: [PresetEntry] = []
        /// Files without a readable id, by name without `.json`.
        var unreadable: [String: EngineError] = [:]
        /// The first file that could not be read.
        var unread: EngineError?
        /// Whether not all files are known yet.
        var isPending = false
    }

    /// - Parameters:
    ///   - companions: where the presets are; asked as soon as one is needed.
    ///   - limits: larger preset files are rejected.
    public init(_ companions: any CompanionFiles, limits: Limits = Limits()) {
        self.companions = companions
        self.limits = limits
    }

    /// The preset with an id, nil if there is none; one without settings where that is not known yet.
    ///
    /// - Throws: if the preset's file or one of the folders cannot be used.
    func preset(id: String) throws(EngineError) -> BrushPreset? {
        try index.withLock { (state: inout Index?) throws(EngineError) -> BrushPreset? in
            if state == nil { state = try readIndex() }
            guard let index = state else { return nil }
            if index.isPending {
                return BrushPreset(name: "", settings: BrushSettings(), contentDigest: [], warnings: [])
            }
            if let found = index.presets[id] { return try found.get() }
            // The id of a file without a readable one is its name.
            if let error = index.unreadable[id] { throw error }
            // This file may contain the preset.
            if let error = index.unread { throw error }
            return nil
        }
    }

    /// The ids of all presets that were found, in order; empty before the first lookup.
    var ids: [String] { index.withLock { $0?.presets.keys.sorted() ?? [] } }

    /// All presets in the order in which they are looked up, those that cannot be used too.
    ///
    /// - Throws: if one of the folders cannot be read.
    public func entries() throws(EngineError) -> [PresetEntry] {
        try index.withLock { (state: inout Index?) throws(EngineError) -> [PresetEntry] in
            if state == nil { state = try readIndex() }
            return state?.entries ?? []
        }
    }

    /// The folders that were searched, and the file that may contain the preset, as the end of a message.
    var searchNote: String {
        guard let index = index.withLock({ $0 }), !index.folders.isEmpty else { return "" }
        let first = index.unreadable.min { $0.key < $1.key }?.value
        return " in " + index.folders.map { shownText($0.path, limit: 200) }.joined(separator: ", ")
            + (first.map { "; of a file there the id cannot be read: \($0)" } ?? "")
    }

    /// What to do about a preset that was not found, as the end of a message: one of the program has to become a file; of
    /// others a similar name may be meant.
    func wayOut(for id: String) -> String {
        guard BuiltInPresets.entries.contains(where: { $0.id == id }) else { return didYouMean(id, among: ids) }
        let isPlain = { (path: String) in
            path.utf8.allSatisfy { byte in byte > 0x2A && byte < 0x7B && !";<=>?[]^`\\".utf8.contains(byte) }
        }
        let folders = index.withLock { $0?.folders } ?? []
        let nearest = folders.filter(\.isBeside) + folders.filter { !$0.isBeside }
        let folder = nearest.map(\.path).first(where: isPlain) ?? "brushes"
        return "; it is one of ink's own, which a project takes along as files: "
            + "mkdir -p \(folder) && ink preset show \(id) > \(folder)/\(id).json"
    }

    private func readIndex() throws(EngineError) -> Index {
        var index = Index()
        let listed = try companions.answer(to: .presetFolders, limitBytes: Self.fileBytesMax)
        guard let listed else {
            index.isPending = true
            return index
        }
        guard case .presetFolders(let folders) = listed else { return index }
        index.folders = folders
        for (number, folder) in folders.enumerated() {
            for file in folder.files { read(file, folder: number, folder.path + "/" + file, into: &index) }
        }
        return index
    }

    private func read(_ file: String, folder: Int, _ path: String, into index: inout Index) {
        let stem = String(file.dropLast(5))
        do throws(EngineError) {
            guard let name = CompanionName(.preset, utf8: Array("\(folder)/\(file)".utf8)) else {
                throw .badInput(Place(file: path), reason: "is not the name of a preset's file")
            }
            guard let answer = try companions.answer(to: name, limitBytes: Self.fileBytesMax) else {
                index.isPending = true
                return
            }
            // Listed, and gone since.
            guard let bytes = answer.bytes else { throw .io(path: path, operation: "open", errno: ENOENT) }
            let (id, preset) = try Self.read(bytes, file: path, limits: limits)
            let key = id ?? stem
            if index.presets[key] == nil {
                index.presets[key] = preset
                index.entries.append(PresetEntry(id: key, file: path, preset))
            }
        } catch {
            index.entries.append(PresetEntry(id: stem, file: path, .failure(error)))
            if index.unreadable[stem] == nil { index.unreadable[stem] = error }
            // Dangling links and files that have disappeared are ignored.
            if index.unread == nil, case .io(_, _, let number) = error, number != ENOENT { index.unread = error }
        }
    }

    /// The id in a file (nil for none) and its preset, or why the preset cannot be used.
    ///
    /// - Parameter bytes: with the spare capacity that `InputFile` gives.
    static func read(
        _ bytes: [UInt8], file: String, limits: Limits
    ) throws(EngineError) -> (String?, Result<BrushPreset, EngineError>) {
        let digest = SHA256.digest(bytes)
        try TextEncoding.requireUTF8(bytes, file: file)
        let document = try JSONDocument(bytes, file: file, limits: limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: file)
        let id = try root.string("id")
        do throws(EngineError) {
            var warnings = Warnings(file: file)
            let settings = try settings(root, &warnings, limits)
            // A name of another type means nothing to a drawing.
            let name = (try? root.string("name")) ?? ""
            return (
                id, .success(BrushPreset(name: name, settings: settings, contentDigest: digest, warnings: warnings.all))
            )
        } catch {
            return (id, .failure(error))
        }
    }

    private static func settings(
        _ root: JSONObject, _ warnings: inout Warnings, _ limits: Limits
    ) throws(EngineError) -> BrushSettings {
        func look(_ object: JSONObject, _ kind: FormatObject) {
            // An app may store more in a preset than how it draws, and presets have no version.
            warnings.addUnknownKeys(of: object, kind, onlyMisspelt: kind == .preset)
        }
        var settings = BrushSettings()
        look(root, .preset)
        if let defaults = try root.object("defaults") {
            look(defaults, .presetDefaults)
            if let dynamics = try defaults.object("dynamics") { look(dynamics, .dynamics) }
            settings = try BrushSettings(defaults, owner: "the preset", limits: limits)
        }
        // The preset's own type is outside `defaults`.
        if let type = try root.brushType("type", owner: "the preset") { settings.type = type }
        if let dynamics = try root.object("dynamics") {
            look(dynamics, .dynamics)
            try settings.readDynamics(dynamics)
        }
        return settings
    }
}
