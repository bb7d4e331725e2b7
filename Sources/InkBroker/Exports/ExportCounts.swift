import InkProtocol

/// What an export has cost so far.
struct ExportCounts: Hashable, Sendable {
    var phases = PhaseTimes()
    var brokerCPU: UInt64 = 0
    private(set) var attempts = 0
    /// Attempts that workers have in hand.
    private var inHand = 0
    /// When the last of them came back.
    private var idleSince: UInt64?
    /// Between attempts, nanoseconds: paused, behind other exports, or without workers.
    private var idleBetween: UInt64 = 0
    private var firstDispatch: UInt64?
    /// What the broker itself has taken to prepare, nanoseconds.
    private(set) var preparation: UInt64 = 0
    /// Tiles whose results were kept from earlier exports.
    var found = 0
    var bytesSent = 0
    var bytesReceived = 0

    mutating func dispatched(now: UInt64) {
        attempts += 1
        inHand += 1
        firstDispatch = firstDispatch ?? now
        if let since = idleSince { idleBetween += now - min(now, since) }
        idleSince = nil
    }

    /// An attempt is over, whatever came of it.
    mutating func returned(now: UInt64) {
        inHand -= 1
        if inHand == 0 { idleSince = now }
    }

    /// How long no worker had a task, from the submission to the last attempt.
    func idle(since submitted: UInt64, now: UInt64) -> UInt64 {
        let first = firstDispatch ?? now
        return first - min(first, submitted) + idleBetween
    }

    mutating func add(preparation time: LaneTime) {
        phases.prepare += time.elapsed
        preparation += time.elapsed
        brokerCPU += time.cpu
    }

    mutating func add(stitching time: LaneTime) {
        phases.stitch += time.elapsed
        brokerCPU += time.cpu
    }
}
