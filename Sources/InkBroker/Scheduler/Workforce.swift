import InkProtocol

/// The workers, and who of them is free, usable and fast, kept in order with every change, so that a task costs about
/// the same among five hundred workers as among five.
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

    /// Whether some worker takes another task.
    var hasRoom: Bool { crews.values.contains { !$0.open.isEmpty } }
    /// Whether some worker has a thread with nothing to do.
    var hasIdleThreads: Bool { crews.values.contains { $0.idle > 0 } }

    /// The least loaded worker that takes more and that `isFit` agrees with.
    ///
    /// - Parameter version: its renderer; nil: any.
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

    /// The crews as they have to be.
    var crewsCountedAnew: [String: Crew] {
        var crews: [String: Crew] = [:]
        for record in records.values {
            let standing = Standing(record)
            crews[standing.version, default: Crew()].add(standing)
        }
        return crews
    }
}

/// What the order of the workers depends on.
struct Standing: Equatable {
    let version: String
    let id: WorkerID
    var isUsable: Bool
    var pace: Double?
    let credits: Int
    /// Nil for one that takes no more.
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

/// A worker that takes another task; the least loaded come first.
struct OpenWorker: Hashable, Comparable, Sendable {
    /// Thousandths of its credits.
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
    /// How fast a worker is that is of use.
    struct Pace: Equatable, Comparable, Sendable {
        var pace: Double
        var id: WorkerID
        /// Tasks at once.
        var credits: Int

        /// Estimated nanoseconds of work done a nanosecond.
        var rate: Double { Double(credits) / max(1e-9, pace) }

        static func < (a: Pace, b: Pace) -> Bool { (a.pace, a.id) < (b.pace, b.id) }
    }

    private(set) var count = 0
    private(set) var usable = 0
    /// Tasks that the usable workers take at once.
    private(set) var credits = 0
    /// Of `open`, those with an idle thread.
    private(set) var idle = 0
    /// Ascending.
    private(set) var open: [OpenWorker] = []
    /// Of usable workers whose pace is known; the fastest first.
    private(set) var paces: [Pace] = []

    /// The pace in the middle; nil when none is known.
    var typicalPace: Double? { paces.isEmpty ? nil : paces[(paces.count - 1) / 2].pace }

    /// What all usable workers get done together; those of unknown pace are taken for fast.
    var rate: Double {
        guard let best = paces.first?.pace else { return 0 }
        let unknown = credits - paces.reduce(0) { $0 + $1.credits }
        return paces.reduce(Double(unknown) / max(1e-9, best)) { $0 + $1.rate }
    }

    /// The fastest beside a worker.
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
    /// Where the first element is that does not come before; the elements that do are the first ones.
    fileprivate func sortedIndex(_ comesBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
