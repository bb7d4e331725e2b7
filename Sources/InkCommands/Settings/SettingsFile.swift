import InkEngine
import InkExports

/// A file of settings: `name = value` lines.
///
/// Blank lines are ignored, and so is everything after a `#` at the start of a line or after a blank. A value in double
/// quotes is taken literally; a quote inside is doubled.
struct SettingsFile: Hashable, Sendable {
    struct Line: Hashable, Sendable {
        /// From 1.
        var number: Int
        var name: String
        var value: String
    }

    /// Largest file, bytes.
    static let bytesMax = 1 << 20

    var path: String
    var lines: [Line]

    /// - Throws: `configuration` with file and line, for a line of another form, a name that is not among `settings`,
    ///   and one that comes twice and is no list.
    init(path: String, bytes: [UInt8], settings: [SettingSyntax]) throws(CommandError) {
        self.path = path
        lines = []
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .configuration("\(path): settings must be UTF-8 text")
        }
        let known = Dictionary(settings.map { ($0.name, $0) }) { first, _ in first }
        var lineOfName: [String: Int] = [:]
        let texts = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in texts.enumerated() {
            let place = "\(path): line \(index + 1)"
            guard let (name, value) = try Self.split(line, place: place) else { continue }
            guard let setting = known[name] else {
                throw .configuration("\(place): \(Self.unknown(name, settings))")
            }
            if let other = lineOfName.updateValue(index + 1, forKey: name), !setting.isList {
                throw .configuration("\(place): \(name) is already set in line \(other)")
            }
            lines.append(Line(number: index + 1, name: name, value: value))
        }
    }

    /// The value as it can stand in a line.
    static func quoted(_ value: String) -> String {
        let needsQuotes = value.isEmpty || value.trimmed() != value || value.contains("#") || value.contains("\"")
        return needsQuotes ? "\"\(value.replacing("\"", with: "\"\""))\"" : value
    }

    private static func split(
        _ line: Substring, place: String
    ) throws(CommandError) -> (name: String, value: String)? {
        let text = line.trimmed()
        if text.isEmpty || text.hasPrefix("#") { return nil }
        guard let equals = text.firstIndex(of: "=") else {
            throw .configuration("\(place): \"\(text)\" is not name = value")
        }
        let name = text[..<equals].trimmed()
        let rest = text[text.index(after: equals)...].trimmed()
        if rest.hasPrefix("\"") {
            guard let (value, behind) = unquoted(rest.dropFirst()) else {
                throw .configuration("\(place): \(name): a quote is not closed")
            }
            guard behind.isEmpty || behind.hasPrefix("#") else {
                throw .configuration("\(place): \(name): \"\(behind)\" after the closing quote")
            }
            return (name, value)
        }
        var value = rest[...]
        var isBehindBlank = true
        for index in rest.indices {
            if rest[index] == "#", isBehindBlank {
                value = rest[..<index]
                break
            }
            isBehindBlank = rest[index] == " " || rest[index] == "\t"
        }
        return (name, value.trimmed())
    }

    /// The text up to the closing quote, and what follows it; nil without one.
    private static func unquoted(_ text: Substring) -> (value: String, behind: String)? {
        var value = ""
        var rest = text
        while let quote = rest.firstIndex(of: "\"") {
            value += rest[..<quote]
            rest = rest[rest.index(after: quote)...]
            guard rest.first == "\"" else { return (value, rest.trimmed()) }
            value += "\""
            rest = rest.dropFirst()
        }
        return nil
    }

    private static func unknown(_ name: String, _ settings: [SettingSyntax]) -> String {
        if name.isEmpty { return "the name before the = is missing" }
        return "there is no setting \"\(name)\"\(didYouMean(name, among: settings.map(\.name)))"
    }
}
