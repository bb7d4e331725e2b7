import InkJSON

/// The options of a picture in a request: which there are, and how they become those of the command line.
package enum PictureOptionsSyntax {
    /// The JSON values that an option takes.
    package enum Kind: Sendable {
        case text
        case texts
        case integer(ClosedRange<Int>)
        case number
        /// A number of pixels, or a text with a unit.
        case length
        case flag
        case choice([String])
    }

    // No option that names a file: it would be one of the broker's.
    package static let all: [(name: String, kind: Kind)] = [
        ("size", .texts), ("format", .texts), ("quality", .integer(1...100)), ("chroma", .choice(["4:4:4", "4:2:0"])),
        ("lossless", .flag), ("progressive", .flag), ("compression", .choice(["deflate", "lzw", "zstd", "none"])),
        ("effort", .choice(["fast", "balanced", "small"])), ("rgb", .flag), ("rgba", .flag), ("background", .text),
        ("no-base", .flag), ("fill", .choice(["suggested"])), ("viewport", .text), ("each-viewport", .flag),
        ("margin", .length), ("layers", .texts), ("each-layer", .flag), ("dpi", .number), ("bleed", .text),
        ("tile", .text), ("tile-size", .choice(["128", "256", "512"])), ("tile-overlap", .choice(["0", "1"])),
        ("no-metadata", .flag), ("keep", .texts), ("watermark", .text), ("watermark-anchor", .text),
        ("watermark-size", .length), ("watermark-opacity", .number), ("watermark-margin", .length),
    ]

    /// Those of these options that a request cannot have. Some are parts of a form.
    package static func others(of options: [String]) -> [String] {
        options.filter { option in !all.contains { $0.name == option } && !DocumentForm.partNames.contains(option) }
    }

    private static func kind(_ name: String, refused: Set<String> = []) throws(Problem) -> Kind {
        guard let found = all.first(where: { $0.name == name }) else {
            if DocumentForm.partNames.contains(name) {
                throw .malformed("\(name) is a part of a form (multipart/form-data), not an option")
            }
            throw refused.contains(name)
                ? .malformed("HTTP does not take the option \(name); use ink export --\(name)")
                : .malformed(
                    "there is no option \"\(name.prefix(64))\"; there are \(all.map(\.name).joined(separator: ", "))")
        }
        return found.kind
    }

    /// From a JSON object.
    ///
    /// - Parameter refused: further options of the command line.
    static func read(
        _ value: JSONValue, refused: Set<String>
    ) throws(Problem) -> [(name: String, value: String)] {
        guard let members = value.members else {
            throw .malformed("options: not an object, as in {\"size\": [\"2k\"]}")
        }
        var options: [(name: String, value: String)] = []
        for (name, value) in members {
            func wrong(_ expected: String) -> Problem { .malformed("options: \(name) is not \(expected)") }
            switch (try kind(name, refused: refused), value) {
            case (.flag, .bool(let isGiven)): if isGiven { options.append((name, "")) }
            case (.flag, _): throw wrong("true or false")
            case (.texts, .array(let items)):
                guard !items.isEmpty else { throw wrong("a list of texts") }
                for item in items {
                    guard let text = item.string else { throw wrong("a list of texts") }
                    options.append((name, text))
                }
            case (.texts, _): throw wrong("a list of texts")
            case (.text, .string(let text)), (.choice, .string(let text)), (.length, .string(let text)):
                options.append((name, text))
            case (.text, _), (.choice, _): throw wrong("a text")
            case (.integer, _):
                guard let number = value.wholeNumber else { throw wrong("a whole number") }
                options.append((name, "\(number)"))
            case (.number, .integer(let number)), (.length, .integer(let number)): options.append((name, "\(number)"))
            case (.number, .number(let number)), (.length, .number(let number)): options.append((name, "\(number)"))
            case (.number, _): throw wrong("a number")
            case (.length, _): throw wrong("a number of pixels or a text such as \"5mm\"")
            }
        }
        return try checked(options)
    }

    /// From the parameters of an address.
    static func read(
        _ query: [(name: String, value: String)], refused: Set<String>
    ) throws(Problem) -> [(name: String, value: String)] {
        var options: [(name: String, value: String)] = []
        for (name, value) in query {
            switch try kind(name, refused: refused) {
            case .flag:
                guard value == "true" || value == "false" else { throw .malformed("\(name) is not true or false") }
                if value == "true" { options.append((name, "")) }
            case .texts: options += value.split(separator: ",").map { (name, String($0)) }
            case .text, .choice, .integer, .number, .length: options.append((name, value))
            }
        }
        return try checked(options)
    }

    private static func checked(
        _ options: [(name: String, value: String)]
    ) throws(Problem) -> [(name: String, value: String)] {
        for (name, value) in options {
            guard !value.utf8.contains(0) else { throw .malformed("\(name) contains a NUL character") }
            switch try kind(name) {
            case .flag: continue
            case .text, .texts, .number, .length: if value.isEmpty { throw .malformed("\(name) is empty") }
            case .choice(let choices):
                guard choices.contains(value) else {
                    throw .malformed("\(name) is not one of \(choices.joined(separator: ", "))")
                }
            case .integer(let range):
                guard let number = Int(value), range.contains(number) else {
                    throw .malformed("\(name) is not from \(range.lowerBound) to \(range.upperBound)")
                }
            }
        }
        return options
    }
}
