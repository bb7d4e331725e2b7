import CSystem
import Dispatch
import Glibc

/// What a piece of work took, nanoseconds.
struct LaneTime: Hashable, Sendable {
    var elapsed: UInt64 = 0
    var cpu: UInt64 = 0

    static func + (a: LaneTime, b: LaneTime) -> LaneTime {
        LaneTime(elapsed: a.elapsed + b.elapsed, cpu: a.cpu + b.cpu)
    }

    /// Runs `work` and measures it; the thread must not change in between.
    static func measure<T>(_ work: () -> T) -> (T, LaneTime) {
        let (start, cpuStart) = (Clock.now, Clock.threadCPU)
        let result = work()
        return (result, LaneTime(elapsed: Clock.now - start, cpu: Clock.threadCPU - cpuStart))
    }
}

/// Nanoseconds of the system's clocks.
enum Clock {
    /// Monotonic.
    static var now: UInt64 { read(CLOCK_MONOTONIC) }
    /// Processor time of the calling thread.
    static var threadCPU: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// A thread of its own for work that must be done in order and must not hold up the loop.
final class Lane: Sendable {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: "ink.broker.\(name)") }

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Waits until everything that was asked for before is done.
    func wait() { queue.sync {} }
}
