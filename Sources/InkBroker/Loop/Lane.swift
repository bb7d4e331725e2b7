import CSystem
import Dispatch
import Glibc
import InkSystem

/// What a piece of work took, nanoseconds.
struct LaneTime: Hashable, Sendable {
    var elapsed: UInt64 = 0
    var cpu: UInt64 = 0

    static func + (a: LaneTime, b: LaneTime) -> LaneTime {
        LaneTime(elapsed: a.elapsed + b.elapsed, cpu: a.cpu + b.cpu)
    }

    /// Runs `work` and measures it; the thread must not change in between.
    static func measure<T>(_ work: () -> T) -> (T, LaneTime) {
        let (start, cpuStart) = (SystemClock.nanoseconds, SystemClock.threadNanoseconds)
        let result = work()
        return (
            result, LaneTime(elapsed: SystemClock.nanoseconds - start, cpu: SystemClock.threadNanoseconds - cpuStart)
        )
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
