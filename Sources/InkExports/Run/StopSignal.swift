/// What asked exports to stop.
package enum StopSignal: Hashable, Sendable {
    case hangUp, interrupt, terminate

    /// The exit code as shells define it: 128 plus the signal number.
    package var exitCode: ExitCode {
        switch self {
        case .hangUp: .hungUp
        case .interrupt: .interrupted
        case .terminate: .terminated
        }
    }
}
