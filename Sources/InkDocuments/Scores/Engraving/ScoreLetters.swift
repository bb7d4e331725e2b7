import InkCodecs
import InkEngine

/// A face of the letters that scores have.
enum ScoreFace: String, CaseIterable, Sendable {
    case serifRegular = "serif-regular"
    case serifBold = "serif-bold"
    case serifItalic = "serif-italic"
    case sansRegular = "sans-regular"
    case sansBold = "sans-bold"
    case sansItalic = "sans-italic"

    var letters: ScoreLetters { ScoreLetters.all[self] ?? ScoreLetters() }
}

/// The outlines of a face's letters, in ems; set without any font of the machine.
struct ScoreLetters: Sendable {
    /// A letter as its line of the table says.
    private struct Letter: Sendable {
        var advance: Double
        /// The letter whose contours are a part of it.
        var base: Character?
        var path: Substring
    }

    /// Composed and decomposed letters are one character.
    private var letters: [Character: Letter] = [:]
    /// Ems between two letters, in addition to the first one's advance.
    private var kerning: [String: Double] = [:]

    private static let unitsPerEm = 1000.0

    static let all: [ScoreFace: ScoreLetters] = {
        var all: [ScoreFace: ScoreLetters] = [:]
        var (face, current): (ScoreFace?, ScoreLetters) = (nil, ScoreLetters())
        for line in ScoreTables.letters {
            let words = line.tableWords(maxSplits: 2)
            if words.first == "face" {
                if let face { all[face] = current }
                (face, current) = (ScoreFace(rawValue: String(words[1])), ScoreLetters())
            } else if words.first == "kern" {
                current.readKerning(line.dropFirst("kern ".count))
            } else {
                current.read(words)
            }
        }
        if let face { all[face] = current }
        return all
    }()

    private mutating func read(_ words: [Substring]) {
        guard words.count > 1, let code = UInt32(words[0], radix: 16), let scalar = Unicode.Scalar(code),
            let advance = Double(words[1])
        else { return }
        var (base, path): (Character?, Substring) = (nil, words.count > 2 ? words[2] : "")
        if path.first == "=" {
            let parts = path.dropFirst().split(separator: " ", maxSplits: 1)
            base = UInt32(parts[0], radix: 16).flatMap { Unicode.Scalar($0) }.map { Character($0) }
            path = parts.count > 1 ? parts[1] : ""
        }
        letters[Character(scalar)] = Letter(advance: advance / Self.unitsPerEm, base: base, path: path)
    }

    private mutating func readKerning(_ pairs: Substring) {
        for pair in pairs.tableWords() {
            if let distance = Double(pair.dropFirst(2)) {
                kerning[String(pair.prefix(2))] = distance / Self.unitsPerEm
            }
        }
    }

    /// The letters of a text that are drawn, and the places of each, in ems from the beginning; the last is the end of the
    /// text.
    private func set(_ text: String) -> (letters: [Character], places: [Double]) {
        var (shown, places): ([Character], [Double]) = ([], [0])
        for character in text {
            guard let (drawn, letter) = letter(of: character) else { continue }
            if let last = shown.last, let distance = kerning[String([last, drawn])] {
                places[places.count - 1] += distance
            }
            shown.append(drawn)
            places.append(places[places.count - 1] + letter.advance)
        }
        return (shown, places)
    }

    /// What stands for a character: a letter that the face has, without accents that it lacks.
    private func letter(of character: Character) -> (Character, Letter)? {
        let plain: Character? = character.unicodeScalars.first.map { Character($0) }
        let candidates: [Character?] = [character, character.isWhitespace ? " " : plain]
        for case let candidate? in candidates { if let letter = letters[candidate] { return (candidate, letter) } }
        return nil
    }

    /// The characters of a text for which the face has nothing.
    func missing(in text: String) -> [Character] { text.filter { letter(of: $0) == nil } }

    /// The length of a text, in ems.
    func width(of text: String) -> Double { set(text).places.last ?? 0 }

    /// The outlines of a text.
    ///
    /// - Parameter map: from ems, y downwards, the baseline's beginning at 0, 0.
    func outline(of text: String, _ map: AffineMap) -> ShapePath {
        var (verbs, points): ([ShapePath.Verb], [Point]) = ([], [])
        let (shown, places) = set(text)
        for (character, place) in zip(shown, places) {
            guard let letter = letters[character] else { continue }
            for part in [letter.base.flatMap { letters[$0]?.path }, letter.path] {
                guard let part else { continue }
                let own = map.after(AffineMap(a: 1 / Self.unitsPerEm, d: -1 / Self.unitsPerEm, x: place))
                let path = SVGPathData(String(part)).path.mapped(own)
                verbs += path.verbs
                points += path.points
            }
        }
        return ShapePath(verbs: verbs, points: points) ?? ShapePath()
    }
}
