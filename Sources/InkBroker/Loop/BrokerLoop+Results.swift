import InkEngine
import InkProtocol

extension TaskResult {
    fileprivate init(_ kept: KeptResult) {
        self.init(band: kept.band)
        guard let block = kept.pixels else { return }
        blocks = [block.id]
        pixels = block.id
        pixelBytes = Zstandard.declaredSize(of: block.frame)
    }
}

/// Results of earlier exports in place of tasks.
extension BrokerLoop {
    func lookUp(_ task: TaskID, _ job: JobID, _ role: TaskRole, _ version: String) {
        guard let results, let export = exports[job], let plan = export.plan, case .tile(let row, let column) = role
        else { return tell(.lookedUp(task, isFound: false)) }
        let (life, mailbox) = (export.life, mailbox)
        results.lookUp(row: row, column: column, of: plan, job, version: version, content: store.content) {
            key, result in
            mailbox.post(.lookedUp(task, life, role, key: key, result))
        }
    }

    func take(_ result: KeptResult?, of task: TaskID, _ life: ExportLife, _ role: TaskRole, _ key: BlockID?) {
        // The export may have ended meanwhile.
        guard let results, let export = exports[life] else { return }
        estimator.lookedUp(life.job, isFound: result != nil)
        // What others have put into the folder is not trusted more than a worker.
        if let result, export.fault(in: TaskResult(result), of: role) == nil {
            results.find(KeptResults.Found(life: life, role: role, result: result), for: task)
            return tell(.lookedUp(task, isFound: true))
        }
        if let key { results.miss(task, of: life.job, key) }
        tell(.lookedUp(task, isFound: false))
    }

    func acceptFound(_ task: TaskID) {
        guard let found = results?.takeFound(task) else { return }
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
        guard let results, let key = results.takeMissing(task) else { return }
        let held = result.pixels.map { [$0] } ?? []
        for block in held { store.retain(block) }
        results.keep(result.band, result.pixels.flatMap(store.content), as: key) { [mailbox] in
            if !held.isEmpty { mailbox.post(.blocksServed(held)) }
        }
    }
}
