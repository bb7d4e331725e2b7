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
        text.makeContiguousUTF8()
        var number = 0
        var rest = text[...]
        while !rest.isEmpty {
            number += 1
            let end = rest.utf8.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            addLine(rest[..<end], number)
            guard end < rest.endIndex else { break }
            // CR LF is one line end.
            let next = rest.utf8.index(after: end)
            let isPair = rest.utf8[end] == 0x0D && next < rest.endIndex && rest.utf8[next] == 0x0A
            rest = rest[(isPair ? rest.utf8.index(after: next) : next)...]
        }
    }

    private mutating func addLine(_ line: Substring, _ number: Int) {
        guard let first = line.utf8.firstIndex(where: { !$0.isSpace }) else { return }
        let last = line.utf8.lastIndex { !$0.isSpace } ?? first
        // White space is one byte each.
        let column = line.utf8.distance(from: line.startIndex, to: first) + 1
        lines.append(Line(number: number, column: column, text: line[first...last]))
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
        for index in line.text.utf8.indices {
            let byte = line.text.utf8[index]
            if byte.isSpace {
                if let (begin, at) = start { words.append((line.text[begin..<index], at)) }
                start = nil
            } else if start == nil {
                start = (index, column)
            }
            // The bytes after the first of a character do not count.
            if byte & 0xC0 != 0x80 { column += 1 }
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

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0B || self == 0x0C }
}
