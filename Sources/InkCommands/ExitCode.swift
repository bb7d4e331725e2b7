/// What the program exits with; the numbers of sysexits.h where one fits. Listed in docs/using-ink.md.
public enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    case exportFailed = 1
    case usage = 64
    case badInput = 65
    case unreachable = 69
    case internalError = 70
    case inputOutput = 74
    case forbidden = 77
    case configuration = 78
    case hungUp = 129
    case interrupted = 130
    case outputClosed = 141
    case terminated = 143

    /// As the man pages explain it.
    var meaning: String {
        switch self {
        case .done: "Success"
        case .exportFailed: "Exports or jobs failed for different reasons, or were cancelled"
        case .usage: "The command line is wrong"
        case .badInput: "A file breaks a rule of its format or exceeds a limit"
        case .unreachable: "The broker is unreachable, refuses this peer, or has died"
        case .internalError: "Internal error"
        case .inputOutput: "The system refused to read or write"
        case .forbidden: "The broker does not allow it"
        case .configuration: "A file of limits, presets or settings, or a key, is wrong"
        case .hungUp: "Stopped because the terminal was closed (SIGHUP)"
        case .interrupted: "Stopped by Ctrl-C (SIGINT)"
        case .outputClosed: "The reader of the output is gone (SIGPIPE)"
        case .terminated: "Stopped by SIGTERM"
        }
    }

    /// The exit code of a run from those of its failures: `done` without any, their common code, else `exportFailed`.
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
