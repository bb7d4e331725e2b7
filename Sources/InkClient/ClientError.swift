public import InkProtocol

/// Why a client cannot go on. `description` is one line that a person can act on.
public enum ClientError: Error, Hashable, Sendable {
    /// No answer for so long.
    case unreachable(endpoint: String, waitedMilliseconds: Int, hint: String)
    /// The broker does not serve this client.
    case refused(reason: String)
    /// ZeroMQ or the system refused.
    case transport(ProtocolError)
    /// A file could not be read or written.
    case file(path: String, operation: String, errno: Int32)
    /// What arrived is not what was asked for.
    case badPicture(reason: String)
}
