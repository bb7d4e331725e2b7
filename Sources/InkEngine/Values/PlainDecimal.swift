extension Double {
    /// Digits with at most one decimal point between them, as people write sizes and factors: no sign, exponent or
    /// special value, at most 20 characters. nil for anything else.
    package init?(plainDecimal text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 20, (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
        else { return nil }
        self.init(text)
    }
}
