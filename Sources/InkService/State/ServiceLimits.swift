/// Limits of a service.
public struct ServiceLimits: Hashable, Sendable {
    /// Maximum number of jobs that wait or run; beyond it, submissions are rejected as busy.
    public var queuedJobs = 100_000
    /// Maximum number of submissions of all clients whose content or acknowledgement is pending.
    public var openSubmissions = 256
    /// Maximum number of contents that are received at the same time, of all clients.
    public var openUploads = 8
    /// Maximum number of client sessions.
    public var sessions = 1_000
    /// Maximum number of jobs that one client may watch.
    public var watchedJobs = 100_000
    /// Maximum number of unconfirmed notices per client.
    public var openNotices = 1_000
    /// Maximum number of orders per client that wait for the disk; further orders are refused.
    public var openOrders = 64

    public init() {}
}
