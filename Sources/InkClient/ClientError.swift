import InkEngine
import InkSystem
public import InkProtocol

/// Why a client cannot continue. `description` is one line that a person can act on.
public enum ClientError: Error, Hashable, Sendable {
    /// No answer for this time.
    case unreachable(endpoint: String, waitedMilliseconds: Int, hint: String)
    /// The broker does not serve this client.
    case refused(reason: String)
    /// ZeroMQ or the system failed.
    case transport(ProtocolError)
    /// The system could not start a thread that the client needs.
    case noThread(errno: Int32)
    /// A file could not be read or written.
    case file(path: String, operation: String, errno: Int32)
    /// A file to send is empty or too large for a content; sizes in bytes.
    case contentSize(path: String, found: UInt64, limit: UInt64)
    /// The data that arrived is not what was requested.
    case badPicture(reason: String)
    /// The stored picture is not the one that was rendered.
    case damagedPicture(JobNumber)
    /// The broker does not have the picture.
    case pictureMissing(JobNumber, reason: String)
    /// The client was stopped before the answer came.
    case stopped
}

extension ClientError {
    /// The hint where nothing has ever come from an endpoint.
    package static let nobodyThere =
        "is a broker listening there for clients, with the keys that this client knows it by? \"ink broker\" starts one, "
        + "--broker names another"
}

extension ClientError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreachable(let endpoint, let waited, let hint):
            "no answer from \(endpoint) within \(Double(waited) / 1000) s: \(hint)"
        case .refused(let reason): "the broker refused this client: \(reason)"
        case .transport(let cause): "client: \(cause)"
        case .noThread(let errno): "client: \(PosixThread.refusal(errno: errno))"
        case .file(let path, let operation, let errno): "\(path): cannot \(operation): \(systemMessage(errno))"
        case .contentSize(let path, let found, let limit):
            found == 0 ? "\(path): the file is empty" : "\(path): \(found) bytes, the limit is \(limit)"
        case .badPicture(let reason): "the picture did not arrive whole: \(reason)"
        case .damagedPicture(let job):
            "the broker's copy of the picture of job \(job) is damaged: its size or SHA-256 is not the one that was "
                + "announced; submit the project again"
        case .pictureMissing(let job, let reason): "the broker has no picture of job \(job): \(reason)"
        case .stopped: "the client was stopped"
        }
    }
}

extension ClientError {
    /// Runs `body` and reports its failure as a problem with the file.
    static func wrapping<T>(_ body: () throws(SystemFailure) -> T) throws(ClientError) -> T {
        do throws(SystemFailure) {
            return try body()
        } catch {
            throw .file(path: error.place, operation: error.operation, errno: error.errno)
        }
    }
}
