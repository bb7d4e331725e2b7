import InkEngine
package import InkJSON

/// A value of a pack file with its place there.
struct PackNode {
    let value: JSONValue
    /// `items[0].values`; empty for the outermost value.
    let place: String
    let file: String

    func error(_ reason: String) -> EngineError {
        .badInput(Place(file: file, path: place.isEmpty ? nil : place), reason: reason)
    }

    func wrongType(_ wanted: String) -> EngineError { error("must be \(wanted), is \(value.words)") }

    func child(_ key: String, _ value: JSONValue) -> PackNode {
        let key = shownText(key, limit: 60)
        return PackNode(value: value, place: place.isEmpty ? key : "\(place).\(key)", file: file)
    }

    /// The members of an object, without those that are notes: keys that begin with `_`, `$` or `x-`.
    ///
    /// - Throws: `badInput` for anything but an object.
    func members() throws(EngineError) -> [(key: String, node: PackNode)] {
        guard let members = value.members else { throw wrongType("an object") }
        return members.filter { key, _ in !["_", "$", "x-"].contains { key.hasPrefix($0) } }
            .map { ($0.0, child($0.0, $0.1)) }
    }

    /// The members of an object by their keys.
    ///
    /// - Throws: `badInput` for anything but an object, and for a key that is not one of these.
    func fields(_ keys: [String]) throws(EngineError) -> [String: PackNode] {
        var fields: [String: PackNode] = [:]
        for (key, node) in try members() {
            guard keys.contains(key) else {
                throw node.error(
                    "is no key here\(didYouMean(key, among: keys)); there are \(keys.joined(separator: ", "))")
            }
            fields[key] = node
        }
        return fields
    }

    func elements() throws(EngineError) -> [PackNode] {
        guard let items = value.array else { throw wrongType("a list") }
        return items.enumerated().map { PackNode(value: $1, place: "\(place)[\($0)]", file: file) }
    }

    func string() throws(EngineError) -> String {
        guard let text = value.string else { throw wrongType("a text") }
        return text
    }

    /// A text of one line.
    ///
    /// - Parameter lengths: in Unicode scalars.
    func text(_ lengths: ClosedRange<Int>) throws(EngineError) -> String {
        let text = try string()
        let count = text.unicodeScalars.count
        guard lengths.contains(count) else {
            throw error("has \(count) characters, must have \(lengths.lowerBound) to \(lengths.upperBound)")
        }
        guard !text.unicodeScalars.contains(where: \.isControl) else {
            throw error("contains a control character or a line break")
        }
        return text
    }

    /// `[a-z][a-z0-9_]*` of so many characters.
    func identifier(_ lengths: ClosedRange<Int>) throws(EngineError) -> String {
        let text = try string()
        guard PackNode.isIdentifier(text, lengths) else {
            throw error(
                "\"\(shownText(text))\" is not an id: a small letter a to z, then small letters, digits and _, "
                    + "\(lengths.lowerBound) to \(lengths.upperBound) characters in all")
        }
        return text
    }

    static func isIdentifier(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        let bytes = text.utf8
        guard lengths.contains(bytes.count), let first = bytes.first, (97...122).contains(first) else { return false }
        return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }

    func bool() throws(EngineError) -> Bool {
        guard case .bool(let flag) = value else { throw wrongType("true or false") }
        return flag
    }

    func number(_ range: ClosedRange<Double>) throws(EngineError) -> Double {
        guard let number = value.number else { throw wrongType("a number") }
        guard range.contains(number) else {
            throw error(
                "is \(shownNumber(number)), must be from \(shownNumber(range.lowerBound)) to "
                    + shownNumber(range.upperBound))
        }
        return number
    }

    /// `#rgb` or `#rrggbb`.
    func color() throws(EngineError) -> RGBA8 {
        let text = try string()
        guard let color = PackNode.color(text) else {
            throw error("\"\(shownText(text))\" is not a colour of the form #rgb or #rrggbb")
        }
        return color
    }

    static func color(_ text: String) -> RGBA8? {
        text.utf8.count <= 7 && text.hasPrefix("#") ? RGBA8(hex: text) : nil
    }

    func mode() throws(EngineError) -> BlendMode {
        let name = try string()
        guard let mode = BlendMode(name: name) else {
            throw error(
                "unknown mode \"\(shownText(name))\"" + didYouMean(name, among: BlendMode.allCases.map(\.rawValue)))
        }
        return mode
    }

    /// One of the values of an enumeration, by its name.
    func named<Value: RawRepresentable<String> & CaseIterable>() throws(EngineError) -> Value {
        let name = try string()
        guard let value = Value(rawValue: name) else {
            let names = Value.allCases.map(\.rawValue)
            throw error(
                "unknown value \"\(shownText(name))\", must be \(names.joined(separator: " or "))"
                    + didYouMean(name, among: names))
        }
        return value
    }

    /// Values for parameters of targets.
    func values() throws(EngineError) -> [String: PackValue] {
        var values: [String: PackValue] = [:]
        for (key, node) in try members() { values[key] = PackValue(node.value, place: node.place) }
        return values
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character or ends a line.
    var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension JSONValue {
    /// The name of the type with its article, for messages.
    package var words: String {
        switch self {
        case .object: "an object"
        case .array: "a list"
        case .string: "a text"
        case .integer, .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
