/// An element of an XML document that has been read as a whole.
final class XMLNode {
    /// Without its prefix.
    let name: String
    /// By their names without prefixes.
    let attributes: [String: String]
    fileprivate(set) var children: [XMLNode] = []
    /// Its own text, without that of its children.
    fileprivate(set) var text = ""

    fileprivate init(_ name: String, _ attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
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
    static func read(_ bytes: [UInt8], _ what: String, place: Place) throws(EngineError) -> XMLNode {
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
    func child(_ name: String) -> XMLNode? { children.first { $0.name == name } }

    /// All children of a name, in order.
    func children(_ name: String) -> [XMLNode] { children.filter { $0.name == name } }

    /// The number in an attribute; nil where there is none.
    func number(_ name: String) -> Double? {
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
            let node = XMLNode(
                name.local, Dictionary(attributes.map { ($0.name.local, $0.value) }) { first, _ in first })
            open.last?.children.append(node)
            root = root ?? node
            open.append(node)
        }

        func end(_ name: XMLName) { open.removeLast() }

        func characters(_ text: String) { open.last?.text += text }
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    var trimmingBlanks: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
