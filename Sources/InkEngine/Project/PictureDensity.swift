/// Dots per inch, which two axes need not have in common.
public struct PictureDensity: Hashable, Sendable {
    public var across: Double
    public var down: Double

    public static let range = 1.0...100_000.0

    /// Both within `range`; nil for anything else, which files say too.
    public init?(across: Double, down: Double) {
        guard Self.range.contains(across), Self.range.contains(down) else { return nil }
        self.across = across
        self.down = down
    }

    /// The density for a unit that is so many times in an inch.
    ///
    /// Units of the metric system are too coarse for whole dots per inch: what is near a whole number is that.
    package init?(across: Double, down: Double, perInch: Double) {
        func rounded(_ value: Double) -> Double {
            let dots = value * perInch
            return perInch != 1 && abs(dots - dots.rounded()) <= perInch / 2 ? dots.rounded() : dots
        }
        self.init(across: rounded(across), down: rounded(down))
    }
}
