/// How much a service takes on.
public struct ServiceLimits: Hashable, Sendable {
    /// Jobs that wait or run; beyond, submissions are answered "busy".
    public var queuedJobs = 100_000
    /// Submissions whose content or acknowledgement is pending, of all clients.
    public var openSubmissions = 256
    /// Contents that come in at once, of all clients.
    public var openUploads = 8
    /// Client sessions.
    public var sessions = 1_000
    /// Jobs that one client may watch.
    public var watchedJobs = 100_000
    /// Notices sent to one client and not taken.
    public var openNotices = 1_000
    /// Orders of one client that wait for the disk; beyond, they are refused.
    public var openOrders = 64

    public init() {}
}
