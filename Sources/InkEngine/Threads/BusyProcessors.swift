import CSystem
import Synchronization

/// Which processors the busy threads of this process run on, so that each begins its work on one of its own.
///
/// Linux leaves a thread that is woken on the processor of whoever woke it when it takes the others to be busy, though
/// they no longer are, and moves it milliseconds later: as long as a short task takes. Seen with 2 processors: 10 ms of a
/// reading in two threads, one after the other on one processor.
public final class BusyProcessors: Sendable {
    private struct State {
        var isActive = false
        /// Busy threads of each processor, as far as is known: the system may have moved them since.
        var counts: [Int32: Int] = [:]
    }

    /// Of the process. It lets threads be where they are until it is activated, which is for processes that make pictures
    /// and end: a service must not hold on to the processors that it once had.
    public static let shared = BusyProcessors()

    private let state = Mutex(State())

    init() {}

    public func activate() { state.withLock { $0.isActive = true } }

    /// Does `work`, whose processor time is long against a move, on a processor where nobody else does: moves the calling
    /// thread there if it is not. The thread stays free to be moved.
    public func run<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let processor = enter()
        defer { if let processor { leave(processor) } }
        return try work()
    }

    /// Where the calling thread is counted; nil when no thread is, before `activate`.
    private func enter() -> Int32? {
        let current = ink_processor()
        let chosen = state.withLock { state -> Int32? in
            guard state.isActive else { return nil }
            let chosen = state.counts[current] == nil ? current : BusyProcessors.free(state.counts) ?? current
            state.counts[chosen, default: 0] += 1
            return chosen
        }
        // Where it cannot be moved it is counted on the wrong one, which is no worse than not to know.
        if let chosen, chosen != current { ink_move_to_processor(chosen) }
        return chosen
    }

    private func leave(_ processor: Int32) {
        state.withLock { state in
            let left = (state.counts[processor] ?? 1) - 1
            state.counts[processor] = left > 0 ? left : nil
        }
    }

    /// The first that the calling thread may use and nobody does.
    private static func free(_ counts: [Int32: Int]) -> Int32? {
        var processors = [Int32](repeating: 0, count: 1024)
        let count = Int(ink_allowed_processors(&processors, Int32(processors.count)))
        return processors.prefix(count).first { counts[$0] == nil }
    }
}
