import InkBroker
import InkProtocol
import InkStore

/// What other threads tell the service's loop.
enum ServiceCommand: Sendable {
    case event(ServiceEvent)
    case broker(BrokerEvent)
    /// The record of a job that is to be given to the broker; nil when the store cannot say.
    case launch(JobNumber, JobRecord?, reason: String)
    /// A window of a picture has been read.
    case read(SessionID, [ServiceMessage])
    case send(SessionID, ServiceMessage)
    case answer(SessionID, UInt32, String)
    case status(SessionID, UInt32, Result<StoreCounts, StoreError>, BrokerReport)
    case log(FarmNote)
    /// Jobs whose records could not be read.
    case unread([JobNumber])
    /// Something found no room within the quota.
    case lackOfRoom
    /// Jobs have been forgotten.
    case purged
    case drain
    case stop
}
