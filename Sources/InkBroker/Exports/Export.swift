import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// An export that is under way.
struct Export: Sendable {
    enum Phase: Int, Comparable, Sendable {
        /// Its project is to be cut into blocks, or is being cut.
        case preparing
        /// A worker is to do that.
        case reading
        case decoding
        case planning
        case rendering
        /// All bands are in; the file is being written and synced.
        case finishing

        static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }
    }

    let life: ExportLife
    let name: String
    var priority: Int
    /// Whether its tasks stay here for now.
    var isPaused = false
    let weight: Int
    let submitted: UInt64
    var phase = Phase.preparing
    /// What a worker reads.
    private(set) var readable: Readable?
    /// How large it is, as far as that is known before it is read.
    let size: RoughSize.Known
    /// What a worker may take that makes the picture alone; nil where many make it.
    private(set) var lone: LoneBounds?
    /// What a worker has made alone.
    private var made: [EncodedPiece] = []
    /// What its reader has asked for last, and how often it has asked.
    private var requests: [CompanionRequest] = []
    private var rounds = 0
    private(set) var draft: PictureDraft?
    /// What the tasks for the draft's images gave; nil where one has not ended.
    private(set) var decoded: [[DecodedImage]?] = []
    /// What is made of the tiles, once they are known.
    private(set) var composition: PictureComposition?
    private(set) var stitch: StitchState?
    private(set) var trials: TrialState?
    /// Those that have been planned, by their numbers in the scheduler's graph.
    private(set) var stages: [ExportStage] = []
    /// Blocks counted for this export, each as often as it is listed; those of kept tiles are not.
    private var blocks: [BlockID] = []
    private var tasksDone = 0
    /// Files that were encoded as a whole.
    private var wholesDone = 0
    private var lastProgress: UInt64 = 0
    var counts = ExportCounts()

    private static let progressInterval: UInt64 = 50_000_000

    init(_ job: ExportJob, life: ExportLife, submitted: UInt64) {
        self.life = life
        name = job.name
        priority = job.priority
        weight = job.weight
        self.submitted = submitted
        size = RoughSize.Known(job)
    }

    /// Whether a worker makes the picture alone.
    var isAlone: Bool { lone != nil }

    /// Whether a worker was to make it alone. It may be under way beyond the number of others.
    var wasAlone: Bool { stages.contains(.whole) }

    /// Whether all of the picture has come from a worker that made it alone.
    var isMade: Bool { !made.isEmpty }

    var plan: PicturePlan? { composition?.plan }

    /// All that it holds, each as often as it is counted.
    var heldBlocks: [BlockID] { blocks + (composition?.blocks ?? []) }

    func needs(_ block: BlockID) -> Bool { blocks.contains(block) || composition?.holds(block) == true }

    /// Whether all pieces of all files are there.
    var isComplete: Bool {
        guard let plan, let stitch else { return false }
        if let trials { return trials.isComplete }
        return (stitch.isComplete || plan.whole.set.streamed.isEmpty) && wholesDone == plan.whole.set.wholes.count
    }

    // MARK: - From step to step

    /// A worker can read the project.
    ///
    /// - Parameter lone: in what bounds it is to make all of the picture, too; counts when nobody has read before.
    mutating func take(_ readable: Readable, _ held: [EncodedBlock], lone: LoneBounds?) -> [ExportAction] {
        let isFirst = phase == .preparing
        phase = .reading
        blocks += held.map(\.id)
        self.readable = readable
        if isFirst { self.lone = lone }
        stages.append(isAlone ? .whole : .read)
        var cost = readable.cost
        if let lone = self.lone {
            cost.bytes += lone.pieceBytesMax
            cost.nanoseconds += lone.nanoseconds
        }
        let stage = Stage(groups: 1, costs: .all(cost))
        guard isFirst else { return [.schedule(.stagesPlanned(life.job, [stage], isLast: false))] }
        // A document that cannot bring the broker down any more: from here on it is read elsewhere.
        return (readable.document == nil ? [] : [.report(.prepared(life.job))]) + begin([stage])
    }

    mutating func take(_ prepared: PreparedExport) -> [ExportAction] {
        blocks += prepared.blocks.map(\.id)
        counts.add(preparation: prepared.time)
        take(prepared.draft)
        return [.report(.prepared(life.job))] + begin([addDecoding(of: prepared.draft)])
    }

    /// The picture is not made alone after all.
    mutating func leaveToMany() { lone = nil }

    private mutating func take(_ draft: PictureDraft) {
        self.draft = draft
        decoded = Array(repeating: nil, count: draft.images.count)
    }

    private func begin(_ stages: [Stage]) -> [ExportAction] {
        [.schedule(.jobAdded(life.job, priority: priority, weight: weight, stages: stages))]
            + (isPaused ? [.schedule(.pauseChanged(life.job, isPaused: true))] : [])
    }

    private mutating func addDecoding(of draft: PictureDraft) -> Stage {
        phase = .decoding
        stages.append(.decode)
        let costs = draft.images.map { image in
            // The file as it travels and as it is, and a chunk of rows as RGBA and compressed.
            let bytes = 2 * image.fileBytes + 8 * ImageSlice.rowsPerChunk * image.size.width
            return TaskCost(bytes: bytes, nanoseconds: image.decodingNanoseconds)
        }
        return Stage(groups: costs.count, costs: .each(costs))
    }

    /// The tasks so far are done.
    mutating func planNext(now: UInt64) throws(BrokerError) -> [ExportAction] {
        if let readable, phase == .reading {
            defer { requests = [] }
            return [.findCompanions(life, readable, requests)]
        }
        guard let draft else { return try planTrial(now: now) }
        if phase == .reading, isMade {
            phase = .planning
            return [.plan(life, draft, decoded: [])]
        }
        if phase == .reading {
            return [.schedule(.stagesPlanned(life.job, [addDecoding(of: draft)], isLast: false))]
        }
        phase = .planning
        let decoded = decoded.compactMap(\.self)
        guard decoded.count == draft.images.count else {
            throw .internalError("\(name) is cut before its images are decoded")
        }
        // The files have served.
        var served: [BlockID] = []
        for file in Set(draft.images.map(\.file)) {
            if let index = blocks.firstIndex(of: file) { served.append(blocks.remove(at: index)) }
        }
        return [.release(served), .plan(life, draft, decoded: decoded)]
    }

    /// - Parameter reorderBytes: raw bytes of rows of tiles that may be under way.
    mutating func take(
        _ planned: PlannedExport, reorderBytes: Int, now: UInt64
    ) throws(BrokerError) -> [ExportAction] {
        let plan = planned.plan
        // Rows of tiles.
        let window = max(2, min(64, reorderBytes / max(1, plan.rawBytes(ofRow: 0))))
        phase = .rendering
        blocks += planned.blocks.map(\.id)
        counts.add(preparation: planned.time)
        draft = nil
        decoded = []
        let composition = PictureComposition(plan)
        self.composition = composition
        stitch = StitchState(
            plan.pictures.filter { $0.rowCount > 0 && !$0.source.isDrawn }.map { ($0.grid, $0.set) }, window: window)
        trials = planned.trials
        let isLast = trials == nil
        let opening: [ExportAction] =
            (isLast ? [.open(life.job, planned.assembler, as: plan.heads.map(\.encoding.format))] : [])
            + [.report(.progress(life.job, done: 0, total: Export.taskCount(of: plan)))]
        guard made.isEmpty else { return try opening + writeMade(plan, now: now) }
        return opening + [
            .schedule(.stagesPlanned(life.job, addStages(of: composition, window: window), isLast: isLast))
        ]
    }

    /// Has the picture written that a worker has made alone.
    private mutating func writeMade(_ plan: PicturePlan, now: UInt64) throws(BrokerError) -> [ExportAction] {
        guard let (rows, files) = plan.lonePieces(made) else {
            throw .internalError("\(made.count) checked pieces of \(name) are no picture")
        }
        made = []
        do throws(StitchError) {
            for (row, piece) in rows.enumerated() { _ = try stitch?.accept(piece, row: row) }
        } catch {
            throw .internalError("a checked band does not fit: \(error)")
        }
        wholesDone = files.count
        let total = Export.taskCount(of: plan)
        return [.report(.progress(life.job, done: total, total: total))] + write(rows + files, now: now)
            + [.schedule(.stagesPlanned(life.job, [], isLast: true))]
    }

    /// All tiles, or all pieces of a trial, are there: plans the next trial, or has the file that was found written.
    private mutating func planTrial(now: UInt64) throws(BrokerError) -> [ExportAction] {
        guard var trials, let plan else { return [] }
        self.trials = nil
        let isFirst = trials.count == 0
        var found: (pieces: [EncodedPiece], assembler: any PictureAssembler)?
        do throws(EngineError) {
            try trials.advance(place: Place(file: name))
            if trials.isComplete { found = try trials.takeBest() }
        } catch {
            throw .refused(error)
        }
        self.trials = trials
        let total = Export.taskCount(of: plan)
        tasksDone = found == nil ? min(tasksDone, total - 2) : total - 1
        let progress = isFirst ? [] : countTask(now: now)
        guard let found else {
            let tiles = Stage.Input.whole(number(of: .tile))
            stages.append(.trial(trials.number))
            let stage =
                trials.isWhole
                ? Stage(groups: 1, inputs: [tiles], costs: .all(Export.finishCost(plan)))
                : Stage(groups: plan.rowCount, inputs: [tiles], costs: .all(Export.encodeCost(plan)))
            return progress + [.schedule(.stagesPlanned(life.job, [stage], isLast: false))]
        }
        let served = composition?.giveUpAll() ?? []
        let formats = plan.heads.map(\.encoding.format)
        return progress + [.release(served), .open(life.job, found.assembler, as: formats)]
            + write(found.pieces, now: now) + [.schedule(.stagesPlanned(life.job, [], isLast: true))]
    }

    /// What a task at a place in the scheduler's graph does; nil for a place that the graph does not have.
    func role(of position: TaskPosition) -> TaskRole? { TaskRole(position, of: stages) }

    /// The number of a stage that has been planned.
    func number(of stage: ExportStage) -> Int { stages.firstIndex(of: stage) ?? stages.count }

    /// Adds the stages after decoding: tiles by rows, where a row has several encoding each row, whole files.
    private mutating func addStages(of composition: PictureComposition, window: Int) -> [Stage] {
        let plan = composition.plan
        let whole = plan.whole
        let tileBytes = whole.grid.tile.area * whole.format.bytesPerPixel
        let nanoseconds = UInt64(min(max(0, plan.tileNanoseconds), 1e15))
        let files = whole.set
        // Nothing is written before the end where all files are encoded as a whole.
        let tiles = Stage(
            groups: plan.rowCount, tasks: plan.columns, inputs: [.whole(number(of: .decode))],
            costs: .all(TaskCost(bytes: 2 * tileBytes, nanoseconds: nanoseconds)),
            window: files.streamed.isEmpty ? nil : window, isLookedUp: plan.looksUpTiles)
        var added = [tiles]
        stages.append(.tile)
        let tileNumber = number(of: .tile)
        if composition.encodesRows {
            added.append(
                Stage(groups: plan.rowCount, inputs: [.group(tileNumber)], costs: .all(Export.encodeCost(plan))))
            stages.append(.encode)
        }
        if !files.wholes.isEmpty {
            let costs = files.wholes.map { file in
                whole.drawings[file]?.cost(with: plan.drawnPixels) ?? Export.finishCost(plan)
            }
            added.append(Stage(groups: costs.count, inputs: [.whole(tileNumber)], costs: .each(costs)))
            stages.append(.finish)
        }
        return added
    }

    /// What encoding a row takes: it reads the samples and writes about as much.
    private static func encodeCost(_ plan: PicturePlan) -> TaskCost {
        let rowBytes = plan.rawBytes(ofRow: 0)
        return TaskCost(bytes: 2 * rowBytes, nanoseconds: UInt64(rowBytes) * 8)
    }

    /// What encoding a file from the whole picture takes.
    private static func finishCost(_ plan: PicturePlan) -> TaskCost {
        let whole = plan.whole
        let bytes = whole.scene.picture.halved(whole.halvings).area * whole.format.bytesPerPixel
        // Some milliseconds to half a second a megapixel, by format and effort: deadlines have to allow for the slowest.
        return TaskCost(bytes: 2 * bytes, nanoseconds: UInt64(bytes) * 200)
    }

    /// What progress is measured by: tiles, files that are encoded as a whole, and as many trials as there usually are.
    private static func taskCount(of plan: PicturePlan) -> Int {
        let files = plan.whole.set
        return plan.tileCount + files.wholes.count + (files.bounded == nil ? 0 : QualitySearch.usualCount)
    }

    /// Takes a result, and has the bands written whose turn it is.
    mutating func take(_ result: TaskResult, of role: TaskRole, now: UInt64) throws(BrokerError) -> [ExportAction] {
        switch role {
        case .read, .whole:
            blocks += result.blocks
            requests = result.reading.requests
            rounds += requests.isEmpty ? 0 : 1
            // Whoever asked before may be to blame, so the worker that asks now stays.
            guard rounds <= ProtocolLimits.companionRounds else {
                throw .taskFailed(
                    export: name, task: role.description, story: ["files beside it are asked for \(rounds) times"])
            }
            guard requests.isEmpty else { return [] }
            guard let draft = result.draft else { throw .internalError("\(name) is read, and there is no draft") }
            let (served, isHere) = (readable?.task.blocks ?? [], readable?.document == nil)
            remove(served)
            readable = nil
            take(draft)
            made = result.pieces
            return [.release(served)] + (isHere ? [.report(.prepared(life.job))] : [])
        case .decode(let index):
            blocks += result.blocks
            decoded[index] = result.images.map(\.image)
            return []
        case .tile(let row, let column):
            if let pixels = result.pixels { composition?.keep(pixels, row: row, column: column) }
            let actions = try result.band.map { band throws(BrokerError) in try add(band, row: row, now: now) } ?? []
            return actions + passUnwritten(row) + countTask(now: now)
        case .finish(let index):
            guard var file = result.band, let whole = plan?.whole else { return [] }
            file.file = whole.share.uses[whole.set.wholes[index]].file
            wholesDone += 1
            return countTask(now: now) + write([file], now: now)
        case .trial(let number, let row):
            if let piece = result.band { try takeTrial(piece, row, number) }
            return []
        case .encode(let row):
            return try [.release(composition?.giveUp(row: row) ?? [])]
                + (result.band.map { band throws(BrokerError) in
                    try add(band, row: row, now: now)
                } ?? [])
        }
    }

    /// Each as often as it is listed; all are held.
    private mutating func remove(_ served: [BlockID]) {
        var left = Dictionary(served.map { ($0, 1) }, uniquingKeysWith: +)
        blocks.removeAll { block in
            guard let count = left[block], count > 0 else { return false }
            left[block] = count - 1
            return true
        }
    }

    private mutating func add(_ band: EncodedPiece, row: Int, now: UInt64) throws(BrokerError) -> [ExportAction] {
        var ready: [EncodedPiece] = []
        var band = band
        band.picture = plan?.picture(ofRow: row) ?? 0
        do throws(StitchError) { ready = try stitch?.accept(band, row: row) ?? [] } catch {
            throw .internalError("a checked band does not fit: \(error)")
        }
        return ready.isEmpty ? [] : write(ready, now: now)
    }

    private mutating func takeTrial(_ piece: EncodedPiece, _ row: Int, _ number: Int) throws(BrokerError) {
        do throws(StitchError) { try trials?.take(piece, row: row, of: number) } catch {
            throw .internalError("a checked piece of a trial does not fit: \(error)")
        }
    }

    private mutating func write(_ pieces: [EncodedPiece], now: UInt64) -> [ExportAction] {
        guard let stitch, let plan else { return [] }
        let rows = stitch.isComplete ? plan.rowCount : stitch.next
        if isComplete { phase = .finishing }
        return [.write(life, pieces, rows: rows, ending: isComplete ? report([], now: now) : nil)]
    }

    /// Rows behind those that are written count as written when they are there, or they would wait for each other.
    private func passUnwritten(_ row: Int) -> [ExportAction] {
        guard let plan, stitch?.isComplete == true, plan.place(ofRow: row).picture.source.isDrawn else { return [] }
        return [.schedule(.groupsWritten(life.job, stage: number(of: .tile), count: plan.rowCount))]
    }

    private mutating func countTask(now: UInt64) -> [ExportAction] {
        guard let total = plan.map(Export.taskCount) else { return [] }
        tasksDone += 1
        guard tasksDone == total || now - lastProgress >= Export.progressInterval else { return [] }
        lastProgress = now
        return [.report(.progress(life.job, done: tasksDone, total: total))]
    }

    func report(_ files: [WrittenFile], now: UInt64) -> PictureReport? {
        guard let plan else { return nil }
        var report = PictureReport(
            size: plan.whole.scene.picture, files: files, tileCount: plan.tileCount, attemptCount: counts.attempts,
            elapsed: now - submitted)
        report.phases = counts.phases
        // What the broker does itself to prepare, it does while no worker has a task.
        let idle = counts.idle(since: submitted, now: now)
        report.phases.queue = idle - min(idle, counts.preparation)
        report.brokerCPU = counts.brokerCPU
        report.quality = trials?.quality
        report.foundCount = counts.found
        (report.bytesSent, report.bytesReceived) = (counts.bytesSent, counts.bytesReceived)
        return report
    }
}
