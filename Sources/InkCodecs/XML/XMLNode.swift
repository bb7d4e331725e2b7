package import InkEngine

/// An element of an XML document that has been read as a whole.
///
/// It knows what of it has been asked for, so that a reader can name what it does not use (`unusedProperties`).
package final class XMLNode {
    /// Without its prefix.
    package let name: String
    package let attributes: XMLAttributes
    private var elements: [XMLNode] = []
    private var ownText = ""
    private var readNames: Set<String> = []
    private var hasReadChildren = false
    private(set) var hasReadText = false

    private init(_ name: String, _ attributes: XMLAttributes) {
        self.name = name
        self.attributes = attributes
    }

    /// All elements in it. Whoever asks for them says what of them is not used.
    package var children: [XMLNode] {
        hasReadChildren = true
        return elements
    }

    /// Its own text, without that of its children.
    package var text: String {
        hasReadText = true
        return ownText
    }

    /// Elements of a document, all together. Each takes a few hundred bytes.
    static let countMax = 1_000_000
    static let depthMax = 128

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - what: the document in messages, such as `stack.xml`.
    ///   - place: the file.
    /// - Throws: `badInput` naming the line for what is not well-formed, declares entities, or has too many elements.
    package static func read(_ bytes: [UInt8], _ what: String, place: Place) throws(EngineError) -> XMLNode {
        let builder = Builder()
        do throws(XMLFault) {
            try XMLScanner.scan(bytes, with: builder)
            guard let root = builder.root else { throw XMLFault("it has no elements") }
            return root
        } catch {
            throw error.error(what, at: place)
        }
    }

    /// The first child of a name.
    package func child(_ name: String) -> XMLNode? {
        readNames.insert(name)
        return elements.first { $0.name == name }
    }

    /// All children of a name, in order.
    package func children(_ name: String) -> [XMLNode] {
        readNames.insert(name)
        return elements.filter { $0.name == name }
    }

    /// The names of elements in it that nobody has asked for, each once, in order.
    var unreadChildren: [String] {
        guard !hasReadChildren else { return [] }
        var seen = readNames
        return elements.map(\.name).filter { seen.insert($0).inserted }
    }

    /// Whether it has text beside blanks.
    var hasText: Bool { ownText.contains { !$0.isWhitespace } }

    /// The number in an attribute; nil where there is none.
    package func number(_ name: String) -> Double? {
        attributes[name].flatMap { Double($0.trimmingBlanks) }.flatMap { $0.isFinite ? $0 : nil }
    }

    private final class Builder: XMLHandler {
        var root: XMLNode?
        private var open: [XMLNode] = []
        private var count = 0

        func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault) {
            count += 1
            guard count <= XMLNode.countMax else { throw XMLFault("it has more than \(XMLNode.countMax) elements") }
            guard open.count < XMLNode.depthMax else {
                throw XMLFault("elements are more than \(XMLNode.depthMax) deep")
            }
            let node = XMLNode(name.local, XMLAttributes(attributes.map { ($0.name.local, $0.value) }))
            open.last?.elements.append(node)
            root = root ?? node
            open.append(node)
        }

        func end(_ name: XMLName) { open.removeLast() }

        func characters(_ text: String) { open.last?.ownText += text }
    }
}
