import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker

/// A farm of workers that die, fail, hang and dawdle, all from one seed, on a clock of its own.
private struct SimulatedFarm {
    private struct Pending {
        var time: UInt64
        var order: Int
        var event: SchedulerEvent
    }

    private struct Job {
        var decodes: Int
        var schedule: TileSchedule
        var accepted: Set<TaskRole> = []
        var rowsDone: Set<Int> = []
        var rowsWritten = 0
        var endings: [String] = []

        var expected: Int { decodes + schedule.rows * (schedule.columns + (schedule.needsEncoding ? 1 : 0)) }
    }

    private var state: SchedulerState
    private var random: SeededGenerator
    private var queue: [Pending] = []
    private var order = 0
    private var now: UInt64 = 0
    private var jobs: [JobID: Job] = [:]
    private var alive: Set<WorkerID> = []
    private var nextWorker: UInt64 = 0
    private let roughness: Double
    /// Results that are to be compared.
    private var held: Set<AttemptID> = []
    private let versions: [String]
    private(set) var problems: [String] = []
    private(set) var acceptedCount = 0
    private(set) var completed = 0

    private static let millisecond: UInt64 = 1_000_000

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        roughness = Double.random(in: 0...0.08, using: &random)
        var rules = SchedulerRules()
        rules.leaseMin = 200 * SimulatedFarm.millisecond
        rules.dismissalGrace = 300 * SimulatedFarm.millisecond
        rules.rendererWait = 500 * SimulatedFarm.millisecond
        rules.verifyShare = seed % 3 == 0 ? 0.3 : 0
        versions = seed % 4 == 0 ? ["1", "2"] : ["1"]
        rules.workerWait = 60_000 * SimulatedFarm.millisecond
        state = SchedulerState(rules: rules)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            startWorker(after: UInt64.random(in: 0...50, using: &random))
        }
        for id in 1...UInt64.random(in: 1...6, using: &random) { submit(JobID(id)) }
    }

    private mutating func submit(_ id: JobID) {
        let columns = Int.random(in: 1...4, using: &random)
        let cost = TaskCost(bytes: Int.random(in: 1...60, using: &random), nanoseconds: 100_000)
        let schedule = TileSchedule(
            rows: Int.random(in: 1...15, using: &random), columns: columns, needsEncoding: columns > 1, tileCost: cost,
            encodeCost: cost, window: Int.random(in: 1...6, using: &random))
        let decodes = Int.random(in: 0...3, using: &random)
        jobs[id] = Job(decodes: decodes, schedule: schedule)
        later(
            UInt64.random(in: 0...400, using: &random),
            .jobAdded(
                id, priority: Int.random(in: 0...1, using: &random), weight: Int.random(in: 1...4, using: &random),
                decodes: Array(repeating: cost, count: decodes)))
        if Double.random(in: 0...1, using: &random) < 0.1 {
            later(UInt64.random(in: 401...1200, using: &random), .jobDropped(id))
        }
    }

    private mutating func startWorker(after milliseconds: UInt64) {
        nextWorker += 1
        let credits = WorkerCredits(
            tasks: Int.random(in: 1...5, using: &random), bytes: Int.random(in: 20...200, using: &random))
        let version = versions[Int.random(in: 0..<versions.count, using: &random)]
        later(
            milliseconds,
            .workerJoined(WorkerID(rawValue: nextWorker), name: "w\(nextWorker)", version: version, credits: credits))
    }

    private mutating func later(_ milliseconds: UInt64, _ event: SchedulerEvent) {
        order += 1
        queue.append(Pending(time: now + milliseconds * SimulatedFarm.millisecond, order: order, event: event))
    }

    mutating func run() {
        var steps = 0
        var lastTick: UInt64 = 0
        while jobs.values.contains(where: { $0.endings.isEmpty }) {
            steps += 1
            guard steps < 60_000 else {
                problems.append("the jobs do not end")
                return
            }
            let next = queue.indices.min { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) }
            if let next, queue[next].time <= lastTick + 100 * SimulatedFarm.millisecond {
                let pending = queue.remove(at: next)
                now = max(now, pending.time)
                deliver(pending.event)
            } else {
                lastTick += 100 * SimulatedFarm.millisecond
                now = max(now, lastTick)
                deliver(.tick)
            }
        }
    }

    private mutating func deliver(_ event: SchedulerEvent) {
        switch event {
        case .workerJoined(let worker, _, _, _): alive.insert(worker)
        case .taskFinished(let worker, _, _), .taskFailed(let worker, _, _), .workerDraining(let worker):
            guard alive.contains(worker) else { return }
        case .workerLost(let worker, _, _):
            guard alive.remove(worker) != nil else { return }
            startWorker(after: UInt64.random(in: 0...300, using: &random))
        case .jobDropped(let id): jobs[id]?.endings.append("dropped")
        default: break
        }
        let actions = state.handle(event, now: now)
        problems += state.brokenInvariants.map { "\($0), after \(event)" }
        if case .jobDropped(let id) = event, jobs[id]?.endings.count ?? 0 > 1 { jobs[id]?.endings.removeLast() }
        for action in actions { carryOut(action) }
    }

    private mutating func carryOut(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch): work(on: dispatch)
        case .planTiles(let id):
            if let job = jobs[id] { later(UInt64.random(in: 0...20, using: &random), .tilesPlanned(id, job.schedule)) }
        case .accept(_, let attempt, let id, let role): accept(attempt, id, role)
        case .jobComplete(let id):
            guard let job = jobs[id] else { return }
            if job.accepted.count != job.expected { problems.append("\(id) complete with results missing") }
            jobs[id]?.endings.append("complete")
            completed += 1
            checkOneEnding(id)
        case .jobFailed(let id, let failure):
            jobs[id]?.endings.append("\(failure)")
            checkOneEnding(id)
        case .dismiss(let worker, _):
            alive.remove(worker)
            startWorker(after: UInt64.random(in: 0...300, using: &random))
        case .hold(_, let attempt): if !held.insert(attempt).inserted { problems.append("\(attempt) held twice") }
        case .drop(_, let attempt): held.remove(attempt)
        case .cancel: break
        }
    }

    private mutating func checkOneEnding(_ id: JobID) {
        if let job = jobs[id], job.endings.count != 1 { problems.append("\(id) ended \(job.endings)") }
    }

    private mutating func accept(_ attempt: AttemptID, _ id: JobID, _ role: TaskRole) {
        acceptedCount += 1
        guard var job = jobs[id], job.endings.isEmpty else {
            problems.append("\(role) accepted for an ended \(id)")
            return
        }
        if !job.accepted.insert(role).inserted { problems.append("\(role) of \(id) accepted twice") }
        switch role {
        case .encode(let row): job.rowsDone.insert(row)
        case .tile(let row, _) where !job.schedule.needsEncoding: job.rowsDone.insert(row)
        default: break
        }
        while job.rowsDone.contains(job.rowsWritten) { job.rowsWritten += 1 }
        jobs[id] = job
        later(UInt64.random(in: 0...10, using: &random), .rowsWritten(id, job.rowsWritten))
    }

    private mutating func work(on dispatch: Dispatch) {
        let delay = UInt64.random(in: 1...40, using: &random)
        switch Double.random(in: 0...1, using: &random) {
        case ..<(roughness * 0.4): later(delay, .workerLost(dispatch.worker, reason: "died"))
        case ..<(roughness * 0.6): break
        case ..<(roughness * 1.6): later(delay, .taskFailed(dispatch.worker, dispatch.id, .transient("failed")))
        case ..<(roughness * 1.61): later(delay, .taskFailed(dispatch.worker, dispatch.id, .malformed("wrong")))
        case ..<(roughness * 1.62): later(delay, .taskFailed(dispatch.worker, dispatch.id, .cancelled))
        case ..<(roughness * 1.65):
            later(
                delay, .taskFailed(dispatch.worker, dispatch.id, .badInput(.badInput(Place(file: "a"), reason: "bad"))))
        case ..<(roughness * 2.5): later(delay * 15, .taskFinished(dispatch.worker, dispatch.id))
        case ..<(roughness * 2.6):
            later(delay, .workerDraining(dispatch.worker))
            later(delay * 20, .workerLost(dispatch.worker, reason: "left"))
        default:
            // One in fifty lies.
            let lie: UInt64 = Double.random(in: 0...1, using: &random) < 0.02 ? nextWorker + 1 : 0
            let digest = withUnsafeBytes(of: dispatch.id.task.rawValue &+ lie) { Array($0) }
            later(delay, .taskFinished(dispatch.worker, dispatch.id, digest: digest))
        }
        if Double.random(in: 0...1, using: &random) < 0.02 {
            later(delay, .priorityChanged(dispatch.job, Int.random(in: -1...2, using: &random)))
        }
    }
}

@Suite struct SchedulerSimulationTests {
    /// Each job ends exactly once, nothing is accepted twice, credits and rows add up after every event.
    @Test(arguments: 0..<150) func everyJobEndsOnce(seed: UInt64) {
        var farm = SimulatedFarm(seed: seed)
        farm.run()
        #expect(farm.problems.prefix(3).isEmpty, "seed \(seed)")
        #expect(farm.problems.isEmpty, "seed \(seed)")
    }

    @Test func mostJobsAreCompletedOnARoughFarm() {
        var completed = 0
        for seed in UInt64(1000)..<1030 {
            var farm = SimulatedFarm(seed: seed)
            farm.run()
            completed += farm.completed
        }
        #expect(completed > 60)
    }
}
