import InkSystem

/// A DEALER socket that is opened and closed repeatedly, and the frames that it has not accepted yet, in order. Used by
/// one thread.
public final class DealerConnection {
    private var socket: ZeroMQSocket?
    private var unsent: [[UInt8]] = []
    private var addresses = AddressTurns()

    /// Maximum time for the resolver, and then for an address, before the connection is made without the result.
    private static let resolverMilliseconds = 2_000
    private static let probeMilliseconds: Int32 = 250

    public init() {}

    /// - Throws: `transport` for an endpoint that ZeroMQ does not support.
    public static func check(
        _ endpoint: String, options: ZeroMQSocketOptions, context: ZeroMQContext
    ) throws(ProtocolError) {
        let socket = try ZeroMQSocket(.dealer, context: context, options: options)
        try socket.connect(endpoint)
    }

    /// Whether there are frames that the socket could not accept.
    public var hasUnsent: Bool { !unsent.isEmpty }

    /// Opens a new socket. It has a new routing id, so messages for the old connection cannot reach it.
    ///
    /// If the host has several addresses, each new connection tries the next one; an address that has answered is tried
    /// first.
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
        // ZeroMQ refuses a malformed endpoint when it connects.
        guard let (host, port) = (try? Endpoint(endpoint))?.hostName else { return endpoint }
        let all = HostAddress.all(of: host, port: port, waitingAtMost: Self.resolverMilliseconds)
        // ZeroMQ resolves the name itself, as long as that takes.
        guard all.count > 1 else { return all.first?.endpoint ?? endpoint }
        return addresses.next(of: all.map(\.endpoint)) {
            HostAddress.answering(all, waitingAtMost: Self.probeMilliseconds)?.endpoint
        }
    }

    public func close() {
        socket = nil
        unsent = []
    }

    /// Sends a frame, or keeps it until the socket has room. Without a connection, drops it.
    ///
    /// - Throws: `transport`.
    public func send(_ frame: [UInt8]) throws(ProtocolError) {
        guard socket != nil else { return }
        unsent.append(frame)
        if unsent.count == 1 { try flush() }
    }

    /// Sends the waiting frames for which there is room.
    ///
    /// - Throws: `transport`.
    public func flush() throws(ProtocolError) {
        var sent = 0
        while sent < unsent.count, socket != nil, try socket!.send([unsent[sent]]) == .sent { sent += 1 }
        unsent.removeFirst(sent)
    }

    /// The item to poll; nil without a connection.
    public var pollItem: PollItem? {
        guard socket != nil else { return nil }
        return socket!.pollItem(writable: hasUnsent)
    }

    /// The next message of one part within the limits; nil if there is none yet. Other messages are skipped.
    ///
    /// - Throws: `transport`.
    public func receive() throws(ProtocolError) -> [UInt8]? {
        while socket != nil, let received = try socket!.receive() {
            addresses.hasAnswered = true
            if received.parts.count == 1, received.discardedParts == 0 { return received.parts[0] }
        }
        return nil
    }
}
