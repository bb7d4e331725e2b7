import InkExports

/// What a command shows of a run, without effect on its results.
struct ShownArguments: Hashable, Sendable {
    var isQuiet = false
    var printsJSON = false
    var progress = ProgressStyle.auto

    init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        isQuiet = parsed.isGiven("quiet")
        printsJSON = parsed.isGiven("json")
        progress = try ProgressStyle.read(parsed)
    }
}
