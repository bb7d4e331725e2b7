/// Tasks of one kind, in groups: the tiles of a picture are a stage, those of a row a group.
struct Stage: Hashable, Sendable {
    /// What has to be complete before a group begins. A graph's stages are numbered from 0, inputs before their users.
    enum Input: Hashable, Sendable {
        /// All groups of a stage.
        case whole(Int)
        /// The group of the same number, of a stage with as many groups.
        case group(Int)
    }

    enum Costs: Hashable, Sendable {
        /// Of every task.
        case all(TaskCost)
        /// Of each task, group by group.
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
}

/// Where a task is in its job's graph of stages.
struct TaskPosition: Hashable, Sendable {
    var stage: Int
    var group = 0
    /// In its group.
    var index = 0
}
