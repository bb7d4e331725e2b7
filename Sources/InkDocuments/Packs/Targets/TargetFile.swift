import InkEngine
import InkJSON

/// A file of a recipe: its path, when there is one, and what is in it.
struct TargetFile: Sendable {
    var path: TargetText
    /// Whether there is one for each item, else one for the bundle.
    var isOfItem: Bool
    /// It is there for items that have one of these values of each parameter.
    var conditions: [Condition]
    var content: Content
    /// The file's place in the recipe.
    var place: String

    struct Condition: Sendable {
        var parameter: Int
        var values: [JSONValue]
    }

    enum Content: Sendable {
        case picture(TargetPicture)
        case json(TargetTemplate)
        case text([Line])
        /// A file of the user's with a text that must be in it.
        case copy(TargetText, contains: TargetText?)
        /// A sprite sheet of the pictures with such paths, and the path of the list of their places.
        case sheet(of: TargetText, places: TargetText)
    }

    enum Line: Sendable {
        case once(TargetText)
        case each([TargetText])
    }

    private enum Kind: String, CaseIterable { case picture, json, text, copy, sheet }
    private enum Repetition: String, CaseIterable { case item }

    init(_ node: PackNode, _ recipe: TargetNames, _ parameters: [TargetParameter]) throws(EngineError) {
        _ = try node.fields(["path", "each", "when", "contains"] + Kind.allCases.map(\.rawValue))
        place = node.place
        let repetition: Repetition? = try node.member("each")?.named()
        isOfItem = repetition != nil
        var names = recipe
        names.hasItem = isOfItem
        path = try node.required("path").template(names)
        conditions = []
        for (name, condition) in try node.member("when")?.members() ?? [] {
            conditions.append(try Self.condition(name, condition, names, parameters))
        }
        let kinds = Kind.allCases.filter { node.member($0.rawValue) != nil }
        guard kinds.count == 1, let found = node.member(kinds[0].rawValue) else {
            throw node.error("must have one of picture, json, text, copy and sheet, has \(kinds.count)")
        }
        let contains = node.member("contains")
        if let contains, kinds[0] != .copy { throw contains.error("only a copy has a text that it must contain") }
        switch kinds[0] {
        case .picture: content = .picture(try TargetPicture(found, names))
        case .json: content = .json(try TargetTemplate(found, names))
        case .text: content = .text(try Self.lines(found, names))
        case .copy: content = .copy(try found.template(names), contains: try contains?.template(names))
        case .sheet:
            guard !isOfItem else { throw found.error("a sheet is of all items, so its file has no \"each\"") }
            _ = try found.fields(["of", "places"])
            let places = try found.required("places").template(names)
            names.hasItem = true
            content = .sheet(of: try found.required("of").template(names), places: places)
        }
    }

    private static func condition(
        _ name: String, _ node: PackNode, _ names: TargetNames, _ parameters: [TargetParameter]
    ) throws(EngineError) -> Condition {
        guard let number = names.parameters[name] else {
            throw node.error("unknown parameter\(didYouMean(name, among: names.parameters.keys.sorted()))")
        }
        let nodes = node.value.array == nil ? [node] : try node.elements()
        for node in nodes {
            if let fault = parameters[number].fault(of: node.value) { throw node.error(fault) }
        }
        return Condition(parameter: number, values: nodes.map(\.value))
    }

    private static func lines(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> [Line] {
        var lines: [Line] = []
        for node in try node.elements() {
            guard node.value.members != nil else {
                lines.append(.once(try node.template(names)))
                continue
            }
            let key = TargetTemplate.Key.each.rawValue
            guard let each = node.member(key), node.value.members?.count == 1 else {
                throw node.error("must be a line, or {\"\(key)\": lines}")
            }
            var names = names
            names.hasItem = true
            var texts: [TargetText] = []
            for node in each.value.array == nil ? [each] : try each.elements() {
                texts.append(try node.template(names))
            }
            lines.append(.each(texts))
        }
        return lines
    }
}
