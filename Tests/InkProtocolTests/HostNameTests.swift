import InkSystem
import Testing

@testable import InkProtocol

@Suite("Names of hosts")
struct HostNameTests {
    @Test("A name with two addresses: each new connection tries the next, and one that has answered comes first again")
    func turns() {
        var turns = AddressTurns()
        let both = ["tcp://[::1]:1", "tcp://127.0.0.1:1"]
        #expect(turns.next(of: both) { nil } == both[0])
        #expect(turns.next(of: both) { both[0] } == both[1])
        #expect(turns.next(of: both) { both[1] } == both[0])
        turns.hasAnswered = true
        #expect(turns.next(of: both) { both[1] } == both[0])
        #expect(turns.next(of: both) { nil } == both[1])
        turns.hasAnswered = true
        // Its address has been taken from the name.
        #expect(turns.next(of: [both[0], "tcp://127.0.0.2:1"]) { nil } == both[0])
    }

    @Test("Of several addresses the first connection takes one where somebody listens")
    func answering() throws {
        let context = try ZeroMQContext()
        let router = try ZeroMQSocket(.router, context: context)
        try router.bind("tcp://127.0.0.1:*")
        let port = try #require(router.boundEndpoint.split(separator: ":").last.map(String.init))
        let addresses = ["127.0.0.2", "127.0.0.1"].flatMap {
            HostAddress.all(of: $0, port: port, waitingAtMost: 20_000)
        }
        #expect(addresses.map(\.endpoint) == ["tcp://127.0.0.2:\(port)", "tcp://127.0.0.1:\(port)"])
        #expect(HostAddress.answering(addresses, waitingAtMost: 20_000) == addresses[1])
        #expect(HostAddress.answering([addresses[0]], waitingAtMost: 20_000) == nil)
    }

    @Test("A socket listens at a second address right after the first")
    func secondAddress() throws {
        let context = try ZeroMQContext()
        for _ in 0..<50 {
            let router = try ZeroMQSocket(.router, context: context)
            for address in ["127.0.0.1", "127.0.0.2", "127.0.0.3"] { try router.bind("tcp://\(address):*") }
            #expect(router.boundEndpoint.split(separator: ",").count == 3)
        }
    }

    @Test("A name of this machine is listened on, at all its addresses, and the port that the system chose is one")
    func listening() throws {
        let context = try ZeroMQContext()
        let router = try ZeroMQSocket(.router, context: context)
        try router.bind("tcp://localhost:*")
        let places = router.boundEndpoint.split(separator: ", ", omittingEmptySubsequences: true)
        #expect(!places.isEmpty && Set(places.map { $0.split(separator: ":").last }).count == 1)
        #expect(places.allSatisfy { $0.hasPrefix("tcp://127.0.0.1:") || $0.hasPrefix("tcp://[::1]:") })
        let dealer = DealerConnection()
        let port = try #require(places[0].split(separator: ":").last)
        try dealer.open("tcp://localhost:\(port)", options: ZeroMQSocketOptions(), context: context)
        try dealer.send([7])
        var items = [router.pollItem()]
        _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 20_000)
        #expect(try router.receive()?.parts.last == [7])
    }

    @Test("A network interface is listened on at all its addresses, not at those of one family")
    func interfaces() throws {
        #expect(try Endpoint("tcp://lo:1").listeningEndpoints().contains("tcp://127.0.0.1:1"))
    }

    @Test("A name that is none of this machine's is refused before anything starts, with what may stand there")
    func strangers() throws {
        let error = try #require(throws: ProtocolError.self) {
            _ = try Endpoint("tcp://a..b:5570").listeningEndpoints()
        }
        #expect("\(error)".contains("tcp://a..b:5570") && "\(error)".contains("of this machine"))
        for text in ["tcp://*:1", "tcp://10.1.2.3:1", "tcp://[::1]:1", "ipc:///a", "inproc://a"] {
            #expect(try Endpoint(text).listeningEndpoints() == [text])
        }
    }
}
