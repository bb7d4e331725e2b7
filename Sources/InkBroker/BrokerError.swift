public import InkEngine
public import InkProtocol
import InkSystem

/// Why an export did not come to be. `description` is one line that a person can act on.
public enum BrokerError: Error, Hashable, Sendable {
    /// The project, or what was asked of it, is refused: bad input or over a limit. No retry can mend it.
    case refused(EngineError)
    /// The project cannot be had, and that is not its own fault.
    case source(export: String, Cause)
    /// A task failed as often as a task may; `story` says what happened to it, oldest first, and `replay` names the file
    /// in which it is kept.
    case taskFailed(export: String, task: String, story: [String], replay: String? = nil)
    /// No worker was there to take the export's tasks for so long.
    case noWorkers(export: String, waitedMilliseconds: UInt64)
    /// The picture could not be written.
    case output(path: String, operation: String, errno: Int32)
    /// The target exists and is a folder, a device or a pipe.
    case targetNotAFile(path: String)
    /// Working memory beyond the budget could not be put on disk.
    case spill(operation: String, errno: Int32)
    /// The folder for results of tiles cannot be used.
    case results(folder: String, operation: String, errno: Int32)
    /// A value of `BrokerConfiguration` that cannot be.
    case configuration(String)
    /// The socket that the workers connect to failed.
    case transport(ProtocolError)
    /// The system did not give a thread that the broker needs.
    case noThread(errno: Int32)
    /// The workers of the renderer version that made the first tiles have left, and others would leave seams; the export
    /// can be begun again.
    case rendererGone(export: String, version: String)
    /// The picture could not be entered in the journal (`ExportJob.seal`).
    case journal(export: String, Cause)
    /// `cancel` was called, or the broker was stopped.
    case cancelled(export: String)
    /// What a task needs could not be written as a message; a defect of the program.
    case packing(String, ProtocolError)
    /// A broken rule of the broker's own; a defect of the program.
    case internalError(String)

    /// Refuses what cannot be read, cut or planned.
    static func refusing<T>(_ body: () throws(EngineError) -> T) throws(BrokerError) -> T {
        do throws(EngineError) {
            return try body()
        } catch {
            if case .internalError(let message) = error { throw .internalError(message) }
            throw .refused(error)
        }
    }

    /// Whether the person asked for this end.
    public var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }
}

extension BrokerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let error): error.description
        case .source(let export, let cause): "\(export): \(cause)"
        case .taskFailed(let export, let task, let story, let replay):
            "\(export): \(task) failed: \(story.joined(separator: "; "))"
                + (replay.map { "; to see it alone: ink worker --replay \($0)" } ?? "")
        case .noWorkers(let export, let waited):
            "\(export): no worker has been there to render it for \(waited / 1000).\(waited % 1000 / 100) s"
        case .output(let path, let operation, let errno): "\(path): cannot \(operation): \(systemMessage(errno))"
        case .targetNotAFile(let path): "\(path): exists and is not a regular file"
        case .spill(let operation, let errno): "temporary storage: cannot \(operation): \(systemMessage(errno))"
        case .results(let folder, let operation, let errno): "\(folder): cannot \(operation): \(systemMessage(errno))"
        case .configuration(let message): "broker configuration: \(message)"
        case .transport(let message): "workers' socket: \(message)"
        case .noThread(let errno): "broker: \(PosixThread.refusal(errno: errno))"
        case .rendererGone(let export, let version): "\(export): all workers of renderer \(version) have left"
        case .journal(let export, let cause): "\(export): the picture cannot be entered in the journal: \(cause)"
        case .cancelled(let export): "\(export): cancelled"
        case .packing(let what, let cause): "internal error: \(what) cannot be packed: \(cause)"
        case .internalError(let message): "internal error: \(message)"
        }
    }
}
