import InkEngine
package import InkJSON

/// An option of pictures: what it is called, what values it takes and what it chooses. The command line, settings,
/// requests, help and completions have their options from `all`.
package struct PictureOption: Sendable {
    /// The values that an option takes.
    package enum Kind: Hashable, Sendable {
        case flag
        case text
        /// Written in one text with commas between them where the placeholder has one.
        case texts
        /// A number of pixels, or a text with a unit.
        case length
        /// A number of bytes, or a text such as `200K`.
        case bytes
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        case choice([String])
    }

    /// A value that an option takes; which property it has depends on the kind.
    package struct Value: Hashable, Sendable {
        /// What texts, lengths and bytes say.
        var text = ""
        var texts: [String] = []
        var integer = 0
        var number = 0.0
        /// The index of a choice.
        var index = 0
    }

    /// Its name on the command line behind the dashes, in settings and in JSON.
    package var name: String
    package var kind: Kind
    /// The placeholder of the value in the help; empty for a flag.
    package var shown: String
    /// Its heading in the help.
    package var group: String
    package var help: String
    /// Makes the choice, the resolution of lengths being known.
    let choose: @Sendable (_ choices: inout PictureChoices, _ value: Value) throws(ExportError) -> Void

    init(
        _ name: String, _ kind: Kind, shown: String = "", group: String = "Picture", _ help: String,
        _ choose: @escaping @Sendable (inout PictureChoices, Value) throws(ExportError) -> Void = { _, _ in }
    ) {
        self.name = name
        self.kind = kind
        if case .choice(let words) = kind { self.shown = words.joined(separator: "|") } else { self.shown = shown }
        self.group = group
        self.help = help
        self.choose = choose
    }

    /// Whether requests have it too. The others name files or search folders.
    package var isOfRequests: Bool { !["overlay", "font", "photos", "documents"].contains(name) }

    /// What the JSON value has to be, for errors.
    package var expected: String {
        switch kind {
        case .flag: "true or false"
        case .text: "a text"
        case .texts: "a list of texts"
        case .length: "a number of pixels or a text such as \"5mm\""
        case .bytes: "a number of bytes or a text such as \"200K\""
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            "a number from \(Shown.plain(range.lowerBound)) to \(Shown.plain(range.upperBound))"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        }
    }

    /// A value as a program gives it; nil for what is not `expected`. A flag has one where it is true.
    package func value(of json: JSONValue) -> Value? {
        switch (kind, json) {
        case (.flag, .bool(true)): return Value()
        case (.text, .string(let text)), (.length, .string(let text)), (.bytes, .string(let text)):
            return text.isEmpty || text.utf8.contains(0) ? nil : Value(text: text)
        case (.length, .integer(let number)), (.bytes, .integer(let number)): return Value(text: "\(number)")
        case (.length, .number(let number)): return Value(text: "\(number)")
        case (.texts, .array(let items)):
            let texts = items.compactMap(\.string)
            guard !texts.isEmpty, texts.count == items.count, !texts.contains(where: { $0.utf8.contains(0) }) else {
                return nil
            }
            return Value(texts: texts.map { $0.trimmed() })
        case (.integer(let range), _):
            return json.wholeNumber.flatMap { range.contains($0) ? Value(integer: $0) : nil }
        case (.number(let range), _):
            return json.number.flatMap { range.contains($0) ? Value(number: $0) : nil }
        case (.choice(let words), .string(let text)):
            return words.firstIndex(of: text).map { Value(index: $0) }
        default: return nil
        }
    }

    /// A value as a person writes it, possibly in several texts.
    ///
    /// - Throws: `usage`.
    package func value(of texts: [String]) throws(ExportError) -> Value {
        let (text, option) = (texts.last ?? "", "--\(name)")
        switch kind {
        case .flag: return Value()
        case .text, .length, .bytes: return Value(text: text)
        case .texts:
            guard shown.hasSuffix(",...") else { return Value(texts: texts) }
            let items = texts.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            return Value(texts: items.map { $0.trimmed() })
        case .integer(let range): return Value(integer: try TextValue.integer(text, option: option, in: range))
        case .number(let range): return Value(number: try TextValue.number(text, option: option, in: range))
        case .choice(let words):
            // 4:2:0 is often written as 420.
            guard let index = words.firstIndex(where: { $0 == text || $0.replacing(":", with: "") == text }) else {
                throw TextValue.noChoice(text, option: option, among: words)
            }
            return Value(index: index)
        }
    }

    /// An error's text as a request has to read it: with names of options as they are there.
    ///
    /// - Parameter place: of the options in the request, such as `options.`; before the one that the text begins with.
    package static func inRequest(_ text: String, place: String) -> String {
        let options = all.filter(\.isOfRequests).sorted { $0.name.utf8.count > $1.name.utf8.count }
        let begins = options.contains { text.hasPrefix("--\($0.name)") }
        return (begins ? place : "")
            + options.reduce(text) { $0.replacing("--\($1.name)", with: $1.name) }
    }
}
