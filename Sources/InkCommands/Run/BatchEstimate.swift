import InkProtocol

/// How long a batch of pictures still takes, of which only some have been begun.
struct BatchEstimate {
    /// Those under way: the share of each that is done, and the farm's estimate.
    var running: [(share: Double, timeLeft: TimeLeft?)]
    /// How many have been made.
    var made: Int
    /// How many have not been begun.
    var waiting: Double

    /// Until all are done; nil while too little is known.
    ///
    /// Pictures share the farm, so those without an estimate come on top of those with one.
    func timeLeft(elapsedSeconds: Double) -> TimeLeft? {
        let known = running.compactMap(\.timeLeft).reduce(nil) { $0?.joined($1) ?? $1 } as TimeLeft?
        let unknown = running.reduce(max(0, waiting)) { $0 + ($1.timeLeft == nil ? 1 - within($1.share) : 0) }
        guard unknown > 0 else { return known }
        let done = running.reduce(Double(made)) { $0 + within($1.share) }
        guard done > 0 else { return nil }
        let seconds = elapsedSeconds / done * unknown
        // Single pictures may differ by their own time from the mean; that evens out.
        let spread = min(0.9, 0.2 + 0.7 / unknown.squareRoot())
        let rest = TimeLeft(seconds: seconds, low: seconds * (1 - spread), high: seconds * (1 + spread))
        return known.map { $0 + rest } ?? rest
    }

    /// A farm's numbers are not trusted.
    private func within(_ share: Double) -> Double { share.isNaN ? 0 : min(max(share, 0), 1) }
}
