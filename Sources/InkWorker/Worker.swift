import Dispatch
public import InkProtocol
import InkSystem
import Synchronization

/// A worker: one thread for its connection to the broker, and render threads that execute the tasks.
///
///     let worker = try Worker(configuration: configuration, context: context, runner: runner)
///     try worker.start()
///     ...
///     try worker.stop()
public final class Worker: Sendable {
    private let configuration: WorkerConfiguration
    private let context: ZeroMQContext
    private let runner: any TaskRunner
    private let cache: BlockCache
    private let queue: RenderQueue
    private let wakeUp: WakeUp
    private let requests = StopRequests()
    private let threads = Mutex<[PosixThread]>([])
    private let failure = Mutex<WorkerError?>(nil)
    private let joining = Mutex<Void>(())
    private let onNews: @Sendable (WorkerNews) -> Void

    /// A worker that has not started.
    ///
    /// - Parameters:
    ///   - context: for an `inproc` endpoint the broker's own.
    ///   - cache: shared with other workers of the process; nil makes one of `configuration.cacheBytes`.
    ///   - onNews: called on the worker's thread; must return soon, and must not call `stop`.
    /// Throws `configuration` or `transport`.
    public init(
        configuration: WorkerConfiguration, context: ZeroMQContext, runner: any TaskRunner, cache: BlockCache? = nil,
        onNews: @escaping @Sendable (WorkerNews) -> Void = { _ in }
    ) throws(WorkerError) {
        try configuration.check()
        self.onNews = onNews
        self.configuration = configuration
        self.context = context
        self.runner = runner
        self.cache = cache ?? BlockCache(limitBytes: configuration.cacheBytes)
        queue = RenderQueue(outgoingLimitBytes: configuration.outgoingBytes)
        do throws(ProtocolError) { wakeUp = try WakeUp() } catch { throw .transport(error) }
    }

    /// Starts the threads; call it once. If only some of the render threads can be started, but at least one, the
    /// worker runs more slowly and reports it.
    ///
    /// - Throws: `noThread`; no thread is then left running.
    public func start() throws(WorkerError) {
        let count = RenderThreadCount()
        // First the thread that is required.
        keep(try start("worker") { [self] in runLoop(threads: count.wait()) })
        var started = 0
        do throws(WorkerError) {
            while started < configuration.threads {
                let body = RenderThread(index: started, queue: queue, runner: runner, cache: cache, wakeUp: wakeUp)
                keep(try start("render") { body.loop() })
                started += 1
            }
        } catch {
            guard started > 0 else {
                count.give(0)
                join()
                throw error
            }
        }
        count.give(started)
    }

    /// The number of render threads, for the thread that reports it to the broker.
    private final class RenderThreadCount: Sendable {
        private let count = Atomic<Int>(0)
        private let isKnown = DispatchSemaphore(value: 0)

        func give(_ count: Int) {
            self.count.store(count, ordering: .releasing)
            isKnown.signal()
        }

        func wait() -> Int {
            isKnown.wait()
            return count.load(ordering: .acquiring)
        }
    }

    /// Finishes current tasks, says goodbye and ends. Returns when all threads have ended.
    ///
    /// - Throws: the errors of `waitUntilEnded`.
    public func stop() throws(WorkerError) {
        requestDrain()
        try waitUntilEnded()
    }

    /// Starts the draining that `stop` waits for.
    public func requestDrain() {
        requests.drain()
        wakeUp.signal()
    }

    /// Ends without finishing any task. Returns when all threads have ended, which takes until runs notice that they
    /// are cancelled.
    public func stopNow() {
        requests.stopNow()
        wakeUp.signal()
        join()
    }

    /// Returns when the worker has drained.
    ///
    /// - Throws: `refused`, or `transport` if the sockets failed.
    public func waitUntilEnded() throws(WorkerError) {
        join()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(WorkerError) -> PosixThread {
        do throws(SystemFailure) {
            return try PosixThread(name, body)
        } catch {
            throw .noThread(errno: error.errno)
        }
    }

    /// - Parameter threads: number of render threads; 0: do nothing.
    private func runLoop(threads: Int) {
        guard threads > 0 else { return queue.close() }
        if threads < configuration.threads { onNews(.fewerThreads(threads, wanted: configuration.threads)) }
        var configuration = configuration
        configuration.threads = threads
        let loop = WorkerLoop(
            configuration: configuration, context: context, cache: cache, queue: queue, wakeUp: wakeUp,
            requests: requests, onNews: onNews)
        do throws(WorkerError) {
            try loop.run()
        } catch {
            failure.withLock { $0 = error }
            onNews(.failed(error))
        }
    }

    private func keep(_ thread: PosixThread) { threads.withLock { $0.append(thread) } }

    private func join() {
        // A second caller waits for the first one's join.
        joining.withLock { _ in
            let ended = threads.withLock { threads in
                defer { threads = [] }
                return threads
            }
            for thread in ended { thread.join() }
        }
    }

}

/// Requests of the process to the loop; set by any thread.
final class StopRequests: Sendable {
    private let draining = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)

    var wantsToDrain: Bool { draining.load(ordering: .acquiring) }
    var wantsToStopNow: Bool { stopping.load(ordering: .acquiring) }

    func drain() { draining.store(true, ordering: .releasing) }
    func stopNow() { stopping.store(true, ordering: .releasing) }
}

/// An event of a worker's connection.
public enum WorkerNews: Hashable, Sendable {
    /// The system could not start all render threads.
    case fewerThreads(Int, wanted: Int)
    /// The worker has ended; `waitUntilEnded` throws the same.
    case failed(WorkerError)
    /// The broker has accepted the worker.
    case connected
    /// The broker is gone or silent. The worker reconnects by itself, unless it is leaving.
    case disconnected
    /// No broker has answered; the worker retries at growing intervals.
    case unanswered
    /// No more tasks are accepted; current ones are finished.
    case draining
}
