import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A farm of workers that die, fail, hang and dawdle, all from one seed, on a clock of its own.
private struct SimulatedFarm {
    private struct Pending {
        var time: UInt64
        var order: Int
        var event: SchedulerEvent
    }

    private struct Job {
        let graph: RandomGraph
        var accepted: Set<TaskPosition> = []
        /// Results that are missing, of each group of each stage.
        var missing: [[Int]]
        /// What the scheduler was told, of each stage.
        var written: [Int]
        /// How many of the graph's further stages the scheduler knows.
        var planned = 0
        var endings: [String] = []

        init(_ graph: RandomGraph) {
            self.graph = graph
            missing = graph.stages.map { Array(repeating: $0.tasks, count: $0.groups) }
            written = Array(repeating: 0, count: missing.count)
        }

        func isDone(_ stage: Int) -> Bool { missing[stage].allSatisfy { $0 == 0 } }

        /// The groups of a stage, from its first on, that are done and with them those made from them.
        func writable(_ stage: Int) -> Int {
            ([stage] + graph.heldFor(stage)).map { missing[$0].prefix { $0 == 0 }.count }.min() ?? 0
        }

        /// What forbids that a task is dispatched; nil when nothing does.
        func fault(_ position: TaskPosition) -> String? {
            let stage = graph.stages[position.stage]
            for input in stage.inputs {
                switch input {
                case .whole(let source): if !isDone(source) { return "before all of stage \(source)" }
                case .group(let source):
                    if missing[source][position.group] != 0 { return "before its group of stage \(source)" }
                }
            }
            if let window = stage.window, position.group - written[position.stage] >= window {
                return "beyond the window"
            }
            return nil
        }
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
    /// Whether every task succeeds in the end, however often it is lost, late or wrong.
    private let isForgiving: Bool
    private(set) var problems: [String] = []
    private(set) var acceptedCount = 0
    /// Accepted results that were there already.
    private(set) var foundCount = 0
    private(set) var completed = 0

    private static let millisecond: UInt64 = 1_000_000

    init(seed: UInt64, isForgiving: Bool = false) {
        self.isForgiving = isForgiving
        random = SeededGenerator(seed: seed)
        roughness = Double.random(in: 0...0.08, using: &random)
        var rules = SchedulerRules()
        rules.leaseMin = 200 * SimulatedFarm.millisecond
        rules.dismissalGrace = 300 * SimulatedFarm.millisecond
        rules.rendererWait = 500 * SimulatedFarm.millisecond
        rules.verifyShare = seed % 3 == 0 ? 0.3 : 0
        if isForgiving { rules.failuresMax = 1_000_000 }
        versions = seed % 4 == 0 && !isForgiving ? ["1", "2"] : ["1"]
        rules.workerWait = 60_000 * SimulatedFarm.millisecond
        state = SchedulerState(rules: rules)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            startWorker(after: UInt64.random(in: 0...50, using: &random))
        }
        for id in 1...UInt64.random(in: 1...6, using: &random) { submit(JobID(id)) }
    }

    var jobCount: Int { jobs.count }

    private mutating func submit(_ id: JobID) {
        let graph = RandomGraph(&random)
        jobs[id] = Job(graph)
        later(
            UInt64.random(in: 0...400, using: &random),
            .jobAdded(
                id, priority: Int.random(in: 0...1, using: &random), weight: Int.random(in: 1...4, using: &random),
                stages: graph.first))
        if !isForgiving, Double.random(in: 0...1, using: &random) < 0.1 {
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
        case .groupsWritten(let id, let stage, let count):
            if let written = jobs[id]?.written[stage] { jobs[id]?.written[stage] = max(count, written) }
        default: break
        }
        let actions = state.handle(event, now: now)
        problems += state.brokenInvariants.map { "\($0), after \(event)" }
        if case .jobDropped(let id) = event, jobs[id]?.endings.count ?? 0 > 1 { jobs[id]?.endings.removeLast() }
        for action in actions { carryOut(action) }
    }

    private mutating func carryOut(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch):
            if let fault = jobs[dispatch.job]?.fault(dispatch.position) {
                problems.append("\(dispatch.position) of \(dispatch.job) dispatched \(fault)")
            }
            work(on: dispatch)
        case .planStages(let id):
            if let job = jobs[id] {
                // All that follow, or some of them and the others when these are done.
                let (rest, end) = (job.graph.rest, job.graph.ends(after: job.planned).randomElement(using: &random)!)
                let next = Array(rest[job.planned..<end])
                jobs[id]?.planned = end
                later(UInt64.random(in: 0...20, using: &random), .stagesPlanned(id, next, isLast: end == rest.count))
            }
        case .lookUp(let task, let id, let position, let version):
            if let fault = jobs[id]?.fault(position) { problems.append("\(position) of \(id) looked up \(fault)") }
            if !versions.contains(version) { problems.append("\(task) looked up for renderer \(version)") }
            let isFound = Double.random(in: 0...1, using: &random) < 0.4
            later(UInt64.random(in: 0...30, using: &random), .lookedUp(task, isFound: isFound))
        case .acceptFound(let task, let id, let position):
            foundCount += 1
            accept(AttemptID(task: task, attempt: 0), id, position)
        case .accept(_, let attempt, let id, let position): accept(attempt, id, position)
        case .jobComplete(let id):
            guard let job = jobs[id] else { return }
            if !job.missing.indices.allSatisfy(job.isDone) { problems.append("\(id) complete with results missing") }
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

    private mutating func accept(_ attempt: AttemptID, _ id: JobID, _ position: TaskPosition) {
        acceptedCount += 1
        guard var job = jobs[id], job.endings.isEmpty else {
            problems.append("\(position) accepted for an ended \(id)")
            return
        }
        if !job.accepted.insert(position).inserted { problems.append("\(position) of \(id) accepted twice") }
        job.missing[position.stage][position.group] -= 1
        jobs[id] = job
        for stage in job.missing.indices where job.graph.stages[stage].window != nil {
            later(
                UInt64.random(in: 0...10, using: &random),
                .groupsWritten(id, stage: stage, count: job.writable(stage)))
        }
    }

    private mutating func work(on dispatch: Dispatch) {
        let delay = UInt64.random(in: 1...40, using: &random)
        switch Double.random(in: 0...1, using: &random) {
        case ..<(roughness * 0.4): later(delay, .workerLost(dispatch.worker, reason: "died"))
        case ..<(roughness * 0.6): break
        case ..<(roughness * 1.6): later(delay, .taskFailed(dispatch.worker, dispatch.id, .transient("failed")))
        case ..<(roughness * 1.61): later(delay, .taskFailed(dispatch.worker, dispatch.id, .malformed("wrong")))
        case ..<(roughness * 1.62): later(delay, .taskFailed(dispatch.worker, dispatch.id, .cancelled))
        case ..<(roughness * 1.65) where !isForgiving:
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
        if Double.random(in: 0...1, using: &random) < 0.02 {
            later(delay, .pauseChanged(dispatch.job, isPaused: true))
            later(delay * 30, .pauseChanged(dispatch.job, isPaused: false))
        }
    }
}

/// The stages of a job: those of an export, or any others.
private struct RandomGraph {
    /// Known from the start.
    private(set) var first: [Stage] = []
    private(set) var rest: [Stage] = []
    /// For each stage, those that have to be done with a group before it counts as written.
    private var holders: [[Int]] = []

    var stages: [Stage] { first + rest }

    func heldFor(_ stage: Int) -> [Int] { holders[stage] }

    /// Where planning may pause: no stage waits for one that is not planned yet before its groups count as written.
    func ends(after planned: Int) -> [Int] {
        (planned...rest.count).filter { end in
            let known = first.count + end
            return holders[..<known].allSatisfy { $0.allSatisfy { $0 < known } }
        }
    }

    init(_ random: inout SeededGenerator) {
        let cost = TaskCost(bytes: Int.random(in: 1...60, using: &random), nanoseconds: 100_000)
        if Bool.random(using: &random) {
            let columns = Int.random(in: 1...4, using: &random)
            let rows = Int.random(in: 1...15, using: &random)
            first = [Stage(groups: Int.random(in: 0...3, using: &random), costs: .all(cost))]
            rest = [
                Stage(
                    groups: rows, tasks: columns, inputs: [.whole(0)], costs: .all(cost),
                    window: Int.random(in: 1...6, using: &random))
            ]
            if columns > 1 { rest.append(Stage(groups: rows, inputs: [.group(1)], costs: .all(cost))) }
        } else {
            let groups = Int.random(in: 1...8, using: &random)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                first.append(Self.stage(after: first, groups, &random))
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                rest.append(Self.stage(after: stages, groups, &random))
            }
        }
        let isLookedUp = stages.map { _ in Int.random(in: 0..<3, using: &random) == 0 }
        for index in first.indices { first[index].isLookedUp = isLookedUp[index] }
        for index in rest.indices { rest[index].isLookedUp = isLookedUp[first.count + index] }
        // The first stages are complete before any other begins.
        holders = stages.indices.map { Self.holders(of: $0, in: $0 < first.count ? first : stages) }
    }

    private static func stage(
        after earlier: [Stage], _ groups: Int, _ random: inout SeededGenerator
    ) -> Stage {
        // Often as many groups as others, often one alone that finishes.
        let groups = [groups, groups, groups, 1, Int.random(in: 0...5, using: &random)].randomElement(using: &random)
        var stage = Stage(groups: groups ?? 1, tasks: Int.random(in: 1...3, using: &random), costs: .each([]))
        for source in earlier.indices where Double.random(in: 0...1, using: &random) < 0.4 {
            let matches = earlier[source].groups == stage.groups
            stage.inputs.append(matches && Int.random(in: 0..<4, using: &random) > 0 ? .group(source) : .whole(source))
        }
        stage.costs = .each(
            (0..<stage.groups * stage.tasks).map { _ in
                TaskCost(bytes: Int.random(in: 1...60, using: &random), nanoseconds: 100_000)
            })
        if Bool.random(using: &random) { stage.window = Int.random(in: 1...6, using: &random) }
        return stage
    }

    /// The stages that are made from a stage group by group; none when one of them, for any of its inputs, waits for the
    /// end of the stage or of another of them: then its groups have to be put aside.
    private static func holders(of stage: Int, in stages: [Stage]) -> [Int] {
        var made: Set = [stage]
        for user in stages.indices where stages[user].inputs.contains(where: { $0.group.map(made.contains) == true }) {
            made.insert(user)
        }
        var needed = made
        for user in stages.indices.reversed() where needed.contains(user) {
            if stages[user].inputs.contains(where: { $0.whole.map(made.contains) == true }) { return [] }
            for input in stages[user].inputs { needed.formUnion([input.group, input.whole].compactMap(\.self)) }
        }
        return made.sorted()
    }
}

extension Stage.Input {
    fileprivate var group: Int? { if case .group(let source) = self { source } else { nil } }
    fileprivate var whole: Int? { if case .whole(let source) = self { source } else { nil } }
}

@Suite struct SchedulerSimulationTests {
    /// Each job ends exactly once, nothing is accepted twice, inputs and windows are kept, credits and groups add up after
    /// every event.
    @Test(arguments: 0..<150) func everyJobEndsOnce(seed: UInt64) {
        var farm = SimulatedFarm(seed: seed)
        farm.run()
        #expect(farm.problems.prefix(3).isEmpty, "seed \(seed)")
        #expect(farm.problems.isEmpty, "seed \(seed)")
    }

    /// Whatever is lost, late or wrong on the way.
    @Test(arguments: 2000..<2150) func everyGraphIsCompleted(seed: UInt64) {
        var farm = SimulatedFarm(seed: seed, isForgiving: true)
        farm.run()
        #expect(farm.problems.isEmpty, "seed \(seed)")
        #expect(farm.completed == farm.jobCount, "seed \(seed)")
    }

    @Test func mostJobsAreCompletedOnARoughFarm() {
        var (completed, found, accepted) = (0, 0, 0)
        for seed in UInt64(1000)..<1030 {
            var farm = SimulatedFarm(seed: seed)
            farm.run()
            completed += farm.completed
            found += farm.foundCount
            accepted += farm.acceptedCount
        }
        #expect(completed > 60)
        // Both ways are taken.
        #expect(found > 100 && accepted > 2 * found)
    }
}
