import InkBroker
import InkEngine
import InkProtocol
import InkStore

/// Messages from other threads to the service's loop.
enum ServiceCommand: Sendable {
    case event(ServiceEvent)
    /// From clients in the same process.
    case joined(SessionID, LocalClient)
    case sent(SessionID, ClientMessage)
    case departed(SessionID)
    /// A batch whose contents are there, and who waits for the answer.
    case enter([Submission], owner: String, @Sendable (EntryAnswer) -> Void)
    /// An export that is no job is about to begin.
    case errand(JobID, Errand)
    /// Done on the loop's thread.
    case look(@Sendable (ServiceLoop) -> Void)
    case broker(BrokerEvent)
    /// The record of a job to start; nil if it is gone.
    case launch(JobNumber, Result<JobRecord?, StoreError>)
    /// A piece of a picture has been read; `rest` is the remainder of the request.
    case read(SessionID, [ServiceMessage], rest: ClientPeer.Download?)
    case send(SessionID, ServiceMessage)
    case answer(SessionID, UInt32, String)
    case status(SessionID, UInt32, Result<StoreCounts, StoreError>, BrokerReport)
    /// Answers a question about a job that waits.
    case waiting(SessionID, UInt32, JobNumber, BrokerReport)
    case log(FarmNote)
    /// The disk refused something that no client waits for.
    case refused(StoreError, RefusalLog.Kind, JobNumber?)
    /// The journal's outcome for entries.
    case journalled(JournalToken, Result<[JournalOutcome], StoreError>)
    case contentFailed(UploadID, StoreError)
    /// Jobs whose records could not be read.
    case unread([JobNumber])
    /// There was no room within the quota.
    case lackOfRoom
    /// Jobs have been purged.
    case purged
    /// `until` is the latest end of the service, in monotonic milliseconds; nil: when everything is done.
    case drain(until: UInt64?)
    case stop
}
