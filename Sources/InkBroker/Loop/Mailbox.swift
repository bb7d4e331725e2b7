import InkEngine
import InkProtocol
import Synchronization

/// What other threads tell the broker's loop.
enum LoopCommand: Sendable {
    case submit(ExportJob)
    case cancel(JobID)
    case stop
    /// A project has been cut into blocks.
    case prepared(JobID, Result<PreparedExport, BrokerError>)
    /// The tiles are known.
    case planned(JobID, Result<PlannedExport, BrokerError>)
    /// So many rows of tiles are in the file.
    case written(JobID, rows: Int, LaneTime)
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

/// The broker loop's letter box: from any thread, in order.
final class Mailbox: Sendable {
    let wakeUp: WakeUp
    private let commands = Mutex<[LoopCommand]>([])

    init() throws(ProtocolError) { wakeUp = try WakeUp() }

    func post(_ command: LoopCommand) {
        commands.withLock { $0.append(command) }
        wakeUp.signal()
    }

    /// All that was posted since the last time.
    func take() -> [LoopCommand] {
        wakeUp.clear()
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
