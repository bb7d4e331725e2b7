import InkEngine
import InkProtocol
import InkSystem

/// What other threads tell the broker's loop.
enum LoopCommand: Sendable {
    case submit(ExportJob)
    case cancel(JobID)
    case setPriority(JobID, Int)
    case setPaused(JobID, Bool)
    case dismissWorkers(name: String, reply: @Sendable (Int) -> Void)
    case drainWorkers(name: String, reply: @Sendable (Int) -> Void)
    case report(@Sendable (BrokerReport) -> Void)
    case stop
    case laneAnswer(ExportLife, LaneAnswer)
    /// A block is on the disk, or could not be brought there.
    case spilled(SpilledBlock)
    /// A piece of a block has been read back for a worker.
    case partRead(WorkerID, WantedPart, Result<[UInt8], SystemFailure>)
    /// A result's digest is made; the blocks were held for it.
    case digested(WorkerID, AttemptID, [BlockID], Result<[UInt8], ResultDigest.Unreadable>)
    /// A tile's result was looked for; without `key` it has none.
    case lookedUp(TaskID, ExportLife, TaskRole, key: BlockID?, KeptResult?)
    /// Blocks that were held for work beside the loop have served.
    case blocksServed([BlockID])
}
