import InkEngine

/// Reads a score from the JSON of `.pbscore`, version 1.
///
/// An error in a tune is a problem of that tune, and the others are read; errors outside of the tunes are thrown.
struct PBScoreReader {
    static let version = 1

    let name: String
    var document = ScoreDocument(id: .number(0))
    var problems = ScoreProblems()
    /// The index of the tune that is being read; nil outside of tunes.
    var tune: Int?
    /// What kind of error is being thrown, where it is not one of JSON.
    private var code: ScoreProblem.Code?
    private var usedIDs: Set<ScoreID> = []
    private var idCount = 0
    /// The ratios of the notes that groups list as members.
    var ratios: [ScoreID: TupletRatio] = [:]
    /// The groups by id, as places in `document.noteGroups`.
    var groupPlaces: [ScoreID: Int] = [:]
    /// The groups that each note names.
    var namedGroups: [ScoreID: [ScoreID]] = [:]

    private init(name: String) { self.name = name }

    /// Reads a whole file.
    ///
    /// - Throws: `badInput` for what is no `.pbscore` of this version, and where no tune can be read; `overLimit` for what
    ///   is too large.
    static func read(_ bytes: [UInt8], name: String, limits: Limits) throws(EngineError) -> ScoreReading {
        guard bytes.count <= ScoreLimits.fileBytes else {
            throw .overLimit(
                Place(file: name), what: "the size of the score (E_LIMIT)", found: "\(bytes.count) bytes",
                limit: "\(ScoreLimits.fileBytes)")
        }
        var reader = PBScoreReader(name: name)
        do throws(EngineError) {
            let json = try JSONDocument(bytes, file: name, limits: limits)
            defer { withExtendedLifetime(json) {} }
            try reader.read(JSONObject(json.root, path: .root, file: name))
        } catch {
            guard case .badInput(let place, let reason) = error else { throw error }
            throw .badInput(place, reason: "\(reason) (\((reader.code ?? .json).rawValue))")
        }
        let reading = ScoreReading(document: reader.document, problems: reader.problems.all)
        let indices = reading.document.tunes.indices
        guard indices.contains(where: { reading.error(ofTune: $0) == nil }) else {
            guard let first = reading.problems.first(where: { $0.code.isError }) else {
                throw .badInput(Place(file: name, path: "tunes"), reason: "there is no tune (E_JSON)")
            }
            throw .badInput(
                Place(file: name, path: first.position?.text), reason: "\(first.reason) (\(first.code.rawValue))")
        }
        return reading
    }

    private mutating func read(_ root: JSONObject) throws(EngineError) {
        guard try root.string("format") == "pbscore" else {
            throw root.error("format", "must be \"pbscore\"")
        }
        guard try root.number("version") == Double(Self.version) else {
            throw fault(.version, root, "version", "must be \(Self.version), the version that ink reads")
        }
        warnUnknown(root, ["format", "version", "id", "metadata", "documentLayout", "tunes", "noteGroups"])
        if let id = try id(root) { document.id = id }
        if let metadata = try root.object("metadata") { document.metadata = try readMetadata(metadata) }
        if let layout = try root.object("documentLayout") { document.documentLayout = try readLayout(layout) }
        if let groups = try root.array("noteGroups") { try readGroups(groups, root.path("noteGroups")) }
        guard let tunes = try root.array("tunes"), tunes.count > 0 else { throw root.error("tunes", "is missing") }
        guard tunes.count <= ScoreLimits.tunes else {
            throw overLimit(root, "tunes", "the number of tunes", tunes.count, ScoreLimits.tunes)
        }
        for (index, node) in tunes.elements.enumerated() {
            tune = index
            code = nil
            do throws(EngineError) {
                let object = try JSONObject(node, path: .element(root.path("tunes"), index), file: name)
                document.tunes.append(try readTune(object))
            } catch {
                add(error, at: JSONPath.element(root.path("tunes"), index).text)
                // So that the tunes after it keep their numbers.
                var failed = Tune(id: .number(-1 - index))
                failed.metadata.title = node.field("metadata")?.field("title")?.string ?? ""
                document.tunes.append(failed)
            }
        }
        tune = nil
        code = nil
        finishGroups()
    }

    // MARK: Errors, warnings and ids

    /// An error of a certain kind at a key.
    mutating func fault(
        _ code: ScoreProblem.Code, _ object: JSONObject, _ key: StaticString, _ reason: String
    ) -> EngineError {
        self.code = code
        return object.error(key, reason)
    }

    mutating func overLimit(
        _ object: JSONObject, _ key: StaticString, _ what: String, _ found: Int, _ limit: Int
    ) -> EngineError {
        fault(.limit, object, key, "\(what) is \(found), the limit is \(limit)")
    }

    /// Keeps the error of a tune as a problem.
    private mutating func add(_ error: EngineError, at path: String?) {
        var position = path
        if case .badInput(let place, _) = error, let inner = place.path { position = inner }
        if case .overLimit = error { code = .limit }
        problems.add(
            code ?? .json, tune: tune, at: position.map { .path($0) }, "", error.leftOutReason ?? error.description)
    }

    /// Warns of the keys that the format does not have.
    mutating func warnUnknown(_ object: JSONObject, _ keys: [StaticString]) {
        for key in object.value.keys(notIn: keys) {
            let name = key.string ?? ""
            guard !FormatObject.isForeign(name) else { continue }
            let nearest = nearestName(to: name, among: keys.map(\.description))
            problems.add(
                .unknownKey, tune: tune, at: JSONPath.field(object.path, name).text.map { .path($0) }, name,
                "unknown key, ignored" + (nearest.map { " (did you mean \($0)?)" } ?? ""))
        }
    }

    /// The id of an object; nil where it has none.
    ///
    /// - Throws: `badInput` for an id that another object has.
    mutating func id(_ object: JSONObject) throws(EngineError) -> ScoreID? {
        guard let text = try object.string("id") else { return nil }
        guard !text.isEmpty, text.utf8.count <= 64 else {
            throw object.error("id", "must have 1 to 64 characters")
        }
        let id = ScoreID(text)
        guard usedIDs.insert(id).inserted else {
            throw fault(.duplicateID, object, "id", "\"\(shownText(text))\" is the id of another object, too")
        }
        return id
    }

    /// The id of an object, or one that the file does not use.
    mutating func idOrNew(_ object: JSONObject) throws(EngineError) -> ScoreID {
        if let id = try id(object) { return id }
        idCount += 1
        return .text("#\(idCount)")
    }

    // MARK: The document

    private func readMetadata(_ object: JSONObject) throws(EngineError) -> DocumentMetadata {
        DocumentMetadata(
            title: try object.string("title") ?? "", composer: try object.string("composer"),
            arranger: try object.string("arranger"), copyright: try object.string("copyright"),
            created: try date(object, "created"), modified: try date(object, "modified"))
    }

    /// A date as text; Foundation writes a number where nobody tells it otherwise.
    private func date(_ object: JSONObject, _ key: StaticString) throws(EngineError) -> String? {
        if let node = object.value.field(key), let number = node.number { return shownNumber(number) }
        return try object.string(key)
    }

    private mutating func readLayout(_ object: JSONObject) throws(EngineError) -> DocumentLayoutSettings {
        warnUnknown(object, DocumentLayoutSettings.keys)
        var layout = DocumentLayoutSettings()
        layout.paper = try object.named("paper") ?? layout.paper
        layout.orientation = try object.named("orientation") ?? layout.orientation
        layout.margin = try number(object, "margin", 0...100) ?? layout.margin
        layout.staffSpace = try number(object, "staffSpace", 0.5...10) ?? layout.staffSpace
        layout.keySignature = try object.named("keySignature") ?? layout.keySignature
        layout.fit = try object.named("fit") ?? layout.fit
        layout.justifyLastLine = try object.bool("justifyLastLine") ?? layout.justifyLastLine
        layout.alignBars = try object.bool("alignBars") ?? layout.alignBars
        layout.graceScale = try number(object, "graceScale", 0.5...0.7) ?? layout.graceScale
        layout.graceBeams = try object.named("graceBeams") ?? layout.graceBeams
        layout.melodyBeams = try object.named("melodyBeams") ?? layout.melodyBeams
        layout.pageNumbers = try object.bool("pageNumbers") ?? layout.pageNumbers
        layout.partLabels = try object.bool("partLabels") ?? layout.partLabels
        layout.page = try object.named("page") ?? layout.page
        layout.textFamily = try object.named("textFamily") ?? layout.textFamily
        return layout
    }

    func number(
        _ object: JSONObject, _ key: StaticString, _ range: ClosedRange<Double>
    ) throws(EngineError) -> Double? {
        guard let number = try object.number(key) else { return nil }
        guard range.contains(number) else {
            throw object.error(
                key,
                "is \(shownNumber(number)), must be from \(shownNumber(range.lowerBound)) to "
                    + shownNumber(range.upperBound))
        }
        return number
    }

    func integer(
        _ object: JSONObject, _ key: StaticString, _ range: ClosedRange<Int>
    ) throws(EngineError) -> Int? {
        guard let number = try object.number(key) else { return nil }
        guard let integer = Int(exactly: number), range.contains(integer) else {
            throw object.error(
                key,
                "is \(shownNumber(number)), must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// A text of limited length.
    mutating func text(_ object: JSONObject, _ key: StaticString) throws(EngineError) -> String? {
        guard let text = try object.string(key) else { return nil }
        guard text.count <= ScoreLimits.text else {
            throw overLimit(object, key, "the number of characters", text.count, ScoreLimits.text)
        }
        return text
    }
}

extension DocumentLayoutSettings {
    static let keys: [StaticString] = [
        "paper", "orientation", "margin", "staffSpace", "keySignature", "fit", "justifyLastLine", "alignBars",
        "graceScale", "graceBeams", "melodyBeams", "pageNumbers", "partLabels", "page", "textFamily",
    ]
}
