import InkCodecs
import InkEngine

/// Something of a document that has properties by name, and knows which of them its reader has not used.
protocol PropertyHolder {
    /// The properties that nobody has read, in the order of the file. The value is its text; empty where it says nothing,
    /// such as an empty list.
    var unusedProperties: [(name: String, value: String)] { get }
}

/// The properties of one kind of thing that its reader does not read: what a reader neither uses nor knows to be harmless
/// changes the picture for all it knows, so a person hears of it.
struct UnreadProperties: Sendable {
    /// The thing in messages, such as `a layer`.
    let thing: String
    /// Properties that do not change the picture: `name` with any value, `name=value` with this one.
    let harmless: Set<String>
    /// What properties are called in messages, where their names in the file are not enough.
    let words: [String: String]

    init(of thing: String, harmless: Set<String>, words: [String: String] = [:]) {
        self.thing = thing
        self.harmless = harmless
        self.words = words
    }

    fileprivate func isHarmless(_ name: String, _ value: String) -> Bool {
        value.isEmpty || harmless.contains(name) || harmless.contains("\(name)=\(value)")
    }
}

extension Warnings {
    /// Warns of the properties of a thing that its reader has not used: one warning for each property of each kind of
    /// thing, with the first place and the number of places. To be called when the thing has been read.
    mutating func addUnused(of holder: some PropertyHolder, _ known: UnreadProperties, at path: String?) {
        for (name, value) in holder.unusedProperties where !known.isHarmless(name, value) {
            let what = known.words[name] ?? "the property \"\(shownText(name, limit: 40))\" of \(known.thing)"
            add(.leftOut, ofEach: what, at: path, "left out: \(what)")
        }
    }
}

extension XMLAttributes: PropertyHolder {}

extension XMLNode: PropertyHolder {}

/// An object of JSON, and the keys that its reader asks for.
struct ReadObject: PropertyHolder {
    let value: JSONNode
    let keys: [StaticString]

    init(_ value: JSONNode, reading keys: [StaticString]) {
        self.value = value
        self.keys = keys
    }

    var unusedProperties: [(name: String, value: String)] {
        value.keys(notIn: keys).map { key in
            // The value follows its key.
            (key.string ?? "", key.at(key.index + 1).shownProperty)
        }
    }
}

extension JSONNode {
    /// A value as lists of harmless properties have it; empty for null and for what is empty.
    fileprivate var shownProperty: String {
        switch kind {
        case .null: ""
        case .bool: bool == true ? "true" : "false"
        case .number: shownNumber(number ?? 0)
        case .string: string ?? ""
        case .array, .object: count == 0 ? "" : "..."
        }
    }
}
