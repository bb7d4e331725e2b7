import InkProtocol

/// The jobs that wait, and whose turn is next: the highest priority first, weighted turns among those who submitted
/// jobs of one priority, and every `ageTurn`th turn the oldest job of all, so that none waits for ever.
///
/// Pure. O(submitters of a priority) for each turn, O(1) for all else; about 40 bytes a job.
struct AdmissionQueue: Sendable {
    /// Of so many turns one goes to the oldest job, whatever its priority.
    static let ageTurn = 16

    private struct Ticket: Sendable {
        var job: JobNumber
        /// Old tickets of a job that was moved or removed lead nowhere.
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
            // A new or returning client starts level with the others: turns are not saved up.
            if lines[owner].map({ $0.head == $0.tickets.count }) ?? true {
                lines[owner, default: Line()].pass = max(lines[owner]?.pass ?? 0, virtualTime)
            }
            lines[owner, default: Line()].tickets.append(ticket)
        }
    }

    private var levels: [Int: Level] = [:]
    /// All jobs in order of arrival, with old tickets among them.
    private var byAge = Line()
    private var serials: [JobNumber: UInt64] = [:]
    private var lastSerial: UInt64 = 0
    private var turns = 0

    var count: Int { serials.count }
    var isEmpty: Bool { serials.isEmpty }
    func contains(_ job: JobNumber) -> Bool { serials[job] != nil }

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

    /// A job that waits already is moved to the end of its new line; its age counts from its first arrival.
    mutating func insert(_ job: JobNumber, priority: Int, weight: Int, owner: String) {
        let isNew = serials[job] == nil
        lastSerial += 1
        serials[job] = lastSerial
        let ticket = Ticket(job: job, serial: lastSerial, weight: max(1, weight))
        // In place: a line that is taken out and put back is copied.
        levels[priority, default: Level()].append(ticket, of: owner)
        if isNew { byAge.tickets.append(Ticket(job: job, serial: 0, weight: 1)) }
    }

    /// Does nothing for a job that does not wait.
    mutating func remove(_ job: JobNumber) { serials[job] = nil }

    /// The next job; nil when none waits.
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

    /// The submitter whose turn it is among those of a priority, after old tickets have been dropped.
    private mutating func peek(_ priority: Int) -> String? {
        guard var level = levels.removeValue(forKey: priority) else { return nil }
        defer { levels[priority] = level }
        for owner in level.lines.keys {
            while let line = level.lines[owner], line.head < line.tickets.count,
                serials[line.tickets[line.head].job] != line.tickets[line.head].serial
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
        serials[ticket.job] = nil
        return ticket.job
    }

    private mutating func takeOldest() -> JobNumber? {
        while byAge.head < byAge.tickets.count {
            let job = byAge.takeHead().job
            if serials.removeValue(forKey: job) != nil { return job }
        }
        return nil
    }
}
