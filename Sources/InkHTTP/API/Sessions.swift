import Dispatch
import InkProtocol
import InkService
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
                switch message {
                case .accepted(let key, let job): waiting.give(.accepted(job), .submission(key))
                case .rejected(let key, let rejection): waiting.give(.rejected(rejection), .submission(key))
                case .orderDone(let result): waiting.give(.done(result), .order(owner, result.number))
                default: break
                }
            }
            sessions[owner] = session
            return session
        }
    }

    /// - Throws: 503 if the service does not answer in time.
    func order(_ action: OrderAction, of owner: String) throws(Problem) -> OrderResult {
        let number = lastOrder.add(1, ordering: .relaxed).newValue
        let reply = waiting.open(.order(owner, number))
        session(of: owner).send(.order(Order(number: number, action: action)))
        guard case .done(let result)? = reply.wait(milliseconds: Self.patienceMilliseconds) else {
            waiting.forget(.order(owner, number))
            throw .busy("the broker does not answer")
        }
        return result
    }

    enum SubmissionOutcome {
        case accepted(JobNumber)
        case rejected(Rejection)
        /// No answer came in time.
        case none
    }

    /// So many are handed in at a time: the service has a bound for all clients.
    private static let openMax = 64

    /// Hands in submissions; the outcomes are in their order.
    func submit(_ submissions: [Submission], of owner: String) -> [SubmissionOutcome] {
        stride(from: 0, to: submissions.count, by: Self.openMax).flatMap { start in
            submit(together: submissions[start..<min(submissions.count, start + Self.openMax)], of: owner)
        }
    }

    private func submit(together submissions: ArraySlice<Submission>, of owner: String) -> [SubmissionOutcome] {
        let session = session(of: owner)
        let replies = submissions.map { submission in
            let reply = waiting.open(.submission(submission.key))
            session.send(.submit(submission))
            return reply
        }
        return zip(submissions, replies).map { submission, reply in
            switch reply.wait(milliseconds: Self.patienceMilliseconds) {
            case .accepted(let job): return .accepted(job)
            case .rejected(let rejection): return .rejected(rejection)
            case .done, nil:
                waiting.forget(.submission(submission.key))
                return .none
            }
        }
    }
}

/// Answers that somebody waits for.
private final class Waiting: Sendable {
    enum Name: Hashable {
        case submission(SubmissionKey)
        case order(String, UInt32)
    }

    enum Outcome: Sendable {
        case accepted(JobNumber)
        case rejected(Rejection)
        case done(OrderResult)
    }

    final class Reply: Sendable {
        private let outcome = Mutex<Outcome?>(nil)
        private let arrived = DispatchSemaphore(value: 0)

        func give(_ found: Outcome) {
            outcome.withLock { $0 = found }
            arrived.signal()
        }

        func wait(milliseconds: Int) -> Outcome? {
            _ = arrived.wait(timeout: .now() + .milliseconds(milliseconds))
            return outcome.withLock { $0 }
        }
    }

    /// Several may wait for one submission: requests that are repeated.
    private let replies = Mutex<[Name: [Reply]]>([:])

    func open(_ name: Name) -> Reply {
        let reply = Reply()
        replies.withLock { $0[name, default: []].append(reply) }
        return reply
    }

    func give(_ outcome: Outcome, _ name: Name) {
        for reply in replies.withLock({ $0.removeValue(forKey: name) }) ?? [] { reply.give(outcome) }
    }

    func forget(_ name: Name) { replies.withLock { $0[name] = nil } }
}
