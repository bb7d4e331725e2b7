import InkProtocol

/// The waiting jobs, and which one is next: the highest priority first, with weighted turns among the submitters of one
/// priority. Every `ageTurn`th turn goes to the oldest job of all, so that none waits forever.
///
/// Pure. A turn is O(submitters of a priority), everything else is O(1); about 50 bytes per job.
struct AdmissionQueue: Sendable {
    /// One of this many turns goes to the oldest job, whatever its priority.
    static let ageTurn = 16

    private struct Ticket: Sendable {
        var job: JobNumber
        /// A ticket is valid only with the job's current serial number; tickets of moved or removed jobs are not.
        var serial: UInt64
        var weight: Int
    }

    private struct Line: Sendable {
        var tickets: [Ticket] = []
        var head = 0
        var pass: UInt64 = 0

        mutating func takeHead() -> Ticket {
            defer {
                head += 1
                if head > 64, head * 2 > tickets.count {
                    tickets.removeFirst(head)
                    head = 0
                }
            }
            return tickets[head]
        }
    }

    private struct Level: Sendable {
        /// By submitter.
        var lines: [String: Line] = [:]
        var virtualTime: UInt64 = 0

        mutating func append(_ ticket: Ticket, of owner: String) {
            // A new or returning submitter starts level with the others: turns are not saved up.
            if lines[owner].map({ $0.head == $0.tickets.count }) ?? true {
                lines[owner, default: Line()].pass = max(lines[owner]?.pass ?? 0, virtualTime)
            }
            lines[owner, default: Line()].tickets.append(ticket)
        }
    }

    private var levels: [Int: Level] = [:]
    /// All jobs in order of arrival, including invalid tickets.
    private var byAge = Line()
    private var places: [JobNumber: (serial: UInt64, priority: Int)] = [:]
    /// Jobs that wait, by priority.
    private var counts: [Int: Int] = [:]
    private var lastSerial: UInt64 = 0
    private var turns = 0

    var count: Int { places.count }
    func contains(_ job: JobNumber) -> Bool { places[job] != nil }

    /// How many jobs wait that have this priority or a higher one.
    func count(ofAtLeast priority: Int) -> Int { counts.reduce(0) { $0 + ($1.key >= priority ? $1.value : 0) } }

    /// The highest priority of a waiting job.
    var highestPriority: Int? {
        mutating get {
            while let highest = levels.keys.max() {
                if peek(highest) != nil { return highest }
                levels[highest] = nil
            }
            return nil
        }
    }

    /// A job that is already waiting moves to the end of its new line; its age still counts from its first arrival.
    mutating func insert(_ job: JobNumber, priority: Int, weight: Int, owner: String) {
        let isNew = !leave(job)
        lastSerial += 1
        places[job] = (lastSerial, priority)
        counts[priority, default: 0] += 1
        let ticket = Ticket(job: job, serial: lastSerial, weight: max(1, weight))
        // In place, because a line that is taken out and put back is copied.
        levels[priority, default: Level()].append(ticket, of: owner)
        if isNew { byAge.tickets.append(Ticket(job: job, serial: 0, weight: 1)) }
    }

    /// Does nothing for a job that is not waiting.
    mutating func remove(_ job: JobNumber) { leave(job) }

    /// Whether it was waiting.
    @discardableResult private mutating func leave(_ job: JobNumber) -> Bool {
        guard let priority = places.removeValue(forKey: job)?.priority, let count = counts[priority] else {
            return false
        }
        counts[priority] = count > 1 ? count - 1 : nil
        return true
    }

    /// The next job; nil if none waits.
    mutating func take() -> JobNumber? {
        guard let highest = highestPriority else {
            levels = [:]
            byAge = Line()
            return nil
        }
        turns += 1
        if turns % Self.ageTurn == 0, let oldest = takeOldest() { return oldest }
        return peek(highest).flatMap { take($0, highest) }
    }

    /// The next job of the highest priority.
    mutating func takeHighest() -> JobNumber? {
        guard let highest = highestPriority else { return nil }
        return peek(highest).flatMap { take($0, highest) }
    }

    /// The submitter with the next turn among those of a priority, after invalid tickets are dropped.
    private mutating func peek(_ priority: Int) -> String? {
        guard var level = levels.removeValue(forKey: priority) else { return nil }
        defer { levels[priority] = level }
        for owner in level.lines.keys {
            while let line = level.lines[owner], line.head < line.tickets.count,
                places[line.tickets[line.head].job]?.serial != line.tickets[line.head].serial
            { _ = level.lines[owner]?.takeHead() }
            if let line = level.lines[owner], line.head == line.tickets.count { level.lines[owner] = nil }
        }
        return level.lines.min { ($0.value.pass, $0.key) < ($1.value.pass, $1.key) }?.key
    }

    private mutating func take(_ owner: String, _ priority: Int) -> JobNumber? {
        guard var level = levels.removeValue(forKey: priority) else { return nil }
        defer { levels[priority] = level }
        guard var line = level.lines.removeValue(forKey: owner) else { return nil }
        defer { level.lines[owner] = line }
        guard line.head < line.tickets.count else { return nil }
        level.virtualTime = max(level.virtualTime, line.pass)
        let ticket = line.takeHead()
        line.pass += UInt64(1_000_000 / ticket.weight)
        leave(ticket.job)
        return ticket.job
    }

    private mutating func takeOldest() -> JobNumber? {
        while byAge.head < byAge.tickets.count {
            let job = byAge.takeHead().job
            if leave(job) { return job }
        }
        return nil
    }
}
