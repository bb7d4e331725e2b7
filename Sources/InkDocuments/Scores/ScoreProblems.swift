import InkEngine

/// The problems of one reading, in order; many warnings are counted and not kept.
struct ScoreProblems {
    private(set) var all: [ScoreProblem] = []
    private var warningCount = 0
    private var failedTunes: Set<Int> = []
    /// Whether an error concerns the whole file.
    private var hasFileError = false

    /// Adds a problem; of the errors of a tune, the first.
    mutating func add(
        _ code: ScoreProblem.Code, tune: Int?, at position: ScoreProblem.Position?, _ token: some StringProtocol,
        _ reason: String
    ) {
        if code.isError {
            if let tune {
                guard failedTunes.insert(tune).inserted else { return }
            } else {
                guard !hasFileError else { return }
                hasFileError = true
            }
        } else {
            warningCount += 1
            guard warningCount <= ScoreLimits.warnings else { return }
        }
        all.append(
            ScoreProblem(
                code: code, tune: tune, position: position, token: shownText(String(token.prefix(80)), limit: 40),
                reason: reason))
    }

    func hasError(inTune tune: Int) -> Bool { failedTunes.contains(tune) }

    /// Warnings beyond the limit.
    var furtherCount: Int { max(warningCount - ScoreLimits.warnings, 0) }
}
