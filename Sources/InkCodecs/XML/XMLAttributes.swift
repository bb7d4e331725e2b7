/// The attributes of an element of XML. It knows which of them have been read, and so does every copy.
package final class XMLAttributes {
    /// In the order of the file, by their names without prefixes.
    private let all: [(name: String, value: String)]
    private var read: Set<Int> = []

    /// Takes attributes. Where several namespaces have one name, the first counts.
    init(_ all: [(name: String, value: String)]) {
        var names: Set<String> = []
        self.all = all.filter { names.insert($0.name).inserted }
    }

    package subscript(name: String) -> String? {
        guard let index = all.firstIndex(where: { $0.name == name }) else { return nil }
        read.insert(index)
        return all[index].value
    }

    /// The names alone; nothing counts as read.
    package var names: [String] { all.map(\.name) }

    /// All of them, which count as read.
    var dictionary: [String: String] {
        read = Set(all.indices)
        return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.value) })
    }

    package var unusedProperties: [(name: String, value: String)] {
        all.indices.filter { !read.contains($0) }.map { all[$0] }
    }
}

extension XMLNode {
    /// Attributes by their names, elements in it as `<name>`, and `text`.
    package var unusedProperties: [(name: String, value: String)] {
        attributes.unusedProperties + unreadChildren.map { ("<\($0)>", "...") }
            + (hasReadText ? [] : [("text", hasText ? "..." : "")])
    }
}
