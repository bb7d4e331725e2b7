import Synchronization

/// A number that several threads change, within a bound.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// Whether it fits.
    func add(_ count: Int, upTo limit: Int) -> Bool {
        value.withLock { value in
            guard count <= limit - value else { return false }
            value += count
            return true
        }
    }

    func remove(_ count: Int) { value.withLock { $0 -= count } }
}
