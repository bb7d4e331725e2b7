import InkBroker
import InkEngine
import InkProtocol
import InkStore

/// What other threads tell the service's loop.
enum ServiceCommand: Sendable {
    case event(ServiceEvent)
    case broker(BrokerEvent)
    /// The record of a job that is to be given to the broker; nil when the store cannot say.
    case launch(JobNumber, JobRecord?, reason: String)
    /// The warnings of a job's project.
    case warned(JobNumber, [ReadingWarning])
    /// A piece of a picture has been read, and how much of the request remains.
    case read(SessionID, [ServiceMessage], rest: ClientPeer.Download?)
    case send(SessionID, ServiceMessage)
    case answer(SessionID, UInt32, String)
    case status(SessionID, UInt32, Result<StoreCounts, StoreError>, BrokerReport)
    case log(FarmNote)
    /// The disk rejected something that nobody waits for.
    case refused(StorageFault, RefusalLog.Kind, JobNumber?)
    /// What the journal says of entries.
    case journalled(JournalToken, Result<[JournalOutcome], StorageFault>)
    case contentFailed(UploadID, StorageFault)
    /// Jobs whose records could not be read.
    case unread([JobNumber])
    /// Something found no room within the quota.
    case lackOfRoom
    /// Jobs have been forgotten.
    case purged
    /// The time is when the service ends at the latest, monotonic milliseconds; nil: when all is done.
    case drain(until: UInt64?)
    case stop
}
