import InkEngine
import InkProtocol
import InkSystem

/// A connected worker, as the loop sees it.
struct Peer {
    let id: WorkerID
    /// ZeroMQ's name for the connection.
    let route: [UInt8]
    let name: String
    let rendererVersion: String
    let threads: Int
    let address: String?
    /// The name of its key; every message must come with it. nil without keys.
    let keyName: String?
    /// What goes to it of blocks, and what has come of results.
    var line: LineWindow
    var received = PartsReceived()
    var isDraining = false
    var tasksDone = 0
    var tasksFailed = 0
    /// How fast the worker has done its tasks lately.
    var speed = RecentRate()
    var lastHeard: UInt64
    var lastSent: UInt64
    /// What waits to be sent to it, here and with ZeroMQ.
    let queued: QueuedBytes
    /// Messages that the connection had no room for, oldest first.
    var unsent: [UnsentMessage] = []
    /// Pieces of blocks that were asked for; they are read when there is room for them.
    var wanted: [WantedPart] = []
    /// Bytes of the first of them that are being read from the disk.
    var readingBytes = 0
    var isReading: Bool { readingBytes > 0 }
    /// When that began, or when it was last taken for the reason why its tasks do not get on.
    var readingSince: UInt64 = 0
    /// What the worker has been given and has not answered.
    var assemblies: [AttemptID: Assembly] = [:]

    var hasWork: Bool { !unsent.isEmpty || !wanted.isEmpty }

    /// A task that is larger goes to it as a block: in parts that the line takes.
    var inlineTaskBytes: Int { line.isBounded ? max(4 << 10, line.partBytes) : ProtocolLimits.inlineTaskBytes }
}

/// How often something has happened in the last ten seconds.
struct RecentRate {
    private static let seconds = 10

    /// By the second, modulo their number.
    private var counts = [(second: UInt64, count: Int)](repeating: (0, 0), count: seconds)
    private var first: UInt64?

    /// - Parameter now: monotonic nanoseconds, as in `perSecond`.
    mutating func add(now: UInt64) {
        let second = now / 1_000_000_000
        first = first ?? second
        let index = Int(second % UInt64(Self.seconds))
        if counts[index].second != second { counts[index] = (second, 0) }
        counts[index].count += 1
    }

    /// A mean over the time since the first, where that is shorter.
    func perSecond(now: UInt64) -> Double {
        guard let first else { return 0 }
        let second = now / 1_000_000_000
        let sum = counts.reduce(0) { $0 + ($1.second + UInt64(Self.seconds) > second ? $1.count : 0) }
        return Double(sum) / Double(min(UInt64(Self.seconds), second - min(second, first) + 1))
    }
}

struct UnsentMessage {
    var frame: [UInt8]
    /// The try that it is the task of, if it is one.
    var attempt: AttemptID?
}

struct WantedPart: Hashable {
    var id: BlockID
    var range: Range<Int>
    var totalBytes: Int
}

/// A result that is coming in.
struct Assembly {
    let life: ExportLife
    let role: TaskRole
    let dispatched = SystemClock.nanoseconds
    var assembler: ResultAssembler
    /// The block that holds the task itself, when it is large.
    var payloadBlock: BlockID?
    var result = TaskResult()
    /// Why the broker itself could not take the result.
    var fault: String?
    /// All of it has come; what the worker says of it further counts for nothing.
    var isDone = false

    init(life: ExportLife, role: TaskRole, assembler: ResultAssembler, payloadBlock: BlockID?) {
        self.life = life
        self.role = role
        self.assembler = assembler
        self.payloadBlock = payloadBlock
    }
}
