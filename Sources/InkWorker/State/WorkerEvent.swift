import InkEngine
import InkProtocol

/// A worker's own number for one execution of a task; never used twice.
typealias RunID = UInt64

/// What happens to a worker.
enum WorkerEvent: Sendable {
    /// The loop begins.
    case started
    case received(BrokerMessage)
    /// A render thread has made a part of its run's result.
    case produced(RunID, sequence: UInt32, bytes: [UInt8])
    /// A render thread is through with a run.
    case finished(RunID, RunOutcome)
    /// Time has passed.
    case tick
    /// The process is to exit: finish current work.
    case drainRequested
}

/// How a run ended.
enum RunOutcome: Hashable, Sendable {
    case done(resultBytes: UInt64, phases: TaskPhases)
    case failed(EngineError)
    case cancelled
}

/// What the loop is to do about it, in this order.
enum WorkerAction: Hashable, Sendable {
    /// Leave the present connection, if any, and make a new one.
    case connect
    case send(WorkerMessage)
    /// Drop a part of a result that is no longer wanted.
    case discard([UInt8], sequence: UInt32)
    /// Keep a block that has arrived, held as many times.
    case store(Block, holders: Int)
    /// One holder each less.
    case release([BlockID])
    case run(Run)
    /// Give up that run as soon as possible; it still ends with `finished`.
    case cancelRun(RunID)
    /// The worker has ended; nothing follows.
    case stop(WorkerEnding)
}

/// A task whose blocks are all at hand.
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
