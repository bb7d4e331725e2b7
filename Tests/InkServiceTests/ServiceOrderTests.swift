import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

@Suite("Orders about jobs that are queued again")
struct ServiceOrderTests {
    private let one = SessionID(rawValue: 1)

    private func ended(_ actions: [ServiceAction]) -> [JobNumber] {
        actions.compactMap { if case .journal(.ended(let job), _) = $0 { job } else { nil } }
    }

    private func answers(_ actions: [ServiceAction]) -> [OrderResult] {
        actions.compactMap { if case .send(_, .orderDone(let result)) = $0 { result } else { nil } }
    }

    @Test("They wait until the job is in memory, and are carried out in their order")
    func orderAfterRetry() {
        var state = ServiceState(nextJob: 10, nextNotice: 1)
        _ = state.handle(.joined(one, owner: "1"), now: 0)
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        func order(_ number: UInt32, _ action: OrderAction) -> [ServiceAction] {
            state.handle(.ordered(one, Order(number: number, action: action)), now: 0)
        }
        func commit(_ number: UInt32, _ outcome: JournalOutcome) -> [ServiceAction] {
            let id = OrderID(session: one, number: number)
            return state.handle(.committed(.order(id), .success([outcome])), now: 0)
        }
        let record = InkStore.JobRecord(
            number: 7, key: .random(), submission: submission.stored, owner: "1", priority: 0, createdAt: 0)
        _ = order(1, .retry([7]))
        // Before the disk has the first, and after it.
        #expect(order(2, .pause([7, 8])) == [])
        let committed = commit(1, .done)
        #expect(committed.contains(.reload([7])) && answers(committed).map(\.code) == [.done])
        #expect(order(3, .cancel([7])) == [])
        // Behind the one that waits.
        #expect(order(4, .priority([8], 1)) == [])
        let reloaded = state.handle(.reloaded([record]), now: 0)
        #expect(!reloaded.contains { if case .journal(.starting, _) = $0 { true } else { false } })
        #expect(answers(reloaded).map(\.number) == [4] && answers(reloaded).map(\.code) == [.refused])
        #expect(reloaded.contains(.journal(.order(OrderID(session: one, number: 2)), [.paused(7, true)])))
        #expect(ended(reloaded) == [7])
        #expect(answers(commit(2, .done)).map(\.code) == [.partly])
        let last = state.handle(.committed(.ended(7), .success([.done])), now: 0)
        #expect(answers(last).map(\.number) == [3] && answers(last).map(\.code) == [.done])
        #expect(state.orders.isEmpty)
        // A job that is not queued again, by one who leaves.
        _ = order(5, .retry([9]))
        #expect(order(6, .cancel([9])) == [])
        _ = state.handle(.left(one), now: 0)
        #expect(commit(5, .unchanged) == [] && state.orders.isEmpty)
    }
}
