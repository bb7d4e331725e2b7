import Synchronization

/// A queue of messages for a thread that waits in `ZeroMQPoll.wait`. Any thread may post; order is kept.
public final class Mailbox<Letter: Sendable>: Sendable {
    public let wakeUp: WakeUp
    private let letters = Mutex<[Letter]>([])

    /// - Throws: `transport` if the process has no descriptor left.
    public init() throws(ProtocolError) { wakeUp = try WakeUp() }

    public func post(_ letter: Letter) {
        letters.withLock { $0.append(letter) }
        wakeUp.signal()
    }

    /// All messages posted since the last call.
    public func take() -> [Letter] {
        wakeUp.clear()
        return letters.withLock { letters in
            defer { letters = [] }
            return letters
        }
    }
}
