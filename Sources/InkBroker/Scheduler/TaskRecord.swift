import InkProtocol

/// A worker's claim on a task until `deadline`.
struct Lease: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// On the scheduler's clock, nanoseconds.
    var since: UInt64
    var deadline: UInt64
}

/// A task that has been dispatched at least once and whose result is still wanted.
struct TaskRecord: Sendable {
    let id: TaskID
    let job: JobID
    let role: TaskRole
    let cost: TaskCost
    /// Tries begun.
    var attempts: UInt32 = 0
    /// Tries that count against the task.
    var failures = 0
    /// Was lost together with others, so that nobody knows which of them was the cause: tried alone from now on.
    var isSuspect = false
    var leases: [Lease] = []
    /// All who were given it, also those whose lease is over and who may still be at work.
    var tries: [(worker: WorkerID, attempt: UInt32)] = []
    /// Workers that failed it or were lost with it.
    var tried: Set<WorkerID> = []
    /// Results that wait for another one to be compared with, oldest first.
    var held: [HeldResult] = []
    private(set) var story: [String] = []
    private var forgotten = 0

    init(id: TaskID, job: JobID, role: TaskRole, cost: TaskCost) {
        self.id = id
        self.job = job
        self.role = role
        self.cost = cost
    }

    /// Keeps the newest `limit` lines and the number of the others.
    mutating func note(_ line: String, limit: Int) {
        if story.count - (forgotten > 0 ? 1 : 0) >= limit {
            story.remove(at: forgotten > 0 ? 1 : 0)
            forgotten += 1
            let summary = "\(forgotten) earlier"
            if forgotten == 1 { story.insert(summary, at: 0) } else { story[0] = summary }
        }
        story.append(line)
    }
}

/// A result that has come and is not accepted yet.
struct HeldResult: Hashable, Sendable {
    var worker: WorkerID
    var attempt: UInt32
    /// Of its content.
    var digest: [UInt8]
}

/// What a worker has been given and has not answered.
struct Holding: Hashable, Sendable {
    var bytes: Int
    var deadline: UInt64
    /// False when the lease is over (late, cancelled, or another result came first): the worker is still busy with
    /// it, and its credit is not free, but nobody waits.
    var isLease: Bool
}

/// A worker as the scheduler sees it.
struct WorkerRecord: Sendable {
    let id: WorkerID
    let name: String
    let version: String
    let credits: WorkerCredits
    /// How long a task takes here from its dispatch on, in parts of its estimate; nil before the first.
    private(set) var pace: Double?
    private(set) var holdings: [AttemptID: Holding] = [:]
    private(set) var usedBytes = 0
    /// Holdings that are leases.
    private(set) var leaseCount = 0
    var isDraining = false
    /// A suspect that will run here as soon as the worker holds nothing.
    var reservedFor: TaskID?
    /// A suspect that runs here alone.
    var isolated: AttemptID?

    init(id: WorkerID, name: String, version: String, credits: WorkerCredits) {
        self.id = id
        self.name = name
        self.version = version
        self.credits = WorkerCredits(tasks: max(1, credits.tasks), bytes: max(1, credits.bytes))
    }

    /// Whether a thread has nothing to do: half of the credits are for tasks that wait for one.
    var hasIdleThread: Bool { holdings.count * 2 < max(2, credits.tasks) }

    mutating func learn(nanoseconds: UInt64, estimate: UInt64) {
        let found = Double(nanoseconds) / Double(max(1, estimate))
        pace = pace.map { $0 + (found - $0) / 4 } ?? found
    }

    /// A task has taken so long and is not done: what is known of the pace is only corrected downwards.
    mutating func learn(atLeast nanoseconds: UInt64, estimate: UInt64) {
        let found = Double(nanoseconds) / Double(max(1, estimate))
        guard let known = pace else {
            pace = found
            return
        }
        if found > known { learn(nanoseconds: nanoseconds, estimate: estimate) }
    }

    /// Whether anything can be expected of the worker: some of its credits are not stuck in tasks past their lease.
    var isUsable: Bool { !isDraining && holdings.count - leaseCount < credits.tasks }

    var takesMore: Bool {
        !isDraining && reservedFor == nil && isolated == nil && holdings.count < credits.tasks
    }

    mutating func take(_ id: AttemptID, cost: TaskCost, deadline: UInt64) {
        holdings[id] = Holding(bytes: cost.bytes, deadline: deadline, isLease: true)
        usedBytes += cost.bytes
        leaseCount += 1
    }

    mutating func renew(_ id: AttemptID, deadline: UInt64) { holdings[id]?.deadline = deadline }

    /// Nobody waits for its answer any more.
    mutating func endLease(_ id: AttemptID) {
        guard holdings[id]?.isLease == true else { return }
        holdings[id]?.isLease = false
        leaseCount -= 1
    }

    /// Nil when the worker does not hold it.
    mutating func giveBack(_ id: AttemptID) -> Holding? {
        guard let holding = holdings.removeValue(forKey: id) else { return nil }
        usedBytes -= holding.bytes
        if holding.isLease { leaseCount -= 1 }
        if isolated == id { isolated = nil }
        return holding
    }
}

/// A job as the scheduler sees it.
struct JobRecord: Sendable {
    let id: JobID
    var priority: Int
    let weight: UInt64
    /// The renderer version of its first task, which all others have to be of.
    var version: String?
    /// Since when no worker of that version has been there.
    var orphanedSince: UInt64?
    /// Weighted turns taken, in estimated nanoseconds; the job that is furthest behind goes next.
    var pass: UInt64
    let decodes: [TaskCost]
    var nextDecode = 0
    var decodesLeft: Int
    var schedule: TileSchedule?
    var nextRow = 0
    var nextColumn = 0
    /// Rows of tiles begun and not complete: how many tiles are missing.
    var openRows: [Int: Int] = [:]
    /// Rows whose encoding waits for a worker, ascending.
    var encodable: [Int] = []
    var rowsAccepted = 0
    var rowsWritten = 0
    /// Tasks with a record.
    var tasks: Set<TaskID> = []
    /// Tasks that wait for another try, oldest first; suspects are elsewhere.
    var retries: [TaskID] = []

    init(id: JobID, priority: Int, weight: Int, decodes: [TaskCost], pass: UInt64) {
        self.id = id
        self.priority = priority
        self.weight = UInt64(max(1, min(weight, 1_000_000)))
        self.pass = pass
        self.decodes = decodes
        decodesLeft = decodes.count
    }

    /// The next task that has never been dispatched, if one may be now.
    var fresh: (role: TaskRole, cost: TaskCost)? {
        if nextDecode < decodes.count { return (.decode(nextDecode), decodes[nextDecode]) }
        guard let schedule else { return nil }
        if let row = encodable.first { return (.encode(row: row), schedule.encodeCost) }
        guard nextRow < schedule.rows, nextRow - rowsWritten < schedule.window else { return nil }
        return (.tile(row: nextRow, column: nextColumn), schedule.tileCost)
    }

    /// Estimated nanoseconds of the tasks that can be dispatched while one of them takes long; nil before the tiles are
    /// known.
    var workBeside: Double? {
        guard let schedule else { return nil }
        let rows = min(schedule.rows - nextRow, schedule.window)
        let tiles = rows * schedule.columns - nextColumn
        return Double(max(0, tiles)) * Double(schedule.tileCost.nanoseconds)
    }

    /// Moves past what `fresh` said.
    mutating func takeFresh() {
        if nextDecode < decodes.count {
            nextDecode += 1
        } else if !encodable.isEmpty {
            encodable.removeFirst()
        } else if let schedule {
            if nextColumn == 0 { openRows[nextRow] = schedule.columns }
            nextColumn += 1
            if nextColumn == schedule.columns {
                nextColumn = 0
                nextRow += 1
            }
        }
    }

    /// What an accepted result opens up.
    enum Progress {
        case more
        case planTiles
        case complete
    }

    mutating func accept(_ role: TaskRole) -> Progress {
        switch role {
        case .decode:
            decodesLeft -= 1
            return decodesLeft == 0 ? .planTiles : .more
        case .tile(let row, _):
            guard let left = openRows[row], left <= 1 else {
                openRows[row]? -= 1
                return .more
            }
            openRows[row] = nil
            guard schedule?.needsEncoding == true else { return acceptRow() }
            encodable.insert(row, at: encodable.firstIndex { $0 > row } ?? encodable.endIndex)
            return .more
        case .encode: return acceptRow()
        }
    }

    private mutating func acceptRow() -> Progress {
        rowsAccepted += 1
        return rowsAccepted == schedule?.rows ? .complete : .more
    }
}
