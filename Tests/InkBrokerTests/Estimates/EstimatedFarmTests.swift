import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A farm whose tasks take other times than planned, all from one seed, on a clock of its own; what its estimator says is
/// compared with what comes.
private struct EstimatedFarm {
    /// An estimate, and when it was made.
    private struct Told {
        var time: UInt64
        var left: TimeLeft
    }

    private struct Job {
        var work: PictureWork
        var images: [Double]
        /// Real time over estimated.
        var slowness: [WorkKind: Double]
        var begun: UInt64 = 0
        var told: [Told] = []
    }

    private enum Event {
        case submit(JobID)
        case prepared(JobID)
        case planned(JobID)
        case done(thread: Int)
        case end(JobID)
        case tick
    }

    private var random: SeededGenerator
    private var scheduler = SchedulerState()
    private var estimator = TimeEstimator()
    private var jobs: [JobID: Job] = [:]
    /// Latest first.
    private var agenda: [(time: UInt64, event: Event)] = []
    private var now: UInt64 = 0
    /// Tasks that wait for a thread, and the one that it works on.
    private var threads: [[Dispatch]]
    private let speeds: [WorkKind: Double]
    private let jobCount: Int
    /// The most jobs that are submitted together; the next ones come when all have ended.
    private let batch: Int
    private var submitted = 0
    private var ended = 0
    private var active = 0
    /// Submitted and not begun; the farm does not begin all at once.
    private var waiting: [JobID] = []
    /// Whether each estimate from the first fifth of a job on held, in the order of the jobs' ends.
    private(set) var held: [Bool] = []
    /// How far the expected time was from the true one, as a share of the whole.
    private(set) var errors: [Double] = []

    private static let kinds: [WorkKind] = [
        .prepare, .decode, .strokes, .composite, .encode(.png, .balanced), .whole(.jxl, .balanced), .finish,
    ]

    init(seed: UInt64, jobs count: Int) {
        random = SeededGenerator(seed: seed)
        jobCount = count
        let threadCount = Int.random(in: 1...8, using: &random)
        threads = Array(repeating: [], count: threadCount)
        // How this machine differs from the one that the estimates were made for.
        var speeds: [WorkKind: Double] = [:]
        for kind in Self.kinds { speeds[kind] = exp(Self.normal(&random) * 0.8) }
        self.speeds = speeds
        estimator.threads = threadCount
        for thread in 0..<threadCount {
            let credits = WorkerCredits(tasks: 2, bytes: 1 << 30)
            _ = scheduler.handle(.workerJoined(WorkerID(rawValue: UInt64(thread)), name: "w", credits: credits), now: 0)
        }
        batch = Int.random(in: 1...12, using: &random)
        submit()
        add(.tick, at: 0)
    }

    /// Some more jobs, within a moment.
    private mutating func submit() {
        let first = submitted + 1
        submitted = min(jobCount, submitted + (batch == 1 ? 1 : Int.random(in: 1...batch, using: &random)))
        guard first <= submitted else { return }
        for id in first...submitted { later(Double.random(in: 0...100e6, using: &random), .submit(JobID(UInt64(id)))) }
    }

    private static func normal(_ random: inout SeededGenerator) -> Double {
        let u = Double.random(in: 1e-9...1, using: &random)
        return sqrt(-2 * log(u)) * cos(2 * .pi * Double.random(in: 0...1, using: &random))
    }

    private mutating func add(_ event: Event, at time: UInt64) {
        let index = agenda.firstIndex { $0.time <= time } ?? agenda.count
        agenda.insert((time, event), at: index)
    }

    private mutating func later(_ nanoseconds: Double, _ event: Event) {
        add(event, at: now + UInt64(max(1, nanoseconds)))
    }

    mutating func run() {
        while ended < jobCount, let (time, event) = agenda.popLast() {
            now = max(now, time)
            take(event)
        }
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .submit(let id):
            let job = makeJob()
            jobs[id] = job
            let rough = RoughSize(
                kind: .unread(.png, .balanced), work: job.work.rows.reduce(0) { $0 + $1.strokes + $1.composite },
                prepare: 20e6)
            estimator.submitted(id, rough, priority: 0, weight: 1, now: now)
            waiting.append(id)
            admit()
        case .prepared(let id):
            guard let job = jobs[id] else { return }
            estimator.prepared(
                id, job.work, images: job.images, preparation: now - job.begun, now: now)
            let costs = job.images.map { TaskCost(bytes: 1, nanoseconds: UInt64($0)) }
            tell(.jobAdded(id, priority: 0, weight: 1, stages: [Stage(groups: costs.count, costs: .each(costs))]))
        case .planned(let id):
            guard let work = jobs[id]?.work else { return }
            estimator.planned(id, work, now: now)
            let tiles = Stage(
                groups: work.rows.count, inputs: [.whole(0)],
                costs: .all(TaskCost(bytes: 1, nanoseconds: UInt64(work.tileTurn))))
            let wholes = Stage(
                groups: work.wholes.count, inputs: [.whole(1)],
                costs: .all(TaskCost(bytes: 1, nanoseconds: UInt64(work.wholes.first?.nanoseconds ?? 0))))
            let none = Stage(groups: 0, costs: .all(TaskCost(bytes: 1, nanoseconds: 1)))
            tell(.stagesPlanned(id, [tiles, none, wholes]))
        case .done(let thread): finishTask(of: thread)
        case .end(let id): end(id)
        case .tick:
            for (id, left) in estimator.newTimesLeft(now: now, underWay: scheduler.tasksUnderWay) {
                jobs[id]?.told.append(Told(time: now, left: left))
            }
            later(100e6, .tick)
        }
    }

    private mutating func makeJob() -> Job {
        let size = exp(Self.normal(&random) * 1.2)
        let count = Int.random(in: 12...80, using: &random)
        func cost(_ nanoseconds: Double) -> Double { nanoseconds * size * exp(Self.normal(&random) * 0.3) }
        let row = PictureWork.Row(strokes: cost(30e6), composite: cost(10e6), encode: cost(15e6))
        var work = PictureWork(
            rows: (0..<count).map { _ in
                PictureWork.Row(
                    strokes: row.strokes * Double.random(in: 0.2...2, using: &random), composite: row.composite,
                    encode: row.encode)
            })
        work.finish = cost(10e6)
        if Int.random(in: 0..<4, using: &random) == 0 {
            work.wholes = [.init(kind: .whole(.jxl, .balanced), nanoseconds: cost(500e6))]
        }
        let images = (0..<Int.random(in: 0...3, using: &random)).map { _ in cost(100e6) }
        // No two pictures are alike.
        var slowness: [WorkKind: Double] = [:]
        for kind in Self.kinds { slowness[kind] = (speeds[kind] ?? 1) * exp(Self.normal(&random) * 0.25) }
        work.tileTurn = work.rows.reduce(0) { $0 + $1.strokes + $1.composite + $1.encode } / Double(count)
        work.wholeTurn = work.wholes.first?.nanoseconds ?? 0
        return Job(work: work, images: images, slowness: slowness)
    }

    private mutating func admit() {
        while active < 8, !waiting.isEmpty {
            active += 1
            begin(waiting.removeFirst())
        }
    }

    private mutating func begin(_ id: JobID) {
        jobs[id]?.begun = now
        estimator.began(id, now: now)
        later(20e6 * (jobs[id]?.slowness[.prepare] ?? 1), .prepared(id))
    }

    private mutating func tell(_ event: SchedulerEvent) {
        for action in scheduler.handle(event, now: now) {
            switch action {
            case .dispatch(let dispatch):
                let thread = Int(dispatch.worker.rawValue)
                threads[thread].append(dispatch)
                let underWay = threads.reduce(0) { $0 + $1.count }
                estimator.dispatched(underWay: underWay)
                if threads[thread].count == 1 { later(time(of: dispatch), .done(thread: thread)) }
            case .planStages(let id): later(1e6, .planned(id))
            case .accept(_, _, let id, let position):
                guard let role = TaskRole(position, of: Self.stages) else { break }
                estimator.accepted(id, role, estimate: estimate(of: role, id), now: now)
            case .jobComplete(let id):
                later((jobs[id]?.work.finish ?? 0) * (jobs[id]?.slowness[.finish] ?? 1), .end(id))
            default: break
            }
        }
    }

    private static let stages: [ExportStage] = [.decode, .tile, .encode, .finish]

    private func estimate(of role: TaskRole, _ id: JobID) -> Double {
        if case .decode(let index) = role { jobs[id]?.images[index] ?? 0 } else { 0 }
    }

    /// What a worker measures.
    private mutating func phases(_ dispatch: Dispatch) -> PhaseTimes {
        guard let job = jobs[dispatch.job] else { return PhaseTimes() }
        func real(_ kind: WorkKind, _ estimate: Double) -> UInt64 {
            UInt64(max(1, estimate * (job.slowness[kind] ?? 1) * exp(Self.normal(&random) * 0.2)))
        }
        switch TaskRole(dispatch.position, of: Self.stages) {
        case .decode(let index): return PhaseTimes(decode: real(.decode, job.images[index]))
        case .tile(let row, _):
            let cost = job.work.rows[row]
            return PhaseTimes(
                raster: real(.strokes, cost.strokes), composite: real(.composite, cost.composite),
                encode: real(.encode(.png, .balanced), cost.encode))
        case .read, .whole, .encode, .trial, nil: return PhaseTimes()
        case .finish: return PhaseTimes(encode: real(.whole(.jxl, .balanced), job.work.wholes[0].nanoseconds))
        }
    }

    private var measured: [TaskID: PhaseTimes] = [:]

    private mutating func time(of dispatch: Dispatch) -> Double {
        let phases = phases(dispatch)
        measured[dispatch.id.task] = phases
        // What messages take.
        return 1.04 * Double(phases.decode + phases.raster + phases.composite + phases.encode)
    }

    private mutating func finishTask(of thread: Int) {
        let underWay = threads.reduce(0) { $0 + $1.count }
        let dispatch = threads[thread].removeFirst()
        if let next = threads[thread].first { later(time(of: next), .done(thread: thread)) }
        guard let role = TaskRole(dispatch.position, of: Self.stages) else { return }
        estimator.done(
            dispatch.job, role, measured.removeValue(forKey: dispatch.id.task) ?? PhaseTimes(),
            estimate: estimate(of: role, dispatch.job), underWay: underWay, now: now)
        tell(.taskFinished(dispatch.worker, dispatch.id))
    }

    private mutating func end(_ id: JobID) {
        estimator.ended(id, isFinished: true, now: now)
        (ended, active) = (ended + 1, active - 1)
        defer {
            admit()
            if ended == submitted { submit() }
        }
        guard let job = jobs.removeValue(forKey: id) else { return }
        let whole = Double(now - job.begun)
        for told in job.told where told.time >= job.begun && Double(told.time - job.begun) >= 0.2 * whole {
            let truth = Double(now - told.time) / 1e9
            held.append((told.left.low...told.left.high).contains(truth))
            errors.append(abs(told.left.seconds - truth) * 1e9 / whole)
        }
    }
}

@Suite struct EstimatedFarmTests {
    /// About nine of ten estimates of many farms hold, from the first fifth of each job on; and they are of use: the
    /// expected time is near the true one.
    @Test func ninetyOfHundredIntervalsHold() {
        var (held, count) = (0, 0)
        var errors: [Double] = []
        for seed in 0..<12 as Range<UInt64> {
            var farm = EstimatedFarm(seed: seed, jobs: 40)
            farm.run()
            held += farm.held.count { $0 }
            count += farm.held.count
            errors += farm.errors
        }
        let share = Double(held) / Double(count)
        let median = errors.sorted()[errors.count / 2]
        print("\(count) estimates, \(share) of the intervals hold, the median error is \(median) of the whole time")
        #expect((0.85...0.95).contains(share))
        #expect(median < 0.1)
    }

    /// Also where all differs from what is usual.
    @Test(arguments: 100..<104) func eachFarmLearns(seed: UInt64) {
        var farm = EstimatedFarm(seed: seed, jobs: 60)
        farm.run()
        let late = farm.held.suffix(farm.held.count / 2)
        let share = Double(late.count { $0 }) / Double(max(1, late.count))
        #expect((0.75...1).contains(share), "seed \(seed): \(share) of \(late.count)")
    }
}
