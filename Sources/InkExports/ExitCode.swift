/// The program's exit codes, from sysexits.h where one fits. Listed in docs/using-ink.md.
package enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    case done = 0
    case exportFailed = 1
    case usage = 64
    case badInput = 65
    case unreachable = 69
    case internalError = 70
    case outOfMemory = 71
    case codecUnavailable = 72
    case inputOutput = 74
    case forbidden = 77
    case configuration = 78
    case hungUp = 129
    case interrupted = 130
    case outputClosed = 141
    case terminated = 143

    /// Whether another try with the same files and options fails again.
    package var isFinal: Bool {
        switch self {
        case .usage, .badInput, .codecUnavailable, .forbidden, .configuration: true
        default: false
        }
    }

    /// The exit code of one part of a run, by which an engine decides whether it tries the part again: as `combining`,
    /// but the lowest code where all failures are final.
    package static func combiningInShard(_ failures: some Sequence<ExitCode>) -> ExitCode {
        let codes = Set(failures.filter { $0 != .done })
        guard codes.allSatisfy(\.isFinal) else { return combining(codes) }
        return codes.min { $0.rawValue < $1.rawValue } ?? .done
    }

    /// The exit code of a run from those of its failures: `done` without any, their common code, else `exportFailed`.
    package static func combining(_ failures: some Sequence<ExitCode>) -> ExitCode {
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
