import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

@Suite("States as they are stored")
struct StoredStateTests {
    @Test(arguments: 0..<100)
    func statesAreReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ending = random.ending()
        for state in [.queued, .starting, .publishing(random.seal()), .ended(ending)] as [StoredState] {
            let read = try StoredState(code: state.code, detail: state.detail)
            // No stored job is unknown.
            #expect(read == (state == .ended(.unknown) ? .ended(.cancelled) : state), "seed \(seed)")
        }
    }

    @Test func codesNeverChange() {
        let states: [StoredState] = [
            .queued, .starting, .publishing(StoreSamples.seal), .ended(.finished(StoreSamples.picture)),
            .ended(.failed(.badInput, text: "")), .ended(.cancelled),
        ]
        #expect(states.map(\.code) == [0, 1, 2, 3, 4, 5])
        #expect(StoredState.ended(.failed(.noWorkers, text: "a")).detail == [3, 97])
    }

    @Test func cutOnesAreRefused() {
        for state in [.publishing(StoreSamples.seal), .ended(.finished(StoreSamples.picture))] as [StoredState] {
            for count in 0..<state.detail.count {
                #expect(throws: ProtocolError.self, "\(count) bytes") {
                    try StoredState(code: state.code, detail: Array(state.detail[..<count]))
                }
            }
            #expect(throws: ProtocolError.self) { try StoredState(code: state.code, detail: state.detail + [0]) }
        }
    }

    @Test(
        "Damage is named",
        arguments: [
            (6, [], "state"), (-1, [], "state"), (4, [], "failure"), (4, [4, 97], "failure"), (3, [], "width"),
            (2, [5, 97], "target"), (2, [1, 0xFF], "UTF-8"),
        ] as [(Int64, [UInt8], String)])
    func damage(code: Int64, detail: [UInt8], named: String) throws {
        let failure = #expect(throws: ProtocolError.self) { try StoredState(code: code, detail: detail) }
        #expect(try #require(failure).description.contains(named), "\(failure?.description ?? "")")
    }

    @Test(arguments: 0..<100)
    func damageNeverEndsTheProgram(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var detail = StoredState.publishing(random.seal()).detail
        for _ in 0..<50 {
            detail[random.int(0...(detail.count - 1))] = UInt8(truncatingIfNeeded: random.next())
            for code in 0..<6 { _ = try? StoredState(code: Int64(code), detail: detail) }
        }
    }
}
