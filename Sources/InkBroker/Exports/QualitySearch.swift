import Glibc

/// The search for the best quality whose file is not larger than asked for. A file of a better quality is taken not to be
/// smaller.
struct QualitySearch: Sendable {
    /// How many files it usually takes to find a quality among all 100.
    static let usualCount = 6
    private static let first = 75

    let bytesMax: Int
    private let highest: Int
    /// The best quality known to fit.
    private(set) var best: (quality: Int, byteCount: Int)?
    /// The lowest that is known not to.
    private var excess: (quality: Int, byteCount: Int)?
    /// How many files in a row were on the same side.
    private var run = 0

    /// - Parameter highest: the best quality that is wanted; nil: 100.
    init(bytesMax: Int, highest: Int? = nil) {
        self.bytesMax = bytesMax
        self.highest = highest ?? 100
    }

    /// Bytes of the smallest file known.
    var leastByteCount: Int { excess?.byteCount ?? 0 }

    /// The quality to try; nil when the best is known, or none fits.
    var next: Int? {
        guard let excess else {
            guard let best else { return min(Self.first, highest) }
            return best.quality < highest ? highest : nil
        }
        guard let best else { return excess.quality > 1 ? 1 : nil }
        guard excess.quality - best.quality > 1 else { return nil }
        // Sizes grow about exponentially. Where that leads to one side only, the middle is nearer.
        let span = log(Double(excess.byteCount)) - log(Double(best.byteCount))
        let share = run > 1 || span <= 0 ? 0.5 : (log(Double(bytesMax)) - log(Double(best.byteCount))) / span
        let guess = best.quality + Int(share * Double(excess.quality - best.quality))
        return min(max(guess, best.quality + 1), excess.quality - 1)
    }

    mutating func note(_ quality: Int, byteCount: Int) {
        let (byteCount, fits) = (max(byteCount, 1), byteCount <= bytesMax)
        run = fits == wasFitting ? run + 1 : 1
        wasFitting = fits
        if fits { best = (quality, byteCount) } else { excess = (quality, byteCount) }
    }

    private var wasFitting: Bool?
}
