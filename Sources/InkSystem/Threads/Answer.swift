import Dispatch
import Synchronization

/// A value that one thread gives and another waits for.
package final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    package init() {}

    package func give(_ found: Value) {
        value.withLock { $0 = found }
        isGiven.signal()
    }

    /// The value; nil if none is given in time.
    ///
    /// - Parameter milliseconds: how long to wait; nil: as long as it takes.
    package func wait(milliseconds: Int? = nil) -> Value? {
        _ = isGiven.wait(timeout: milliseconds.map { .now() + .milliseconds($0) } ?? .distantFuture)
        return value.withLock { $0 }
    }
}
