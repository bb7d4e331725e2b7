import InkEngine

/// What a document says of its elements' looks: their attributes, the rules of its style sheets, and `style`.
///
/// Those selectors count that are a name, classes and an id of the element itself, such as `path.thin` or `#map`, and
/// `:root`.
package struct SVGStyleSheet {
    private struct Selector {
        var tag: Substring?
        var id: Substring?
        var classes: [Substring] = []
        var isOfRoot = false

        var weight: Int { (id == nil ? 0 : 10_000) + 100 * (classes.count + (isOfRoot ? 1 : 0)) + (tag == nil ? 0 : 1) }
    }

    private var rules: [(selector: Selector, declarations: [String: String])] = []
    /// Whether rules were passed over.
    package private(set) var hasOthers = false

    /// What the rules say of elements of a kind, which is found once.
    private var known: [[String]: [String: String]] = [:]

    /// The most rules; each is tried on each kind of element.
    private static let rulesMax = 500

    package init() {}

    /// Adds the rules of a `<style>`.
    package mutating func add(_ text: String) {
        var rest = Self.withoutComments(text)
        while let open = rest.firstIndex(of: "{") {
            let head = rest[..<open]
            let body = rest[rest.index(after: open)...]
            if head.contains("@") {
                // A block of rules for a medium, or a font: as far as braces match.
                hasOthers = true
                var depth = 1
                let end = body.firstIndex { letter in
                    depth += letter == "{" ? 1 : letter == "}" ? -1 : 0
                    return depth == 0
                }
                rest = end.map { body[body.index(after: $0)...] } ?? ""
                continue
            }
            let close = body.firstIndex(of: "}") ?? body.endIndex
            let declarations = Self.declarations(body[..<close])
            for part in head.split(separator: ",") {
                guard rules.count < Self.rulesMax, let selector = Self.selector(part) else {
                    hasOthers = true
                    continue
                }
                rules.append((selector, declarations))
            }
            rest = close < body.endIndex ? body[body.index(after: close)...] : ""
        }
        // In their order where they weigh the same.
        rules = rules.enumerated().sorted { ($0.1.selector.weight, $0.0) < ($1.1.selector.weight, $1.0) }.map(\.element)
    }

    private static func withoutComments(_ text: String) -> Substring {
        var (result, rest) = ("", Array(text.utf8)[...])
        while let start = rest.firstRange(of: "/*".utf8) {
            result += String(decoding: rest[..<start.lowerBound], as: UTF8.self)
            rest = rest[start.upperBound...]
            rest = rest.firstRange(of: "*/".utf8).map { rest[$0.upperBound...] } ?? []
        }
        return (result + String(decoding: rest, as: UTF8.self))[...]
    }

    private static func selector(_ text: Substring) -> Selector? {
        let name = text.drop { $0.isWhitespace }
        let trimmed = name.prefix { !$0.isWhitespace }
        guard !trimmed.isEmpty, name[trimmed.endIndex...].allSatisfy(\.isWhitespace) else { return nil }
        var selector = Selector()
        selector.isOfRoot = trimmed.hasSuffix(":root")
        var rest = selector.isOfRoot ? trimmed.dropLast(":root".count) : trimmed
        guard !rest.contains(where: { ">+~:[]*".contains($0) }) || rest == "*" else { return nil }
        let tag = rest.prefix { $0 != "." && $0 != "#" }
        if !tag.isEmpty, tag != "*" { selector.tag = tag }
        rest = rest[tag.endIndex...]
        while let mark = rest.first {
            let word = rest.dropFirst().prefix { $0 != "." && $0 != "#" }
            guard !word.isEmpty else { return nil }
            if mark == "#" { selector.id = word } else { selector.classes.append(word) }
            rest = rest[word.endIndex...]
        }
        return selector
    }

    static func declarations(_ text: Substring) -> [String: String] {
        var found: [String: String] = [:]
        for part in text.split(separator: ";") {
            guard let colon = part.firstIndex(of: ":") else { continue }
            var value = part[part.index(after: colon)...].trimmingBlanks
            // What is marked as important is taken as it is.
            if let mark = value.firstIndex(of: "!") { value = value[..<mark].trimmingBlanks }
            found[part[..<colon].trimmingBlanks.lowercased()] = value
        }
        return found
    }

    /// Everything that is said of an element itself.
    package mutating func declarations(of node: XMLNode, isRoot: Bool = false) -> [String: String] {
        var found = node.attributes.dictionary
        if !rules.isEmpty {
            let (names, id) = (node.attributes["class"] ?? "", node.attributes["id"] ?? "")
            found.merge(declarations(ofKind: node.name, names, id: id, isRoot: isRoot)) { _, new in new }
        }
        if let style = node.attributes["style"] {
            found.merge(Self.declarations(Self.withoutComments(style))) { _, new in new }
        }
        return found
    }

    /// What the root of a document with these attributes does to all that it shows.
    mutating func transform(ofRoot attributes: [String: String]) -> AffineMap {
        let style = attributes["style"].map { Self.declarations(Self.withoutComments($0)) }
        let rules = declarations(
            ofKind: "svg", attributes["class"] ?? "", id: attributes["id"] ?? "", isRoot: true)
        let text = style?["transform"] ?? rules["transform"] ?? attributes["transform"]
        // In style sheets lengths and angles have units.
        return SVGTransform.read(text?.replacing("px", with: "").replacing("deg", with: ""))
    }

    private mutating func declarations(
        ofKind name: String, _ names: String, id: String, isRoot: Bool
    ) -> [String: String] {
        let kind = [name, names, rules.contains { $0.selector.id != nil } ? id : "", isRoot ? "root" : ""]
        if let found = known[kind] { return found }
        let classes = Set(names.split { $0.isWhitespace })
        var found: [String: String] = [:]
        for (selector, declarations) in rules
        where selector.tag.map({ $0 == name }) ?? true && selector.id.map({ $0 == id }) ?? true
            && selector.classes.allSatisfy(classes.contains) && (isRoot || !selector.isOfRoot)
        {
            found.merge(declarations) { _, new in new }
        }
        known[kind] = found
        return found
    }
}
