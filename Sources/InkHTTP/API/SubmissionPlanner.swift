package import InkExports
package import InkProtocol

/// A document that was sent, or that lies with the broker.
package struct SubmittedDocument: Sendable {
    /// As it is shown: a file's name or path.
    package var name: String
    /// Absolute.
    package var path: String
    /// Whether the broker itself reads it there.
    package var isShared: Bool

    package init(name: String, path: String, isShared: Bool) {
        self.name = name
        self.path = path
        self.isShared = isShared
    }
}

/// A picture of a document, ready to be submitted but for its key.
package struct PlannedSubmission: Sendable {
    package var submission: Submission
    /// The content to send, if the submission's source is one.
    package var content: SubmittedContent?

    package init(submission: Submission, content: SubmittedContent?) {
        self.submission = submission
        self.content = content
    }
}

/// Where the bytes of a content are.
package enum SubmittedContent: Sendable {
    case bytes([UInt8])
    /// A whole file, which is not held in memory.
    case file(String)
}

/// Why a document gives no jobs.
package struct SubmissionRefusal: Error, Sendable {
    package var text: String
    /// Whether the options are to blame, which are the same for all documents.
    package var isOfOptions: Bool

    package init(text: String, isOfOptions: Bool) {
        self.text = text
        self.isOfOptions = isOfOptions
    }
}

/// Reads a document and makes what `ink submit` would send of it.
package typealias SubmissionPlanner =
    @Sendable (
        _ document: SubmittedDocument, _ choices: PictureChoices, _ marks: SubmittedMarks, _ priority: Int
    ) throws(SubmissionRefusal) -> [PlannedSubmission]
