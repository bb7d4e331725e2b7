public import InkProtocol

/// The configuration of a client.
public struct FarmClientConfiguration: Sendable {
    /// The broker's endpoint for clients, `tcp://host:port` or `inproc://name`.
    public var endpoint: String
    /// The client's key and the broker's; nil: no keys are used.
    public var security: SocketSecurity?
    /// For people; need not be unique.
    public var name: String
    /// How long to wait for the answer to a hello, in milliseconds; doubles with each failure up to eight times.
    public var helloMilliseconds: Int64 = 5_000
    /// Maximum bytes of contents that are read ahead of the socket. Default 32 MiB.
    public var uploadMemory = 32 << 20
    /// Whether fetched pictures replace existing files of the same name.
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
    /// The session has ended; the client starts another by itself.
    case disconnected(reason: String)
    /// The broker does not serve this client. The client tries again at intervals.
    case refused(reason: String)
    /// The job is on the broker's disk. Once for each submission.
    case accepted(SubmissionKey, JobNumber)
    /// The submission is rejected, and the client does not repeat it.
    case rejected(SubmissionKey, Rejection)
    /// The broker does not accept the submission now; the client tries again after this time.
    case busy(SubmissionKey, retryMilliseconds: Int, reason: String)
    /// Progress of a watched job.
    case progress(JobNumber, done: Int, total: Int, timeLeft: TimeLeft? = nil)
    /// A watched job has ended. Once for each `watch`.
    case notice(Notice)
    /// The complete picture is on the disk under that name; with the bytes of all its files if it is a folder.
    case fetched(JobNumber, path: String, folderBytes: Int? = nil)
    /// Nothing was left behind, and an existing file of that name is unchanged.
    case fetchFailed(JobNumber, ClientError)
}
