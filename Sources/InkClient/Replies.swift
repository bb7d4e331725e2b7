import Dispatch
import InkProtocol
import Synchronization

/// Lets callers wait for results of the client's thread.
final class Replies: Sendable {
    final class Reply: Sendable {
        private let outcome = Mutex<RequestOutcome?>(nil)
        private let progress = Atomic<Int>(0)
        private let arrival = DispatchSemaphore(value: 0)

        func complete(_ outcome: RequestOutcome) {
            self.outcome.withLock { $0 = outcome }
            arrival.signal()
        }

        /// Records that a part of the reply has arrived.
        func goOn() { progress.add(1, ordering: .relaxed) }

        /// nil if nothing of it has arrived for this time.
        func wait(milliseconds: Int) -> RequestOutcome? {
            var seen: Int
            repeat {
                seen = progress.load(ordering: .relaxed)
                if arrival.wait(timeout: .now() + .milliseconds(max(0, milliseconds))) == .success { break }
            } while progress.load(ordering: .relaxed) != seen
            return outcome.withLock { $0 }
        }
    }

    /// nil if no reply can be completed any more.
    private let open = Mutex<[RequestID: Reply]?>([:])

    /// nil if the client has ended.
    func open(_ id: RequestID) -> Reply? {
        open.withLock { open in
            guard open != nil else { return nil }
            let reply = Reply()
            open?[id] = reply
            return reply
        }
    }

    func complete(_ id: RequestID, _ outcome: RequestOutcome) {
        open.withLock { $0?.removeValue(forKey: id) }?.complete(outcome)
    }

    func goOn(_ id: RequestID) { open.withLock { $0?[id] }?.goOn() }

    func forget(_ id: RequestID) { open.withLock { _ = $0?.removeValue(forKey: id) } }

    /// Ends all waits.
    func close() {
        let left = open.withLock { open in
            defer { open = nil }
            return open ?? [:]
        }
        for reply in left.values { reply.complete(.failed(.stopped)) }
    }
}

/// The message about a broker that does not answer.
final class SessionNews: Sendable {
    private enum News {
        case none
        case connected
        case lost(String)
        case refused(String)
    }

    private let news = Mutex(News.none)

    func note(_ event: FarmClientEvent) {
        switch event {
        case .connected: news.withLock { $0 = .connected }
        case .disconnected(let reason): news.withLock { $0 = .lost(reason) }
        case .refused(let reason): news.withLock { $0 = .refused(reason) }
        default: break
        }
    }

    func explain(endpoint: String, waitedMilliseconds: Int) -> ClientError {
        let hint: String
        switch news.withLock({ $0 }) {
        case .refused(let reason): return .refused(reason: reason)
        case .connected: hint = "the broker is there and has not answered this"
        case .lost(let reason): hint = "the connection was lost: \(reason)"
        case .none: hint = ClientError.nobodyThere
        }
        return .unreachable(endpoint: endpoint, waitedMilliseconds: waitedMilliseconds, hint: hint)
    }
}
