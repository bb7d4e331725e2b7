import Dispatch
import Synchronization

/// Messages from any thread to one that takes them in order.
///
/// Not bounded by itself: its writers are, by the number of projects in flight.
package final class EventQueue<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    // Counts deliveries, not messages: a receiver takes all that is there and may wake up once for nothing.
    private let arrivals = DispatchSemaphore(value: 0)

    package init() {}

    package func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        arrivals.signal()
    }

    /// All that has come, in order; empty after `milliseconds` without any.
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
