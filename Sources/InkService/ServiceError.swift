public import InkBroker
public import InkProtocol
public import InkStore
import InkSystem

/// Why a service cannot start. `description` is one line that a person can act on.
public enum ServiceError: Error, Sendable {
    case configuration(String)
    case store(StoreError)
    case broker(BrokerError)
    case transport(ProtocolError)
    /// The system could not start a thread that the service needs.
    case noThread(errno: Int32)
    /// The service does not answer any more.
    case ended
}

extension ServiceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .configuration(let text): text
        case .store(let error): "\(error)"
        case .broker(let error): error.description
        case .transport(let error): "clients' socket: \(error)"
        case .noThread(let errno): "broker: \(PosixThread.refusal(errno: errno))"
        case .ended: "the broker does not answer"
        }
    }
}
