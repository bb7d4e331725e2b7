import InkProtocol
import InkTestSupport
import Testing

@Suite("What waits to be sent to all peers together")
struct SendQueuesTests {
    /// Peers that take at their own pace, some of them nothing.
    private final class Crowd {
        let queues = SendQueues(bytesMax: 8 << 20)
        var peers: [QueuedBytes] = []

        /// Gives a peer what there is room for; returns how much that was.
        func feed(_ peer: QueuedBytes, upTo count: Int = 1 << 20) -> Int {
            let room = queues.room(for: peer, count: count)
            peer.add(room)
            return room
        }
    }

    @Test("Whoever is fed, in any order: no more waits than the budget and a little for each", arguments: 0..<8)
    func staysWithinBudget(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let crowd = Crowd()
        for _ in 0..<5_000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where crowd.peers.count < 200: crowd.peers.append(crowd.queues.makePeer())
            case 1 where !crowd.peers.isEmpty:
                // It leaves, and what was on its way comes to its end.
                let peer = crowd.peers.remove(at: Int.random(in: crowd.peers.indices, using: &random))
                peer.remove(peer.count)
            case 2:
                if let peer = crowd.peers.randomElement(using: &random) {
                    peer.remove(Int.random(in: 0...peer.count, using: &random))
                }
            default:
                if let peer = crowd.peers.randomElement(using: &random) {
                    _ = crowd.feed(peer, upTo: Int.random(in: 1...(1 << 20), using: &random))
                }
            }
            let limit = crowd.queues.bytesMax + crowd.peers.count * SendQueues.peerBytesMin
            #expect(crowd.queues.count <= limit && crowd.queues.count == crowd.peers.reduce(0) { $0 + $1.count })
            #expect(crowd.peers.allSatisfy { $0.count >= 0 && $0.count <= SendQueues.peerBytesMax })
        }
        for peer in crowd.peers { peer.remove(peer.count) }
        #expect(crowd.queues.count == 0)
    }

    @Test("One that takes all it gets is fed beside any number that take nothing", arguments: [1, 10, 1000])
    func servesTheFast(slow: Int) {
        let crowd = Crowd()
        crowd.peers = (0..<slow).map { _ in crowd.queues.makePeer() }
        for _ in 0..<50 { for peer in crowd.peers { _ = crowd.feed(peer) } }
        let fast = crowd.queues.makePeer()
        for _ in 0..<50 {
            let count = crowd.feed(fast)
            #expect(count >= SendQueues.peerBytesMin)
            fast.remove(count)
        }
        // Another pass does not get the slow ones any more.
        let count = crowd.queues.count
        for peer in crowd.peers { _ = crowd.feed(peer) }
        #expect(crowd.queues.count - count <= crowd.queues.bytesMax / 4)
    }

    @Test("Where small parts of many make up too much, one of them is given up; for what others left behind nobody is")
    func slowest() {
        let queues = SendQueues(bytesMax: 8 << 20)
        let peers = (0..<100).map { ($0, queues.makePeer()) }
        for (index, peer) in peers { peer.add(256 << 10 | index) }
        #expect(queues.isOverfull)
        #expect(queues.slowest(peers) == 99)
        #expect(queues.slowest(peers.map { ($0.0, $0.1) }.prefix(0)) == nil)
        // All that is left is with connections that have been given up.
        let (gone, left) = (peers[..<98], [(0, queues.makePeer()), (1, queues.makePeer())])
        #expect(!gone.isEmpty && queues.isOverfull)
        left[0].1.add(100)
        #expect(queues.slowest(left) == nil)
    }
}
