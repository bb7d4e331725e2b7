import InkEngine
import InkProtocol

/// Results of earlier exports in place of tasks.
extension BrokerLoop {
    func lookUp(_ task: TaskID, _ job: JobID, _ position: TaskPosition, _ version: String) {
        guard let results, let export = exports[job], let plan = export.plan,
            let role = export.role(of: position), case .tile(let row, let column) = role
        else { return tell(.lookedUp(task, isFound: false)) }
        let (life, mailbox) = (export.life, mailbox)
        results.lookUp(row: row, column: column, of: plan, job, version: version, content: store.content) {
            key, result in
            mailbox.post(.lookedUp(task, life, role, key: key, result))
        }
    }

    func take(_ result: KeptResult?, of task: TaskID, _ life: ExportLife, _ role: TaskRole, _ key: BlockID?) {
        // The export may have ended meanwhile.
        guard let export = exports[life] else { return }
        estimator.lookedUp(life.job, isFound: result != nil)
        tell(.lookedUp(task, isFound: lookUps.take(result, key, for: task, role, of: export)))
    }

    func acceptFound(_ task: TaskID) {
        guard let found = lookUps.takeFound(task) else { return }
        if let pixels = found.result.pixels {
            do throws(BrokerError) { try store.put(pixels.id, pixels.frame) } catch {
                return tell(.failed(found.life.job, error))
            }
            owners[pixels.id] = found.life.job
        }
        exports.count(found.life.job) { $0.found += 1 }
        noteFound(found.role, of: found.life.job)
        tell(.accepted(found.life, found.role, TaskResult(found.result)))
    }

    /// Keeps the result of a tile that was looked up.
    func keep(_ result: TaskResult, of task: TaskID) {
        guard let results, let key = lookUps.takeMissing(task) else { return }
        let held = result.pixels.map { [$0] } ?? []
        for block in held { store.retain(block) }
        results.keep(result.band, result.pixels.flatMap(store.content), as: key) { [mailbox] in
            if !held.isEmpty { mailbox.post(.blocksServed(held)) }
        }
    }
}
