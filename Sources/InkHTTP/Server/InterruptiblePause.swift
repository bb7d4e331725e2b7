import Dispatch
import Synchronization

/// Pauses of a thread, which another ends for good.
final class InterruptiblePause: Sendable {
    private let closed = Atomic<Bool>(false)
    private let wake = DispatchSemaphore(value: 0)

    var isClosed: Bool { closed.load(ordering: .relaxed) }

    func wait(milliseconds: Int) { _ = wake.wait(timeout: .now() + .milliseconds(milliseconds)) }

    func close() {
        closed.store(true, ordering: .relaxed)
        wake.signal()
    }
}
