/// Limits the bytes of parts in flight over one connection in one direction: the sender's side.
///
/// Data that a socket has accepted is in queues that cannot be inspected, and nothing overtakes it there. A sender
/// therefore passes the socket only as much as the line transfers in a moment. The other side acknowledges what
/// arrives, and the window grows or shrinks with the time that this takes. A slow line gets few and small parts, so
/// other messages wait behind them for less than a second. A fast line stays busy.
///
/// Pure; times are milliseconds of any monotonic clock.
public struct LineWindow: Sendable {
    /// A window that is never full, and parts of maximum size. Used within a process, where there is no network.
    public static let unbounded: LineWindow = {
        var window = LineWindow()
        window.isBounded = false
        return window
    }()

    public private(set) var isBounded = true
    /// Maximum bytes in flight.
    public private(set) var byteCount = LineWindow.leastBytes
    private var sent: UInt64 = 0
    private var acknowledged: UInt64 = 0
    /// Bytes that were presumed lost; the other side does not count them.
    private var lost: UInt64 = 0
    /// The part whose acknowledgement is being timed (by its end), and when it was sent.
    private var probe: (end: UInt64, since: UInt64)?
    /// The shortest time of an acknowledgement.
    private var shortest: UInt64 = .max
    /// Whether a part has waited for room since the window last changed.
    private var wasFull = false
    /// When bytes were last acknowledged, or first sent after everything was acknowledged.
    private var lastProgress: UInt64 = 0

    /// Half a second at 64 kbit/s.
    static let leastBytes = 4 << 10
    static let mostBytes = 4 << 20
    /// The smallest size of a part; a quarter of a second at 64 kbit/s.
    static let leastPartBytes = 2 << 10
    /// How long data may wait in queues of the line before the window stops growing.
    static let patienceMilliseconds: UInt64 = 150
    /// If nothing is acknowledged for this long, unacknowledged data counts as lost.
    static let lossMilliseconds: UInt64 = 5_000

    public init() {}

    /// For a connection to or at that endpoint.
    public init(endpoint: String) { self = endpoint.hasPrefix("inproc://") ? .unbounded : LineWindow() }

    /// Size of a part that is sent now, in bytes.
    public var partBytes: Int {
        isBounded ? min(ProtocolLimits.partBytes, max(Self.leastPartBytes, byteCount / 4)) : ProtocolLimits.partBytes
    }

    /// Bytes in flight.
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

    /// Records a part that is sent.
    public mutating func send(_ count: Int, now: UInt64) {
        guard isBounded else { return }
        // Fewer unacknowledged bytes count as received.
        if bytesUnderWay < PartsReceived.dueBytes { lastProgress = now }
        sent += UInt64(count)
        if probe == nil, count >= PartsReceived.dueBytes { probe = (sent, now) }
    }

    /// Processes an acknowledgement: the number of bytes of parts that the other side has received in this session.
    public mutating func acknowledge(_ total: UInt64, now: UInt64) {
        guard isBounded else { return }
        let (reached, overflow) = total.addingReportingOverflow(lost)
        guard !overflow, reached <= sent else {
            // Data presumed lost was only late, or the peer is wrong. In both cases this tells nothing about the line.
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

    /// Called once per round trip. The shortest time is the latency of the line; any more was spent in queues.
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

/// Counts the bytes of parts that have arrived in a session: the receiver's side of a `LineWindow`.
public struct PartsReceived: Hashable, Sendable {
    private var total: UInt64 = 0
    private var acknowledged: UInt64 = 0

    /// Fewer bytes are not acknowledged; the sender's window leaves room for them.
    static let dueBytes: UInt64 = 2 << 10

    public init() {}

    /// Counts bytes that have arrived.
    public mutating func take(_ byteCount: Int) { total += UInt64(byteCount) }

    /// The number to acknowledge now, if one is due.
    public mutating func acknowledgement() -> UInt64? {
        guard total - acknowledged >= Self.dueBytes else { return nil }
        acknowledged = total
        return total
    }
}
