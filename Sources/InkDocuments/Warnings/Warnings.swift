import InkCodecs
import InkEngine

/// The warnings of one reading: equal ones are merged, and their number is limited.
struct Warnings {
    /// The number of warnings that are kept; the others are counted.
    static let keptMax = 100

    /// Equal for warnings that differ only in their place.
    private struct Group: Hashable {
        var kind: ReadingWarning.Kind
        var file: String?
        var object: FormatObject?
        var detail: String
    }

    /// The file of warnings that do not name another; nil for the input itself.
    let file: String?
    private var kept: [ReadingWarning] = []
    private var indexOfGroup: [Group: Int] = [:]
    /// Unknown keys that were compared with the known ones.
    private var comparedCount = 0
    /// The keys of the warnings beyond the limit, to count each once.
    private var further: Set<Group> = []
    private static let furtherMax = 10_000

    init(file: String? = nil) { self.file = file }

    /// In the order of their first places.
    var all: [ReadingWarning] {
        guard !further.isEmpty else { return kept }
        let count = further.count < Self.furtherMax ? "\(further.count)" : "at least \(further.count)"
        return kept + [ReadingWarning(.further, at: nil, "and \(count) more warnings", count: further.count)]
    }

    /// Adds a single warning; duplicates are ignored.
    mutating func add(
        _ kind: ReadingWarning.Kind, file: String? = nil, at path: String?, _ reason: String, count: Int = 1
    ) {
        let file = file ?? self.file
        let group = Group(kind: kind, file: file, detail: "\(path ?? "") \(reason)")
        guard indexOfGroup[group] == nil else { return }
        insert(group, ReadingWarning(kind, file: file, at: path, reason, count: count))
    }

    /// Names the images whose colours are guessed or clipped, each once.
    ///
    /// - Parameter isBundle: whether images lie in files, whose paths are their places.
    mutating func addGuessedColors(of project: Project, isBundle: Bool) {
        // A project that has travelled says it already.
        let carried = kept.filter { $0.kind == .carried }.map(\.reason)
        func add(_ image: EncodedImage?, isMask: Bool = false, to warnings: inout Warnings) {
            image?.addColorWarnings(convertsProfiles: project.hasColorProfiles, isMask: isMask) { reason in
                guard let image, !carried.contains(where: { $0.hasSuffix(reason) }) else { return }
                let file = isBundle ? image.place : nil
                let path = isBundle ? nil : image.place
                if reason == ImageHeader.guessWarning {
                    warnings.add(.other, file: file, at: path, reason)
                } else {
                    // Photos of one camera have one profile.
                    warnings.add(.other, ofEach: "\(file ?? "") \(reason)", file: file, at: path, reason)
                }
            }
        }
        func add(_ layers: [Layer], to warnings: inout Warnings) {
            for layer in layers {
                add(layer.maskImage, isMask: true, to: &warnings)
                add(layer.contentImage, to: &warnings)
                add(layer.children, to: &warnings)
            }
        }
        add(project.baseImage, to: &self)
        add(project.layers, to: &self)
    }

    mutating func add(_ line: String) { add(.other, at: nil, line) }

    mutating func add(_ warnings: [ReadingWarning]) {
        for warning in warnings {
            add(warning.kind, file: warning.file, at: warning.path, warning.reason, count: warning.count)
        }
    }

    /// Adds a warning that may occur at many places; `path` and `reason` are evaluated for the first one only.
    mutating func add(
        _ kind: ReadingWarning.Kind, ofEach detail: String, in object: FormatObject? = nil, file: String? = nil,
        at path: @autoclosure () -> String?, _ reason: @autoclosure () -> String
    ) {
        let file = file ?? self.file
        let group = Group(kind: kind, file: file, object: object, detail: detail)
        if let index = indexOfGroup[group] {
            kept[index].count += 1
        } else {
            insert(group, ReadingWarning(kind, file: file, at: path(), reason()))
        }
    }

    private mutating func insert(_ group: Group, _ warning: ReadingWarning) {
        guard kept.count < Self.keptMax else {
            if further.count < Self.furtherMax { further.insert(group) }
            return
        }
        indexOfGroup[group] = kept.count
        kept.append(warning)
    }

    /// Warns of the keys of an object that its format does not have.
    ///
    /// - Parameter onlyMisspelt: whether to ignore keys that are not similar to a known one, because they come from a
    /// newer   app, or because apps may store anything there.
    mutating func addUnknownKeys(of object: JSONObject, _ kind: FormatObject, onlyMisspelt: Bool) {
        for key in object.value.keys(notIn: kind.keys) {
            let name = key.string ?? ""
            guard !FormatObject.isForeign(name) else { continue }
            let nearest = nearestKey(to: name, of: kind)
            if onlyMisspelt, nearest == nil { continue }
            add(
                .unknownKey, ofEach: name, in: kind, at: JSONPath.field(object.path, name).text,
                "unknown key, ignored" + (nearest.map { " (did you mean \($0)?)" } ?? ""))
        }
    }

    /// The key that was meant. A document of nothing but unknown keys would be compared for minutes, so only the first
    /// ones of a document are.
    private mutating func nearestKey(to name: String, of kind: FormatObject) -> String? {
        guard comparedCount < Self.comparedMax else { return nil }
        comparedCount += 1
        return nearestName(to: name, among: kind.keys.map(\.description))
    }

    private static let comparedMax = 20_000
}
