import InkProtocol

/// Which refusals of the disk are worth a line in the log: the end of each job once, of the rest one in a while.
struct RefusalLog {
    /// The message about what was refused.
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
                case .accept: .submission
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

    /// How many there were since the last line of the kind, if it is time for one.
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
    /// Whose entry it is.
    var job: JobNumber? {
        switch self {
        case .starting(let job), .ended(let job): job
        case .accept, .order, .note, .probe: nil
        }
    }
}
