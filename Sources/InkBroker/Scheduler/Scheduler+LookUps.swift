import InkProtocol

/// Results of earlier jobs, which serve in place of a worker's.
extension SchedulerState {
    /// Has the next tasks of all jobs looked up, as far as they may be.
    mutating func lookUp() {
        // Results are those of a renderer, so there has to be one that could make them.
        guard let usable = workers.values.filter(\.isUsable).min(by: { $0.id < $1.id })?.version else { return }
        for id in jobs.keys.sorted() {
            while let job = jobs[id], job.sought.count + job.missing.count < rules.lookUpsMax,
                let (position, cost) = job.graph.next, job.graph.stages[position.stage].stage.isLookedUp
            {
                let version = job.version ?? usable
                jobs[id]?.version = version
                lastTask += 1
                let task = TaskID(lastTask)
                tasks[task] = TaskRecord(id: task, job: id, position: position, cost: cost)
                jobs[id]?.graph.begin(position)
                jobs[id]?.tasks.insert(task)
                jobs[id]?.sought.insert(task)
                actions.append(.lookUp(task, id, position, version: version))
            }
        }
    }

    /// Takes the answer for a task; nothing if the job has ended since.
    mutating func take(_ id: TaskID, isFound: Bool) {
        guard let task = tasks[id], jobs[task.job]?.sought.remove(id) != nil else { return }
        guard isFound else {
            jobs[task.job]?.missing.append(id)
            return
        }
        counters.found += 1
        actions.append(.acceptFound(id, task.job, task.position))
        forget(task)
        jobs[task.job]?.graph.accept(task.position)
        advance(task.job)
    }
}
