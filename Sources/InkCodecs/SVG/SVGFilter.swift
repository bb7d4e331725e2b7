import InkEngine

/// Looks at a document's elements in order, and writes those that are allowed.
final class SVGFilter: XMLHandler {
    /// The root's tag up to what its `style` says, that, and what follows the tag. The tag's end is not in it.
    private(set) var text: [UInt8] = []
    /// Where in the text the root's style begins, and where what follows the tag.
    private(set) var styleAt = 0
    private(set) var contentAt = 0
    /// ` preserveAspectRatio="..."` of the root, where it has that.
    private(set) var aspect: [UInt8] = []
    /// The attributes of the root.
    private(set) var root: [String: String] = [:]
    private var sheet = SVGStyleSheet()
    private(set) var uses = SVGUses()
    private(set) var hasLeftOut = false
    private let leavingOut: Set<String>
    private var depth = 0
    /// How deep it is inside of what is left out.
    private var skipped = 0
    /// The text of a `style` element.
    private var rules: String?
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
        guard rules == nil else { throw XMLFault("<style> has elements in it") }
        depth += 1
        guard uses.elementCount < SVGDocument.elementsMax else {
            throw XMLFault("it has more than \(SVGDocument.elementsMax) elements")
        }
        let isRoot = depth == 1
        write(isRoot ? Self.rootStart : "<\(name.local)")
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
        if isRoot {
            if let value = values["preserveAspectRatio"] {
                let end = text.count
                write(" preserveAspectRatio=\"")
                writeEscaped(value)
                write("\"")
                aspect = Array(text[end...])
                text.removeLast(aspect.count)
            }
            write(" style=\"")
            styleAt = text.count
            writeEscaped(values["style"] ?? "")
            contentAt = text.count
            root = values
        } else {
            write(">")
        }
        let target = values["href"].map { String($0.drop { $0.isWhitespace }.dropFirst()) }
        uses.begin(id: values["id"], uses: name.local == "use" ? target : nil)
        if name.local == "style" { rules = "" }
    }

    func end(_ name: XMLName) throws(XMLFault) {
        if skipped > 0 {
            skipped -= 1
            return
        }
        if let rules {
            try SVGRules.check(style: rules, of: "<style>")
            sheet.add(rules)
            writeEscaped(rules)
            self.rules = nil
        }
        depth -= 1
        uses.end()
        write("</\(name.local)>")
    }

    func characters(_ text: String) { if skipped == 0 { rules?.append(text) } }

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
        let bytes = Base64.bytes(of: text) ?? []
        // Whatever is wrong with it, it is named as damaged.
        guard format.recognizes(bytes), let header = try? format.header(bytes, place: Place(file: format.name)) else {
            throw XMLFault("\(shown) is damaged")
        }
        embeddedPixels += header.size.area
        guard embeddedPixels <= SVGDocument.embeddedPixelsMax else {
            throw XMLFault("its pictures have more than \(SVGDocument.embeddedPixelsMax) pixels")
        }
    }

    /// What the root does to all that it shows.
    var ownTransform: AffineMap { sheet.transform(ofRoot: root) }

    // MARK: - Writing

    /// Attributes of the root that are written anew where it is drawn, or have no meaning there.
    private static let rootFields: Set<String> = ["x", "y", "style", "preserveAspectRatio"]

    private static let rootStart =
        "<svg xmlns=\"\(SVGRules.namespace)\" xmlns:xlink=\"\(SVGRules.linkNamespace)\""

    /// A root's tag.
    ///
    /// - Parameters:
    ///   - style: what its style says, escaped.
    ///   - declarations: what holds above that.
    func tag(_ attributes: [String: String], style: ArraySlice<UInt8>, _ declarations: String) -> [UInt8] {
        write(Self.rootStart)
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            write(" \(name)=\"")
            writeEscaped(value)
            write("\"")
        }
        write(" style=\"\(declarations);")
        text += style
        write(";\(declarations)\">")
        return text
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
