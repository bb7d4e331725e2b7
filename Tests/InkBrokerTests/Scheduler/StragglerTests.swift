import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A farm in virtual time with a cost model: what a task takes differs from its estimate, and workers from each other.
private struct TimedFarm {
    struct Machine {
        var slowness: Double
        /// When its thread is free.
        var freeAt: UInt64 = 0
    }

    private enum Event {
        case finished(WorkerID, AttemptID)
        case written(JobID, Int)
    }

    private(set) var state: SchedulerState
    private(set) var now: UInt64 = 0
    private var random: SeededGenerator
    private var machines: [WorkerID: Machine] = [:]
    private var pending: [(time: UInt64, order: Int, event: Event)] = []
    private var order = 0
    private var cancelled: Set<AttemptID> = []
    private var plans: [JobID: [Double]] = [:]
    private var accepted: [JobID: Set<Int>] = [:]
    private(set) var ends: [JobID: UInt64] = [:]
    private(set) var begins: [JobID: UInt64] = [:]
    private(set) var startedWork = 0.0

    static let millisecond: UInt64 = 1_000_000

    init(seed: UInt64, slowness: [Double]) {
        state = SchedulerState()
        random = SeededGenerator(seed: seed)
        for (index, slow) in slowness.enumerated() {
            let id = WorkerID(rawValue: UInt64(index + 1))
            machines[id] = Machine(slowness: slow)
            tell(.workerJoined(id, name: "w\(index + 1)", credits: WorkerCredits(tasks: 2, bytes: 1 << 40)))
        }
    }

    /// A 4K picture: bands whose true cost differs by a factor of three, and from the estimate by half.
    mutating func add(_ id: UInt64, rows: Int, window: Int, milliseconds: Double = 12, priority: Int = 0) {
        let job = JobID(id)
        begins[job] = now
        let costs = (0..<rows).map { _ in milliseconds * Double.random(in: 0.5...1.5, using: &random) }
        let estimate = milliseconds * Double.random(in: 0.5...1.5, using: &random)
        let cost = TaskCost(bytes: 1 << 20, nanoseconds: UInt64(estimate * 1e6))
        plans[job] = costs
        tell(.jobAdded(job, priority: priority, weight: 1, stages: []))
        tell(.stagesPlanned(job, [Stage(groups: rows, costs: .all(cost), window: window)]))
    }

    private mutating func later(_ time: UInt64, _ event: Event) {
        order += 1
        pending.append((time, order, event))
    }

    private mutating func tell(_ event: SchedulerEvent) {
        for action in state.handle(event, now: now) {
            switch action {
            case .dispatch(let dispatch): start(dispatch)
            case .cancel(_, let attempt): cancelled.insert(attempt)
            case .accept(_, _, let job, let position):
                accepted[job, default: []].insert(position.group)
                var done = 0
                while accepted[job]?.contains(done) == true { done += 1 }
                later(now, .written(job, done))
            case .jobComplete(let job): ends[job] = now
            default: break
            }
        }
    }

    private mutating func start(_ dispatch: Dispatch) {
        guard let cost = plans[dispatch.job]?[dispatch.position.group], let machine = machines[dispatch.worker]
        else { return }
        let time = cost * machine.slowness
        startedWork += cost
        let begin = max(now, machine.freeAt)
        guard time.isFinite else { return }
        let end = begin + UInt64(time * 1e6)
        machines[dispatch.worker]?.freeAt = end
        later(end, .finished(dispatch.worker, dispatch.id))
    }

    /// Until all jobs have ended; nil when they do not.
    mutating func run() -> UInt64? {
        var lastTick = now
        while ends.count < plans.count {
            guard now < 36_000_000 * Self.millisecond else { return nil }
            let tick = lastTick + 25 * Self.millisecond
            let next = pending.indices.min {
                (pending[$0].time, pending[$0].order) < (pending[$1].time, pending[$1].order)
            }
            guard let next, pending[next].time <= tick else {
                now = tick
                lastTick = tick
                tell(.tick)
                continue
            }
            let (time, _, event) = pending.remove(at: next)
            now = max(now, time)
            switch event {
            case .written(let job, let rows): tell(.groupsWritten(job, stage: 0, count: rows))
            case .finished(let worker, let attempt):
                // A cancelled one takes its time all the same, and its answer is that it was cancelled.
                tell(
                    cancelled.contains(attempt)
                        ? .taskFailed(worker, attempt, .cancelled) : .taskFinished(worker, attempt))
            }
        }
        return now
    }
}

@Suite("Slow workers") struct StragglerTests {
    @Test(arguments: 0..<40 as Range<UInt64>)
    func oneOfFourTenTimesSlower(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let rows = Int.random(in: 64...128, using: &random)
        let window = Int.random(in: 8...64, using: &random)
        func time(_ slowness: [Double]) throws -> Double {
            var farm = TimedFarm(seed: seed, slowness: slowness)
            farm.add(1, rows: rows, window: window)
            let end = farm.run()
            return Double(try #require(end, "seed \(seed): the job does not end"))
        }
        let without = try time([1, 1, 1])
        let with = try time([1, 10, 1, 1])
        #expect(with <= 1.25 * without, "seed \(seed): \(with / 1e6) ms with the slow one, \(without / 1e6) ms without")
    }

    @Test(arguments: [[1, 10, 1, 1], [1, 10, 10, 1], [1, 1, 1, 1], [1, 3, 2, 1]] as [[Double]])
    func littleIsDoneTwice(slowness: [Double]) {
        for seed in 0..<5 as Range<UInt64> {
            var farm = TimedFarm(seed: seed, slowness: slowness)
            for job in 1...200 as ClosedRange<UInt64> { farm.add(job, rows: 24, window: 16) }
            let end = farm.run()
            #expect(end != nil, "seed \(seed)")
            let counters = farm.state.counters
            let share = Double(counters.racedWork) / Double(counters.work - counters.racedWork)
            #expect(share < 0.05, "seed \(seed), \(slowness): \(share) of the work done twice")
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func aStalledWorkerHoldsNothingUp(seed: UInt64) throws {
        var farm = TimedFarm(seed: seed, slowness: [1, .infinity, 1, 1])
        farm.add(1, rows: 80, window: 16)
        var alone = TimedFarm(seed: seed, slowness: [1, 1, 1])
        alone.add(1, rows: 80, window: 16)
        let (end, endAlone) = (farm.run(), alone.run())
        let (with, without) = (try #require(end), try #require(endAlone))
        #expect(Double(with) <= 1.4 * Double(without), "seed \(seed): \(with) ns and \(without) ns")
    }

    @Test func lowerPrioritiesAreNotStarved() throws {
        var farm = TimedFarm(seed: 1, slowness: [1, 1])
        farm.add(1, rows: 20, window: 16, priority: -5)
        // Higher ones come without end.
        for job in 2...400 as ClosedRange<UInt64> { farm.add(job, rows: 16, window: 16, priority: 5) }
        let end = farm.run()
        #expect(end != nil)
        let low = try #require(farm.ends[JobID(1)])
        let last = try #require(farm.ends.values.max())
        // Its 20 bands are due after 16 times as much of the others.
        #expect(Double(low) < 0.12 * Double(last), "ended at \(low) of \(last)")
    }
}
