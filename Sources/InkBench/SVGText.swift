import InkExports

/// An SVG document being written.
struct SVGText: Sendable {
    private var body = ""

    /// Coordinates and lengths, user units; two decimals are enough for a screen.
    static func number(_ value: Double) -> String {
        let text = Shown.decimal(value, places: 2)
        return text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }

    static func escaped(_ text: String) -> String {
        text.escapingControls().map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(String.UnicodeScalarView(character.unicodeScalars.map { $0.isXML ? $0 : "\u{FFFD}" }))
            }
        }.joined()
    }

    /// An element without content.
    mutating func element(_ name: String, _ attributes: [(String, String)]) {
        body += "<\(name)\(Self.attributes(attributes))/>\n"
    }

    mutating func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Double = 0, kind: String) {
        var attributes = [
            ("class", kind), ("x", Self.number(x)), ("y", Self.number(y)), ("width", Self.number(max(0, width))),
            ("height", Self.number(height)),
        ]
        if radius > 0 { attributes.append(("rx", Self.number(radius))) }
        element("rect", attributes)
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, kind: String) {
        element(
            "line",
            [
                ("class", kind), ("x1", Self.number(x1)), ("y1", Self.number(y1)), ("x2", Self.number(x2)),
                ("y2", Self.number(y2)),
            ])
    }

    /// - Parameter anchor: `start`, `middle` or `end`.
    mutating func text(_ x: Double, _ y: Double, _ text: String, kind: String, anchor: String = "start") {
        let place = [
            ("class", kind), ("x", Self.number(x)), ("y", Self.number(y)), ("text-anchor", anchor),
        ]
        body += "<text\(Self.attributes(place))>\(Self.escaped(text))</text>\n"
    }

    /// The whole document.
    /// - Parameters:
    ///   - title: for screen readers.
    ///   - style: CSS.
    func document(width: Double, height: Double, title: String, style: String) -> String {
        let size = [
            ("xmlns", "http://www.w3.org/2000/svg"), ("width", Self.number(width)), ("height", Self.number(height)),
            ("viewBox", "0 0 \(Self.number(width)) \(Self.number(height))"), ("role", "img"),
        ]
        return "<svg\(Self.attributes(size))>\n<title>\(Self.escaped(title))</title>\n<style>\n\(style)\n</style>\n"
            + body + "</svg>\n"
    }

    private static func attributes(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether a document may hold it (XML 1.0, production 2), but for controls.
    fileprivate var isXML: Bool { value >= 0x20 && value != 0xFFFE && value != 0xFFFF }
}
