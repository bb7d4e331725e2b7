package import InkJSON

/// One variant of a pack: a picture with an id, a name and values.
package struct PackItem: Sendable {
    /// Unique in the pack: `[a-z][a-z0-9_]{1,47}`.
    package var id: String
    /// 1 to 60 characters, without control characters.
    package var name: String
    /// The name or the path of its base picture, as the pack has it.
    package var base: String
    /// Its colour steps as text: names and colours as the pack has them, joined by `_`; a step that is an object
    /// stands as its mode, `gradient` or `replace`.
    package var color: String
    /// The names of its effects, in the order in which they are applied.
    package var effects: [String]
    /// Its own values over those of its effects.
    package var values: [String: PackValue]
    /// The item's place in the pack file: `items[3]`, or the matrix that it comes from.
    package var place: String

    package init(
        id: String, name: String, base: String, color: String = "", effects: [String] = [],
        values: [String: PackValue] = [:], place: String = ""
    ) {
        self.id = id
        self.name = name
        self.base = base
        self.color = color
        self.effects = effects
        self.values = values
        self.place = place
    }
}

/// What a pack file gives for a parameter of a target.
package struct PackValue: Sendable {
    package var value: JSONValue
    /// The value's place in the pack file: `items[0].values.health`.
    package var place: String

    package init(_ value: JSONValue, place: String) {
        self.value = value
        self.place = place
    }
}
