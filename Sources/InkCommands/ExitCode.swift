/// How the program leaves; the numbers of sysexits.h where one fits. Listed in docs/operations.md.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    /// Exports failed for more than one reason.
    case exportFailed = 1
    /// The command line is wrong.
    case usage = 64
    /// The input breaks a rule of its format, or is over a limit.
    case badInput = 65
    /// The farm cannot be reached or has died.
    case unreachable = 69
    /// A defect of the program.
    case internalError = 70
    /// The system refused to read or write.
    case inputOutput = 74
    /// The broker does not allow it.
    case forbidden = 77
    /// A file of limits, presets or settings is wrong.
    case configuration = 78
    /// Stopped because its terminal was closed (SIGHUP).
    case hungUp = 129
    /// Stopped by Ctrl-C (SIGINT).
    case interrupted = 130
    /// Nobody reads what the program prints any more (SIGPIPE).
    case outputClosed = 141
    /// Stopped by SIGTERM.
    case terminated = 143

    /// What the whole run leaves with, from what its failures would leave with one by one: nothing failed is `done`,
    /// failures of one kind are that kind, mixed ones `exportFailed`.
    static func combining(_ failures: some Sequence<ExitCode>) -> ExitCode {
        var combined = ExitCode.done
        for failure in failures where failure != .done {
            if combined == .done {
                combined = failure
            } else if combined != failure {
                return .exportFailed
            }
        }
        return combined
    }
}
