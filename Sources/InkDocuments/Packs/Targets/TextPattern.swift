/// A regular expression of a recipe, which a whole text has to match. Its time grows linearly with the text, whatever
/// the expression: recipes come from anybody.
///
/// Characters, `.`, classes (`[a-z_]`, `[^/]`), `\d \w \s` of ASCII, groups, `|`, and `? * + {m} {m,} {m,n}`. Russ Cox,
/// "Regular Expression Matching Can Be Simple And Fast" (2007): all positions that a character leads to, at once.
struct TextPattern: Sendable {
    /// Why a text is no pattern.
    struct Fault: Error, Hashable {
        var reason: String
    }

    let text: String
    private var steps: [Step] = []

    private enum Step: Sendable {
        case take(ScalarClass)
        /// Go on at both.
        case split(Int, Int)
        case jump(Int)
        case end
    }

    /// Steps, counted repetitions written out.
    static let stepsMax = 2_000
    /// The most that a repetition counts.
    static let countMax = 1_000
    /// Groups inside each other.
    static let depthMax = 30

    init(_ text: String) throws(Fault) {
        self.text = text
        var parser = PatternParser(text)
        let node = try parser.pattern()
        try add(node)
        steps.append(.end)
    }

    private mutating func append(_ step: Step) throws(Fault) {
        guard steps.count < TextPattern.stepsMax else { throw Fault(reason: "is too long or repeats too much") }
        steps.append(step)
    }

    private mutating func add(_ node: PatternNode) throws(Fault) {
        switch node {
        case .one(let scalars): try append(.take(scalars))
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .choice(let nodes):
            var jumps: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index + 1 < nodes.count else {
                    try add(node)
                    break
                }
                let split = steps.count
                try append(.jump(0))
                try add(node)
                jumps.append(steps.count)
                try append(.jump(0))
                steps[split] = .split(split + 1, steps.count)
            }
            for jump in jumps { steps[jump] = .jump(steps.count) }
        case .repeated(let node, let least, let most):
            for _ in 0..<least {
                let start = steps.count
                try add(node)
                // However often nothing is repeated, it is nothing.
                if steps.count == start { return }
            }
            guard let most else {
                let split = steps.count
                try append(.jump(0))
                try add(node)
                try append(.jump(split))
                steps[split] = .split(split + 1, steps.count)
                return
            }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(steps.count)
                try append(.jump(0))
                try add(node)
            }
            for split in splits { steps[split] = .split(split + 1, steps.count) }
        }
    }

    /// Whether all of a text matches.
    ///
    /// - Complexity: the product of the lengths of text and pattern.
    func matches(_ text: some StringProtocol) -> Bool {
        var marks = [Int](repeating: -1, count: steps.count)
        var positions: [Int] = []
        follow(0, mark: 0, &marks, into: &positions)
        for (index, scalar) in text.unicodeScalars.enumerated() {
            var next: [Int] = []
            for position in positions {
                guard case .take(let scalars) = steps[position], scalars.contains(scalar) else { continue }
                follow(position + 1, mark: index + 1, &marks, into: &next)
            }
            guard !next.isEmpty else { return false }
            positions = next
        }
        return positions.contains { if case .end = steps[$0] { true } else { false } }
    }

    /// Adds the steps that take a character, or end, and that a position leads to without one.
    private func follow(_ start: Int, mark: Int, _ marks: inout [Int], into found: inout [Int]) {
        var open = [start]
        while let position = open.popLast() {
            guard marks[position] != mark else { continue }
            marks[position] = mark
            switch steps[position] {
            case .take, .end: found.append(position)
            case .jump(let next): open.append(next)
            case .split(let first, let second): open += [first, second]
            }
        }
    }
}

/// Characters that one place of a pattern takes.
private struct ScalarClass: Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isNegated
    }

    static func range(_ first: Unicode.Scalar, _ last: Unicode.Scalar) -> ClosedRange<UInt32> {
        first.value...last.value
    }

    static let digits = [range("0", "9")]
    static let word = digits + [range("a", "z"), range("A", "Z"), range("_", "_")]
    static let blanks = [range("\t", "\r"), range(" ", " ")]
}

private indirect enum PatternNode {
    case one(ScalarClass)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repeated(PatternNode, least: Int, most: Int?)
}

private struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private typealias Fault = TextPattern.Fault

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    mutating func pattern() throws(TextPattern.Fault) -> PatternNode {
        // The whole text is matched anyway.
        _ = take("^")
        let node = try choice()
        _ = take("$")
        guard position == scalars.count else {
            throw Fault(reason: "has a \(shown) that opens or closes nothing")
        }
        return node
    }

    private var shown: String { next.map { "\"\($0)\"" } ?? "end" }

    private mutating func choice() throws(TextPattern.Fault) -> PatternNode {
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence() throws(TextPattern.Fault) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")", scalar != "$" || position + 1 < scalars.count {
            nodes.append(try repeated(try atom()))
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func repeated(_ node: PatternNode) throws(TextPattern.Fault) -> PatternNode {
        var (least, most): (Int, Int?)
        switch next {
        case "?": (least, most) = (0, 1)
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "{": (least, most) = try counts()
        default: return node
        }
        position += 1
        // Which of several ways comes first means nothing for a whole text.
        _ = take("?")
        if let next, "?*+{".unicodeScalars.contains(next) { throw Fault(reason: "repeats a repetition: \(shown)") }
        return .repeated(node, least: least, most: most)
    }

    /// `{m}`, `{m,}` and `{m,n}`, up to the brace at the end.
    private mutating func counts() throws(TextPattern.Fault) -> (Int, Int?) {
        position += 1
        let least = try number()
        var most: Int? = least
        if take(",") { most = next == "}" ? nil : try number() }
        guard next == "}", most ?? least >= least else { throw Fault(reason: "has a repetition that is not {m,n}") }
        return (least, most)
    }

    private mutating func number() throws(TextPattern.Fault) -> Int {
        var value = 0
        let start = position
        while let digit = next.flatMap({ Int(String($0)) }), value <= TextPattern.countMax {
            value = 10 * value + digit
            position += 1
        }
        guard position > start, value <= TextPattern.countMax else {
            throw Fault(reason: "has a repetition without a number up to \(TextPattern.countMax)")
        }
        return value
    }

    private mutating func atom() throws(TextPattern.Fault) -> PatternNode {
        guard let scalar = next else { throw Fault(reason: "ends too early") }
        position += 1
        switch scalar {
        case "(":
            if take("?"), !take(":") { throw Fault(reason: "has a group that begins with (?, which is not known") }
            depth += 1
            guard depth <= TextPattern.depthMax else { throw Fault(reason: "has too many groups in each other") }
            let node = try choice()
            depth -= 1
            guard take(")") else { throw Fault(reason: "has a group that is not closed") }
            return node
        case "[": return .one(try scalarClass())
        case ".": return .one(ScalarClass(ranges: [ScalarClass.range("\n", "\n")], isNegated: true))
        case "\\": return .one(ScalarClass(ranges: try escaped()))
        case "?", "*", "+", "{", "}", "]", "^", "$":
            throw Fault(reason: "has a \"\(scalar)\" that needs a backslash before it")
        default: return .one(ScalarClass(ranges: [ScalarClass.range(scalar, scalar)]))
        }
    }

    /// What follows a backslash.
    private mutating func escaped() throws(TextPattern.Fault) -> [ClosedRange<UInt32>] {
        guard let scalar = next else { throw Fault(reason: "ends with a backslash") }
        position += 1
        switch scalar {
        case "d": return ScalarClass.digits
        case "w": return ScalarClass.word
        case "s": return ScalarClass.blanks
        case "n": return [ScalarClass.range("\n", "\n")]
        case "t": return [ScalarClass.range("\t", "\t")]
        case _ where ScalarClass(ranges: ScalarClass.word).contains(scalar):
            throw Fault(reason: "has \\\(scalar), which is not known")
        default: return [ScalarClass.range(scalar, scalar)]
        }
    }

    private mutating func scalarClass() throws(TextPattern.Fault) -> ScalarClass {
        var found = ScalarClass(isNegated: take("^"))
        while let scalar = next, scalar != "]" || found.ranges.isEmpty {
            position += 1
            var ranges = scalar == "\\" ? try escaped() : [ScalarClass.range(scalar, scalar)]
            if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                position += 1
                let last = scalars[position]
                position += 1
                let end = last == "\\" ? try escaped() : [ScalarClass.range(last, last)]
                guard ranges.count == 1, end.count == 1, ranges[0].count == 1, end[0].count == 1,
                    ranges[0].lowerBound <= end[0].lowerBound
                else { throw Fault(reason: "has a range of characters that does not rise") }
                ranges = [ranges[0].lowerBound...end[0].lowerBound]
            }
            found.ranges += ranges
        }
        guard take("]") else { throw Fault(reason: "has a [ that is not closed") }
        return found
    }
}
