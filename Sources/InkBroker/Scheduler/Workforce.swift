import InkPlanning
import InkProtocol

/// The workers, with indexes of those that are free, usable and fast. The indexes are updated with every change, so a
/// task costs about the same among five hundred workers as among five.
struct Workforce: Sendable {
    private var records: [WorkerID: WorkerRecord] = [:]
    private(set) var crews: [String: Crew] = [:]

    var isEmpty: Bool { records.isEmpty }
    var count: Int { records.count }
    var keys: Dictionary<WorkerID, WorkerRecord>.Keys { records.keys }
    var values: Dictionary<WorkerID, WorkerRecord>.Values { records.values }

    subscript(id: WorkerID) -> WorkerRecord? {
        get { records[id] }
        _modify {
            let before = records[id].map(Standing.init)
            defer {
                let after = records[id].map(Standing.init)
                if before != after { move(before, after) }
            }
            yield &records[id]
        }
    }

    /// Whether some worker accepts another task.
    var hasRoom: Bool { crews.values.contains { !$0.open.isEmpty } }
    /// Whether some worker has an idle thread.
    var hasIdleThreads: Bool { crews.values.contains { $0.idle > 0 } }

    /// The least loaded worker that accepts more and for which `isFit` is true.
    ///
    /// - Parameter version: of its renderer; nil: any.
    func leastLoaded(version: String?, _ isFit: (OpenWorker, Crew) -> Bool) -> WorkerID? {
        if let version { return crews[version].flatMap { crew in crew.open.first { isFit($0, crew) }?.id } }
        return crews.values.compactMap { crew in crew.open.first { isFit($0, crew) } }.min()?.id
    }

    private mutating func move(_ before: Standing?, _ after: Standing?) {
        if let before {
            crews[before.version]?.remove(before)
            if crews[before.version]?.count == 0 { crews[before.version] = nil }
        }
        if let after { crews[after.version, default: Crew()].add(after) }
    }

    /// The crews computed from scratch.
    var crewsCountedAnew: [String: Crew] {
        var crews: [String: Crew] = [:]
        for record in records.values {
            let standing = Standing(record)
            crews[standing.version, default: Crew()].add(standing)
        }
        return crews
    }
}

/// The values that determine the order of the workers.
struct Standing: Equatable {
    let version: String
    let id: WorkerID
    var isUsable: Bool
    var pace: Double?
    let credits: Int
    /// Nil for a worker that accepts no more tasks.
    var open: OpenWorker?

    init(_ worker: WorkerRecord) {
        version = worker.version
        id = worker.id
        isUsable = worker.isUsable
        pace = worker.pace
        credits = worker.credits.tasks
        guard worker.takesMore else { return }
        open = OpenWorker(
            load: worker.holdings.count * 1000 / worker.credits.tasks, usedBytes: worker.usedBytes, id: id,
            roomBytes: worker.holdings.isEmpty ? .max : worker.credits.bytes - worker.usedBytes,
            hasIdleThread: worker.hasIdleThread, pace: pace, credits: credits)
    }
}

/// A worker that accepts another task; the least loaded come first.
struct OpenWorker: Hashable, Comparable, Sendable {
    /// Load in thousandths of its credits.
    var load: Int
    var usedBytes: Int
    var id: WorkerID
    var roomBytes: Int
    var hasIdleThread: Bool
    var pace: Double?
    var credits: Int

    func fits(_ cost: TaskCost) -> Bool { cost.bytes <= roomBytes || roomBytes == .max }

    static func < (a: OpenWorker, b: OpenWorker) -> Bool {
        (a.load, a.usedBytes, a.id) < (b.load, b.usedBytes, b.id)
    }
}

/// The workers of one renderer version.
struct Crew: Equatable, Sendable {
    /// How fast a usable worker is.
    struct Pace: Equatable, Comparable, Sendable {
        var pace: Double
        var id: WorkerID
        /// Number of tasks at once.
        var credits: Int

        /// Estimated nanoseconds of work done per nanosecond.
        var rate: Double { Double(credits) / max(1e-9, pace) }

        static func < (a: Pace, b: Pace) -> Bool { (a.pace, a.id) < (b.pace, b.id) }
    }

    private(set) var count = 0
    private(set) var usable = 0
    /// Number of tasks that the usable workers accept at once.
    private(set) var credits = 0
    /// Number of workers in `open` with an idle thread.
    private(set) var idle = 0
    /// Ascending.
    private(set) var open: [OpenWorker] = []
    /// Usable workers whose pace is known, fastest first.
    private(set) var paces: [Pace] = []

    /// The median pace; nil if none is known.
    var typicalPace: Double? { paces.isEmpty ? nil : paces[(paces.count - 1) / 2].pace }

    /// The combined rate of all usable workers; those of unknown pace are assumed to be fast.
    var rate: Double {
        guard let best = paces.first?.pace else { return 0 }
        let unknown = credits - paces.reduce(0) { $0 + $1.credits }
        return paces.reduce(Double(unknown) / max(1e-9, best)) { $0 + $1.rate }
    }

    /// The best pace except for one worker.
    func bestPace(beside id: WorkerID) -> Double? { paces.first { $0.id != id }?.pace }

    fileprivate mutating func add(_ worker: Standing) {
        count += 1
        if let open = worker.open {
            self.open.insert(open, at: self.open.sortedIndex { $0 < open })
            if open.hasIdleThread { idle += 1 }
        }
        guard worker.isUsable else { return }
        usable += 1
        credits += worker.credits
        if let pace = worker.pace {
            let entry = Pace(pace: pace, id: worker.id, credits: worker.credits)
            paces.insert(entry, at: paces.sortedIndex { $0 < entry })
        }
    }

    fileprivate mutating func remove(_ worker: Standing) {
        count -= 1
        if let open = worker.open {
            self.open.remove(at: self.open.sortedIndex { $0 < open })
            if open.hasIdleThread { idle -= 1 }
        }
        guard worker.isUsable else { return }
        usable -= 1
        credits -= worker.credits
        if let pace = worker.pace {
            let entry = Pace(pace: pace, id: worker.id, credits: worker.credits)
            paces.remove(at: paces.sortedIndex { $0 < entry })
        }
    }
}

extension Array {
    /// Index of the first element for which `comesBefore` is false; the elements for which it is true come first.
    fileprivate func sortedIndex(_ comesBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
