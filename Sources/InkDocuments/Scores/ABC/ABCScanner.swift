/// The characters of one line of ABC.
struct ABCScanner {
    let text: [Character]
    let line: Int
    /// The column of the next character, from 1.
    private(set) var column: Int
    private var index = 0

    init(text: [Character], line: Int, column: Int) {
        self.text = text
        self.line = line
        self.column = column
    }

    var position: ScoreProblem.Position { .line(line, column: column) }

    var peek: Character? { peek(0) }

    func peek(_ offset: Int) -> Character? { index + offset < text.count ? text[index + offset] : nil }

    func has(_ word: String) -> Bool { text[index...].starts(with: word) }

    mutating func skip(_ count: Int = 1) {
        index = min(index + count, text.count)
        column += count
    }

    /// Skips a character and what follows it up to another one of its kind.
    mutating func skip(to end: Character) { _ = between(end) }

    /// The text between two signs, which are skipped.
    mutating func between(_ start: Character, to end: Character? = nil) -> Substring {
        skip()
        let first = index
        while let next = peek, next != end ?? start { skip() }
        let found = String(text[first..<index])
        skip()
        return found[...]
    }

    /// A number of up to four digits.
    mutating func number() -> Int? {
        var value: Int?
        while let digit = peek?.wholeNumberValue, peek?.isASCII == true, (value ?? 0) < 1000 {
            value = (value ?? 0) * 10 + digit
            skip()
        }
        return value
    }

    /// The factor of a note's length: `3`, `/`, `3/2`, `//`.
    mutating func length() -> (numerator: Int, denominator: Int) {
        let numerator = max(number() ?? 1, 1)
        var denominator = 1
        while peek == "/", denominator <= 64 {
            skip()
            denominator *= max(number() ?? 2, 1)
        }
        return (min(numerator, 64), min(denominator, 4096))
    }

    mutating func accidental() -> Accidental? {
        let accidental: Accidental? =
            switch peek {
            case "^": .sharp
            case "_": .flat
            case "=": .natural
            default: nil
            }
        if accidental != nil { skip() }
        return accidental
    }

    /// A note of the pipes, G to a; nil for another, which is not skipped.
    mutating func pitch() -> Pitch? {
        guard let letter = peek, let pitch = Self.pitches[letter] else { return nil }
        if let sign = peek(1), sign == "," || sign == "'" { return nil }
        skip()
        return pitch
    }

    private static let pitches: [Character: Pitch] = [
        "G": .lowG, "A": .lowA, "B": .b, "c": .c, "d": .d, "e": .e, "f": .f, "g": .highG, "a": .highA,
    ]

    /// Whether the next note is written to this one, perhaps after gracenotes.
    var isBeamedOn: Bool {
        var offset = 0
        while let next = peek(offset) {
            switch next {
            case "{":
                while let inside = peek(offset), inside != "}" { offset += 1 }
            case ">", "<", "-", ")", "(", "`", "^", "_", "=", ".", "~": break
            case let digit where digit.isNumber || digit == ":": break
            default: return next.isNoteLetter
            }
            offset += 1
        }
        return false
    }
}

extension Character {
    /// Whether it is a letter of a note, in whatever octave.
    var isNoteLetter: Bool { ("A"..."G").contains(self) || ("a"..."g").contains(self) }
}
