import InkCodecs
package import InkEngine

/// The kinds of files that hold scores.
enum ScoreFormat: CaseIterable, Sendable {
    /// Bagpipe Player, Bagpipe Reader, Bagpipe Music Writer.
    case bww
    /// JSON of the band app.
    case pbscore
    /// MusicXML of one pipe voice.
    case musicXML
    /// ABC of pipe music.
    case abc

    /// Endings of file names, in lower case and with the dot.
    var endings: [String] {
        switch self {
        case .bww: [".bww", ".bmw"]
        case .pbscore: [".pbscore"]
        case .musicXML: [".musicxml"]
        case .abc: [".abc"]
        }
    }

    /// The kind of a document by its first bytes; where they leave it open, by its name. Nil for what is no score.
    init?(_ head: DocumentHead) {
        guard !head.isFolder, let format = Self.allCases.first(where: { $0.recognizes(head) }) else { return nil }
        self = format
    }

    private func recognizes(_ head: DocumentHead) -> Bool {
        let isNamed = endings.contains { head.name.lowercased().hasSuffix($0) }
        let bytes = head.bytes
        switch self {
        case .bww:
            // Old files have no first line that names their program.
            return BWWText.isSigned(bytes) || isNamed && !bytes.contains(0)
        case .pbscore:
            let isObject = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "{")
            return isObject && (isNamed || bytes.holds("\"pbscore\""))
        case .musicXML: return MusicXMLReader.recognizes(bytes)
        case .abc: return !bytes.contains(0) && ABCReader.recognizes(bytes)
        }
    }
}

/// Reads and writes files of scores.
package enum ScoreFile {
    /// Reads a score.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - name: names the file in messages, and decides about its format where its content leaves it open.
    ///   - limits: for the text of JSON; what a score may hold is in `ScoreLimits`.
    ///   - skipsPiobaireachd: whether embellishments of piobaireachd that cannot be drawn are left out.
    /// - Throws: `badInput` for what is no score or holds no tune that can be read, `overLimit` for one that is too large.
    package static func read(
        _ bytes: [UInt8], name: String, limits: Limits = Limits(), skipsPiobaireachd: Bool = false
    ) throws(EngineError) -> ScoreReading {
        switch ScoreFormat(DocumentHead(.file(bytes), name: name)) {
        case .bww: return try BWWReader.read(bytes, name: name, skipsPiobaireachd: skipsPiobaireachd)
        case .pbscore: return try PBScoreReader.read(bytes, name: name, limits: limits)
        case .musicXML: return try MusicXMLReader.read(bytes, name: name)
        case .abc: return try ABCReader.read(bytes, name: name)
        case nil:
            let endings = ScoreFormat.allCases.flatMap(\.endings).joined(separator: ", ")
            throw .badInput(Place(file: name), reason: "is no score that ink reads (\(endings))")
        }
    }

    /// Writes a score as `.pbscore`; reading the bytes gives the same score.
    package static func pbscore(_ document: ScoreDocument) -> [UInt8] { PBScoreWriter.bytes(of: document) }

    /// Writes a score as BWW.
    ///
    /// - Returns: the text in UTF-8, and in words what the format cannot say.
    package static func bww(_ document: ScoreDocument) -> (bytes: [UInt8], losses: [String]) {
        let (text, losses) = BWWWriter.text(of: document)
        return (Array(text.utf8), losses)
    }
}

extension ScoreFile {
    /// A score in the other format that bands use.
    package struct Converted: Sendable {
        /// `.pbscore` from other formats, `.bww` from `.pbscore`.
        package var ending: String
        package var bytes: [UInt8]
        package var warnings: [ReadingWarning]
        /// The errors of tunes, which are left out.
        package var errors: [EngineError]
    }

    /// Whether a file holds a score, by its content or, where that leaves it open, by its name.
    package static func isScore(_ bytes: [UInt8], name: String) -> Bool {
        bytes.count <= ScoreLimits.fileBytes && ScoreFormat(DocumentHead(.file(bytes), name: name)) != nil
    }

    /// The largest file of a score, bytes.
    package static var bytesMax: Int { ScoreLimits.fileBytes }

    /// Writes a score in the other format: `.pbscore`, or `.bww` from that.
    ///
    /// - Throws: as `read`; the first error where no tune is left.
    package static func convert(
        _ bytes: [UInt8], name: String, limits: Limits
    ) throws(EngineError) -> Converted {
        let isPBScore = ScoreFormat(DocumentHead(.file(bytes), name: name)) == .pbscore
        let reading = try read(bytes, name: name, limits: limits)
        let errors = reading.errors(file: name)
        var document = reading.document
        document.keepTunes { reading.error(ofTune: $0) == nil }
        if document.tunes.isEmpty, let first = errors.first { throw first }
        var warnings = reading.warnings
        guard isPBScore else {
            // The format has no tunes without a title.
            for tune in document.tunes.indices where document.tunes[tune].metadata.title.isEmpty {
                document.tunes[tune].metadata.title = "Untitled"
            }
            return Converted(ending: ".pbscore", bytes: pbscore(document), warnings: warnings, errors: errors)
        }
        let (text, losses) = bww(document)
        warnings += losses.map { ReadingWarning(.leftOut, at: nil, "BWW cannot say: \($0)") }
        return Converted(ending: ".bww", bytes: text, warnings: warnings, errors: errors)
    }
}

extension ScoreReading {
    /// The errors of tunes, each with its place.
    package func errors(file: String) -> [EngineError] {
        problems.filter(\.code.isError).map { $0.error(file: file) }
    }

    /// The warnings as a reading has them; equal ones are one.
    package var warnings: [ReadingWarning] {
        var warnings = Warnings()
        for problem in problems where !problem.code.isError {
            let reason = "\(problem.reason) (\(problem.code.rawValue))"
            warnings.add(
                problem.code == .unknownKey ? .unknownKey : .leftOut, ofEach: reason, at: problem.position?.text,
                reason)
        }
        return warnings.all
    }
}

extension ScoreProblem {
    /// The problem as the error that it is to its tune.
    package func error(file: String) -> EngineError {
        .badInput(Place(file: file, path: position?.text), reason: "\(reason) (\(code.rawValue))")
    }
}

extension ScoreDocument {
    /// Leaves some tunes out, and the groups of their notes.
    fileprivate mutating func keepTunes(_ isKept: (Int) -> Bool) {
        tunes = tunes.enumerated().filter { isKept($0.offset) }.map(\.element)
        var ids: Set<ScoreID> = []
        mapNotes(pipe: { ids.insert($0.id) }, snare: { ids.insert($0.id) })
        noteGroups.removeAll { !$0.members.allSatisfy(ids.contains) }
    }
}
