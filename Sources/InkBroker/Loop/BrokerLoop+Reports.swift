import InkPlanning
import InkProtocol
import InkSystem

/// Reports about tasks and workers, for people.
extension BrokerLoop {
    var report: BrokerReport {
        let now = SystemClock.nanoseconds
        var report = BrokerReport()
        report.workers = peers.keys.sorted().compactMap { id in
            guard let peer = peers[id] else { return nil }
            return WorkerReport(
                name: peer.name, rendererVersion: peer.rendererVersion, threads: peer.threads,
                tasksHeld: peer.assemblies.count, tasksDone: peer.tasksDone,
                tasksFailed: peer.tasksFailed, tasksPerSecond: peer.speed.perSecond(now: now),
                isDraining: peer.isDraining,
                millisecondsSinceHeard: Int((now - min(now, peer.lastHeard)) / 1_000_000), address: peer.address,
                keyName: peer.keyName)
        }
        report.tasksDispatched = counters.dispatched
        report.tasksFinished = counters.finished
        report.tasksFailed = counters.failed
        report.tasksRaced = scheduler.counters.raced
        report.tasksVerified = scheduler.counters.verified
        report.tasksFound = scheduler.counters.found
        report.timeLeft = timeLeft
        report.timePerJob = estimator.timePerJob
        report.blockBytes = store.memoryBytes + store.waitingBytes
        report.spilledBytes = store.spilledBytes
        report.queuedBytes = queues.count
        return report
    }

    func drainWorkers(named name: String) -> Int {
        let found = peers.values.filter { $0.name == name && !$0.isDraining }.map(\.id).sorted()
        for id in found {
            send(.drain, to: id)
            startDraining(id)
        }
        return found.count
    }

    func dismissWorkers(named name: String) -> Int {
        let found = peers.values.filter { $0.name == name }.map(\.id).sorted()
        for id in found {
            let reason = "it was dismissed"
            send(.refuse(reason: reason), to: id)
            lose(id, reason)
        }
        return found.count
    }

    func startDraining(_ worker: WorkerID) {
        guard peers[worker]?.isDraining == false else { return }
        peers[worker]?.isDraining = true
        countThreads()
        note(worker, .draining)
        tell(.workerDraining(worker))
    }

    func note(_ worker: WorkerID, _ what: WorkerNote.What) {
        guard let peer = peers[worker] else { return }
        onEvent(
            .worker(WorkerNote(worker: peer.name, what: what, address: peer.address, keyName: peer.keyName)))
    }

    func note(
        _ attempt: AttemptID, _ role: TaskRole, of job: JobID, _ worker: WorkerID,
        _ what: @autoclosure () -> TaskNote.What
    ) {
        guard configuration.notesTasks else { return }
        onEvent(
            .task(
                TaskNote(
                    job: job, task: role.description, tile: tile(of: role, job), attempt: attempt.attempt,
                    worker: peers[worker]?.name ?? "?", what: what())))
    }

    func noteFound(_ role: TaskRole, of job: JobID) {
        guard configuration.notesTasks else { return }
        onEvent(
            .task(
                TaskNote(
                    job: job, task: role.description, tile: tile(of: role, job), attempt: 0, worker: "", what: .found)))
    }

    /// The tile of the picture itself that a task renders; nil for other tasks, and for tiles of other pictures.
    private func tile(of role: TaskRole, _ job: JobID) -> TilePosition? {
        guard let tile = role.tile, let rows = exports[job]?.plan?.whole.grid.rows, tile.row < rows else { return nil }
        return tile
    }
}

/// What a broker has done since its start.
struct TaskCounters: Hashable, Sendable {
    var dispatched = 0
    var finished = 0
    var failed = 0
}
