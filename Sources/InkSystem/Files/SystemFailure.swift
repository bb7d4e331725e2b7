import Glibc

/// An error number and the operation that failed. The caller adds the file.
package struct SystemFailure: Error, Hashable, Sendable {
    /// A verb for messages: `create`, `write`.
    package var operation: String
    package var errno: Int32

    package init(operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }
}

extension SystemFailure {
    /// The system's words for an error.
    package static func text(of errno: Int32) -> String { String(cString: strerror(errno)) }
}
