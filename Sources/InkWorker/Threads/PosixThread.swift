import Glibc

/// A thread with a stack of a known size, which Foundation's and Dispatch's pools do not give.
final class PosixThread: Sendable {
    private static let stackBytes = 8 << 20

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t

    /// Starts `body` on a thread of its own. It has to be joined.
    ///
    /// Throws `noThread`.
    init(_ body: @escaping @Sendable () -> Void) throws(WorkerError) {
        // Not `pthread_attr_t()`: which C module that initializer is seen in depends on what else has been imported.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        pthread_attr_setstacksize(attributes, PosixThread.stackBytes)
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, attributes,
            { pointer in
                Unmanaged<Body>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            throw .noThread(errno: status)
        }
        self.thread = thread
    }

    /// Waits until the thread has ended; once only.
    func join() { pthread_join(thread, nil) }
}

/// Milliseconds of the system's steady clock.
func steadyMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Nanoseconds of the system's steady clock.
func steadyNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
