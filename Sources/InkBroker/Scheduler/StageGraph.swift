import InkPlanning
/// The stages of a job, and which of their tasks can be dispatched.
///
/// Memory is needed only for groups that have begun, are ready, or have some of their inputs.
struct StageGraph: Sendable {
    private(set) var stages: [StageProgress] = []
    /// Whether no further stages will be added.
    private(set) var isPlanned = false

    init(_ stages: [Stage]) { add(stages, isLast: false) }

    /// Adds further stages.
    ///
    /// - Parameter isLast: whether these are the remaining ones.
    /// - Precondition: The graph is valid: inputs come before their users, and stages that are linked group by group
    ///   have equal counts.
    mutating func add(_ added: [Stage], isLast: Bool) {
        isPlanned = isLast
        for stage in added {
            var sources: [Int] = []
            for input in stage.inputs {
                guard case .group(let source) = input else { continue }
                precondition(stages[source].stage.groups == stage.groups, "groups of two stages that do not match")
                if !stages[source].isComplete { sources.append(source) }
            }
            if case .each(let costs) = stage.costs {
                precondition(costs.count == stage.groups * stage.tasks, "not one cost for each task")
            }
            precondition(stage.groups >= 0 && stage.tasks > 0 && stage.window ?? 1 > 0, "a stage without room")
            stages.append(StageProgress(stage, sources: sources))
        }
    }

    /// Whether every task of the stages so far has been accepted.
    var isComplete: Bool { stages.allSatisfy(\.isComplete) }

    /// The next task that was never dispatched, if one may be dispatched now. Later stages come first, so that started
    /// work is finished before more begins.
    var next: (position: TaskPosition, cost: TaskCost)? {
        for number in stages.indices.reversed() {
            guard let group = stages[number].nextGroup, isOpen(stages[number].stage) else { continue }
            let (stage, index) = (stages[number].stage, stages[number].nextIndex)
            return (
                TaskPosition(stage: number, group: group, index: index), stage.costs[group * stage.tasks + index]
            )
        }
        return nil
    }

    /// Moves past the task that was `next`.
    mutating func begin(_ position: TaskPosition) { stages[position.stage].begin(position.group) }

    /// Takes the result of a task that has begun; once per task.
    mutating func accept(_ position: TaskPosition) {
        guard stages[position.stage].accept(position.group) else { return }
        for user in stages.indices {
            for source in stages[user].sources where source == position.stage {
                stages[user].receive(position.group)
            }
        }
    }

    /// The first `count` groups of a stage have been written.
    mutating func write(_ count: Int, of stage: Int) {
        if stages.indices.contains(stage) { stages[stage].write(count) }
    }

    /// Estimated nanoseconds of the tasks that can be dispatched while one of them takes long; nil until all stages are
    /// known. Groups that depend on single groups of another stage do not count.
    var workBeside: Double? {
        guard isPlanned else { return nil }
        return stages.reduce(0) { $0 + ($1.sources.isEmpty && isOpen($1.stage) ? $1.workAhead : 0) }
    }

    /// A rank for races: the lower, the sooner others wait for a task. First tasks of a stage that is needed as a
    /// whole, then by group.
    func rank(of position: TaskPosition) -> Int {
        let isNeededWhole = !isPlanned || stages.contains { $0.stage.inputs.contains(.whole(position.stage)) }
        return isNeededWhole ? -1 : position.group
    }

    /// Whether the stages that a stage needs as a whole are complete.
    func isOpen(_ stage: Stage) -> Bool {
        stage.inputs.allSatisfy { input in
            guard case .whole(let source) = input else { return true }
            return stages[source].isComplete
        }
    }
}

/// The progress of a stage.
struct StageProgress: Sendable {
    let stage: Stage
    /// The stages whose groups it needs one by one. Without any, its groups begin in order.
    let sources: [Int]
    /// Groups begun, including the current one.
    private(set) var begun = 0
    /// The group whose tasks are being dispatched, and the next task.
    private(set) var current: Int?
    private(set) var nextIndex = 0
    /// Groups begun and not complete, with the number of missing results.
    private(set) var open: [Int: Int] = [:]
    /// Groups with some of their inputs, and the number of missing ones.
    private(set) var waiting: [Int: Int] = [:]
    /// Groups with all inputs that have not begun, ascending.
    private(set) var ready: [Int] = []
    /// Groups complete.
    private(set) var accepted = 0
    private(set) var written = 0

    init(_ stage: Stage, sources: [Int]) {
        self.stage = stage
        self.sources = sources
    }

    var isComplete: Bool { accepted == stage.groups }

    /// The group of the next task, without regard to other stages.
    var nextGroup: Int? {
        if let current { return current }
        guard begun < stage.groups, let group = sources.isEmpty ? begun : ready.first else { return nil }
        if let window = stage.window, group - written >= window { return nil }
        return group
    }

    mutating func begin(_ group: Int) {
        if current == nil {
            if !sources.isEmpty { ready.removeFirst() }
            current = group
            open[group] = stage.tasks
            begun += 1
        }
        nextIndex += 1
        if nextIndex == stage.tasks { (current, nextIndex) = (nil, 0) }
    }

    /// Takes the result of one task; returns whether its group is complete.
    mutating func accept(_ group: Int) -> Bool {
        guard let missing = open[group] else { return false }
        open[group] = missing > 1 ? missing - 1 : nil
        if missing == 1 { accepted += 1 }
        return missing == 1
    }

    /// One input of a group has arrived.
    mutating func receive(_ group: Int) {
        let missing = waiting[group, default: sources.count] - 1
        waiting[group] = missing > 0 ? missing : nil
        if missing == 0 { ready.insert(group, at: ready.firstIndex { $0 > group } ?? ready.endIndex) }
    }

    mutating func write(_ count: Int) { written = max(written, min(count, accepted)) }

    /// Estimated nanoseconds of the consecutive tasks within the window.
    fileprivate var workAhead: Double {
        let first = current ?? begun
        let end = min(stage.groups, first + (stage.window ?? stage.groups))
        return stage.costs.nanoseconds(of: first * stage.tasks + nextIndex..<end * stage.tasks)
    }
}
