/// A DEALER that comes and goes, and the frames that it has not taken yet, in order. Lives on one thread.
public final class DealerConnection {
    private var socket: ZeroMQSocket?
    private var unsent: [[UInt8]] = []
    private var addresses = AddressTurns()

    /// How long the resolver, and then an address, may take before the connection is made without it.
    private static let resolverMilliseconds = 2_000
    private static let probeMilliseconds: Int32 = 250

    public init() {}

    /// Throws `transport` for an endpoint that ZeroMQ does not understand.
    public static func check(
        _ endpoint: String, options: ZeroMQSocketOptions, context: ZeroMQContext
    ) throws(ProtocolError) {
        let socket = try ZeroMQSocket(.dealer, context: context, options: options)
        try socket.connect(endpoint)
    }

    /// Whether frames wait that the socket could not take.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// A new socket has a new routing id: nothing meant for the old connection can reach it.
    ///
    /// Where the host's name has several addresses, each new connection tries the next one, and one that has answered
    /// is tried first.
    ///
    /// - Throws: `transport`.
    public func open(
        _ endpoint: String, options: ZeroMQSocketOptions, context: ZeroMQContext
    ) throws(ProtocolError) {
        unsent = []
        let next = try ZeroMQSocket(.dealer, context: context, options: options)
        try next.connect(nextAddress(of: endpoint))
        socket = consume next
    }

    private func nextAddress(of endpoint: String) -> String {
        guard let (host, port) = (try? Endpoint(endpoint))?.hostName else { return endpoint }
        let all = HostAddress.all(of: host, port: port, waitingAtMost: Self.resolverMilliseconds)
        // ZeroMQ asks again, and as long as it takes.
        guard all.count > 1 else { return all.first?.endpoint ?? endpoint }
        return addresses.next(of: all.map(\.endpoint)) {
            HostAddress.answering(all, waitingAtMost: Self.probeMilliseconds)?.endpoint
        }
    }

    public func close() {
        socket = nil
        unsent = []
    }

    /// Sends a frame, or keeps it until the socket has room; drops it without a connection.
    public func send(_ frame: [UInt8]) throws(ProtocolError) {
        guard socket != nil else { return }
        unsent.append(frame)
        if unsent.count == 1 { try flush() }
    }

    /// Sends what waits, as far as there is room.
    public func flush() throws(ProtocolError) {
        var sent = 0
        while sent < unsent.count, socket != nil, try socket!.send([unsent[sent]]) == .sent { sent += 1 }
        unsent.removeFirst(sent)
    }

    /// What to wait for; nil without a connection.
    public var pollItem: PollItem? {
        guard socket != nil else { return nil }
        return socket!.pollItem(writable: hasUnsent)
    }

    /// The next message of one part within the limits; nil when there is none (yet). Others are passed over.
    public func receive() throws(ProtocolError) -> [UInt8]? {
        while socket != nil, let received = try socket!.receive() {
            addresses.hasAnswered = true
            if received.parts.count == 1, received.discardedParts == 0 { return received.parts[0] }
        }
        return nil
    }
}
