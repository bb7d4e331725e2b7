public import InkProtocol
import Synchronization

/// A client in the same process: what it sends is taken like the messages of a client over the network, without a line
/// in between.
public final class LocalSession: Sendable {
    let id: SessionID
    private let mailbox: Mailbox<ServiceCommand>
    private static let lastID = Atomic<UInt64>(0)

    /// Clients over the network have lower numbers.
    private static let firstID: UInt64 = 1 << 63

    init(owner: String, _ mailbox: Mailbox<ServiceCommand>, onMessage: @escaping @Sendable (ServiceMessage) -> Void) {
        id = SessionID(rawValue: Self.firstID + Self.lastID.add(1, ordering: .relaxed).newValue)
        self.mailbox = mailbox
        mailbox.post(.joined(id, LocalClient(owner: owner, onMessage: onMessage)))
    }

    /// Submissions, orders, watches and confirmations of notices.
    public func send(_ message: ClientMessage) { mailbox.post(.sent(id, message)) }

    public func close() { mailbox.post(.departed(id)) }

    deinit { close() }
}

struct LocalClient: Sendable {
    var owner: String
    /// Called on the loop's thread; must return soon.
    var onMessage: @Sendable (ServiceMessage) -> Void
}
