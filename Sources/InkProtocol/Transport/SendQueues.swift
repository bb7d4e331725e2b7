import Synchronization

/// Bytes that wait to be sent: of one peer, and with them those of all. Safe for all threads.
public final class QueuedBytes: Sendable {
    private let bytes = Atomic<Int>(0)
    private let whole: QueuedBytes?

    /// - Parameter whole: counts these too.
    public init(partOf whole: QueuedBytes? = nil) { self.whole = whole }

    public var count: Int { bytes.load(ordering: .relaxed) }

    public func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    public func remove(_ count: Int) {
        bytes.subtract(count, ordering: .relaxed)
        whole?.remove(count)
    }
}

/// How much may wait for the peers of a socket, in this process's queues and in ZeroMQ's.
///
/// A peer may have a share of what is free, so that many slow ones take up little more than a few do, and one that is fast
/// finds room beside them. What waits as a wish - a block or a picture that was asked for - is read when there is room.
public struct SendQueues: Sendable {
    /// What content may take up for all peers together, bytes.
    public let bytesMax: Int
    private let total = QueuedBytes()

    /// A peer may have at most this much content waiting, bytes.
    public static let peerBytesMax = 8 << 20
    /// A peer may always have this much content waiting, bytes: however little is free, who is fast is fed.
    public static let peerBytesMin = 16 << 10

    public init(bytesMax: Int = 64 << 20) { self.bytesMax = bytesMax }

    /// For a new peer.
    public func makePeer() -> QueuedBytes { QueuedBytes(partOf: total) }

    /// Of all peers.
    public var count: Int { total.count }

    /// How many of `count` bytes of content may be sent to a peer now; 0: it has to wait.
    public func room(for peer: QueuedBytes, count: Int) -> Int {
        let waiting = peer.count
        let share = max(0, min(Self.peerBytesMax, (bytesMax - total.count) / 4))
        let room = max(share, Self.peerBytesMin) - waiting
        // Not in crumbs.
        return room >= min(count, Self.peerBytesMin) ? min(count, room) : 0
    }

    /// Whether so much waits that the peer with the most has to go: messages that are no content are not held back.
    public var isOverfull: Bool { total.count > 3 * bytesMax }

    /// The peer with the most, if that is more than its part of the budget: what waits for connections that are given up
    /// counts, too, and is no fault of those that are left.
    public func slowest<ID>(_ peers: some Collection<(ID, QueuedBytes)>) -> ID? {
        guard let most = peers.max(by: { $0.1.count < $1.1.count }) else { return nil }
        return most.1.count > min(Self.peerBytesMax / 2, bytesMax / peers.count) ? most.0 : nil
    }
}
