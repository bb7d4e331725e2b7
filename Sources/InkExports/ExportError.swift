package import InkEngine
package import InkSystem

/// Why exports fail as a whole. `description` is one line that the user can act on.
package enum ExportError: Error, Hashable, Sendable {
    /// What is asked for does not exist or contradicts itself.
    case usage(String)
    /// A file of limits, presets or an earlier report is wrong.
    case configuration(String)
    /// What reads an option (`usage`) or a file (`configuration`) refuses it; `place` names the option or the file where
    /// the cause does not.
    case refused(ExitCode, place: String? = nil, Cause)
    case engine(EngineError)
    /// A library or font that is needed is not installed.
    case unavailable(String)
    /// The farm could not start or lost what it needs.
    case farm(PictureFailure)
    /// The reader of the output is gone; there is nobody to tell.
    case outputClosed

    package var exitCode: ExitCode {
        switch self {
        case .usage: .usage
        case .configuration: .configuration
        case .refused(let code, _, _): code
        case .engine(let error): error.exitCode
        case .unavailable: .codecUnavailable
        case .farm(let failure): failure.kind
        case .outputClosed: .outputClosed
        }
    }
}

extension ExportError {
    /// Runs what may throw an `EngineError` where this is thrown.
    package static func wrapping<R>(_ body: () throws(EngineError) -> R) throws(ExportError) -> R {
        try rethrowing(try body(), as: ExportError.engine)
    }

    /// The value of an expression that may throw an `EngineError`, where this is thrown.
    package static func wrapping<R>(_ value: @autoclosure () throws(EngineError) -> R) throws(ExportError) -> R {
        try rethrowing(try value(), as: ExportError.engine)
    }

    /// A thread that could not be started; `what` it is for.
    package static func noThread(_ what: String, _ failure: SystemFailure) -> ExportError {
        .farm(PictureFailure(kind: .inputOutput, reason: "\(what): \(PosixThread.refusal(errno: failure.errno))"))
    }
}

extension ExportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .usage(let text), .configuration(let text), .unavailable(let text): text
        case .refused(_, let place, let cause): place.map { "\($0): \(cause)" } ?? cause.description
        case .engine(let error): error.advised
        case .farm(let failure): failure.reason
        case .outputClosed: "standard output is closed"
        }
    }
}

extension EngineError {
    /// The exit code if nothing else fails.
    package var exitCode: ExitCode {
        switch self {
        case .badInput, .overLimit: .badInput
        case .unavailable: .codecUnavailable
        case .io: .inputOutput
        case .cancelled: .exportFailed
        case .internalError: .internalError
        }
    }
}
