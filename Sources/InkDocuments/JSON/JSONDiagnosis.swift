import InkEngine

/// Finds where and why a text is not JSON after the fast parser has rejected it, and repairs valid JSON that only that
/// parser cannot read.
///
/// It reads the text once, byte by byte, with a stack of its own instead of recursion. The rules are those of RFC 8259;
/// in addition every number must have a finite value as a double.
struct JSONDiagnosis {
    private var text: [UInt8]
    private let end: Int
    private let file: String
    private var position: Int
    private var frames: [Frame] = []
    private var repairs: [JSONRepair] = []
    private static let repairsMax = 100

    /// An array or object that is still open.
    private struct Frame {
        let isObject: Bool
        /// Index of the current element.
        var element = 0
        /// The range of the current key in the text, without quotes.
        var key = 0..<0
    }

    /// Throws the error in the text, or repairs in place what only the parser rejects: integers beyond 64 bits, and
    /// halves of surrogate pairs, which become U+FFFD. Returns the first of the latter.
    static func mend(
        _ text: inout [UInt8], range: Range<Int>, file: String, depthLimit: Int
    ) throws(EngineError) -> [JSONRepair] {
        var scan = JSONDiagnosis(text: text, end: range.upperBound, file: file, position: range.lowerBound)
        // The scan owns the text, so that changing it makes no copy.
        text = []
        try scan.run(depthLimit: depthLimit)
        swap(&text, &scan.text)
        return scan.repairs
    }

    private mutating func run(depthLimit: Int) throws(EngineError) {
        skipSpace()
        while true {
            // A value begins here.
            if let isObject = try beginValue() {
                guard frames.count < depthLimit else {
                    throw .overLimit(
                        Place(file: file, path: path), what: "the depth of arrays and objects in each other",
                        found: "more than \(depthLimit)", limit: "\(depthLimit)")
                }
                skipSpace()
                if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    position += 1
                } else {
                    frames.append(Frame(isObject: isObject))
                    if isObject { try readKey() }
                    continue
                }
            }
            // After a value, close what ends here, up to the next value.
            if try endValues() { return }
        }
    }

    /// The byte at the position; nil at the end.
    private var byte: UInt8? { position < end ? text[position] : nil }

    private mutating func skipSpace() {
        while position < end {
            switch text[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Reads a whole scalar and returns nil, or the start of a container and returns whether it is an object.
    private mutating func beginValue() throws(EngineError) -> Bool? {
        guard let byte else { throw unexpectedEnd() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            position += 1
            return byte == UInt8(ascii: "{")
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"): try readWord("true")
        case UInt8(ascii: "f"): try readWord("false")
        case UInt8(ascii: "n"): try readWord("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        default: throw unexpected("a value")
        }
        return nil
    }

    /// Moves from the end of a value to the start of the next; returns true at the end of the text.
    private mutating func endValues() throws(EngineError) -> Bool {
        while true {
            skipSpace()
            guard let frame = frames.last else {
                guard byte == nil else { throw fault("something follows the end of the JSON text") }
                return true
            }
            guard let byte else { throw unexpectedEnd() }
            if byte == UInt8(ascii: ",") {
                position += 1
                skipSpace()
                if frame.isObject {
                    try readKey()
                } else {
                    frames[frames.count - 1].element += 1
                }
                return false
            }
            guard byte == (frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw unexpected(frame.isObject ? "',' or '}'" : "',' or ']'")
            }
            position += 1
            frames.removeLast()
        }
    }

    /// Reads a key and its colon, up to the value.
    private mutating func readKey() throws(EngineError) {
        frames[frames.count - 1].key = 0..<0
        guard byte == UInt8(ascii: "\"") else {
            throw byte == nil ? unexpectedEnd() : unexpected("a key in double quotes")
        }
        frames[frames.count - 1].key = try readString()
        skipSpace()
        guard byte == UInt8(ascii: ":") else { throw byte == nil ? unexpectedEnd() : unexpected("':' after the key") }
        position += 1
        skipSpace()
    }

    private mutating func readWord(_ word: StaticString) throws(EngineError) {
        let start = position
        for i in 0..<word.utf8CodeUnitCount {
            guard position < end else { throw unexpectedEnd() }
            guard text[position] == word.utf8Start[i] else {
                position = start
                throw unexpected("a value")
            }
            position += 1
        }
        if let byte, isLetterOrDigit(byte) {
            position = start
            throw unexpected("a value")
        }
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while position < end, text[position] >= UInt8(ascii: "0"), text[position] <= UInt8(ascii: "9") { position += 1 }
        return position - start
    }

    private mutating func readNumber() throws(EngineError) {
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        let digitsStart = position
        let digits = skipDigits()
        if digits == 0 {
            guard byte != nil else { throw unexpectedEnd() }
            if byte == UInt8(ascii: "I") { position = start }
            throw unexpected("a digit")
        }
        if digits > 1, text[digitsStart] == UInt8(ascii: "0") {
            position = start
            throw fault("a number must not begin with 0")
        }
        var isInteger = true
        if byte == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            if skipDigits() == 0 { throw byte == nil ? unexpectedEnd() : unexpected("a digit after the point") }
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isInteger = false
            position += 1
            if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { position += 1 }
            if skipDigits() == 0 { throw byte == nil ? unexpectedEnd() : unexpected("a digit of the exponent") }
        }
        if let byte, isLetterOrDigit(byte) || byte == UInt8(ascii: ".") { throw unexpected("the end of the number") }
        // Below 300 characters and without an exponent a number is finite.
        if position - start >= 300 || !isInteger {
            let value = Double(String(decoding: text[start..<position], as: UTF8.self))
            if value?.isFinite != true {
                position = start
                throw fault("a number is too large to be read, it must be finite")
            }
        }
        if isInteger, digits >= 19, Int64(String(decoding: text[start..<position], as: UTF8.self)) == nil {
            // Positive ones below 2^64 parse without repair; changing them does no harm. At least 16 digits stay, so
            // the difference is about the precision of a double.
            if digits >= 20 || text[start] == UInt8(ascii: "-") {
                text.replaceSubrange(position - 3..<position, with: "e03".utf8)
            }
        }
    }

    /// Reads a string; returns the range between the quotes.
    private mutating func readString() throws(EngineError) -> Range<Int> {
        let opening = position
        position += 1
        while position < end {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return opening + 1..<position - 1
            case UInt8(ascii: "\\"): try readEscape(stringStart: opening)
            case 0..<0x20: throw fault("a control character must be escaped in a string")
            case 0x20..<0x80: position += 1
            default: try readScalar()
            }
        }
        throw unexpectedEnd("inside a string that begins at \(lineAndColumn(of: opening))")
    }

    private mutating func readEscape(stringStart: Int) throws(EngineError) {
        guard position + 1 < end else {
            position = end
            throw unexpectedEnd("inside a string that begins at \(lineAndColumn(of: stringStart))")
        }
        switch text[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = hexUnit(at: position) else { throw fault("\\u must be followed by four hex digits") }
            if (0xD800..<0xDC00).contains(unit), let low = hexUnit(at: position + 6), (0xDC00..<0xE000).contains(low) {
                position += 12
            } else {
                if (0xD800..<0xE000).contains(unit) { replaceLoneSurrogate() }
                position += 6
            }
        default: throw fault("an unknown escape in a string")
        }
    }

    /// Text cut between 16-bit units ends with half a pair; the rest is intact.
    private mutating func replaceLoneSurrogate() {
        if repairs.count < Self.repairsMax {
            let place = "\(lineAndColumn(of: position)), byte \(position)"
            repairs.append(
                JSONRepair(path: path, reason: "half of a surrogate pair stands alone (\(place)), read as U+FFFD"))
        }
        text.replaceSubrange(position + 2..<position + 6, with: "FFFD".utf8)
    }

    /// The value of `\uXXXX` at an index; nil if there is none.
    private func hexUnit(at index: Int) -> UInt32? {
        guard index + 6 <= end, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var value: UInt32 = 0
        for byte in text[index + 2..<index + 6] {
            guard isLetterOrDigit(byte), let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            value = value * 16 + UInt32(digit)
        }
        return value
    }

    /// Skips one character outside ASCII (the well-formed sequences of the Unicode Standard, table 3-7).
    private mutating func readScalar() throws(EngineError) {
        let lead = text[position]
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw fault("the text is not UTF-8")
        }
        guard position + length <= end, second.contains(text[position + 1]),
            text[position + 2..<position + length].allSatisfy({ (0x80...0xBF).contains($0) })
        else { throw fault("the text is not UTF-8") }
        position += length
    }

    // MARK: Messages

    /// The path of the current value; nil for the outermost.
    private var path: String? {
        guard !frames.isEmpty else { return nil }
        var path = JSONPath.root
        // Paths of deeply nested values are shortened.
        for frame in frames.prefix(12) {
            if frame.isObject {
                // Empty until the first key has been read.
                guard !frame.key.isEmpty else { break }
                path = .field(path, String(decoding: text[frame.key], as: UTF8.self))
            } else {
                path = .element(path, frame.element)
            }
        }
        let text = path.text
        if frames.count > 12 { return (text ?? "") + "..." }
        return text
    }

    private func lineAndColumn(of offset: Int) -> String {
        var line = 1
        var column = 1
        for byte in text[..<min(offset, end)] {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes belong to the preceding character.
                column += 1
            }
        }
        return "line \(line), column \(column)"
    }

    /// - Parameter advice: what to do.
    private func fault(_ reason: String, _ advice: String? = nil) -> EngineError {
        .badInput(
            Place(file: file, path: path),
            reason: "\(reason) (\(lineAndColumn(of: position)), byte \(position))" + (advice.map { "; \($0)" } ?? ""))
    }

    private func unexpectedEnd(_ detail: String? = nil) -> EngineError {
        fault(
            "the file ends too early" + (detail.map { ", \($0)" } ?? ""),
            "it may have been cut off when it was saved or copied, so use a whole copy")
    }

    private func unexpected(_ expected: String) -> EngineError {
        let rest = text[position..<min(end, position + 9)]
        for word in ["NaN", "Infinity", "-Infinity", "-NaN", "inf", "nan"] where rest.starts(with: word.utf8) {
            return fault("\(word) is not a number of JSON, numbers must be finite")
        }
        guard let byte else { return unexpectedEnd() }
        let word = text[position..<min(end, position + 40)].prefix { isLetterOrDigit($0) }
        if expected == "a value", word.first.map({ $0 > UInt8(ascii: "9") }) == true {
            let word = String(decoding: word, as: UTF8.self)
            let meant = didYouMean(word.lowercased(), among: ["true", "false", "null"])
            return fault(
                "the word \"\(word)\" is not a value of JSON" + meant,
                frames.isEmpty ? "a JSON document begins with {" : "text must be in double quotes")
        }
        let shown =
            byte > 0x20 && byte < 0x7F
            ? "'\(Character(UnicodeScalar(byte)))'" : "byte 0x\(String(byte, radix: 16, uppercase: true))"
        return fault("expected \(expected), found \(shown)", advice(expected, byte))
    }

    /// What mends what usually is the reason of an error; nil where there is none.
    private func advice(_ expected: String, _ byte: UInt8) -> String? {
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"), followsComma {
            return "remove the comma before it"
        }
        switch byte {
        case UInt8(ascii: "'"): return "JSON has double quotes only"
        case UInt8(ascii: "/"), UInt8(ascii: "#"): return "JSON has no comments, so remove it"
        default: break
        }
        if expected.hasPrefix("a key") { return "names of values must be in double quotes" }
        return expected.hasPrefix("',' or") ? "a comma may be missing before it" : nil
    }

    /// Whether there is a comma before the position, and nothing between.
    private var followsComma: Bool {
        text[..<position].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ",")
    }
}

/// A repair: something in a text that was read differently from what it says.
struct JSONRepair: CustomStringConvertible {
    /// nil for the outermost value.
    let path: String?
    let reason: String

    var description: String { path.map { "\($0): \(reason)" } ?? reason }
}
