/// Something wrong in the file of a score.
package struct ScoreProblem: Hashable, Sendable, CustomStringConvertible {
    /// The names that reports use. `E_` stops the tune, `W_` does not.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        case notBWW = "E_NOT_BWW"
        case json = "E_JSON"
        case version = "E_VERSION"
        case title = "E_TITLE"
        case pitch = "E_PITCH"
        case duration = "E_DURATION"
        case measureOverfull = "E_MEASURE_OVERFULL"
        case noteType = "E_NOTE_TYPE"
        case embellishmentTarget = "E_EMB_TARGET"
        case group = "E_GROUP"
        case duplicateID = "E_ID_DUPLICATE"
        case lineTooFull = "E_LINE_TOO_FULL"
        case limit = "E_LIMIT"
        case piobaireachd = "E_PIOBAIREACHD"
        case unknownToken = "W_UNKNOWN_TOKEN"
        case unknownKey = "W_UNKNOWN_KEY"
        case barLength = "W_BAR_LENGTH"
        case tieEnd = "W_TIE_END"
        case embellishmentWithoutNote = "W_EMB_NO_NOTE"
        case embellishmentRepeated = "W_EMB_REPEATED"
        case embellishmentUnusual = "W_EMB_TARGET"
        case noLineEnd = "W_NO_LINE_END"
        case scaled = "W_SCALED"
        case titleCut = "W_TITLE_CUT"
        case encoding = "W_ENCODING"
        case groupIncomplete = "W_GROUP"

        /// Whether the tune cannot be drawn.
        package var isError: Bool { rawValue.hasPrefix("E_") }
    }

    /// Where it stands in the file.
    package enum Position: Hashable, Sendable {
        /// Both from 1; columns count characters.
        case line(Int, column: Int)
        /// A path in a JSON file, such as `tunes[0].parts[1]`.
        case path(String)

        /// The place as messages show it: `line 3, column 7`.
        package var text: String {
            switch self {
            case .line(let line, let column): "line \(line), column \(column)"
            case .path(let path): path
            }
        }
    }

    package var code: Code
    /// The index of the tune from 0; nil for what concerns the whole file.
    package var tune: Int?
    package var position: Position?
    /// The text of the file that is wrong, shortened; empty where there is none.
    package var token = ""
    /// The problem and what to do, in words.
    package var reason: String

    package var description: String {
        let place = position.map { "\($0.text): " } ?? ""
        return "\(place)\(reason) (\(code.rawValue))"
    }
}

/// A score that has been read, and what is wrong with it.
package struct ScoreReading: Sendable {
    package var document: ScoreDocument
    /// In the order of the file.
    package var problems: [ScoreProblem] = []

    /// The first error of a tune, which then has no pages; nil where the tune can be drawn.
    package func error(ofTune index: Int) -> ScoreProblem? {
        problems.first { $0.code.isError && ($0.tune ?? index) == index }
    }
}
