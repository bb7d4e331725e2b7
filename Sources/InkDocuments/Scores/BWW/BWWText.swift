/// The lines of a BWW file.
struct BWWText {
    /// Without line ends and white space at their ends.
    var lines: [Line] = []
    /// Whether bytes of the file are no characters.
    var hasBadCharacters = false

    struct Line {
        /// From 1.
        var number: Int
        /// The column of the first character, from 1.
        var column: Int
        var text: Substring
    }

    /// A word and the column of its first character, from 1.
    typealias Word = (text: Substring, column: Int)

    /// - Parameter bytes: UTF-8 if they can be, else Windows-1252.
    init(_ bytes: [UInt8]) {
        // DOS programs end a text with Control-Z.
        let end = (bytes.lastIndex { $0 != 0x1A && $0 != 0 } ?? -1) + 1
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let body = bytes[min(start, end)..<end]
        var text: String
        if let utf8 = String(validating: body, as: UTF8.self) {
            text = utf8
        } else {
            text = ""
            for byte in body {
                let scalar = Self.windows1252(byte)
                hasBadCharacters = hasBadCharacters || scalar == "\u{FFFD}"
                text.unicodeScalars.append(scalar)
            }
        }
        hasBadCharacters = hasBadCharacters || text.utf8.contains(0)
        var number = 0
        // CR LF is one character.
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: { $0.isLineEnd }) {
            number += 1
            guard let first = line.firstIndex(where: { !$0.isSpace }) else { continue }
            let last = line.lastIndex { !$0.isSpace } ?? first
            lines.append(
                Line(
                    number: number, column: line.distance(from: line.startIndex, to: first) + 1,
                    text: line[first...last]))
        }
    }

    /// Whether a text begins with the name of a program that writes BWW, or with a title as these write it.
    static func isSigned(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
        let first = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if BWWHead.isSignature(first) { return true }
        return first.first == "\"" && first.prefix { !$0.isNewline }.firstRange(of: "\",(T,") != nil
    }

    /// The words of a line.
    static func words(of line: Line) -> [Word] {
        var words: [Word] = []
        var column = line.column
        var start: (String.Index, Int)?
        for index in line.text.indices {
            if line.text[index].isSpace {
                if let (begin, at) = start { words.append((line.text[begin..<index], at)) }
                start = nil
            } else if start == nil {
                start = (index, column)
            }
            column += 1
        }
        if let (begin, at) = start { words.append((line.text[begin...], at)) }
        return words
    }

    /// A character of Windows' code page for western languages; U+FFFD for the five bytes that are none.
    static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
        return upper[Int(byte) - 0x80]
    }

    /// The bytes 0x80 to 0x9F (WHATWG Encoding, index windows-1252).
    private static let upper = Array(
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars)
}

extension Character {
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r\n" || self == "\r" }
    fileprivate var isSpace: Bool { self == " " || self == "\t" || self == "\u{B}" || self == "\u{C}" }
}
