import InkEngine
import InkJSON

/// Items that are all combinations of lists.
extension PackReader {
    /// One value of a list of a matrix.
    private struct Choice<Value> {
        var value: Value
        /// The value as the pack has it, for `exclude`.
        var json: JSONValue?
        /// What stands for it in an id and a name.
        var text: String
    }

    /// Adds the items of a matrix. How many there are is known before the first is made.
    mutating func expand(_ node: PackNode) throws(EngineError) {
        let fields = try node.fields(["base", "color", "effects", "id", "name", "exclude", "values"])
        guard let baseNode = fields["base"] else { throw node.child("base", .null).error("is missing") }
        let lists = try [baseNode, fields["color"], fields["effects"]].map { (node) throws(EngineError) in
            try node?.elements()
        }
        var count = 1
        for list in lists {
            let product = count.multipliedReportingOverflow(by: list?.count ?? 1)
            count = product.overflow ? .max : product.partialValue
        }
        try checkCount(count, at: node.place)

        var bases: [Choice<Int>] = []
        for element in lists[0] ?? [] {
            let text = try element.string()
            bases.append(
                Choice(value: try pictureNumber(element), json: element.value, text: PackReader.baseText(text)))
        }
        var colors = [Choice<[PackStep]>(value: [], text: "")]
        if let list = lists[1] {
            colors = []
            for element in list {
                let text = PackReader.colorText(element.value)
                colors.append(
                    Choice(value: try steps(element), json: element.value, text: text.filter { $0 != "#" }))
            }
        }
        let model = PackItem(id: "", name: "", base: "")
        var effects = [Choice<(numbers: [Int], item: PackItem)>(value: ([], model), text: "")]
        if let list = lists[2] {
            effects = []
            for element in list {
                var item = model
                let numbers = try effectNumbers(element, &item)
                effects.append(
                    Choice(
                        value: (numbers, item), json: element.value, text: item.effects.joined(separator: "_")))
            }
        }

        let id = try template(fields["id"]) ?? [.base, .color, .effects].flatMap { [.text("_"), $0] }
        let name = try template(fields["name"])
        let excluded = try exclusions(fields["exclude"])
        let values = try fields["values"]?.values() ?? [:]
        for base in bases {
            for color in colors {
                for effect in effects {
                    let json = (base.json?.line, color.json?.line, effect.json?.line)
                    if excluded.contains(where: {
                        ($0.base ?? json.0) == json.0 && ($0.color ?? json.1) == json.1
                            && ($0.effects ?? json.2) == json.2
                    }) {
                        continue
                    }
                    let texts = (base.text, color.text, effect.text)
                    var item = effect.value.item
                    item.id = PackReader.fill(id, texts).lowercased().split(separator: "_").joined(separator: "_")
                    let idNode = node.child("id", .string(item.id))
                    _ = try idNode.identifier(2...48)
                    item.name =
                        name.map {
                            PackReader.fill($0, texts).split(whereSeparator: { $0 == "_" || $0 == " " })
                                .joined(separator: " ")
                        } ?? PackReader.words(of: item.id)
                    _ = try node.child("name", .string(item.name)).text(1...60)
                    item.base = base.json?.string ?? ""
                    item.color = color.json.map(PackReader.colorText) ?? ""
                    item.values.merge(values) { $1 }
                    item.place = node.place
                    let making = PackMaking(base: base.value, colors: color.value, effects: effect.value.numbers)
                    try add((item, making), at: node)
                }
            }
        }
    }

    // MARK: - Exclusions

    /// Combinations with these values, as JSON, are left out.
    private struct Exclusion {
        var base: String?
        var color: String?
        var effects: String?
    }

    private func exclusions(_ node: PackNode?) throws(EngineError) -> [Exclusion] {
        var exclusions: [Exclusion] = []
        for element in try node?.elements() ?? [] {
            let fields = try element.fields(["base", "color", "effects"])
            guard !fields.isEmpty else { throw element.error("names nothing, and would leave out every item") }
            exclusions.append(
                Exclusion(
                    base: fields["base"]?.value.line, color: fields["color"]?.value.line,
                    effects: fields["effects"]?.value.line))
        }
        return exclusions
    }

    // MARK: - Templates of ids and names

    private enum Piece {
        case text(String)
        case base, color, effects
    }

    private func template(_ node: PackNode?) throws(EngineError) -> [Piece]? {
        guard let node else { return nil }
        let pieces: [String: Piece] = ["base": .base, "color": .color, "effects": .effects]
        var made: [Piece] = []
        var rest = try node.text(1...200)[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            made.append(.text(String(rest[..<brace])))
            let after = rest[rest.index(after: brace)...]
            if after.first == rest[brace] {
                made.append(.text(String(rest[brace])))
                rest = after.dropFirst()
                continue
            }
            guard rest[brace] == "{", let end = after.firstIndex(of: "}") else {
                throw node.error(
                    "has a \(rest[brace]) without its counterpart; \(rest[brace])\(rest[brace]) is a brace")
            }
            let name = String(after[..<end])
            guard let piece = pieces[name] else {
                throw node.error(
                    "there is no {\(shownText(name))}\(didYouMean(name, among: pieces.keys.sorted())); there are {base}, "
                        + "{color} and {effects}")
            }
            made.append(piece)
            rest = after[after.index(after: end)...]
        }
        return made + [.text(String(rest))]
    }

    private static func fill(_ pieces: [Piece], _ texts: (base: String, color: String, effects: String)) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .base: texts.base
            case .color: texts.color
            case .effects: texts.effects
            }
        }.joined()
    }

    /// What stands for a base in ids: its name, or that of its file without the ending.
    private static func baseText(_ text: String) -> String {
        guard text.contains(".") else { return text }
        let file = text.split(separator: "/").last ?? ""
        return String(file.prefix { $0 != "." })
    }
}
