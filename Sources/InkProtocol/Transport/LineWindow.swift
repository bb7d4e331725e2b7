/// How many bytes of parts may be on their way over one connection, in one direction: the sender's side.
///
/// What a socket has taken lies in queues that nobody can look into, and nothing overtakes it there. So a sender gives it
/// only as much as the line brings over in a moment: the other side acknowledges what arrives, and from the time that
/// this takes the window grows or shrinks. A slow line gets small parts and few of them, and whatever else is to be said
/// waits behind these for less than a second; a fast line is kept busy.
///
/// Pure; times are milliseconds of any steady clock.
public struct LineWindow: Sendable {
    /// A window that is never full, and parts of the largest size: within a process there is no network, and a peer of
    /// protocol version 2 acknowledges nothing.
    public static let unbounded: LineWindow = {
        var window = LineWindow()
        window.isBounded = false
        return window
    }()

    public private(set) var isBounded = true
    /// Bytes that may be on their way.
    public private(set) var byteCount = LineWindow.leastBytes
    private var sent: UInt64 = 0
    private var acknowledged: UInt64 = 0
    /// Bytes that were taken for lost: the other side does not count them.
    private var lost: UInt64 = 0
    /// What the next acknowledgement of is timed, and since when.
    private var probe: (end: UInt64, since: UInt64)?
    /// The shortest time that an acknowledgement has taken.
    private var shortest: UInt64 = .max
    /// Whether something has waited for room since the window was last changed.
    private var wasFull = false
    /// When bytes were acknowledged last, or began to be on their way.
    private var lastProgress: UInt64 = 0

    /// At 64 kbit/s half a second.
    static let leastBytes = 4 << 10
    static let mostBytes = 4 << 20
    /// Of parts; at 64 kbit/s a quarter of a second.
    static let leastPartBytes = 2 << 10
    /// How long bytes may wait in queues on the way before the window stops growing.
    static let patienceMilliseconds: UInt64 = 150
    /// If nothing is acknowledged for this long, unacknowledged data counts as lost.
    static let lossMilliseconds: UInt64 = 5_000

    public init() {}

    /// Of a connection to or at that endpoint.
    public init(endpoint: String) { self = endpoint.hasPrefix("inproc://") ? .unbounded : LineWindow() }

    /// The bytes of a part that is sent now.
    public var partBytes: Int {
        isBounded ? min(ProtocolLimits.partBytes, max(Self.leastPartBytes, byteCount / 4)) : ProtocolLimits.partBytes
    }

    /// Bytes on their way.
    public var bytesUnderWay: Int { isBounded ? Int(sent - acknowledged) : 0 }

    /// Bytes that may be sent now.
    public var room: Int { isBounded ? max(0, byteCount - bytesUnderWay) : Self.mostBytes }

    /// Whether there is room now for a part of that size, at most `partBytes`.
    ///
    /// - Parameter others: bytes of parts that will be sent before it.
    public mutating func hasRoom(for count: Int, beside others: Int = 0, now: UInt64) -> Bool {
        guard isBounded, bytesUnderWay + others + count > byteCount, bytesUnderWay + others > 0 else { return true }
        wasFull = true
        guard bytesUnderWay > 0, now >= lastProgress + Self.lossMilliseconds else { return false }
        lost += UInt64(bytesUnderWay)
        acknowledged = sent
        probe = nil
        byteCount = Self.leastBytes
        return true
    }

    /// Takes note of a part that goes out.
    public mutating func send(_ count: Int, now: UInt64) {
        guard isBounded else { return }
        // Everything below that counts as received.
        if bytesUnderWay < PartsReceived.dueBytes { lastProgress = now }
        sent += UInt64(count)
        if probe == nil, count >= PartsReceived.dueBytes { probe = (sent, now) }
    }

    /// Takes the other side's word of how many bytes of parts it has received in this session.
    public mutating func acknowledge(_ total: UInt64, now: UInt64) {
        guard isBounded else { return }
        let (reached, overflow) = total.addingReportingOverflow(lost)
        guard !overflow, reached <= sent else {
            // Data presumed lost was only late, or the peer is wrong: that says nothing about the line.
            lost = sent - min(sent, total)
            acknowledged = sent
            lastProgress = now
            probe = nil
            byteCount = Self.leastBytes
            return
        }
        guard reached > acknowledged else { return }
        acknowledged = reached
        lastProgress = now
        guard let (end, since) = probe, reached >= end else { return }
        probe = nil
        adapt(to: now - min(now, since))
    }

    /// Once per round trip. The shortest time is the latency of the line; the rest was spent in queues.
    private mutating func adapt(to time: UInt64) {
        shortest = min(shortest, time)
        let waited = time - shortest
        if waited > 2 * Self.patienceMilliseconds {
            byteCount = max(Self.leastBytes, byteCount / 2)
        } else if waited < Self.patienceMilliseconds, wasFull {
            byteCount = min(Self.mostBytes, byteCount * 2)
        }
        wasFull = false
    }

}

/// How many bytes of parts have arrived in a session: the receiver's side of a `LineWindow`.
public struct PartsReceived: Hashable, Sendable {
    private var total: UInt64 = 0
    private var acknowledged: UInt64 = 0

    /// Fewer are not acknowledged: a sender has room beside them.
    static let dueBytes: UInt64 = 2 << 10

    public init() {}

    public mutating func take(_ byteCount: Int) { total += UInt64(byteCount) }

    /// The number to acknowledge now, if it is time.
    public mutating func acknowledgement() -> UInt64? {
        guard total - acknowledged >= Self.dueBytes else { return nil }
        acknowledged = total
        return total
    }
}
