public import InkProtocol

/// How a worker runs. Checked once, when the worker is made.
public struct WorkerConfiguration: Hashable, Sendable {
    /// The broker's endpoint, `inproc://name` or `tcp://host:port`.
    public var endpoint: String
    /// The worker's key and the broker's; nil: none are asked for.
    public var security: SocketSecurity?
    /// For people; need not be unique.
    public var name: String
    /// Says which pixels the renderer makes.
    public var rendererVersion: String
    /// Render threads, at least 1.
    public var threads: Int
    /// Tasks that may wait per thread, in addition to the one being rendered. Default 1.
    public var waitingTasksPerThread = 1
    /// Most bytes of blocks cached in addition to those of current tasks. Default 256 MiB.
    public var cacheBytes = 256 << 20
    /// What finished results may hold before they are sent, bytes; a render thread waits beyond it. Default 32 MiB.
    public var outgoingBytes = 32 << 20
    /// How long an unanswered hello is waited for, milliseconds; doubles with each failure up to eightfold.
    public var helloMilliseconds: Int64 = 5_000

    public init(endpoint: String, name: String, rendererVersion: String, threads: Int) {
        self.endpoint = endpoint
        self.name = name
        self.rendererVersion = rendererVersion
        self.threads = threads
    }

    /// What the worker says of itself to the broker.
    var hello: Hello {
        Hello(
            rendererVersion: rendererVersion, workerName: name, threads: threads,
            taskCredits: threads * (1 + waitingTasksPerThread), byteCredits: UInt64(cacheBytes))
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
