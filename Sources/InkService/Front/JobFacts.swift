public import InkBroker
import InkCodecs
public import InkEngine
public import InkProtocol
import InkStore

/// A job, as people and programs see it.
public struct JobFacts: Sendable {
    /// The states of a job, by the names that interfaces use.
    public enum State: String, Hashable, Sendable, CaseIterable {
        case queued, running, paused, finished, failed, cancelled

        public var hasEnded: Bool { self == .finished || self == .failed || self == .cancelled }
    }

    /// What a running job does.
    public enum Phase: String, Hashable, Sendable {
        case reading, rendering, ending
    }

    /// How far a running job is.
    public struct Progress: Hashable, Sendable {
        public var phase: Phase
        /// Tiles, of so many.
        public var done: Int
        public var total: Int
    }

    public var number: JobNumber
    /// Shared by the jobs of one submission: the first 12 bytes of their keys.
    public var batch: [UInt8]
    public var name: String
    /// The path of its picture below the folder that it will be put into, as it was submitted; empty: none was chosen.
    public var file: String
    public var owner: String
    public var state: State
    public var priority: Int
    /// As the submitter named it, or in pixels.
    public var size: String
    public var formats: [PictureFormat]
    public var delivery: PictureDelivery
    /// Milliseconds since 1970.
    public var createdAt: Int64
    public var endedAt: Int64?
    /// The progress of a running job.
    public var progress: Progress?
    /// The time left of a running job, as long as there are workers.
    public var timeLeft: TimeLeft?
    public var picture: PictureReport?
    public var failure: (code: FailureCode, text: String)?
    public var warnings: [String]

    /// The bytes of a key that jobs of one submission share.
    public static let batchBytes = JobStore.batchBytes
}

/// What a loop knows of a job that has not ended.
struct LiveJob: Sendable {
    var isRunning = false
    var phase = JobFacts.Phase.reading
    var done = 0
    var total = 0
    var timeLeft: TimeLeft?
}

extension JobFacts {
    init(_ record: JobRecord, _ live: LiveJob?) {
        // If it cannot be read, the rest is still reported; the error is the end of that job.
        let submission = try? Submission(stored: record.submission)
        number = record.number
        batch = Array(record.key.bytes.prefix(JobFacts.batchBytes))
        name = submission?.name ?? ""
        file = submission?.file ?? ""
        owner = record.owner
        priority = record.priority
        switch submission?.picture.size {
        case .exact(let exact): size = exact.description
        case .named(let named): size = named
        case nil: size = ""
        }
        formats = submission?.picture.options.files.map(\.encoding.format) ?? []
        delivery = submission?.delivery ?? .fetch
        createdAt = record.createdAt
        endedAt = record.endedAt
        warnings = record.warnings
        if case .ended(let ending) = record.state {
            switch ending {
            case .finished(let picture):
                state = .finished
                self.picture = picture
            case .failed(let code, let text):
                state = .failed
                failure = (code, text)
            case .cancelled, .unknown: state = .cancelled
            }
            return
        }
        let isRunning = live?.isRunning ?? false
        state = record.isPaused ? .paused : isRunning ? .running : .queued
        guard let live, isRunning else { return }
        progress = Progress(phase: live.phase, done: live.done, total: live.total)
        if !record.isPaused { timeLeft = live.timeLeft }
    }
}

/// The tiles of a running job.
public struct JobTiles: Sendable {
    public var tiles: PictureTiles
    /// In the order in which they were done, by which worker; empty for one that was found.
    public var done: [(tile: TilePosition, worker: String)]
}

/// The jobs of one submission.
public struct BatchFacts: Sendable {
    public var id: [UInt8]
    /// The name of its first job, and how many other documents there are: `owl.ink and 3 more`.
    public var name: String
    public var counts: [JobFacts.State: Int] = [:]
    /// Milliseconds since 1970.
    public var createdAt: Int64
    /// When the last of them ended; nil before.
    public var endedAt: Int64?
    /// Until the last of them has ended, as long as there are workers and none is paused.
    public var timeLeft: TimeLeft?
    public var jobs: [JobNumber] = []
    /// Jobs that have been purged; they are not among `jobs`.
    public var purged = 0

    /// All of it has ended.
    init(_ batch: StoredBatch) {
        self.init(batch.id, batch.jobs, begun: [], timeLeft: nil)
        let gone = batch.purged
        for (state, count) in [
            (JobFacts.State.finished, gone.finished), (.failed, gone.failed), (.cancelled, gone.cancelled),
        ] {
            counts[state, default: 0] += count
            purged += count
        }
    }

    /// - Parameter states: of its jobs, at least one.
    init(_ id: [UInt8], _ states: [StoredJobState], begun: Set<JobNumber>, timeLeft: TimeLeft?) {
        self.id = id
        let names = Set(states.map { Array($0.name.utf8) })
        name = (states.first?.name ?? "") + (names.count > 1 ? " and \(names.count - 1) more" : "")
        createdAt = states.map(\.createdAt).min() ?? 0
        jobs = states.map(\.number)
        for job in states {
            let state: JobFacts.State
            switch job.ending {
            case .finished: state = .finished
            case .failed: state = .failed
            case .cancelled: state = .cancelled
            case nil: state = job.isPaused ? .paused : begun.contains(job.number) ? .running : .queued
            }
            counts[state, default: 0] += 1
        }
        let ends = states.compactMap(\.endedAt)
        if ends.count == states.count { endedAt = ends.max() } else { self.timeLeft = timeLeft }
    }
}

/// Which jobs, and in which order.
public struct JobQuery: Sendable {
    /// What jobs are sorted by.
    public enum Order: String, Sendable, CaseIterable {
        case id, name, ended, priority
    }

    public var states: Set<JobFacts.State> = []
    public var owner: String?
    /// A part of the name.
    public var name: String?
    public var batch: [UInt8]?
    public var order = Order.id
    public var isDescending = true
    /// 1 to 1,000.
    public var limit = 100
    /// Where the page before ended.
    public var cursor: [UInt8]?

    public init() {}
}
