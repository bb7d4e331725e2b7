/// Embellishments of piobaireachd in BWW.
enum PiobaireachdTokens {
    /// Whether a word is one whose notes sources do not agree on.
    static func isRefused(_ word: Substring) -> Bool { false }
}
