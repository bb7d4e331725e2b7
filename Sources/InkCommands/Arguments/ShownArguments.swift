import InkExports

/// What a command shows of a run, without effect on its results.
struct ShownArguments: Hashable, Sendable {
    var isQuiet = false
    var printsJSON = false
    /// Whether the output has more than most want to know.
    var isVerbose = false
    var progress = ProgressStyle.auto

    init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        isQuiet = parsed.isGiven("quiet")
        printsJSON = parsed.isGiven("json")
        isVerbose = parsed.isGiven("verbose")
        if isQuiet, isVerbose { throw .usage("--quiet and --verbose cannot be used together") }
        progress = try ProgressStyle.read(parsed)
    }
}
