public import InkBroker
public import InkProtocol
import InkStore

/// How a farm stands.
public struct FarmStatus: Sendable {
    public var name: String
    /// The program's name and version.
    public var software: String
    public var uptimeSeconds: Int
    public var isDraining: Bool
    public var queued: Int
    public var running: Int
    public var paused: Int
    /// Jobs in the store that have ended so; nil if it cannot be read.
    public var finished: Int?
    public var failed: Int?
    public var cancelled: Int?
    /// Most jobs that have not ended.
    public var queueLimit: Int
    public var clients: Int
    public var broker: BrokerReport
    /// Over the last minute.
    public var picturesPerMinute: Double
    public var tasksPerSecond: Double
    public var megapixelsPerSecond: Double
    public var storeUsedBytes: Int
    public var storeQuotaBytes: Int
    /// Why the store is not well.
    public var storeProblem: String?
    public var history: History
    /// Until nothing runs or waits any more, but for what is paused; nil if that is not known, or already so.
    public var timeLeft: TimeLeft?
    /// Tiles that are left to render, those of jobs that are not cut yet estimated; without paused jobs.
    public var tilesWaiting: Int
}

/// What an autoscaler goes by.
enum TileBacklog {
    /// What a job counts that has not been cut, when none is under way to go by: 2K is cut into about so many.
    static let tilesOfJob = 32

    /// - Parameters:
    ///   - exports: tiles done and all tiles of the jobs under way; 0 of those that are not cut yet.
    ///   - waiting: so many further jobs.
    static func tiles(exports: [(done: Int, total: Int)], waiting: Int) -> Int {
        let cut = exports.filter { $0.total > 0 }
        let size = cut.isEmpty ? Double(tilesOfJob) : Double(cut.reduce(0) { $0 + $1.total }) / Double(cut.count)
        let left = cut.reduce(0) { $0 + max(0, $1.total - $1.done) }
        return left + Int((Double(waiting + exports.count - cut.count) * size).rounded())
    }
}

/// A picture that was finished.
public struct FinishedExport: Hashable, Sendable {
    public var job: JobNumber
    /// Milliseconds since 1970.
    public var endedAt: Int64
    /// Without the time that it waited.
    public var nanoseconds: UInt64
    public var pixels: Int
}

/// What a farm has done in the last hour.
public struct History: Sendable {
    /// The time that one step of the history covers.
    public static let stepMilliseconds: UInt64 = 10_000
    static let stepsMax = 360
    static let exportsMax = 500
    /// Upper bounds of the classes of durations of exports, seconds; a last class is for longer ones.
    public static let durationBounds: [Double] = [0.25, 0.5, 1, 2, 3, 5, 7, 10, 30, 60, 300]

    /// Ten seconds.
    public struct Step: Hashable, Sendable {
        public var pictures = 0
        public var tasks = 0
        public var pixels = 0
        /// At their end.
        public var queued = 0
        /// How many threads of workers had a task, a mean.
        public var threadsBusy = 0.0
    }

    /// Oldest first; the last is not over.
    public private(set) var steps = [Step()]
    /// Oldest first.
    public private(set) var exports: [FinishedExport] = []
    // Since the start.
    public private(set) var finished = 0
    public private(set) var failed = 0
    public private(set) var cancelled = 0
    public private(set) var pixels = 0
    public private(set) var tilesRendered = 0
    /// In the result cache.
    public private(set) var tilesFound = 0
    public private(set) var nanoseconds: UInt64 = 0
    /// How many exports fell into which class of durations.
    public private(set) var durations = [Int](repeating: 0, count: History.durationBounds.count + 1)
    private var stepBegan: UInt64
    /// The number of samples in the last step's `threadsBusy`.
    private var samples = 0

    init(startedAt: UInt64) { stepBegan = startedAt }

    mutating func add(_ export: FinishedExport) {
        exports.append(export)
        if exports.count > Self.exportsMax { exports.removeFirst() }
        steps[steps.count - 1].pictures += 1
        steps[steps.count - 1].pixels += export.pixels
        pixels += export.pixels
        nanoseconds += export.nanoseconds
        let seconds = Double(export.nanoseconds) / 1e9
        durations[Self.durationBounds.firstIndex { seconds <= $0 } ?? Self.durationBounds.count] += 1
    }

    /// How many threads have a task now.
    mutating func add(threadsBusy: Int) {
        let last = steps.count - 1
        samples += 1
        // The first takes the place of what the step before has left.
        steps[last].threadsBusy += (Double(threadsBusy) - steps[last].threadsBusy) / Double(samples)
    }

    mutating func addTask() { steps[steps.count - 1].tasks += 1 }

    mutating func addTile(isFound: Bool) { if isFound { tilesFound += 1 } else { tilesRendered += 1 } }

    mutating func count(_ ending: JobEnding) {
        switch ending {
        case .finished: finished += 1
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        case .unknown: break
        }
    }

    /// Time has passed.
    mutating func pass(queued: Int, now: UInt64) {
        steps[steps.count - 1].queued = queued
        while now >= stepBegan + Self.stepMilliseconds {
            stepBegan += Self.stepMilliseconds
            steps.append(Step(queued: queued, threadsBusy: steps[steps.count - 1].threadsBusy))
            samples = 0
            if steps.count > Self.stepsMax { steps.removeFirst() }
        }
    }
}
