import Glibc

/// A value behind a lock, with a condition variable.
///
/// Synchronization.Mutex has no condition variable; this is a POSIX counterpart.
final class Monitor<Value>: @unchecked Sendable {
    // Both stay at a fixed address as long as the monitor exists, as POSIX requires.
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

    /// Changes the value and wakes the waiting threads.
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        return body(&value)
    }

    /// Waits until `body` returns a result. It is called at once and after each change.
    func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer {
            // Another thread may wait for what this call has taken.
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, lock)
        }
    }
}
