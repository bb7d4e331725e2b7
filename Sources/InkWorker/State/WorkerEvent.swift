import InkEngine
import InkProtocol

/// A worker's own number for one execution of a task; never reused.
typealias RunID = UInt64

/// An event of a worker.
enum WorkerEvent: Sendable {
    /// The loop begins.
    case started
    case received(BrokerMessage)
    /// A render thread has made a part of its run's result.
    case produced(RunID, sequence: UInt32, bytes: [UInt8])
    /// A render thread has finished a run.
    case finished(RunID, RunOutcome)
    /// Time has passed.
    case tick
    /// The process should exit after finishing current work.
    case drainRequested
}

/// How a run ended.
enum RunOutcome: Hashable, Sendable {
    case done(resultBytes: UInt64, phases: PhaseTimes)
    case failed(EngineError)
    case cancelled
}

/// An action for the loop, to be executed in order.
enum WorkerAction: Hashable, Sendable {
    /// Close the current connection, if any, and make a new one.
    case connect
    case send(WorkerMessage)
    /// Discard a part of a result that is no longer needed.
    case discard([UInt8], sequence: UInt32)
    /// Store a block that has arrived, with this number of holders.
    case store(Block, holders: Int)
    /// Remove one holder of each.
    case release([BlockID])
    case run(Run)
    /// Cancel that run as soon as possible; it still ends with `finished`.
    case cancelRun(RunID)
    /// The worker has ended; no action follows.
    case stop(WorkerEnding)
}

/// A task whose blocks are all available.
struct Run: Hashable, Sendable {
    let id: RunID
    let task: WorkerTask
    let resultLimitBytes: UInt64
}

/// How a worker ended.
enum WorkerEnding: Hashable, Sendable {
    case drained
    case refused(reason: String)
}
