import InkBroker
import InkJSON
import InkProtocol
import InkSystem

/// A job that the broker is working on.
struct RunningJob {
    let name: String
    /// `Submission.file`.
    let file: String
    let owner: String
    let startedAt: UInt64
    let isFetched: Bool
    let reservation: PictureReservation
    /// Whether a worker has had a task of it, or a tile was found.
    var hasBegun = false
    var done = 0
    var total = 0
    /// nil until the picture has been planned.
    var tiles: PictureTiles?
    /// The tiles that are done, in their order, by which worker.
    var tilesDone: [(tile: TilePosition, worker: String)] = []
    /// nil while there is no worker.
    var timeLeft: TimeLeft?
    /// nil before its first bytes.
    var picture: UnfinishedPicture?
    var story = Story()

    /// - Parameter workers: how many are connected.
    func isUnderWay(workers: Int) -> Bool { hasBegun && (workers > 0 || total > 0 && done == total) }
}

/// How long it takes until the disk has an end, and clients get their notices.
struct Endings {
    private var begun: [JobNumber: UInt64] = [:]
    private var milliseconds = 10.0

    mutating func begin(_ job: JobNumber, now: UInt64) { begun[job] = now }

    mutating func end(_ job: JobNumber, now: UInt64) {
        guard let start = begun.removeValue(forKey: job) else { return }
        // A disk that takes nothing for an hour does not do so each time.
        milliseconds += (min(Double(now - min(now, start)), 1000) - milliseconds) / 8
    }

    /// The time left of a job whose picture is there.
    var timeLeft: TimeLeft {
        let seconds = milliseconds / 1000
        return TimeLeft(seconds: seconds, low: seconds / 3, high: 3 * seconds)
    }
}

/// The events of a job's tasks, oldest first; limited in number.
struct Story {
    static let linesMax = 20_000

    /// Milliseconds since 1970.
    let startedAt = SystemClock.unixMilliseconds

    private(set) var notes: [(milliseconds: UInt64, note: TaskNote)] = []
    private(set) var forgotten = 0

    mutating func add(_ note: TaskNote, at milliseconds: UInt64) {
        if notes.count < Self.linesMax { notes.append((milliseconds, note)) } else { forgotten += 1 }
    }

    /// The story as JSON text.
    func text(job: JobNumber) -> String {
        let events = notes.map { entry -> JSONValue in
            let event: JSONValue = [
                "ms": .integer(Int(entry.milliseconds)), "task": .string(entry.note.task),
                "attempt": .integer(Int(entry.note.attempt)), "worker": .string(entry.note.worker),
                "what": .string(entry.note.what.name),
            ]
            return entry.note.what.reason.map { event + ["reason": .string($0)] } ?? event
        }
        let story: JSONValue = [
            "job": .integer(Int(clamping: job)), "startedAt": .integer(Int(startedAt)), "events": .array(events),
        ]
        return (forgotten > 0 ? story + ["forgotten": .integer(forgotten)] : story).text()
    }
}

/// Statistics of the last minute.
struct Throughput {
    private static let seconds = 60

    private struct Second {
        var at: UInt64 = 0
        var pictures = 0
        var tasks = 0
        var pixels = 0
    }

    private var ring = [Second](repeating: Second(), count: Throughput.seconds)

    mutating func add(pictures: Int = 0, tasks: Int = 0, pixels: Int = 0, now: UInt64) {
        let second = now / 1000
        let index = Int(second % UInt64(Self.seconds))
        if ring[index].at != second { ring[index] = Second(at: second) }
        ring[index].pictures += pictures
        ring[index].tasks += tasks
        ring[index].pixels += pixels
    }

    /// Rates over the last minute, or since the start if that is more recent.
    func rates(now: UInt64, startedAt: UInt64) -> (
        picturesPerMinute: Double, tasksPerSecond: Double, megapixels: Double
    ) {
        let second = now / 1000
        let recent = ring.filter { $0.at + UInt64(Self.seconds) > second }
        let span = max(1, min(Double(Self.seconds), Double(now - min(now, startedAt)) / 1000))
        let pictures = recent.reduce(0) { $0 + $1.pictures }
        let tasks = recent.reduce(0) { $0 + $1.tasks }
        let pixels = recent.reduce(0) { $0 + $1.pixels }
        return (Double(pictures) * 60 / span, Double(tasks) / span, Double(pixels) / 1e6 / span)
    }
}
