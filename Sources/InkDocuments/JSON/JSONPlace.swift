/// Finds a value in a JSON text that has been parsed, by its path in messages, such as `layers[3].suggestedPattern`.
struct JSONPlace {
    private enum Step: Equatable {
        case key([UInt8])
        case element(Int)
    }

    private let text: [UInt8]
    private var position = 0

    /// Replaces a value by one that counts as absent. Returns false if there is no such value.
    static func clear(_ text: inout [UInt8], path: String) -> Bool {
        guard let steps = steps(path), let last = steps.last else { return false }
        var place = JSONPlace(text: text)
        guard let range = place.find(steps[...]) else { return false }
        // An element keeps the numbers of those after it.
        let value: String = if case .element = last { "{}" } else { "null" }
        guard !text[range].elementsEqual(value.utf8) else { return false }
        text.replaceSubrange(range, with: value.utf8)
        return true
    }

    private init(text: [UInt8]) {
        self.text = text
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private static func steps(_ path: String) -> [Step]? {
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            if let key = pieces.first, !key.isEmpty { steps.append(.key(Array(key.utf8))) }
            for piece in pieces.dropFirst() {
                guard piece.hasSuffix("]"), let index = Int(piece.dropLast()) else { return nil }
                steps.append(.element(index))
            }
        }
        return steps
    }

    private var byte: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpace() {
        while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// The range of the value at the end of the steps.
    private mutating func find(_ steps: ArraySlice<Step>) -> Range<Int>? {
        skipSpace()
        let start = position
        guard let step = steps.first else {
            skipValue()
            return start..<position
        }
        var found: Range<Int>?
        var index = 0
        let isObject = byte == UInt8(ascii: "{")
        guard isObject || byte == UInt8(ascii: "[") else { return nil }
        position += 1
        while true {
            skipSpace()
            guard let byte, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "]") else { return found }
            var own = Step.element(index)
            if isObject {
                let key = position
                skipValue()
                own = .key(Array(text[(key + 1)..<max(key + 1, position - 1)]))
                skipSpace()
                position = min(position + 1, text.count)
            }
            skipSpace()
            let value = position
            skipValue()
            if own == step {
                // The last of equal keys counts.
                var inside = self
                inside.position = value
                found = inside.find(steps.dropFirst())
            }
            index += 1
            skipSpace()
            if self.byte == UInt8(ascii: ",") { position += 1 }
        }
    }

    private mutating func skipValue() {
        var depth = 0
        repeat {
            guard let byte else { return }
            position += 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                while let inside = self.byte, inside != UInt8(ascii: "\"") {
                    position += inside == UInt8(ascii: "\\") ? 2 : 1
                }
                position = min(position + 1, text.count)
            default:
                // A number or a word; between values inside of an array or object it does not matter.
                guard depth == 0 else { continue }
                while let inside = self.byte, !Array(",]} \t\r\n".utf8).contains(inside) { position += 1 }
            }
        } while depth > 0
    }
}
