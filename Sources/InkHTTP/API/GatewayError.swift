package import InkService
package import InkSystem

/// Why an HTTP front cannot start. `description` is one line that a person can act on.
package enum GatewayError: Error, Sendable, CustomStringConvertible {
    case configuration(String)
    case service(ServiceError)
    case system(SystemFailure)

    package var description: String {
        switch self {
        case .configuration(let text): text
        case .service(let error): "\(error)"
        case .system(let failure): "cannot \(failure.operation): \(SystemFailure.text(of: failure.errno))"
        }
    }
}
