import Synchronization

/// Counts bytes that wait to be sent to one peer, and adds them to a total. Thread-safe.
public final class QueuedBytes: Sendable {
    private let bytes = Atomic<Int>(0)
    private let whole: QueuedBytes?

    /// - Parameter whole: a counter that also counts these bytes.
    public init(partOf whole: QueuedBytes? = nil) { self.whole = whole }

    public var count: Int { bytes.load(ordering: .relaxed) }

    /// Counts bytes that begin to wait.
    public func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        whole?.add(count)
    }

    /// Counts bytes that wait no longer.
    public func remove(_ count: Int) {
        bytes.subtract(count, ordering: .relaxed)
        whole?.remove(count)
    }
}

/// Limits the bytes that may wait for the peers of a socket, in this process's queues and in ZeroMQ's.
///
/// A peer may use a share of the free budget. Many slow peers therefore take little more than a few, and a fast peer
/// finds room beside them. A request for a block or a picture waits as a request; its data is read when there is room.
public struct SendQueues: Sendable {
    /// Maximum content that waits for all peers together, in bytes.
    public let bytesMax: Int
    private let total = QueuedBytes()

    /// Maximum content that waits for one peer, in bytes.
    public static let peerBytesMax = 8 << 20
    /// Content that may always wait for one peer, in bytes: a fast peer is served even if little is free.
    public static let peerBytesMin = 16 << 10

    public init(bytesMax: Int = 64 << 20) { self.bytesMax = bytesMax }

    /// A counter for a new peer.
    public func makePeer() -> QueuedBytes { QueuedBytes(partOf: total) }

    /// Bytes of all peers.
    public var count: Int { total.count }

    /// How many of `count` bytes of content may be sent to a peer now; 0 means wait.
    public func room(for peer: QueuedBytes, count: Int) -> Int {
        let waiting = peer.count
        let share = max(0, min(Self.peerBytesMax, (bytesMax - total.count) / 4))
        let room = max(share, Self.peerBytesMin) - waiting
        // Not in tiny pieces.
        return room >= min(count, Self.peerBytesMin) ? min(count, room) : 0
    }

    /// Whether so much waits that the peer with the most must be disconnected: messages other than content are not held
    /// back.
    public var isOverfull: Bool { total.count > 3 * bytesMax }

    /// The peer with the most waiting bytes, if that exceeds its share of the budget. Bytes of abandoned connections
    /// also count in the total, but are not the fault of the remaining peers.
    public func slowest<ID>(_ peers: some Collection<(ID, QueuedBytes)>) -> ID? {
        guard let most = peers.max(by: { $0.1.count < $1.1.count }) else { return nil }
        return most.1.count > min(Self.peerBytesMax / 2, bytesMax / peers.count) ? most.0 : nil
    }
}
