import InkExports

extension ExitCode {
    /// As the man pages explain it.
    var meaning: String {
        switch self {
        case .done: "Success"
        case .exportFailed: "Exports or jobs failed for different reasons, or were cancelled"
        case .usage: "The command line is wrong"
        case .badInput: "A file breaks a rule of its format or exceeds a limit"
        case .unreachable: "The broker is unreachable, refuses this peer, or has died"
        case .internalError: "Internal error"
        case .outOfMemory: "The system gives this process no more memory"
        case .codecUnavailable: "A library or font that is needed is not installed"
        case .inputOutput: "The system refused to read or write"
        case .forbidden: "The broker does not allow it"
        case .configuration: "A file of limits, presets or settings, or a key, is wrong"
        case .hungUp: "Stopped because the terminal was closed (SIGHUP)"
        case .interrupted: "Stopped by Ctrl-C (SIGINT)"
        case .outputClosed: "The reader of the output is gone (SIGPIPE)"
        case .terminated: "Stopped by SIGTERM"
        }
    }
}
