import Glibc

/// A thread with a stack of a known size, which Foundation's and Dispatch's pools do not give.
package struct PosixThread: Sendable {
    private static let stackBytes = 8 << 20

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: pthread_t

    /// Starts `body` on a thread of its own. It has to be joined or detached.
    package init(_ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
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
            throw SystemFailure(operation: "start a thread", errno: status)
        }
        self.thread = thread
    }

    /// Waits until the thread has ended; once only.
    package func join() { pthread_join(thread, nil) }

    /// Lets it end when it does.
    package func detach() { pthread_detach(thread) }
}
