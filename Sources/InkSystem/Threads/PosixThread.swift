import CSystem
import Dispatch
import Glibc
import Synchronization

/// A thread with a stack of a known size. When the initializer returns, the thread exists, so the caller knows at once
/// whether the system can provide it. Dispatch's pools would wait indefinitely.
package struct PosixThread: Sendable {
    /// Stack size in bytes, sufficient for everything in the program.
    package static let standardStackBytes = 8 << 20

    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Held while a thread is started; see `reserving`.
    private static let starting = Mutex<Void>(())

    private let thread: pthread_t

    /// Starts `body` on a new thread, which must be joined or detached.
    ///
    /// - Parameter name: at most 15 bytes, shown by the system; `Benchmarks/account.py` counts the thread's time by it.
    /// - Throws: if a limit on processes, threads or memory is reached; `refusal` is the message for users.
    package init(
        _ name: String, stackBytes: Int = standardStackBytes, _ body: @escaping @Sendable () -> Void
    ) throws(SystemFailure) {
        self = try PosixThread.starting.withLock { _ throws(SystemFailure) in
            try PosixThread(create: name, stackBytes, body)
        }
    }

    /// - Parameter stackBytes: nil for the system's default.
    private init(
        create name: String, _ stackBytes: Int?, _ body: @escaping @Sendable () -> Void
    ) throws(SystemFailure) {
        // Not `pthread_attr_t()`: the C module in which that initializer is visible depends on other imports.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        pthread_attr_init(attributes)
        defer {
            pthread_attr_destroy(attributes)
            attributes.deallocate()
        }
        if let stackBytes { pthread_attr_setstacksize(attributes, stackBytes) }
        let box = Unmanaged.passRetained(Body(name, body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, attributes,
            { pointer in
                let body = Unmanaged<Body>.fromOpaque(pointer!).takeRetainedValue()
                ink_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard status == 0 else {
            box.release()
            throw SystemFailure(operation: "start a thread", errno: status)
        }
        self.thread = thread
    }

    /// Waits until the thread has ended. Call it once.
    package func join() { pthread_join(thread, nil) }

    /// Releases the thread's resources when it ends.
    package func detach() { pthread_detach(thread) }

    /// An error message: no thread could be started, and what to do.
    package static func refusal(errno: Int32) -> String {
        "cannot start a thread: \(String(cString: strerror(errno))); raise the limit of processes and threads "
            + "(ulimit -u, a container's pids limit, TasksMax) or of memory (ulimit -v)"
    }
}

// MARK: - Threads of libraries

extension PosixThread {
    /// Calls `body`, in which a library starts `count` threads and aborts the process if one fails. `body` is called
    /// only if that many threads can be started. This process starts no others in the meantime.
    ///
    /// Another process of the same user can still take them first.
    package static func reserving(_ count: Int, _ body: () -> Void) throws(SystemFailure) {
        try starting.withLock { _ throws(SystemFailure) in
            try tryOut(count)
            body()
        }
    }

    /// Starts that many threads at once, as a library does, and lets them end.
    private static func tryOut(_ count: Int) throws(SystemFailure) {
        let gate = TryOutGate()
        var threads: [PosixThread] = []
        defer {
            for _ in threads { gate.mayEnd.signal() }
            for thread in threads { thread.join() }
            // A joined thread counts until the system has removed it from its lists.
            for number in gate.numbers.withLock({ $0 }) { while ink_is_thread(number) != 0 { sched_yield() } }
        }
        for _ in 0..<count { threads.append(try PosixThread(create: "try-out", nil) { gate.pass() }) }
    }

    private final class TryOutGate: Sendable {
        let numbers = Mutex<[pid_t]>([])
        let mayEnd = DispatchSemaphore(value: 0)

        func pass() {
            numbers.withLock { $0.append(ink_thread_number()) }
            mayEnd.wait()
        }
    }
}
