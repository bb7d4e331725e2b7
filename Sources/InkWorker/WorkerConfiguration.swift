public import InkProtocol

/// The configuration of a worker. Checked once, when the worker is created.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The broker's endpoint, `inproc://name` or `tcp://host:port`.
    public var endpoint: String
    /// The worker's key and the broker's; nil: no keys are used.
    public var security: SocketSecurity?
    /// For people; need not be unique.
    public var name: String
    /// Identifies the pixels that the renderer makes.
    public var rendererVersion: String
    /// Render threads, at least 1.
    public var threads: Int
    /// Tasks that may wait per thread, in addition to the one being rendered. Default 1.
    public var waitingTasksPerThread = 1
    /// Maximum bytes of cached blocks in addition to those of current tasks. Default 256 MiB.
    public var cacheBytes = 256 << 20
    /// Maximum bytes of finished results that wait to be sent; beyond it, a render thread waits. Default 32 MiB.
    public var outgoingBytes = 32 << 20
    /// How long to wait for the answer to a hello, in milliseconds; doubles with each failure up to eight times.
    public var helloMilliseconds: Int64 = 5_000

    public init(endpoint: String, name: String, rendererVersion: String, threads: Int) {
        self.endpoint = endpoint
        self.name = name
        self.rendererVersion = rendererVersion
        self.threads = threads
    }

    private var taskCredits: Int { threads * (1 + waitingTasksPerThread) }
    /// Room for a task, so that no thread is idle while each makes a picture of 8 megapixels alone.
    private static let taskBytes = 32 << 20

    /// The worker's description of itself for the broker.
    var hello: Hello {
        Hello(
            rendererVersion: rendererVersion, workerName: name, threads: threads,
            taskCredits: taskCredits, byteCredits: UInt64(max(cacheBytes, taskCredits * Self.taskBytes)))
    }

    func check() throws(WorkerError) {
        func require(_ what: String, _ value: Int, _ range: ClosedRange<Int>) throws(WorkerError) {
            guard range.contains(value) else {
                throw .configuration(
                    what: what, found: "\(value)", expected: "\(range.lowerBound) to \(range.upperBound)")
            }
        }
        try require("threads", threads, 1...512)
        try require("waiting tasks a thread", waitingTasksPerThread, 0...7)
        try require("cache", cacheBytes, 0...Int.max)
        try require("outgoing bytes", outgoingBytes, 1...Int.max)
        try require("hello time", Int(helloMilliseconds), 1...3_600_000)
    }
}
