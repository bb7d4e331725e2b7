import InkEngine
package import InkJSON

/// A parameter of a target: what packs can give for it.
package struct TargetParameter: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case number, integer, boolean, choice, text, color, file
    }

    package var name: String
    package var kind: Kind
    /// Whether it has the same value for all items of a bundle.
    package var isOfBundle: Bool
    /// One line about it; may be empty.
    package var about: String
    package var choices: [JSONValue] = []
    var min: Double?
    var max: Double?
    var minLength: Int?
    var maxLength: Int?
    var pattern: TextPattern?
    var standard: Standard?

    /// A default.
    enum Standard: Sendable {
        case value(JSONValue)
        /// One that depends on the pack.
        case text(TargetText)
    }

    /// The most characters of a text whose parameter says nothing of it.
    static let lengthMax = 10_000

    /// Why a value is none of this parameter, the end of a message; nil for one that is.
    func fault(of value: JSONValue) -> String? {
        switch kind {
        case .number, .integer:
            guard let number = value.number else { return "must be a number, is \(value.shortText)" }
            if kind == .integer, value.wholeNumber == nil { return "must be a whole number, is \(value.shortText)" }
            if let min, number < min { return "is \(value.shortText), must be at least \(shownNumber(min))" }
            if let max, number > max { return "is \(value.shortText), must be at most \(shownNumber(max))" }
            return nil
        case .boolean:
            guard case .bool = value else { return "must be true or false, is \(value.shortText)" }
            return nil
        case .choice:
            if choices.contains(where: { $0.isSame(as: value) }) { return nil }
            let names = choices.map(\.shortText).joined(separator: ", ")
            return "is \(value.shortText), must be one of \(names)"
                + didYouMean(value.string ?? "", among: choices.compactMap(\.string))
        case .text, .color, .file:
            guard let text = value.string else { return "must be a text, is \(value.shortText)" }
            return fault(ofText: text)
        }
    }

    private func fault(ofText text: String) -> String? {
        let shown = "\"\(shownText(text))\""
        if let scalar = text.unicodeScalars.first(where: { $0.isControl }) {
            return "has the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
        }
        let length = text.unicodeScalars.count
        if let minLength, length < minLength { return "\(shown) has \(length) characters, must have \(minLength)" }
        let most = maxLength ?? TargetParameter.lengthMax
        if length > most { return "has \(length) characters, must have at most \(most)" }
        if let pattern, !pattern.matches(text) { return "\(shown) must match \(pattern.text)" }
        switch kind {
        case .color: return PackNode.color(text) == nil ? "\(shown) is not a colour of the form #rgb or #rrggbb" : nil
        case .file:
            guard !text.isEmpty else { return nil }
            do throws(BundlePath.Fault) { _ = try BundlePath(text) } catch { return "\(shown) \(error.reason)" }
            return nil
        case .number, .integer, .boolean, .choice, .text: return nil
        }
    }

    /// The value that a person writes as an argument, such as `256` of `--set texture=256`; not checked yet.
    package func value(ofArgument text: String) -> JSONValue {
        switch kind {
        case .number, .integer:
            guard let value = try? JSONReader.read(Array(text.utf8)), value.number != nil else { break }  // No number.
            return value
        case .boolean: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : .string(text)
        case .choice: return choices.first { ($0.string ?? $0.plainText) == text } ?? .string(text)
        case .text, .color, .file: break
        }
        return .string(text)
    }
}

// MARK: - Reading

extension TargetParameter {
    private static let keys = [
        "type", "default", "min", "max", "choices", "minLength", "maxLength", "pattern", "scope", "about",
    ]

    private static let numbers = -1e15...1e15
    private enum Scope: String, CaseIterable { case bundle }

    init(_ node: PackNode, name: String) throws(EngineError) {
        guard let first = name.unicodeScalars.first, ("a"..."z").contains(first) || ("A"..."Z").contains(first),
            name.utf8.count <= 60,
            name.utf8.allSatisfy({ byte in (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == 95 })
        else {
            throw node.error("the name of a parameter has letters, digits and _, at most 60, and begins with a letter")
        }
        guard TargetName.Fact(rawValue: name) == nil else {
            throw node.error("{\(name)} has a meaning already, so no parameter can have this name")
        }
        _ = try node.fields(Self.keys)
        let scope: Scope? = try node.member("scope")?.named()
        self.init(
            name: name, kind: try node.required("type").named(), isOfBundle: scope != nil,
            about: try node.member("about")?.string() ?? "")
        try requireKinds(node)
        min = try node.member("min")?.number(Self.numbers)
        max = try node.member("max")?.number(Self.numbers)
        if let min, let max, min > max { throw node.error("min is above max") }
        minLength = try node.member("minLength")?.wholeNumber(0...Self.lengthMax)
        maxLength = try node.member("maxLength")?.wholeNumber(0...Self.lengthMax)
        pattern = try node.member("pattern")?.pattern()
        if kind == .choice {
            for choice in try node.required("choices").elements() {
                guard choice.value.string != nil || choice.value.number != nil else {
                    throw choice.error("must be a text or a number, is \(choice.value.words)")
                }
                guard !choices.contains(where: { $0.isSame(as: choice.value) }) else {
                    throw choice.error("is there twice")
                }
                choices.append(choice.value)
            }
        }
        if let node = node.member("default") { standard = try standard(node) }
    }

    /// Rules that mean nothing for a type are mistakes.
    private func requireKinds(_ node: PackNode) throws(EngineError) {
        let kinds: [(String, [Kind])] = [
            ("min", [.number, .integer]), ("max", [.number, .integer]), ("choices", [.choice]),
            ("minLength", [.text, .file]), ("maxLength", [.text, .file]), ("pattern", [.text, .file]),
        ]
        for (key, kinds) in kinds where !kinds.contains(kind) {
            if let node = node.member(key) { throw node.error("a parameter of type \(kind.rawValue) has no \(key)") }
        }
    }

    /// A default that breaks the parameter's own rule is a mistake, unless it depends on the pack.
    private func standard(_ node: PackNode) throws(EngineError) -> Standard {
        var value = node.value
        if value.string != nil {
            let text = try node.template(TargetNames())
            guard let literal = text.literal else { return .text(text) }
            value = .string(literal)
        }
        if let fault = fault(of: value) { throw node.error(fault) }
        return .value(value)
    }
}
