import InkEngine
import InkPlanning
import InkProtocol

/// What has been heard of the results that tasks under way would have: which of earlier exports serve, and under which
/// names those are to be kept that were missing. Pure.
struct LookUps: Sendable {
    struct Found: Sendable {
        var life: ExportLife
        var role: TaskRole
        var result: KeptResult
    }

    private var missing: [TaskID: (job: JobID, key: BlockID)] = [:]
    /// Found, and not accepted yet.
    private var found: [TaskID: Found] = [:]

    /// Takes the answer for a task of an export that is under way; returns whether the result serves.
    ///
    /// - Parameter key: what the result is or would be kept as; nil if that is not known.
    mutating func take(
        _ result: KeptResult?, _ key: BlockID?, for task: TaskID, _ role: TaskRole, of export: Export
    ) -> Bool {
        if let result, export.isServed(by: result, role) {
            found[task] = Found(life: export.life, role: role, result: result)
            return true
        }
        if let key { missing[task] = (export.life.job, key) }
        return false
    }

    mutating func takeFound(_ task: TaskID) -> Found? { found.removeValue(forKey: task) }

    /// The key under which the result of a task is to be kept; nil if it was not looked up.
    mutating func takeMissing(_ task: TaskID) -> BlockID? { missing.removeValue(forKey: task)?.key }

    /// An export has ended.
    mutating func forget(_ job: JobID) {
        missing = missing.filter { $0.value.job != job }
        found = found.filter { $0.value.life.job != job }
    }
}

extension Export {
    /// Whether a kept result is all that a task would give. What others have put into the folder is not trusted more than
    /// a worker.
    fileprivate func isServed(by result: KeptResult, _ role: TaskRole) -> Bool {
        guard let plan, case .tile(let row, let column) = role else { return false }
        let wanted: (band: Bool, pixels: Bool) =
            switch plan.task(row: row, column: column).delivery {
            case .band: (true, false)
            case .pixels: (false, true)
            case .bandAndPixels: (true, true)
            }
        return (result.band != nil, result.pixels != nil) == wanted && fault(in: TaskResult(result), of: role) == nil
    }
}

extension TaskResult {
    /// Its block, if it has one, is to be held for the export.
    init(_ kept: KeptResult) {
        self.init(band: kept.band)
        guard let block = kept.pixels else { return }
        blocks = [block.id]
        pixels = block.id
        pixelBytes = Zstandard.declaredSize(of: block.frame)
    }
}
