import InkProtocol
import InkService
import InkSystem
import Synchronization

/// A session at the service for each caller, so that turns are shared among them, and the answers that are awaited.
final class Sessions: Sendable {
    private let service: FarmService
    private let waiting = Waiting()
    private let sessions = Mutex<[String: LocalSession]>([:])
    private let lastOrder = Atomic<UInt32>(0)

    /// How long an answer of the service may take, milliseconds: it waits for the disk.
    private static let patienceMilliseconds = 30_000

    init(_ service: FarmService) { self.service = service }

    func close() { sessions.withLock { $0 = [:] } }

    private func session(of owner: String) -> LocalSession {
        sessions.withLock { sessions in
            if let session = sessions[owner] { return session }
            let waiting = waiting
            let session = service.openSession(owner: owner) { message in
                if case .orderDone(let result) = message {
                    waiting.give(result, OrderName(owner: owner, number: result.number))
                }
            }
            sessions[owner] = session
            return session
        }
    }

    /// - Throws: 503 if the service does not answer in time.
    func order(_ action: OrderAction, of owner: String) throws(Problem) -> OrderResult {
        let number = lastOrder.add(1, ordering: .relaxed).newValue
        let reply = waiting.open(OrderName(owner: owner, number: number))
        session(of: owner).send(.order(Order(number: number, action: action)))
        guard let result = reply.wait(milliseconds: Self.patienceMilliseconds) else {
            waiting.forget(OrderName(owner: owner, number: number))
            throw .busy("the broker does not answer; ask again later")
        }
        return result
    }
}

/// An order of a caller.
private struct OrderName: Hashable {
    var owner: String
    var number: UInt32
}

/// Answers that somebody waits for.
private final class Waiting: Sendable {
    private let replies = Mutex<[OrderName: Answer<OrderResult>]>([:])

    func open(_ name: OrderName) -> Answer<OrderResult> {
        let reply = Answer<OrderResult>()
        replies.withLock { $0[name] = reply }
        return reply
    }

    func give(_ result: OrderResult, _ name: OrderName) {
        replies.withLock { $0.removeValue(forKey: name) }?.give(result)
    }

    func forget(_ name: OrderName) { replies.withLock { $0[name] = nil } }
}
