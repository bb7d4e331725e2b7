/// A document that was sent, or that lies with the broker.
struct SubmittedDocument: Sendable {
    /// As it is shown: a file's name or path.
    var name: String
    /// Absolute.
    var path: String
    /// Whether the broker itself reads it there.
    var isShared: Bool
}
