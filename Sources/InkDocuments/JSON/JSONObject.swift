package import InkEngine

/// The path of a value in a JSON text, formatted only for messages.
indirect enum JSONPath {
    case root
    case field(JSONPath, String)
    case element(JSONPath, Int)

    /// `layers[3].strokes[17].points[4]`; nil for the outermost value.
    var text: String? {
        switch self {
        case .root: return nil
        case .field(let parent, let key):
            let key = shownText(key, limit: 40)
            return parent.text.map { "\($0).\(key)" } ?? key
        case .element(let parent, let index): return "\(parent.text ?? "")[\(index)]"
        }
    }
}

/// A JSON object that is read by the rules of a format: its fields by key and type, with errors that name the file and
/// the path.
///
/// Absent and null keys give nil; of a repeated key the last value counts. So do values that are wrong, where the errors
/// are collected.
struct JSONObject {
    let value: JSONNode
    let path: JSONPath
    let file: String
    /// Takes the errors in its fields, so that reading goes on; nil: the first one is thrown.
    let faults: FaultList?

    /// - Throws: `badInput` if the value is not an object.
    init(_ value: JSONNode, path: JSONPath, file: String, faults: FaultList? = nil) throws(EngineError) {
        self.value = value
        self.path = path
        self.file = file
        self.faults = faults
        guard value.kind == .object else {
            throw .badInput(Place(file: file, path: path.text), reason: "must be an object, is \(value.kind.words)")
        }
    }

    func path(_ key: StaticString) -> JSONPath { .field(path, "\(key)") }

    func place(_ key: StaticString) -> Place { Place(file: file, path: path(key).text) }

    func error(_ key: StaticString, _ reason: String) -> EngineError { .badInput(place(key), reason: reason) }

    /// Whether a person reads the next error: the first one, or one of the first that are collected.
    var isNextErrorShown: Bool { (faults?.kept.count ?? 0) < FaultList.keptMax }

    /// Throws an error, or collects it.
    func refuse(_ error: EngineError) throws(EngineError) {
        guard let faults else { throw error }
        faults.add(error)
    }

    /// Throws the error of a value, or collects it and gives nil in place of the value.
    func refuse<Value>(_ error: EngineError) throws(EngineError) -> Value? {
        try refuse(error) as Void
        return nil
    }

    private func wrongType<Value>(
        _ key: StaticString, _ found: JSONNode, wanted: String
    ) throws(EngineError) -> Value? {
        try refuse(error(key, "must be \(wanted), is \(found.kind.words)"))
    }

    func string(_ key: StaticString) throws(EngineError) -> String? {
        guard let found = value.field(key) else { return nil }
        guard let string = found.string else { return try wrongType(key, found, wanted: "a string") }
        return string
    }

    /// The bytes of a string, valid as long as the document exists.
    func utf8(_ key: StaticString) throws(EngineError) -> UnsafeBufferPointer<UInt8>? {
        guard let found = value.field(key) else { return nil }
        guard let bytes = found.utf8 else { return try wrongType(key, found, wanted: "a string") }
        return bytes
    }

    func bool(_ key: StaticString) throws(EngineError) -> Bool? {
        guard let found = value.field(key) else { return nil }
        guard let bool = found.bool else { return try wrongType(key, found, wanted: "true or false") }
        return bool
    }

    func number(_ key: StaticString) throws(EngineError) -> Double? {
        guard let found = value.field(key) else { return nil }
        guard let number = found.number else { return try wrongType(key, found, wanted: "a number") }
        return number
    }

    /// A number from 0 to 1.
    func fraction(_ key: StaticString) throws(EngineError) -> Double? {
        guard let number = try number(key) else { return nil }
        guard number >= 0, number <= 1 else {
            return try refuse(error(key, "is \(shownNumber(number)), must be from 0 to 1"))
        }
        return number
    }

    /// A length above 0 and within the limit of coordinates, because anything farther from a stroke is invisible.
    func length(_ key: StaticString, limits: Limits) throws(EngineError) -> Double? {
        guard let number = try number(key) else { return nil }
        guard number > 0 else { return try refuse(error(key, "is \(shownNumber(number)), must be above 0")) }
        guard number <= limits.coordinate else {
            return try refuse(
                .overLimit(
                    place(key), what: "the value", found: shownNumber(number), limit: shownNumber(limits.coordinate)))
        }
        return number
    }

    /// A number whose distance from 0 is within the limit of coordinates.
    func coordinate(_ key: StaticString, limits: Limits) throws(EngineError) -> Double? {
        guard let number = try number(key) else { return nil }
        guard abs(number) <= limits.coordinate else {
            return try refuse(
                .overLimit(
                    place(key), what: "the value", found: shownNumber(number), limit: shownNumber(limits.coordinate)))
        }
        return number
    }

    /// `#rgb` or `#rrggbb`.
    func opaqueColor(_ key: StaticString) throws(EngineError) -> RGBA8? {
        guard let text = try string(key) else { return nil }
        guard text.utf8.count <= 7, text != "transparent", let color = RGBA8(hex: text) else {
            return try refuse(error(key, "\"\(shownText(text))\" is not a colour of the form #rgb or #rrggbb"))
        }
        return color
    }

    /// So many numbers in an array.
    func numbers(_ key: StaticString, count: Int) throws(EngineError) -> [Double]? {
        guard let array = try array(key) else { return nil }
        let numbers = array.elements.prefix(count + 1).compactMap(\.number)
        guard numbers.count == count, array.count == count else {
            return try refuse(error(key, "must be \(count) numbers in an array"))
        }
        return numbers
    }

    /// A value by its name; an unknown one is an error.
    ///
    /// - Parameter fault: the error's words about a quoted name, and the names that there are.
    func named<Value: RawRepresentable<String> & CaseIterable>(
        _ key: StaticString,
        fault: (_ quoted: String, _ names: String) -> String = { "unknown value \($0), must be \($1)" }
    ) throws(EngineError) -> Value? {
        guard let name = try string(key) else { return nil }
        if let value = Value(rawValue: name) { return value }
        let names = Value.allCases.map(\.rawValue)
        let listed = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return try refuse(
            error(key, fault("\"\(shownText(name))\"", listed) + didYouMean(name, among: names)))
    }

    func object(_ key: StaticString) throws(EngineError) -> JSONObject? {
        guard let found = value.field(key) else { return nil }
        guard found.kind == .object else { return try wrongType(key, found, wanted: "an object") }
        return try JSONObject(found, path: path(key), file: file, faults: faults)
    }

    func array(_ key: StaticString) throws(EngineError) -> JSONNode? {
        guard let found = value.field(key) else { return nil }
        guard found.kind == .array else { return try wrongType(key, found, wanted: "an array") }
        return found
    }
}

/// The errors in one input, in the order in which they were found; the first ones are kept.
package final class FaultList {
    /// The most errors that are kept.
    package static let keptMax = 20

    package private(set) var kept: [EngineError] = []
    /// All of them.
    package private(set) var count = 0

    package init() {}

    func add(_ error: EngineError) {
        count += 1
        if kept.count < Self.keptMax { kept.append(error) }
    }
}

extension JSONNode.Kind {
    /// The name of the type with its article, for messages.
    var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
