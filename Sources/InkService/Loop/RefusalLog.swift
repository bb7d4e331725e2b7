import InkProtocol

/// Decides which refusals of the disk are logged: once for the end of each job, and others at intervals.
struct RefusalLog {
    /// The kind of refused operation.
    enum Kind: String, Hashable, Sendable {
        case submission = "a submission is put off"
        case start = "a job is begun later"
        case end = "the end of a job could not be stored or reported"
        case order = "an order is refused"
        case note = "a change is not on the disk"
        case probe = "no new jobs are accepted"

        init(_ token: JournalToken) {
            self =
                switch token {
                case .accept, .enter: .submission
                case .starting: .start
                case .ended: .end
                case .order: .order
                case .note: .note
                case .probe: .probe
                }
        }
    }

    private static let pauseMilliseconds: UInt64 = 60_000

    private var told: Set<JobNumber> = []
    private var open: [Kind: (count: Int, nextTime: UInt64)] = [:]

    /// The number of refusals since the last log line of this kind, if a line is due.
    mutating func count(_ kind: Kind, _ job: JobNumber?, now: UInt64) -> Int? {
        var entry = open[kind] ?? (0, 0)
        entry.count += 1
        let isNew = kind == .end && job.map { told.insert($0).inserted } ?? false
        guard isNew || now >= entry.nextTime else {
            open[kind] = entry
            return nil
        }
        open[kind] = (0, now + Self.pauseMilliseconds)
        return entry.count
    }
}

extension JournalToken {
    /// The job that the entry belongs to.
    var job: JobNumber? {
        switch self {
        case .starting(let job), .ended(let job): job
        case .accept, .enter, .order, .note, .probe: nil
        }
    }
}
