import InkPlanning
/// Tasks of one kind, in groups. For example, the tiles of a picture are a stage, and those of a row are a group.
struct Stage: Hashable, Sendable {
    /// What must be complete before a group begins. A graph's stages are numbered from 0; inputs come before their
    /// users.
    enum Input: Hashable, Sendable {
        /// All groups of a stage.
        case whole(Int)
        /// The group of the same number, of a stage with the same number of groups.
        case group(Int)
    }

    enum Costs: Hashable, Sendable {
        /// One cost for every task.
        case all(TaskCost)
        /// A cost for each task, group by group.
        case each([TaskCost])

        subscript(task: Int) -> TaskCost {
            switch self {
            case .all(let cost): cost
            case .each(let costs): costs[task]
            }
        }

        /// Estimated nanoseconds of some tasks together.
        func nanoseconds(of tasks: Range<Int>) -> Double {
            switch self {
            case .all(let cost): Double(tasks.count) * Double(cost.nanoseconds)
            case .each(let costs): costs[tasks].reduce(0) { $0 + Double($1.nanoseconds) }
            }
        }
    }

    var groups: Int
    /// In each group; at least 1.
    var tasks = 1
    var inputs: [Input] = []
    var costs: Costs
    /// How many groups beyond the written ones may have begun, at least 1; nil for all.
    var window: Int?
    /// Whether results of earlier jobs may serve: they are looked up before a worker gets the task.
    var isLookedUp = false
}

/// The position of a task in its job's graph of stages.
struct TaskPosition: Hashable, Sendable {
    var stage: Int
    var group = 0
    /// Index in its group.
    var index = 0
}
