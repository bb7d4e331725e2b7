import InkEngine
import InkJSON

/// A JSON document of a recipe, whose texts and keys have placeholders.
///
/// There are `$each`, `$parts`, `$list` and `$uuid`, and nothing else: no conditions, no arithmetic.
indirect enum TargetTemplate: Sendable {
    /// null, a truth or a number.
    case plain(JSONValue)
    case text(TargetText)
    case list([Element])
    case object([Member])
    /// Whole numbers between points.
    case numbers(TargetText)
    /// The UUID of a role.
    case uuid(TargetText)

    enum Element: Sendable {
        case value(TargetTemplate)
        /// The template's value for each item.
        case each(TargetTemplate)
    }

    enum Member: Sendable {
        case value(TargetText, TargetTemplate)
        /// These members for each item.
        case each([Member])
        /// The members of these parts.
        case parts([TargetText])
    }

    /// The keys with a meaning.
    enum Key: String, CaseIterable {
        case each = "$each"
        case parts = "$parts"
        case list = "$list"
        case uuid = "$uuid"
    }

    init(_ node: PackNode, _ names: TargetNames) throws(EngineError) {
        switch node.value {
        case .null, .bool, .integer, .number: self = .plain(node.value)
        case .string: self = .text(try node.template(names))
        case .array: self = .list(try Self.elements(node, names))
        case .object(let members):
            if members.count == 1 {
                switch Key(rawValue: members[0].0) {
                case .list:
                    self = .numbers(try Self.numbers(try node.required(Key.list.rawValue), names))
                    return
                case .uuid:
                    self = .uuid(try node.required(Key.uuid.rawValue).template(names))
                    return
                case .each, .parts, nil: break
                }
            }
            self = .object(try Self.members(node, names))
        }
    }

    private static func numbers(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> TargetText {
        let text = try node.template(names)
        if let literal = text.literal, numbers(literal) == nil {
            throw node.error("must be whole numbers between points, is \(node.value.shortText)")
        }
        return text
    }

    /// `1.20.0` as numbers; nil for any other text.
    static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...9).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        return numbers.count == parts.count ? numbers : nil
    }

    private static func elements(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> [Element] {
        var elements: [Element] = []
        for node in try node.elements() {
            if let members = node.value.members, members.count == 1, let each = node.member(Key.each.rawValue) {
                elements.append(.each(try TargetTemplate(each, try namesOfEach(each, names))))
            } else {
                elements.append(.value(try TargetTemplate(node, names)))
            }
        }
        return elements
    }

    /// The names inside `$each`; another one in it would have to name two items.
    private static func namesOfEach(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> TargetNames {
        guard !names.isInEach else { throw node.error("$each inside $each") }
        var names = names
        names.hasItem = true
        names.isInEach = true
        return names
    }

    static func members(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> [Member] {
        var members: [Member] = []
        for (key, node) in try node.templateMembers() {
            switch Key(rawValue: key) {
            case .each: members.append(.each(try Self.members(node, try namesOfEach(node, names))))
            case .parts: members.append(.parts(try parts(node, names)))
            case .list, .uuid: throw node.error("\(key) stands alone in its object")
            case nil:
                if key.hasPrefix("$"), let meant = nearestName(to: key, among: Key.allCases.map(\.rawValue)) {
                    throw node.error("unknown key (did you mean \(meant)?)")
                }
                members.append(.value(try node.template(key, names), try TargetTemplate(node, names)))
            }
        }
        return members
    }

    private static func parts(_ node: PackNode, _ names: TargetNames) throws(EngineError) -> [TargetText] {
        guard names.parts != nil else { throw node.error("a part cannot have parts of its own") }
        var parts: [TargetText] = []
        for node in try node.elements() {
            let text = try node.template(names)
            try names.requireParts(text, node)
            parts.append(text)
        }
        return parts
    }
}

extension TargetNames {
    /// Rejects names of parts that there are not, where all of them are known: those that choices alone make.
    fileprivate func requireParts(_ text: TargetText, _ node: PackNode) throws(EngineError) {
        guard let parts else { return }
        var made = [""]
        for piece in text.pieces {
            var ends: [String]
            switch piece {
            case .literal(let literal): ends = [literal]
            case .placeholder(.parameter(let number), nil):
                guard let found = choices[number] else { return }
                ends = found
            case .placeholder: return
            }
            guard made.count * ends.count <= 1_000 else { return }
            made = made.flatMap { start in ends.map { start + $0 } }
        }
        if let missing = made.first(where: { !parts.contains($0) }) {
            throw node.error("unknown part \"\(shownText(missing))\"\(didYouMean(missing, among: parts.sorted()))")
        }
    }
}
