public import InkProtocol

/// How a client runs.
public struct FarmClientConfiguration: Sendable {
    /// The broker's endpoint for clients, `tcp://host:port` or `inproc://name`.
    public var endpoint: String
    /// The client's key and the broker's; nil: none are asked for.
    public var security: SocketSecurity?
    /// For people; need not be unique.
    public var name: String
    /// How long an unanswered hello is waited for, milliseconds; doubles with each failure up to eightfold.
    public var helloMilliseconds: Int64 = 5_000
    /// Bytes of contents that are read ahead of the socket. Default 32 MiB.
    public var uploadMemory = 32 << 20
    /// Whether files are replaced that have the names of pictures that are fetched.
    public var replacesFiles = true

    public init(endpoint: String, name: String) {
        self.endpoint = endpoint
        self.name = name
    }
}

/// An event of a client or of its requests.
public enum FarmClientEvent: Hashable, Sendable {
    /// A session has started; everything open has been sent again.
    case connected(ClientWelcome)
    /// The session has ended; the client makes another one by itself.
    case disconnected(reason: String)
    /// The broker does not serve this client. It goes on trying, now and then.
    case refused(reason: String)
    /// The job is on the broker's disk. Once for each submission.
    case accepted(SubmissionKey, JobNumber)
    /// The submission is not taken, and the client has given it up.
    case rejected(SubmissionKey, Rejection)
    /// The broker does not take the submission now; the client tries again after this time.
    case busy(SubmissionKey, retryMilliseconds: Int, reason: String)
    /// Of a watched job.
    case progress(JobNumber, done: Int, total: Int)
    /// A watched job has ended. Once for each `watch`.
    case notice(Notice)
    /// The picture is on the disk, whole, under that name.
    case fetched(JobNumber, path: String)
    /// Nothing was left behind, and an older file of the name is as it was.
    case fetchFailed(JobNumber, ClientError)
}
