import InkEngine
import InkJSON

/// A text of a recipe with placeholders, such as `{creator}_{project}:{id}`. What is put in is never read again.
struct TargetText: Hashable, Sendable {
    /// Why a text cannot be used, as the end of a message.
    struct Fault: Error, Hashable {
        var reason: String
    }

    enum Piece: Hashable, Sendable {
        case literal(String)
        /// - cut: the most characters of the value.
        case placeholder(TargetName, cut: Int?)
    }

    private(set) var pieces: [Piece] = []

    /// - Throws: also for a placeholder that is not among the names.
    init(_ text: String, names: TargetNames) throws(Fault) {
        let scalars = Array(text.unicodeScalars)
        var literal = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            guard scalar == "{" || scalar == "}" else {
                literal.append(scalar)
                continue
            }
            if index < scalars.count, scalars[index] == scalar {
                literal.append(scalar)
                index += 1
                continue
            }
            guard scalar == "{" else { throw Fault(reason: "has a } without a {; a brace as such is }}") }
            guard let end = scalars[index...].firstIndex(of: "}") else {
                throw Fault(reason: "has a { without a }; a brace as such is {{")
            }
            if !literal.isEmpty { pieces.append(.literal(String(literal))) }
            literal = String.UnicodeScalarView()
            let inside = String(String.UnicodeScalarView(scalars[index..<end]))
            pieces.append(try TargetText.placeholder(inside, names))
            index = end + 1
        }
        if !literal.isEmpty { pieces.append(.literal(String(literal))) }
    }

    /// `name` or `name:20`.
    private static func placeholder(_ text: String, _ names: TargetNames) throws(Fault) -> Piece {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try names.name(parts.first.map(String.init) ?? "")
        guard parts.count == 2 else { return .placeholder(name, cut: nil) }
        guard (1...5).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
            let cut = Int(parts[1]), cut > 0
        else { throw Fault(reason: "{\(shownText(text))} must have a number of characters after the colon") }
        return .placeholder(name, cut: cut)
    }

    /// The names that are put in.
    var names: [TargetName] {
        pieces.compactMap { if case .placeholder(let name, _) = $0 { name } else { nil } }
    }

    /// The name, if the text is one placeholder: the value itself stands for it, a number stays a number.
    var only: TargetName? {
        guard pieces.count == 1, case .placeholder(let name, nil) = pieces[0] else { return nil }
        return name
    }

    /// The text, if nothing is put in.
    var literal: String? {
        guard pieces.count <= 1 else { return nil }
        switch pieces.first {
        case .literal(let text): return text
        case .placeholder: return nil
        case nil: return ""
        }
    }

    /// The text with values in place of placeholders.
    func text<Failure>(_ value: (TargetName) throws(Failure) -> JSONValue) throws(Failure) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let name, let cut):
                let shown = try value(name).shown
                text += cut.map { String(String.UnicodeScalarView(shown.unicodeScalars.prefix($0))) } ?? shown
            }
        }
        return text
    }
}

extension JSONValue {
    /// A value as a part of a text; a list joined by `_`.
    fileprivate var shown: String {
        switch self {
        case .string(let text): text
        case .integer, .number, .bool, .null: plainText
        case .array(let items): items.map(\.shown).joined(separator: "_")
        case .object: ""
        }
    }
}
