import Glibc

/// A value behind a lock that threads can also wait at.
///
/// Synchronization.Mutex has no condition to wait for; this is its POSIX counterpart.
final class Monitor<Value>: @unchecked Sendable {
    // Both live at a fixed address for as long as the monitor does, as POSIX asks.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(changed)
        lock.deallocate()
        changed.deallocate()
    }

    /// Changes the value and lets the waiting threads look again.
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        return body(&value)
    }

    /// Waits until `body` gives a result; it is asked at once and after each change.
    func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer {
            // Taking something may be what another thread waits for.
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, lock)
        }
    }
}
