import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkTestSupport

@testable import InkBroker

/// Results of tiles that are kept on the disk, and found by later exports of the job: one that was cancelled, failed or
/// broken off by a crash is made again.
extension SimulatedBroker {
    func lookUp(_ task: TaskID, _ id: JobID, _ position: TaskPosition, _ version: String) {
        guard farm.weather.keepsResults else { return farm.problem("a result is looked up where none are kept") }
        // It may be dropped by what goes on now.
        guard let export = exports[id], let plan = export.plan, let role = export.role(of: position) else {
            return schedule(.lookedUp(task, isFound: false))
        }
        let job = id.rawValue
        guard case .tile(let row, let column) = role else { return farm.problem("\(role) of job \(job) is looked up") }
        if pictures[job]?.sought.insert(position).inserted != true {
            farm.problem("\(role) of job \(job) is looked up twice")
        }
        use(version, for: job)
        let keys = pictures[job]?.keys ?? TileKeys(plan, contents: contents(of: plan), version: version)
        pictures[job]?.keys = keys
        let key = keys.key(row: row, column: column)
        if key == nil { farm.problem("\(role) of job \(job) has no name") }
        // Some come when the export has ended, or lives again.
        let time: ClosedRange<UInt64> = farm.chance(0.1) ? 200...3_000 : 1...30
        later(.lookedUp(task, export.life, role, key), time)
    }

    private func contents(of plan: PicturePlan) -> [BlockID: BlockContent] {
        var contents: [BlockID: BlockContent] = [:]
        for id in plan.imageBlocks { contents[id] = blocks[id].map { .frame(id, .memory($0.frame)) } }
        return contents
    }

    /// All results of a picture are of one renderer, whoever made them and when.
    func use(_ version: String, for job: JobNumber) {
        guard let picture = pictures[job] else { return }
        if let other = picture.version, other != version {
            farm.problem("job \(job) is of renderers \(other) and \(version)")
        }
        pictures[job]?.version = version
    }

    func lookedUp(_ task: TaskID, _ life: ExportLife, _ role: TaskRole, _ key: BlockID?) {
        let result = key.flatMap(kept)
        guard let export = exports[life] else { return }
        schedule(.lookedUp(task, isFound: lookUps.take(result, key, for: task, role, of: export)))
    }

    private func kept(_ key: BlockID) -> KeptResult? {
        guard let file = farm.disk.results[key] else { return nil }
        let result = ResultStore.result(file, of: key)
        if result == nil { farm.disk.results[key] = nil }
        return result
    }

    func acceptFound(_ task: TaskID, _ position: TaskPosition) {
        guard let found = lookUps.takeFound(task) else { return farm.problem("\(task) is accepted and was not found") }
        let job = found.life.job.rawValue
        if pictures[job]?.accepted.insert(position).inserted != true {
            farm.problem("\(position) of job \(job) accepted twice")
        }
        pictures[job]?.found.insert(position)
        farm.foundCount += 1
        farm.note("job \(job): \(found.role) is found")
        if let pixels = found.result.pixels { put(pixels.id, pixels.frame) }
        exports.count(found.life.job) { $0.found += 1 }
        advance(.accepted(found.life, found.role, TaskResult(found.result)))
    }

    /// Keeps the result of a tile that was looked up. Its block is held until then.
    func keep(_ result: TaskResult, of task: TaskID) {
        guard let key = lookUps.takeMissing(task) else { return }
        var kept = KeptResult(band: result.band, pixels: nil)
        if let id = result.pixels, let frame = blocks[id]?.frame {
            kept.pixels = Block(id: id, frame: frame)
            put(id, frame)
            keeping.append(id)
        }
        later(.kept(key, kept), 1...200)
    }

    func keep(_ result: KeptResult, as key: BlockID) {
        if let id = result.pixels?.id, let index = keeping.firstIndex(of: id) {
            keeping.remove(at: index)
            release([id])
        }
        guard farm.now >= farm.disk.refusesUntil else { return }
        farm.note("result \(key) is kept")
        farm.disk.results[key] = damaged(ResultStore.file(of: result, as: key), of: result, as: key)
    }

    /// The file as it is on the disk some time later, sometimes another one.
    private func damaged(_ file: [UInt8], of result: KeptResult, as key: BlockID) -> [UInt8] {
        guard farm.chance(farm.weather.resultDamage) else { return file }
        var file = file
        switch farm.pick(0...3) {
        case 0: file[Int(farm.pick(0...UInt64(file.count - 1)))] ^= 1 << UInt8(farm.pick(0...7))
        case 1: file.removeLast(Int(farm.pick(1...UInt64(file.count))))
        case 2: return ResultStore.file(of: KeptResult(), as: key)
        default:
            // Sound, and of another tile.
            var other = result
            other.band?.rowCount += 1
            if other.pixels != nil { other.pixels = try? Block(content: [1, 2, 3]) }
            return ResultStore.file(of: other, as: key)
        }
        return file
    }
}
