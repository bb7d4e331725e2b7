import InkCodecs
package import InkEngine

/// The kinds of files that hold scores.
enum ScoreFormat: CaseIterable, Sendable {
    /// Bagpipe Player, Bagpipe Reader, Bagpipe Music Writer.
    case bww
    /// JSON of the band app.
    case pbscore

    /// Endings of file names, in lower case and with the dot.
    var endings: [String] {
        switch self {
        case .bww: [".bww", ".bmw"]
        case .pbscore: [".pbscore"]
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
        case nil: throw .badInput(Place(file: name), reason: "is no score that ink reads (.bww, .bmw, .pbscore)")
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
