import InkEngine
import InkProtocol

/// Results of earlier exports in place of tasks.
extension BrokerLoop {
    func lookUp(_ task: TaskID, _ job: JobID, _ role: TaskRole, _ version: String) {
        guard let results, let export = exports[job], let plan = export.plan, case .tile(let row, let column) = role
        else { return tell(.lookedUp(task, isFound: false)) }
        let (life, mailbox) = (export.life, mailbox)
        results.lookUp(row: row, column: column, of: plan, job, version: version) { key, piece in
            mailbox.post(.lookedUp(task, life, role, key: key, piece))
        }
    }

    func take(_ piece: EncodedPiece?, of task: TaskID, _ life: ExportLife, _ role: TaskRole, _ key: BlockID?) {
        // The export may have ended meanwhile.
        guard let results, let export = exports[life] else { return }
        estimator.lookedUp(life.job, isFound: piece != nil)
        // What others have put into the folder is not trusted more than a worker.
        if let piece, export.fault(in: TaskResult(band: piece), of: role) == nil {
            results.find(KeptResults.Found(life: life, role: role, piece: piece), for: task)
            return tell(.lookedUp(task, isFound: true))
        }
        if let key { results.miss(task, of: life.job, key) }
        tell(.lookedUp(task, isFound: false))
    }

    func acceptFound(_ task: TaskID) {
        guard let found = results?.takeFound(task) else { return }
        exports.count(found.life.job) { $0.found += 1 }
        noteFound(found.role, of: found.life.job)
        tell(.accepted(found.life, found.role, TaskResult(band: found.piece)))
    }
}
