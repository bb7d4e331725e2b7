import Synchronization

/// A letter box of a thread that waits in `ZeroMQPoll.wait`: from any thread, in order.
public final class Mailbox<Letter: Sendable>: Sendable {
    public let wakeUp: WakeUp
    private let letters = Mutex<[Letter]>([])

    /// Throws `transport` when the process has no descriptor left.
    public init() throws(ProtocolError) { wakeUp = try WakeUp() }

    public func post(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        wakeUp.signal()
    }

    /// All that was posted since the last time.
    public func take() -> [Letter] {
        wakeUp.clear()
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
