import CSystem
import Dispatch
import Synchronization
import Testing

@testable import InkEngine

@Suite struct BusyProcessorsTests {
    private struct Refusal: Error {}

    /// The process's own one depends on what else runs.
    private let processors = BusyProcessors()

    @Test("what the work returns and throws comes out, and the thread may go where it could before")
    func results() throws {
        let before = allowed()
        processors.activate()
        #expect(processors.run { 42 } == 42)
        #expect(throws: Refusal.self) { try processors.run { () throws(Refusal) in throw Refusal() } }
        #expect(processors.run { processors.run { allowed() } } == before)
        #expect(allowed() == before)
    }

    @Test("work within work begins on another processor, where there is one")
    func spread() {
        // The system may move a thread at any time, though there is little reason to here.
        let tries = 20
        var spread = 0
        processors.activate()
        for _ in 0..<tries {
            processors.run {
                let outer = ink_processor()
                processors.run { spread += ink_processor() != outer ? 1 : 0 }
            }
        }
        if allowed().count > 1 { #expect(spread > tries / 2) } else { #expect(spread == 0) }
    }

    @Test("until it is activated threads are let be")
    func inactive() {
        // As above: of those that the system moves there are few.
        let moved = (0..<20).count { _ in
            processors.run {
                let outer = ink_processor()
                return processors.run { ink_processor() != outer }
            }
        }
        #expect(moved < 10)
    }

    private func allowed() -> [Int32] {
        var processors = [Int32](repeating: -1, count: 1024)
        let count = Int(ink_allowed_processors(&processors, Int32(processors.count)))
        return Array(processors.prefix(count))
    }
}
