import Dispatch
import Foundation
import Synchronization
public import Testing

/// Threads for suites that mostly wait: for processes, sockets, clocks. Swift's own pool has one thread for each processor,
/// and a test that waits on it keeps a processor from work.
private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads(count: 4)
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init(count: Int) {
        for _ in 0..<count {
            Thread.detachNewThread { [self] in
                while true {
                    arrived.wait()
                    // The newest first, so that a suite whose tests follow each other goes on when it has begun.
                    jobs.withLock { $0.popLast() }?.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }
}

/// Runs the tests of a suite on threads for waiting.
public struct WaitingTrait: SuiteTrait, TestScoping {
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTrait {
    /// Tests of the suite mostly wait.
    public static var waits: WaitingTrait { WaitingTrait() }
}
