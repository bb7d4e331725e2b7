import InkEngine

/// Values as PDF writes them (PDF 1.7, 7.3).
enum PDFText {
    /// To a ten-thousandth, without an exponent.
    static func number(_ value: Double) -> String {
        let units = Int((min(max(value, -1e9), 1e9) * 10_000).rounded())
        let (whole, rest) = abs(units).quotientAndRemainder(dividingBy: 10_000)
        let sign = units < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(String(10_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }

    /// A text: as it is in ASCII, else in UTF-16.
    static func text(_ text: String) -> String {
        if text.utf8.allSatisfy({ (32...126).contains($0) }) {
            var escaped = ""
            for character in text {
                if "()\\".contains(character) { escaped += "\\" }
                escaped.append(character)
            }
            return "(\(escaped))"
        }
        let units = [0xFEFF] + Array(text.utf16)
        return "<" + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }.hexadecimal + ">"
    }
}

/// The bytes of a file and where its objects begin.
struct PDFBody {
    /// The length of everything so far.
    private(set) var byteCount = 0
    private(set) var crc = crc32([])
    /// By the objects' numbers, from 1.
    private var offsets: [Int?] = []

    /// A number for an object that is written later.
    mutating func reserve() -> Int {
        offsets.append(nil)
        return offsets.count
    }

    /// Counts bytes that are appended to the file.
    mutating func add(_ bytes: [UInt8]) -> [UInt8] {
        crc = crc32(bytes, seed: crc)
        byteCount += bytes.count
        return bytes
    }

    mutating func add(_ text: String) -> [UInt8] { add(Array(text.utf8)) }

    /// Counts bytes that are appended without passing here.
    mutating func add(byteCount count: Int, crc other: UInt32) {
        crc = combinedCRC32(crc, other, lengthB: count)
        byteCount += count
    }

    mutating func object(_ number: Int, _ value: String) -> [UInt8] {
        begin(number) + add("\(value)\nendobj\n")
    }

    /// - Parameter dictionary: entries beside the length.
    mutating func stream(_ number: Int, _ dictionary: String, _ bytes: [UInt8]) -> [UInt8] {
        begin(number) + add("<< \(dictionary) /Length \(bytes.count) >>\nstream\n") + add(bytes)
            + add("\nendstream\nendobj\n")
    }

    mutating func begin(_ number: Int) -> [UInt8] {
        offsets[number - 1] = byteCount
        return add("\(number) 0 obj\n")
    }

    /// The table of all objects and the trailer, up to its end.
    ///
    /// - Parameter entries: of the trailer, beside the number of objects.
    mutating func crossReferences(_ entries: String) -> (bytes: [UInt8], offset: Int) {
        let start = byteCount
        var text = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset ?? 0)
            text += String(repeating: "0", count: max(0, 10 - digits.utf8.count)) + digits + " 00000 n \n"
        }
        return (add(text + "trailer\n<< /Size \(offsets.count + 1) \(entries) >>\n"), start)
    }
}
