import CSystem
import Glibc
import InkSystem
import Synchronization

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

/// Lanes that share work that has no order. The first is there from the start; another one is started while all are busy, if
/// the system gives a thread.
final class LaneGroup: Sendable {
    private let lanes: Mutex<[Lane]>
    private let name: String
    private let countMax: Int

    init(_ name: String, countMax: Int) throws(SystemFailure) {
        lanes = Mutex([try Lane(name)])
        self.name = name
        self.countMax = countMax
    }

    func run(_ work: @escaping Lane.Work) { idlest().run(work) }

    private func idlest() -> Lane {
        lanes.withLock { lanes in
            let loads = lanes.map(\.load)
            let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            // Without it the others do the work.
            if loads[least] > 0, lanes.count < countMax, let lane = try? Lane(name) {
                lanes.append(lane)
                return lane
            }
            return lanes[least]
        }
    }

    /// Waits until everything that was asked for before is done.
    func wait() { for lane in lanes.withLock({ $0 }) { lane.wait() } }
}
