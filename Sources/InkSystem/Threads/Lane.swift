import Dispatch
import Synchronization

/// A thread that processes work items in order.
///
/// The thread is started at creation, so work never waits for a thread that the system cannot provide.
package final class Lane: Sendable {
    package typealias Work = @Sendable () -> Void

    /// Stack size in bytes; enough for work that does not read projects.
    package static let stackBytes = 2 << 20

    private let queue = Queue()

    /// - Parameter name: the thread's, as for `PosixThread`.
    /// - Throws: `SystemFailure` if no thread can be started.
    package init(_ name: String, stackBytes: Int = Lane.stackBytes) throws(SystemFailure) {
        try PosixThread(name, stackBytes: stackBytes) { [queue] in queue.serve() }.detach()
    }

    /// Pending work is still done, except for work scheduled for later.
    deinit { queue.close() }

    /// Runs `work` after all earlier work.
    package func run(_ work: @escaping Work) { queue.add(work) }

    /// Runs `work` after a delay in milliseconds.
    package func run(afterMilliseconds milliseconds: Int, _ work: @escaping Work) {
        queue.add(work, at: SystemClock.milliseconds + UInt64(max(0, milliseconds)))
    }

    /// Waits until all earlier work is done. Must not be called on the lane itself.
    package func wait() {
        let isDone = DispatchSemaphore(value: 0)
        run { isDone.signal() }
        isDone.wait()
    }

    /// Number of work items that wait or are running.
    package var load: Int { queue.load }

    private final class Queue: Sendable {
        private struct State {
            var waiting: [Work] = []
            var later: [(time: UInt64, work: Work)] = []
            /// Work that waits, has been taken by the thread, or is running.
            var load = 0
            /// The thread waits, or is about to.
            var isIdle = false
            var isClosed = false
        }

        private enum Step {
            case work
            /// The time until the next work is due; nil: until there is work.
            case wait(milliseconds: UInt64?)
            case end
        }

        private let state = Mutex(State())
        private let arrivals = DispatchSemaphore(value: 0)

        var load: Int { state.withLock(\.load) }

        func add(_ work: @escaping Work) {
            change { state in
                state.waiting.append(work)
                state.load += 1
            }
        }

        func add(_ work: @escaping Work, at time: UInt64) { change { $0.later.append((time, work)) } }

        func close() { change { $0.isClosed = true } }

        private func change(_ body: (inout State) -> Void) {
            let wasIdle = state.withLock { state in
                defer { state.isIdle = false }
                body(&state)
                return state.isIdle
            }
            if wasIdle { arrivals.signal() }
        }

        func serve() {
            // In reverse order. Each entry is released as soon as it is done.
            var taken: [Work] = []
            while true {
                switch state.withLock({ Self.step(&$0, &taken) }) {
                case .work:
                    while let work = taken.popLast() {
                        work()
                        state.withLock { $0.load -= 1 }
                    }
                case .wait(nil): arrivals.wait()
                // A signal that arrives just at the timeout makes the next wait end at once.
                case .wait(let milliseconds?):
                    _ = arrivals.wait(timeout: .now() + .milliseconds(Int(clamping: milliseconds)))
                case .end: return
                }
            }
        }

        private static func step(_ state: inout State, _ taken: inout [Work]) -> Step {
            state.isIdle = false
            if !state.waiting.isEmpty {
                taken = state.waiting.reversed()
                state.waiting = []
                return .work
            }
            if state.isClosed { return .end }
            if let first = state.later.indices.min(by: { state.later[$0].time < state.later[$1].time }) {
                let (time, now) = (state.later[first].time, SystemClock.milliseconds)
                if time <= now {
                    state.load += 1
                    taken = [state.later.remove(at: first).work]
                    return .work
                }
                state.isIdle = true
                return .wait(milliseconds: time - now)
            }
            state.isIdle = true
            return .wait(milliseconds: nil)
        }
    }
}
