import InkProtocol

/// Decides which worker does which task and when: a state machine that takes events and returns actions.
///
/// It uses no socket, disk, clock (times are arguments, in nanoseconds of any monotonic clock) or randomness: the same
/// events give the same actions. The windows of the stages limit its memory, because a task has a record only from its
/// first dispatch until its result.
struct SchedulerState: Sendable {
    let rules: SchedulerRules
    var jobs: [JobID: ScheduledJob] = [:]
    var workers = Workforce()
    var tasks: [TaskID: TaskRecord] = [:]
    /// Suspects that wait to be tried alone, oldest first.
    var suspects: [TaskID] = []
    var lastTask: UInt64 = 0
    /// The turns of the job that was served last. A new job starts here, so that it neither waits nor dominates.
    var virtualTime: UInt64 = 0
    /// Estimated work due to the lower priorities while a higher one was served.
    var lowerDue: UInt64 = 0
    /// Tasks with results that wait for comparison.
    var checked: Set<TaskID> = []
    var counters = SchedulerCounters()
    var unmannedSince: UInt64?
    /// When races were last searched for.
    var lastRace: UInt64 = 0
    var actions: [SchedulerAction] = []

    init(rules: SchedulerRules = SchedulerRules()) { self.rules = rules }

    /// Processes one event and returns the actions, in order.
    mutating func handle(_ event: SchedulerEvent, now: UInt64) -> [SchedulerAction] {
        actions.removeAll(keepingCapacity: true)
        apply(event, now: now)
        if case .taskProgressed = event { return actions }
        placeSuspects(now: now)
        settleChecks(now: now)
        lookUp()
        while let choice = choose() { dispatch(choice, now: now) }
        race(after: event, now: now)
        watchForWorkers(now: now)
        return actions
    }

    private mutating func apply(_ event: SchedulerEvent, now: UInt64) {
        switch event {
        case .jobAdded(let id, let priority, let weight, let stages):
            guard jobs[id] == nil else { return }
            jobs[id] = ScheduledJob(id: id, priority: priority, weight: weight, stages: stages, pass: virtualTime)
            advance(id)
        case .stagesPlanned(let id, let stages, let isLast):
            guard let graph = jobs[id]?.graph, graph.isComplete, !graph.isPlanned else { return }
            jobs[id]?.graph.add(stages, isLast: isLast)
            advance(id)
        case .groupsWritten(let id, let stage, let count): jobs[id]?.graph.write(count, of: stage)
        case .priorityChanged(let id, let priority): jobs[id]?.priority = priority
        case .pauseChanged(let id, let isPaused): jobs[id]?.isPaused = isPaused
        case .jobDropped(let id): removeJob(id)
        case .workerJoined(let id, let name, let version, let credits):
            guard workers[id] == nil else { return }
            workers[id] = WorkerRecord(id: id, name: name, version: version, credits: credits)
        case .workerDraining(let id): drain(id)
        case .workerLost(let id, let reason, let delivered):
            lose(id, reason: reason, delivered: delivered, now: now)
        case .taskProgressed(let worker, let attempt): renew(worker, attempt, now: now)
        case .taskFinished(let worker, let attempt, let digest): finish(worker, attempt, digest, now: now)
        case .taskFailed(let worker, let attempt, let fault): fail(worker, attempt, fault, now: now)
        case .lookedUp(let task, let isFound): take(task, isFound: isFound)
        case .tick: sweep(now: now)
        }
    }
}

/// Counters since the scheduler's start.
struct SchedulerCounters: Hashable, Sendable {
    var dispatched = 0
    /// Tasks whose results were there already.
    var found = 0
    /// The dispatches among these that were races.
    var raced = 0
    /// Results that were equal to another worker's.
    var verified = 0
    /// Results that should have been compared, but there was no second worker.
    var unverified = 0
    /// Estimated nanoseconds of all dispatches, and of races.
    var work: UInt64 = 0
    var racedWork: UInt64 = 0
}
