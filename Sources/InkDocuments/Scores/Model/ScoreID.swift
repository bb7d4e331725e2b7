/// The identity of a part of a score within its document.
package enum ScoreID: Hashable, Sendable, CustomStringConvertible {
    /// A number that a reader gave; it is written as a UUID that only differs in its last digits.
    case number(Int)
    /// An id of a file, as it is written there.
    case text(String)

    private static let prefix = "00000000-0000-8000-8000-"

    /// The id of a text: the number that it is the UUID of, or the text.
    package init(_ text: String) {
        guard text.utf8.count == 36, text.hasPrefix(Self.prefix),
            let number = Int(text.dropFirst(Self.prefix.count), radix: 16), number >= 0,
            Self.number(number).description == text
        else {
            self = .text(text)
            return
        }
        self = .number(number)
    }

    package var description: String {
        switch self {
        case .text(let text): return text
        case .number(let number):
            let digits = String(number, radix: 16)
            return Self.prefix + String(repeating: "0", count: max(12 - digits.count, 0)) + digits
        }
    }
}
