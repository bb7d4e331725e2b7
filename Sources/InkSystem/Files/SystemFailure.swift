/// An error number and what was tried. Whoever lets it out says with which file.
package struct SystemFailure: Error, Hashable, Sendable {
    /// A verb for messages: `create`, `write`.
    package var operation: String
    package var errno: Int32

    package init(operation: String, errno: Int32) {
        self.operation = operation
        self.errno = errno
    }
}
