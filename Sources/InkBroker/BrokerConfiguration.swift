public import InkProtocol

/// The terms on which a broker runs.
public struct BrokerConfiguration: Hashable, Sendable {
    /// Where workers connect: `inproc://name`, `ipc://path`, `tcp://host:port`.
    public var endpoint: String
    /// Keys of the workers' socket; nil: none are asked for. The process's `Authenticator` decides who comes in.
    public var security: SocketSecurity?
    /// The only renderer version that is taken on; nil takes all, and gives all tiles of an export to one.
    public var rendererVersion: String?
    /// Workers at once; more are turned away.
    public var workersMax = 4096
    /// What is sent when nothing else is, milliseconds.
    public var heartbeatMilliseconds = 1_000
    /// A worker that has been silent this long is lost, milliseconds.
    public var livenessMilliseconds = 15_000
    /// The least time that a worker has for a task, milliseconds.
    public var leaseMilliseconds = 60_000
    /// A worker that holds a task this much longer than its lease is dismissed, milliseconds.
    public var dismissalMilliseconds = 60_000
    /// How long exports wait when there is no worker, milliseconds; nil for ever.
    public var workerWaitMilliseconds: Int? = 60_000
    /// Exports under way at once; the others wait their turn.
    public var activeExports = 8
    /// Blocks kept in memory, bytes; what is beyond goes to a file in `spillFolder`.
    public var blockMemoryBytes = 96 << 20
    /// The most that goes there, bytes.
    public var spillBytes = 64 << 30
    public var spillFolder = "/var/tmp"
    /// Raw bytes of rows of tiles that one export may have under way beyond the row that is written next.
    public var reorderBytes = 96 << 20
    /// Whether the workers are sent away when the broker stops; else they wait for the next one.
    public var releasesWorkers = true
    /// Whether every task's fate is reported (`BrokerEvent.task`).
    public var notesTasks = false
    /// Where a task that took its workers down is kept, to be replayed; nil: nowhere.
    public var replayFolder: String?
    /// Where results of tiles are kept for later exports, and found; nil: nowhere.
    public var resultFolder: String?
    /// The most that they take there, bytes.
    public var resultBytes = 4 << 30
    /// The share of tasks that two workers do, and whose results are compared: 0 to 1.
    public var verifyShare = 0.0

    public init(endpoint: String) { self.endpoint = endpoint }

    /// - Throws: `BrokerError.configuration` for the first value that cannot be.
    func validate() throws(BrokerError) {
        let hour = 3_600_000
        let checks: [(String, Int, ClosedRange<Int>)] = [
            ("heartbeat", heartbeatMilliseconds, 1...hour),
            ("liveness", livenessMilliseconds, min(hour, max(1, heartbeatMilliseconds))...hour),
            ("lease", leaseMilliseconds, 1...hour), ("dismissal", dismissalMilliseconds, 0...hour),
            ("worker wait", workerWaitMilliseconds ?? 0, 0...Int.max), ("active exports", activeExports, 1...10_000),
            ("block memory", blockMemoryBytes, 0...Int.max / 2), ("spill", spillBytes, 0...Int.max / 2),
            ("reorder", reorderBytes, 0...Int.max), ("results", resultBytes, 0...Int.max / 2),
        ]
        for (name, value, range) in checks where !range.contains(value) {
            throw .configuration("\(name) is \(value), it can be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
