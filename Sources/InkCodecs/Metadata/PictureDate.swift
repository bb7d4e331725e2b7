/// A date as projects write it, for formats that have a form of their own for dates.
struct PictureDate: Hashable {
    /// Year, month, day, hour, minute and second.
    private let fields: [Int]
    /// From UTC, in minutes; nil: not known.
    private let offsetMinutes: Int?

    /// Reads ISO 8601 (`2026-05-04T10:20:30+02:00`, also only the date) or RFC 1123 (`Mon, 04 May 2026 10:20:30 GMT`); nil
    /// for anything else.
    init?(_ text: String) {
        guard let parsed = Self.iso8601(text) ?? Self.rfc1123(text) else { return nil }
        (fields, offsetMinutes) = parsed
        let ranges = [0...9999, 1...12, 1...31, 0...23, 0...59, 0...60]
        guard zip(fields, ranges).allSatisfy({ $1.contains($0) }) else { return nil }
    }

    private static func iso8601(_ text: String) -> ([Int], Int?)? {
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?/
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        let parts = [match.1, match.2, match.3, match.4 ?? "0", match.5 ?? "0", match.6 ?? "0"]
        return (parts.compactMap { Int($0) }, match.7.flatMap(offset))
    }

    private static func rfc1123(_ text: String) -> ([Int], Int?)? {
        let pattern = /(?:\w{3}, )?(\d\d?) (\w{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (GMT|UTC?|[+-]\d{4})/
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard let match = text.wholeMatch(of: pattern)?.output, let month = months.firstIndex(of: String(match.2))
        else { return nil }
        let parts = [match.3, "\(month + 1)", match.1, match.4, match.5, match.6 ?? "0"]
        return (parts.compactMap { Int($0) }, offset(match.7))
    }

    private static func offset(_ text: Substring) -> Int? {
        let digits = text.filter(\.isNumber)
        guard digits.count == 4, let number = Int(digits) else { return 0 }
        return (number / 100 * 60 + number % 100) * (text.hasPrefix("-") ? -1 : 1)
    }

    private func padded(_ index: Int) -> String {
        let text = String(fields[index])
        return String(repeating: "0", count: max(0, (index == 0 ? 4 : 2) - text.utf8.count)) + text
    }

    private func zone(separator: String) -> String? {
        offsetMinutes.map { minutes in
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let size = abs(minutes)
            return (minutes < 0 ? "-" : "+") + two(size / 60) + separator + two(size % 60)
        }
    }

    /// `2026:05:04 10:20:30`.
    var exif: String {
        "\(padded(0)):\(padded(1)):\(padded(2)) \(padded(3)):\(padded(4)):\(padded(5))"
    }

    /// `+02:00`; nil: not known.
    var exifOffset: String? { zone(separator: ":") }

    /// ISO 8601, as in XMP.
    var xmp: String {
        "\(padded(0))-\(padded(1))-\(padded(2))T\(padded(3)):\(padded(4)):\(padded(5))" + (zone(separator: ":") ?? "")
    }

    /// `D:20260504102030+02'00'`.
    var pdf: String { "D:" + (0..<6).map(padded).joined() + (zone(separator: "'").map { $0 + "'" } ?? "") }
}
