import InkBroker
import InkProtocol
import InkSystem

/// Orders of clients.
extension ServiceLoop {
    func carryOut(_ order: Order, _ session: SessionID) {
        let mailbox = mailbox
        let name = owner(of: session)
        let workersFound: @Sendable (Int) -> Void = { count in
            let result = OrderResult(
                number: order.number, code: count > 0 ? .done : .refused, count: UInt64(count),
                text: count > 0 ? "" : "there is no such worker")
            mailbox.post(.send(session, .orderDone(result)))
        }
        switch order.action {
        case .cancel(let jobs): pass(on: order, "cancel", jobs, session)
        case .retry(let jobs): pass(on: order, "retry", jobs, session)
        case .priority(let jobs, _): pass(on: order, "priority", jobs, session)
        case .pause(let jobs): pass(on: order, "pause", jobs, session)
        case .resume(let jobs): pass(on: order, "resume", jobs, session)
        case .purge(let jobs, let seconds):
            let done: @Sendable (PurgeOutcome) -> Void = { outcome in
                mailbox.post(.send(session, .orderDone(outcome.result(order.number))))
            }
            if jobs.isEmpty {
                let milliseconds = Int64(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
                let age = seconds > UInt64(Int64.max / 1000) ? Int64.max : milliseconds
                let now = SystemClock.unixMilliseconds
                // Includes jobs that ended in this very millisecond.
                purge(endedBefore: now - min(now, age) + (seconds == 0 ? 1 : 0), then: done)
            } else {
                purge(jobs, then: done)
            }
        case .drain(let worker):
            onEvent(FarmNote(.info, "order.drain", worker: worker, client: name))
            parts.broker.drainWorkers(named: worker, reply: workersFound)
        case .dismiss(let worker):
            onEvent(FarmNote(.info, "order.dismiss", worker: worker, client: name))
            parts.broker.dismissWorkers(named: worker, reply: workersFound)
        }
    }

    private func owner(of session: SessionID) -> String? { peers[session]?.owner ?? locals[session]?.owner }

    private func pass(on order: Order, _ what: String, _ jobs: [JobNumber], _ session: SessionID) {
        let numbers = jobs.prefix(20).map(String.init).joined(separator: ",") + (jobs.count > 20 ? ",..." : "")
        onEvent(
            FarmNote(
                .info, "order", client: owner(of: session),
                details: [("order", .text(what)), ("jobs", .text(numbers))]))
        tell(.ordered(session, order))
    }
}
