/// Looks at a document's elements in order, and writes those that are allowed.
final class SVGFilter: XMLHandler {
    private(set) var text: [UInt8] = []
    private(set) var size = SVGDocument.defaultSize
    private(set) var uses = SVGUses()
    private(set) var hasLeftOut = false
    private let leavingOut: Set<String>
    private var depth = 0
    /// How deep it is inside of what is left out.
    private var skipped = 0
    /// The text of a `style` element.
    private var style: String?
    private var embeddedPixels = 0

    init(leavingOut: Set<String> = []) { self.leavingOut = leavingOut }

    func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault) {
        guard depth + skipped < SVGDocument.depthMax else {
            throw XMLFault("elements are more than \(SVGDocument.depthMax) deep")
        }
        if skipped > 0 {
            skipped += 1
            return
        }
        if depth == 0 {
            guard name.local == "svg" else {
                throw XMLFault("the document is not SVG: its root is <\(shownText(name.local, limit: 40))>")
            }
            guard name.namespace == SVGRules.namespace else {
                throw XMLFault("its root lacks the namespace \(SVGRules.namespace)")
            }
        }
        if name.namespace != SVGRules.namespace || SVGRules.ignored.contains(name.local) {
            skipped = 1
            return
        }
        if leavingOut.contains(name.local) {
            hasLeftOut = true
            skipped = 1
            return
        }
        guard SVGRules.elements.contains(name.local) else { throw XMLFault(SVGRules.refusal(of: name.local)) }
        guard style == nil else { throw XMLFault("<style> has elements in it") }
        depth += 1
        guard uses.elementCount < SVGDocument.elementsMax else {
            throw XMLFault("it has more than \(SVGDocument.elementsMax) elements")
        }
        let isRoot = depth == 1
        write("<\(name.local)")
        if isRoot { write(" xmlns=\"\(SVGRules.namespace)\" xmlns:xlink=\"\(SVGRules.linkNamespace)\"") }
        var values: [String: String] = [:]
        for attribute in attributes {
            let local = attribute.name.local
            let isLink = attribute.name.namespace == SVGRules.linkNamespace && local == "href"
            guard isLink || attribute.name.namespace.isEmpty, !local.hasPrefix("on") else { continue }
            try check(local, attribute.value, of: name.local)
            if values[local] == nil || !isLink { values[local] = attribute.value }
            guard !isRoot || !Self.rootFields.contains(local) else { continue }
            write(isLink ? " xlink:href=\"" : " \(local)=\"")
            writeEscaped(attribute.value)
            write("\"")
        }
        if isRoot { writeSize(values) }
        write(">")
        let target = values["href"].map { String($0.drop { $0.isWhitespace }.dropFirst()) }
        uses.begin(id: values["id"], uses: name.local == "use" ? target : nil)
        if name.local == "style" { style = "" }
    }

    func end(_ name: XMLName) throws(XMLFault) {
        if skipped > 0 {
            skipped -= 1
            return
        }
        if let style {
            try SVGRules.check(style: style, of: "<style>")
            writeEscaped(style)
            self.style = nil
        }
        depth -= 1
        uses.end()
        write("</\(name.local)>")
    }

    func characters(_ text: String) { if skipped == 0 { style?.append(text) } }

    private func check(_ name: String, _ value: String, of element: String) throws(XMLFault) {
        let shown = "\(shownText(name, limit: 40)) of <\(element)>"
        guard !SVGRules.conditions.contains(name) else { throw XMLFault("\(shown) depends on the machine") }
        switch name {
        case "href":
            let target = value.drop { $0.isWhitespace }
            if element == "image" {
                try checkEmbedded(target, shown)
            } else if SVGRules.linking.contains(element) {
                guard target.first == "#" else {
                    throw XMLFault("\(shown) refers to something outside of the document")
                }
            } else {
                throw XMLFault("\(shown) is not allowed in it")
            }
            return
        case "style": return try SVGRules.check(style: value, of: shown)
        case "filter":
            guard value.split(whereSeparator: \.isWhitespace) == ["none"] else {
                throw XMLFault("\(shown) takes unbounded time")
            }
        default: break
        }
        try SVGRules.check(value: value, of: shown)
    }

    /// A picture in the document: PNG or JPEG, in base64.
    private func checkEmbedded(_ url: Substring, _ shown: String) throws(XMLFault) {
        let formats: [String: any ImageDecoder] = [
            "data:image/png;base64": PNGImages(), "data:image/jpeg;base64": JPEGImages(),
            "data:image/jpg;base64": JPEGImages(),
        ]
        guard let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")), let format = formats[url[..<comma].lowercased()]
        else {
            throw XMLFault("\(shown) is not a picture in the document: data:image/png;base64,... or jpeg")
        }
        let text = Array(url.utf8[url.utf8.index(after: comma)...])
        let bytes = (try? text.withUnsafeBufferPointer { try Base64.decode($0) }) ?? []
        guard format.recognizes(bytes), let header = try? format.header(bytes, place: Place(file: format.name)) else {
            throw XMLFault("\(shown) is damaged")
        }
        embeddedPixels += header.size.area
        guard embeddedPixels <= SVGDocument.embeddedPixelsMax else {
            throw XMLFault("its pictures have more than \(SVGDocument.embeddedPixelsMax) pixels")
        }
    }

    // MARK: - Writing

    /// Of the root; written anew, since it is drawn inside of another.
    private static let rootFields: Set<String> = ["x", "y", "width", "height", "style"]

    private func writeSize(_ values: [String: String]) {
        size = SVGRules.size(width: values["width"], height: values["height"], viewBox: values["viewBox"])
        write(" width=\"\(size.width)\" height=\"\(size.height)\" style=\"")
        writeEscaped(values["style"].map { $0 + ";" } ?? "")
        // Above all that style sheets say.
        write("width:\(size.width)px!important;height:\(size.height)px!important\"")
    }

    private func write(_ text: String) { self.text += Array(text.utf8) }

    private func writeEscaped(_ value: String) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "&"): write("&amp;")
            case UInt8(ascii: "<"): write("&lt;")
            case UInt8(ascii: ">"): write("&gt;")
            case UInt8(ascii: "\""): write("&quot;")
            case 0x09, 0x0A, 0x0D: write("&#\(byte);")
            default: text.append(byte)
            }
        }
    }
}
