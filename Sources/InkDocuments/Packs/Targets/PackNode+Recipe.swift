import InkEngine
import InkJSON

extension PackNode {
    /// The value of a key; nil if there is none.
    func member(_ key: String) -> PackNode? { value[key].map { child(key, $0) } }

    /// The value of a key that every such object has.
    func required(_ key: String) throws(EngineError) -> PackNode {
        guard let found = member(key) else { throw error("\"\(key)\" is missing") }
        return found
    }

    /// The members of an object whose keys are part of what is written.
    func templateMembers() throws(EngineError) -> [(key: String, node: PackNode)] {
        guard let members = value.members else { throw wrongType("an object") }
        return members.map { ($0.0, child($0.0, $0.1)) }
    }

    func wholeNumber(_ range: ClosedRange<Int>) throws(EngineError) -> Int {
        guard let number = value.wholeNumber, range.contains(number) else {
            throw error(
                "must be a whole number from \(range.lowerBound) to \(range.upperBound), is \(value.shortText)")
        }
        return number
    }

    func template(_ names: TargetNames) throws(EngineError) -> TargetText { try template(string(), names) }

    func template(_ text: String, _ names: TargetNames) throws(EngineError) -> TargetText {
        do throws(TargetText.Fault) { return try TargetText(text, names: names) } catch {
            throw self.error(error.reason)
        }
    }

    func pattern() throws(EngineError) -> TextPattern {
        let text = try string()
        do throws(TextPattern.Fault) {
            return try TextPattern(text)
        } catch {
            throw self.error("the pattern \(value.shortText) \(error.reason)")
        }
    }
}

extension JSONValue {
    /// A value for messages: `"walk"`, `12`, `a list`.
    var shortText: String {
        switch self {
        case .string(let text): "\"\(shownText(text))\""
        case .integer, .number, .bool, .null: plainText
        case .object, .array: words
        }
    }

    /// Whether these are the same text, truth or number; 64 and 64.0 are.
    func isSame(as other: JSONValue) -> Bool {
        if let one = number, let other = other.number { return one == other }
        switch (self, other) {
        case (.string(let one), .string(let other)): return one.utf8.elementsEqual(other.utf8)
        case (.bool(let one), .bool(let other)): return one == other
        default: return false
        }
    }
}
