import InkProtocol
import InkStore

/// Why a job of the store cannot be carried out.
enum UnreadableJob: Error, Hashable, CustomStringConvertible {
    case store(StoreError)
    /// The store has no record of it.
    case gone
    /// Its submission was written by another version of this program, or is damaged.
    case submission(ProtocolError)

    var description: String {
        switch self {
        case .store(let error): error.description
        case .gone: "its record is gone"
        case .submission(let error): "its submission cannot be read: \(error)"
        }
    }

    /// The submission of a job that the store was asked for.
    static func submission(
        of found: Result<JobRecord?, StoreError>
    ) throws(UnreadableJob) -> (JobRecord, Submission) {
        let record: JobRecord?
        do throws(StoreError) { record = try found.get() } catch { throw .store(error) }
        guard let record else { throw .gone }
        do throws(ProtocolError) { return (record, try Submission(stored: record.submission)) } catch {
            throw .submission(error)
        }
    }
}
