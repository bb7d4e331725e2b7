import InkEngine
import InkPlanning
import InkProtocol

/// The exports of a broker, from submission to their ends: a state machine that takes events and returns actions.
///
/// No socket, no disk, no clock (times are arguments, nanoseconds of any monotonic clock), no thread. Blocks are names
/// here; each that comes with an event is released exactly once.
struct ExportsState: Sendable {
    let rules: ExportRules
    /// Submitted and not begun, in order of submission.
    private(set) var waiting: [(job: ExportJob, submitted: UInt64)] = []
    /// Begun, and to be read and cut when those before have been.
    private(set) var unprepared: [(job: ExportJob, life: ExportLife)] = []
    /// Whose projects are being read and cut; on a lane also of those that have ended since.
    private(set) var preparing: Set<ExportLife> = []
    private(set) var active: [JobID: Export] = [:]
    private(set) var isStopping = false
    /// Jobs that are to be submitted, of at least this priority.
    private var others = (count: 0, priority: 0)
    /// Those of all workers.
    private var threads = 0
    private var livesBegun: UInt64 = 0
    private var actions: [ExportAction] = []

    init(rules: ExportRules = ExportRules()) { self.rules = rules }

    subscript(id: JobID) -> Export? { active[id] }

    /// nil when it has ended.
    subscript(life: ExportLife) -> Export? { active[life.job].flatMap { $0.life == life ? $0 : nil } }

    /// Those that cannot do without a block. Blocks are shared: exports of one project have the same.
    func needing(_ block: BlockID) -> [JobID] { active.values.filter { $0.needs(block) }.map(\.life.job) }

    /// Changes what an export is said to have cost, if it is under way.
    mutating func count(_ id: JobID, _ change: (inout ExportCounts) -> Void) {
        guard var counts = active[id]?.counts else { return }
        change(&counts)
        active[id]?.counts = counts
    }

    /// Takes one event and says what is to be done, in order.
    ///
    /// - Parameters:
    ///   - mayPrepare: whether there is room for another project's blocks.
    ///   - threads: those of all workers.
    mutating func handle(
        _ event: ExportEvent, now: UInt64, mayPrepare: Bool, threads: Int = 0
    ) -> [ExportAction] {
        self.threads = threads
        // They may hold a whole project.
        defer { actions = [] }
        apply(event, now: now)
        admit()
        if mayPrepare { prepareNext() }
        return actions
    }

    private mutating func apply(_ event: ExportEvent, now: UInt64) {
        switch event {
        case .submitted(let job): submit(job, now: now)
        case .prioritySet(let id, let priority): setPriority(id, priority)
        case .pauseSet(let id, let isPaused):
            // One that waits to be begun has no tasks.
            guard active[id] != nil else { return }
            active[id]?.isPaused = isPaused
            actions.append(.schedule(.pauseChanged(id, isPaused: isPaused)))
        case .cancelled(let id): cancel(id)
        case .failed(let id, let error): if active[id]?.phase != .finishing { fail(id, error) }
        case .answered(let life, let answer): take(answer, of: life, now: now)
        case .stagesDone(let id): advance(id) { export throws(BrokerError) in try export.planNext(now: now) }
        case .accepted(let life, let role, let result):
            guard self[life] != nil else { return actions.append(.release(result.blocks)) }
            if role.isReading { preparing.remove(life) }
            let reading = result.reading
            if !reading.warnings.isEmpty, reading.requests.isEmpty { report(.warned(life.job, reading.warnings)) }
            if let failure = reading.failure { return fail(life.job, .refused(failure)) }
            advance(life.job) { export throws(BrokerError) in try export.take(result, of: role, now: now) }
            // It would take too long, or cannot be made alone.
            if role == .whole, let export = self[life], export.draft != nil, !export.isMade { leaveToMany(life.job) }
        case .hasFailed(let life, let role): if role == .whole, self[life] != nil { leaveToMany(life.job) }
        case .diskAdvanced: break
        case .stopped(let error): stop(error)
        }
    }

    // MARK: - Beginnings

    private mutating func submit(_ job: ExportJob, now: UInt64) {
        guard !isStopping else { return report(.failed(job.id, .cancelled(export: job.name))) }
        guard active[job.id] == nil, !waiting.contains(where: { $0.job.id == job.id }) else {
            return report(.failed(job.id, .internalError("\(job.id) is taken")))
        }
        waiting.append((job, now))
        others = (max(0, job.othersWaiting), job.priority)
    }

    private mutating func setPriority(_ id: JobID, _ priority: Int) {
        if let index = waiting.firstIndex(where: { $0.job.id == id }) {
            waiting[index].job.priority = priority
        } else if active[id] != nil {
            active[id]?.priority = priority
            actions.append(.schedule(.priorityChanged(id, priority)))
        }
    }

    /// Begins the next exports: the highest priority first, equal ones in order of submission.
    private mutating func admit() {
        while let highest = waiting.map(\.job.priority).max(), hasRoom(for: highest),
            let index = waiting.firstIndex(where: { $0.job.priority == highest })
        {
            let (job, submitted) = waiting.remove(at: index)
            livesBegun += 1
            let life = ExportLife(job: job.id, number: livesBegun)
            active[job.id] = Export(job, life: life, submitted: submitted)
            unprepared.append((job, life))
            report(.started(job.id))
        }
    }

    /// In what bounds a thread is to make the picture alone: pictures that are as urgent wait, and more of them than
    /// threads are free. nil where many are to make it.
    private func loneBounds(_ id: JobID, _ readable: Readable) -> LoneBounds? {
        guard let export = active[id], threads > 0,
            let bounds = LoneBounds(export.size, readable, nanosecondsMax: rules.aloneNanoseconds),
            loneBytes + bounds.pieceBytesMax <= rules.loneBytes
        else { return nil }
        // Whether any of less urgent ones is as urgent as this cannot be seen.
        var count = others.priority >= export.priority ? others.count : 0
        for other in active.values
        where other.phase != .finishing && !other.isPaused && other.priority >= export.priority { count += 1 }
        for other in waiting where count <= threads && other.job.priority >= export.priority { count += 1 }
        return count > threads ? bounds : nil
    }

    /// What the pieces of pictures that are made alone may take, bytes.
    var loneBytes: Int { active.values.reduce(0) { $0 + ($1.lone?.pieceBytesMax ?? 0) } }

    private mutating func leaveToMany(_ id: JobID) {
        guard active[id]?.isAlone == true else { return }
        active[id]?.leaveToMany()
        report(.alone(id, false, atOnce: aloneAtOnce))
    }

    /// Every thread has one, and the next ones are at hand.
    private var aloneAtOnce: Int { threads + threads / 2 + 2 }

    private func hasRoom(for priority: Int) -> Bool {
        let places = places
        if places < rules.activeMax { return true }
        return places < rules.activeMax + rules.overtaking
            && active.values.allSatisfy { $0.phase == .finishing || $0.priority < priority }
    }

    /// How many of the places of exports under way are taken. One that is only being written needs none, and little is
    /// held for a picture that a worker makes alone.
    var places: Int {
        var (busy, alone) = (0, 0)
        for export in active.values where export.phase != .finishing {
            busy += 1
            if export.isAlone { alone += 1 }
        }
        return busy - min(alone, aloneAtOnce)
    }

    /// Has the next projects read and cut: few at a time, so that no more than their blocks are in memory beyond the
    /// budget.
    private mutating func prepareNext() {
        while preparing.count < rules.preparingMax, !unprepared.isEmpty {
            let (job, life) = unprepared.removeFirst()
            // It may have ended since.
            guard self[life] != nil else { continue }
            preparing.insert(life)
            actions.append(.prepare(life, job))
        }
    }

    // MARK: - Progress

    /// Does the next step of an export, and ends it if that fails.
    private mutating func advance(_ id: JobID, _ step: (inout Export) throws(BrokerError) -> [ExportAction]) {
        // Not copied while it changes: the table gives it up until it is put back.
        guard var export = active.removeValue(forKey: id) else { return }
        do throws(BrokerError) {
            actions += try step(&export)
            active[id] = export
        } catch {
            active[id] = export
            fail(id, error)
        }
    }

    private mutating func take(_ answer: LaneAnswer, of life: ExportLife, now: UInt64) {
        // A document waits for its worker in blocks, which may go to the disk: others need not wait for it.
        if case .readable(let readable, _) = answer, readable.document == nil {} else { preparing.remove(life) }
        let (id, rules) = (life.job, rules)
        guard self[life] != nil else {
            preparing.remove(life)
            return actions.append(.release(answer.blocks.map(\.id)))
        }
        switch answer {
        case .readable(let readable, let blocks):
            let lone = loneBounds(id, readable)
            let wasAlone = active[id]?.isAlone
            advance(id) { $0.take(readable, blocks, lone: lone) }
            if wasAlone == false, active[id]?.isAlone == true { report(.alone(id, true, atOnce: aloneAtOnce)) }
        case .prepared(let prepared): advance(id) { $0.take(prepared) }
        case .planned(let planned):
            let grid = planned.plan.whole.grid
            if planned.plan.whole.rowCount > 0 {
                report(
                    .planned(
                        id,
                        PictureTiles(
                            picture: grid.output, tile: grid.tile, columns: grid.columns, rows: grid.rows)))
            }
            advance(id) { export throws(BrokerError) in
                try export.take(planned, reorderBytes: rules.reorderBytes, now: now)
            }
        case .written(let rows, let picture, let time):
            count(id) { $0.add(stitching: time) }
            report(.written(id, picture))
            guard let tiles = active[id]?.number(of: .tile) else { return }
            actions.append(.schedule(.groupsWritten(id, stage: tiles, count: rows)))
        case .finished(let files, let time):
            count(id) { $0.add(stitching: time) }
            guard let export = active[id], let picture = export.report(files, now: now) else { return }
            active[id] = nil
            // Whoever waits need not wait until what the picture was made of is freed.
            report(.finished(id, picture))
            actions.append(.release(export.heldBlocks))
        case .failed(let error): fail(id, error)
        }
    }

    // MARK: - Ends

    private mutating func cancel(_ id: JobID) {
        if let index = waiting.firstIndex(where: { $0.job.id == id }) {
            report(.failed(id, .cancelled(export: waiting.remove(at: index).job.name)))
        } else if let export = active[id], export.phase != .finishing {
            fail(id, .cancelled(export: export.name))
        }
    }

    private mutating func stop(_ error: BrokerError?) {
        isStopping = true
        for (job, _) in waiting { report(.failed(job.id, error ?? .cancelled(export: job.name))) }
        waiting = []
        for (id, export) in active.sorted(by: { $0.key < $1.key }) where export.phase != .finishing {
            fail(id, error ?? .cancelled(export: export.name))
        }
    }

    /// Ends an export without a picture; does nothing for one that has ended.
    private mutating func fail(_ id: JobID, _ error: BrokerError) {
        guard let export = active.removeValue(forKey: id) else { return }
        // Else a lane is still at it.
        if export.phase == .reading { preparing.remove(export.life) }
        actions += [.discard(id), .release(export.heldBlocks), .schedule(.jobDropped(id))]
        report(.failed(id, error))
    }

    private mutating func report(_ event: BrokerEvent) { actions.append(.report(event)) }
}
