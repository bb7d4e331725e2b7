import Dispatch
import Synchronization

/// A queue of messages from any thread to one receiver, in order.
///
/// It has no bound of its own; the number of projects in flight bounds its writers.
package final class EventQueue<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    // Counts deliveries, not messages: the receiver takes all waiting messages, and may wake up once for none.
    private let arrivals = DispatchSemaphore(value: 0)

    package init() {}

    package func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        arrivals.signal()
    }

    /// All waiting messages, in order; empty if none arrives within `milliseconds`.
    package func receive(waitingAtMost milliseconds: Int) -> [Message] {
        let waiting = take()
        if !waiting.isEmpty { return waiting }
        _ = arrivals.wait(timeout: .now() + .milliseconds(milliseconds))
        return take()
    }

    private func take() -> [Message] {
        messages.withLock { messages in
            let taken = messages
            messages = []
            return taken
        }
    }
}
