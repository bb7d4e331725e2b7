import InkEngine
import InkProtocol
import InkSystem

/// What other threads tell the broker's loop.
enum LoopCommand: Sendable {
    case submit(ExportJob)
    case cancel(JobID)
    case setPriority(JobID, Int)
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
    /// Blocks that were held for work beside the loop have served.
    case blocksServed([BlockID])
}

/// An export from one submission to its end. A job that is submitted again under its number lives another life: what was
/// still under way for the last one does not concern it.
struct ExportLife: Hashable, Sendable {
    let job: JobID
    let number: UInt64
}

/// What was done for an export beside the loop.
enum LaneAnswer: Sendable {
    /// The project has been cut into blocks.
    case prepared(Result<PreparedExport, BrokerError>)
    /// The tiles are known.
    case planned(Result<PlannedExport, BrokerError>)
    /// So many rows of tiles are in the file.
    case written(rows: Int, UnfinishedPicture, LaneTime)
    case finished(WrittenPicture, LaneTime)
    case writeFailed(BrokerError)

    /// Those that nobody holds yet.
    var blocks: [EncodedBlock] {
        switch self {
        case .prepared(let result): (try? result.get().blocks) ?? []
        case .planned(let result): (try? result.get().blocks) ?? []
        case .written, .finished, .writeFailed: []
        }
    }
}

struct PreparedExport: Sendable {
    var draft: PictureDraft
    var blocks: [EncodedBlock]
    var time: LaneTime
}

struct PlannedExport: Sendable {
    var plan: PicturePlan
    var blocks: [EncodedBlock]
    var time: LaneTime
}
