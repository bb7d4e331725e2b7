import InkEngine
import InkProtocol

/// What other threads tell the broker's loop.
enum LoopCommand: Sendable {
    case submit(ExportJob)
    case cancel(JobID)
    case setPriority(JobID, Int)
    case drainWorkers(name: String, reply: @Sendable (Int) -> Void)
    case report(@Sendable (BrokerReport) -> Void)
    case stop
    /// A project has been cut into blocks.
    case prepared(JobID, Result<PreparedExport, BrokerError>)
    /// The tiles are known.
    case planned(JobID, Result<PlannedExport, BrokerError>)
    /// So many rows of tiles are in the file.
    case written(JobID, rows: Int, UnfinishedPicture, LaneTime)
    case finished(JobID, WrittenPicture, LaneTime)
    case writeFailed(JobID, BrokerError)
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
