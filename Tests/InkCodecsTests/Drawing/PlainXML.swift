/// The elements of a document, read by the plainest rules of XML 1.0: elements nest, attributes are quoted, `<` and `&`
/// stand for nothing else. No doctype, no CDATA.
struct PlainXML {
    struct Element {
        var name: String
        var attributes: [String: String]
        /// Indices of the elements around it, outermost first.
        var parents: [Int]
    }

    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var elements: [Element] = []

    init(_ file: [UInt8]) throws(Fault) {
        guard let text = String(validating: file, as: UTF8.self) else { throw Fault(description: "not UTF-8") }
        let bytes = Array(text.utf8)
        var open: [Int] = []
        var at = 0
        func fault(_ reason: String) -> Fault {
            let near = String(decoding: bytes[max(0, at - 40)..<min(bytes.count, at + 40)], as: UTF8.self)
            return Fault(description: "byte \(at): \(reason) near \(near)")
        }
        func end(of mark: String, from start: Int) throws(Fault) -> Int {
            let mark = Array(mark.utf8)
            var index = start
            while index + mark.count <= bytes.count {
                if bytes[index..<(index + mark.count)].elementsEqual(mark) { return index }
                index += 1
            }
            throw fault("no \(String(decoding: mark, as: UTF8.self))")
        }
        func checkReferences(_ text: ArraySlice<UInt8>) throws(Fault) {
            for (index, byte) in zip(text.indices, text) {
                if byte == UInt8(ascii: "<") || byte < 0x20 && ![9, 10, 13].contains(byte) {
                    throw fault("a wild \(byte)")
                }
                guard byte == UInt8(ascii: "&") else { continue }
                let name = text[(index + 1)...].prefix { $0 != UInt8(ascii: ";") }
                guard ["amp", "lt", "gt", "quot", "#9", "#10", "#13"].contains(String(decoding: name, as: UTF8.self))
                else { throw fault("an unknown reference") }
            }
        }
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else {
                let next = bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                try checkReferences(bytes[at..<next])
                at = next
                continue
            }
            if bytes[at...].starts(with: "<?".utf8) {
                at = try end(of: "?>", from: at) + 2
            } else if bytes[at...].starts(with: "<!--".utf8) {
                at = try end(of: "-->", from: at + 4) + 3
            } else if bytes[at...].starts(with: "</".utf8) {
                let close = try end(of: ">", from: at)
                let name = String(decoding: bytes[(at + 2)..<close], as: UTF8.self)
                guard let last = open.popLast(), elements[last].name == name else {
                    throw fault("</\(name)> ends nothing")
                }
                at = close + 1
            } else {
                let close = try end(of: ">", from: at)
                var inside = bytes[(at + 1)..<close]
                let isEmpty = inside.last == UInt8(ascii: "/")
                if isEmpty { inside = inside.dropLast() }
                let name = inside.prefix { $0 != UInt8(ascii: " ") }
                inside = inside.dropFirst(name.count)
                var attributes: [String: String] = [:]
                while let first = inside.first {
                    guard first == UInt8(ascii: " "), let equals = inside.firstIndex(of: UInt8(ascii: "=")),
                        inside[inside.index(after: equals)...].first == UInt8(ascii: "\"")
                    else { throw fault("an attribute is cut") }
                    let value = inside[(equals + 2)...].prefix { $0 != UInt8(ascii: "\"") }
                    try checkReferences(value)
                    let key = String(decoding: inside[(inside.startIndex + 1)..<equals], as: UTF8.self)
                    guard attributes.updateValue(String(decoding: value, as: UTF8.self), forKey: key) == nil else {
                        throw fault("\(key) twice")
                    }
                    inside = inside[(value.endIndex + 1)...]
                }
                elements.append(
                    Element(name: String(decoding: name, as: UTF8.self), attributes: attributes, parents: open))
                if !isEmpty { open.append(elements.count - 1) }
                at = close + 1
            }
        }
        guard open.isEmpty, !elements.isEmpty else { throw fault("elements are open") }
    }

    func all(_ name: String) -> [Element] { elements.filter { $0.name == name } }

    /// The names of the elements around one.
    func path(_ element: Element) -> [String] { element.parents.map { elements[$0].name } }
}
