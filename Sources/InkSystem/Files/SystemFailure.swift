import Glibc

/// An error number, the operation that failed, and the file.
package struct SystemFailure: Error, Hashable, Sendable {
    /// A verb for messages: `create`, `write`.
    package var operation: String
    package var errno: Int32
    /// The file or folder as the failed call names it; nil for what has no name: a thread, a pipe, a socket.
    package var path: String?

    package init(operation: String, errno: Int32, path: String? = nil) {
        self.operation = operation
        self.errno = errno
        self.path = path
    }

    /// This failure at the file that the user knows; the call may have used a temporary name.
    package func at(_ path: String) -> SystemFailure { SystemFailure(operation: operation, errno: errno, path: path) }

    /// What failed, for messages.
    package var place: String { path ?? "a file without a name" }
}

extension SystemFailure {
    /// The system's words for an error.
    package static func text(of errno: Int32) -> String { String(cString: strerror(errno)) }
}
