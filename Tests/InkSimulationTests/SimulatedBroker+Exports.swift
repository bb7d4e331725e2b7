import InkCodecs
import InkEngine
import InkPlanning
import InkTestSupport

@testable import InkBroker
@testable import InkProtocol
@testable import InkService

/// Exports: the real machine with the real planning; lanes answer after a while, blocks are counted, files are lists of
/// bands.
extension SimulatedBroker {
    static func rows(of job: JobNumber) -> Int { 1 + Int(job % 6) }
    static func columns(of job: JobNumber) -> Int { 1 + Int(job % 2) }
    /// Whether its file holds the layers: it is made of several pictures.
    static func isLayered(_ job: JobNumber) -> Bool { job % 5 == 3 }
    /// Whether its file is drawn.
    static func isDrawn(_ job: JobNumber) -> Bool { !isLayered(job) && job % 7 == 2 }

    /// How a picture is encoded: of seven without layers, one has a file of limited size that is made by rows, and one
    /// that is made as a whole.
    func encoding(of job: JobNumber) -> PictureEncoding {
        if Self.isLayered(job) { return PictureEncoding(format: .ora) }
        if Self.isDrawn(job) { return PictureEncoding(format: .svg) }
        let kind = (farm.seed + job) % 7
        guard kind < 2 else { return PictureEncoding() }
        var encoding = PictureEncoding(format: kind == 0 ? .jpeg : .webp)
        encoding.bytesMax = Self.rows(of: job) * (SimulatedWorker.leastBytes + Int((farm.seed ^ job) % 12) * 10)
        return encoding
    }

    /// The quality that has to be found; nil if there is none, or nothing to be found.
    func quality(of job: JobNumber) -> Int? {
        let (encoding, rows) = (encoding(of: job), Self.rows(of: job))
        return encoding.bytesMax.flatMap { most in
            PictureEncoding.qualities.last { quality in
                let bytes = { SimulatedWorker.byteCount(quality: quality, rows: $0) }
                return (encoding.format == .jpeg ? rows * bytes(1) : bytes(rows)) <= most
            }
        }
    }

    /// - Parameter version: the renderer's.
    func bands(of job: JobNumber, version: String?) -> [String] {
        let name = "\(job)\(SimulatedWorker.mark(of: version))"
        // The base image and the layer's content are images in it.
        if Self.isDrawn(job) { return ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(name):\(job % 3)"] }
        let suffix = quality(of: job).map { "@\($0)" } ?? ""
        if encoding(of: job).format == .webp { return ["\(name):whole\(suffix)"] }
        // The picture itself, the background, the base image, the layer if it shows something, a small picture.
        let pictures = Self.isLayered(job) ? 3 + Int(job % 3) : 1
        return (0..<pictures).flatMap { _ in (0..<Self.rows(of: job)).map { "\(name):\($0)\(suffix)" } }
    }

    /// Up to two images; the canvas tells workers the job, a tile's rectangle the row.
    static func project(of job: JobNumber) -> Project {
        func image(_ number: UInt8) -> EncodedImage? {
            guard number <= job % 3 else { return nil }
            let header = ImageHeader(size: PixelSize(width: 4, height: 4), isHeldWhole: false)
            return EncodedImage(bytes: [number], header: header, place: "image \(number)")
        }
        return Project(
            canvasSize: PixelSize(width: Int(job), height: 1), baseImage: image(1),
            layers: [Layer(contentImage: image(2))])
    }

    func launch(_ job: JobNumber) {
        guard let entry = service.jobs[job] else { return }
        // A folder is made again in another life.
        if farm.disk.files[place(of: job)] != nil, !isFolder(job) || farm.disk.placed[job] == life {
            farm.problem("job \(job) is rendered again, its picture is there")
        }
        let tile = PixelSize(width: Self.width / Self.columns(of: job), height: 16)
        let order = PictureOrder(
            output: PixelSize(width: Self.width, height: 16 * Self.rows(of: job)),
            options: PictureOptions(encoding: encoding(of: job), tile: tile))
        if pictures.updateValue(Picture(), forKey: job) != nil { farm.problem("job \(job) is exported twice at once") }
        var export = ExportJob(
            id: JobID(job), name: "p", source: source(of: job, order), destination: place(of: job),
            priority: entry.priority)
        (export.byteCount, export.pixelCount) = (10, Double(order.output.area))
        export.encoding = order.options.encoding
        // What the service says of the others is soon out of date.
        export.othersWaiting = service.queue.count + Int((farm.seed + job) % 3)
        advance(.submitted(export))
        if entry.wantsCancel { advance(.cancelled(JobID(job))) }
    }

    func advance(_ event: ExportEvent) {
        let mayPrepare = farm.now >= farm.disk.refusesUntil
        // Each worker has one thread.
        let actions = exports.handle(
            event, now: farm.now * 1_000_000, mayPrepare: mayPrepare, threads: peers.count)
        for action in actions { perform(action) }
    }

    func perform(_ action: ExportAction) {
        switch action {
        case .prepare(let life, let job):
            if case .document(let source) = job.source { return open(source, job, life) }
            answer(life) { blocks throws(BrokerError) in
                guard case .ready(let project, let order) = job.source else { throw .cancelled(export: job.name) }
                let draft = try BrokerError.refusing { () throws(EngineError) in
                    try PictureDraft(
                        project, order: order, name: job.name, limits: job.limits,
                        encoder: farm.weather.keepsResults ? BlockEncoder.standard.digestingStrokes : .standard,
                        blocks: &blocks)
                }
                return .prepared(PreparedExport(draft: draft, blocks: blocks, time: LaneTime()))
            }
        case .findCompanions(let life, let readable, let requests): find(requests, readable, of: life)
        case .plan(let life, let draft, let decoded):
            answer(life) { blocks throws(BrokerError) in
                let plan = try BrokerError.refusing { () throws(EngineError) in
                    try PicturePlan(draft, decoded: decoded, keepsResults: farm.weather.keepsResults)
                }
                return .planned(
                    PlannedExport(
                        plan: plan, assembler: Assembler(), trials: TrialState(plan) { _ in Assembler() },
                        blocks: blocks, time: LaneTime()))
            }
        case .open: break
        case .discard(let id): if isFolder(id.rawValue) { removeWork(of: id.rawValue) }
        case .write(let life, let pieces, let rows, let ending): write(pieces, rows, life, ending)
        case .release(let blocks): release(blocks)
        case .schedule(let event): schedule(event)
        case .report(let event):
            switch event {
            case .finished(let id, _), .failed(let id, _): lookUps.forget(id)
            default: break
            }
            report(event)
        }
    }

    private struct Assembler: PictureAssembler {
        mutating func begin() -> [PictureWrite] { [] }
        mutating func add(_ piece: EncodedPiece) -> [PictureWrite] { [.append(piece.bytes)] }
        mutating func end() -> [PictureWrite] { [] }
    }

    func answer(
        _ life: ExportLife, _ time: ClosedRange<UInt64> = 1...30,
        _ work: (inout [EncodedBlock]) throws(BrokerError) -> LaneAnswer
    ) {
        var blocks: [EncodedBlock] = []
        do throws(BrokerError) { later(.answered(life, try work(&blocks)), time) } catch {
            farm.problem("\(life.job) cannot be cut: \(error)")
        }
    }

    func take(_ answer: LaneAnswer, of life: ExportLife) {
        for block in answer.blocks { put(block.id, block.frame) }
        advance(.answered(life, answer))
    }

    /// The service hears of it after what goes on now.
    private func report(_ event: BrokerEvent) {
        let heard: ServiceEvent
        switch event {
        case .prepared(let id): heard = .prepared(id.rawValue)
        case .alone(let id, let isAlone, let atOnce):
            if isAlone { farm.aloneCount += 1 } else { farm.leftCount += 1 }
            heard = .alone(id.rawValue, isAlone, atOnce: atOnce)
        case .progress(let id, let done, let total): heard = .progressed(id.rawValue, done: done, total: total)
        case .finished(let id, let picture):
            if picture.quality != quality(of: id.rawValue) {
                farm.problem("\(id) has the quality \(picture.quality ?? 0), not \(quality(of: id.rawValue) ?? 0)")
            }
            let found = pictures[id.rawValue]?.found.count ?? 0
            if picture.foundCount != found { farm.problem("\(id) does not say that \(found) tiles were found") }
            checkEnd(id.rawValue, nil)
            heard = ended(id.rawValue, .ended(.finished(picture.lasting)))
        case .failed(let id, let error):
            farm.note("\(id) fails: \(error)")
            checkEnd(id.rawValue, error)
            switch error {
            case .refused where document(of: id.rawValue)?.kind == .refused: break
            case .internalError, .packing: farm.problem("\(id): \(error)")
            case .refused where quality(of: id.rawValue) != nil || encoding(of: id.rawValue).bytesMax == nil:
                farm.problem("\(id): \(error)")
            default: break
            }
            heard = ended(id.rawValue, ExportEnd(error))
        case .started, .warned, .planned, .timeLeft, .written, .worker, .task, .resultsLost: return
        }
        later(.service(heard), 0...0)
    }

    private func ended(_ job: JobNumber, _ end: ExportEnd) -> ServiceEvent {
        if pictures.removeValue(forKey: job) == nil { farm.problem("job \(job) ends and was not begun") }
        return .exportEnded(job, end, story: [])
    }

    // MARK: - Blocks

    func put(_ id: BlockID, _ frame: [UInt8]) { blocks[id, default: HeldBlock(frame: frame)].count += 1 }

    func release(_ released: [BlockID]) {
        for id in released {
            guard let count = blocks[id]?.count else {
                farm.problem("\(id) is released and not held")
                continue
            }
            blocks[id]?.count = count - 1
            if count == 1 { blocks[id] = nil }
        }
    }

    /// Each block is counted as often as exports and results name it.
    var brokenCounts: [String] {
        var expected: [BlockID: Int] = [:]
        for block in exports.active.values.flatMap(\.heldBlocks) + keeping { expected[block, default: 0] += 1 }
        for assembly in peers.values.flatMap(\.assemblies.values) {
            for block in assembly.result.blocks { expected[block, default: 0] += 1 }
        }
        return expected == blocks.mapValues(\.count) ? [] : ["\(expected) named, \(blocks.mapValues(\.count)) held"]
    }

    // MARK: - The scheduler

    /// Events that arise while actions are carried out come after them.
    func schedule(_ event: SchedulerEvent) {
        events.append(event)
        guard events.count == 1 else { return }
        while let event = events.first {
            for action in scheduler.handle(event, now: farm.now * 1_000_000) { perform(action) }
            events.removeFirst()
        }
    }

    func perform(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch): self.dispatch(dispatch)
        case .lookUp(let task, let job, let position, let version): lookUp(task, job, position, version)
        case .acceptFound(let task, _, let position): acceptFound(task, position)
        case .cancel(let worker, let attempt): send(.cancel(attempt.task), to: worker)
        case .planStages(let job): advance(.stagesDone(job))
        case .accept(let worker, let attempt, _, let position): accept(worker, attempt, position)
        case .hold: break
        case .drop(let worker, let attempt): forget(attempt, of: worker)
        case .jobComplete(let job):
            if exports[job]?.phase != .finishing { farm.problem("\(job) complete, not all of it is in") }
        case .jobFailed(let job, let failure):
            let error: BrokerError =
                switch failure {
                case .badInput(_, let cause): .refused(cause)
                case .rendererGone(let version): .rendererGone(export: "p", version: version)
                default: .taskFailed(export: "p", task: "\(failure)", story: [], replay: nil)
                }
            advance(.failed(job, error))
        case .dismiss(let worker, _):
            send(.refuse(reason: "dismissed"), to: worker)
            remove(worker)
        }
    }

    func dispatch(_ dispatch: Dispatch) {
        if dispatch.hasFailed, let export = exports[dispatch.job], let role = export.role(of: dispatch.position) {
            advance(.hasFailed(export.life, role))
        }
        guard let export = exports[dispatch.job], let role = export.role(of: dispatch.position),
            let peer = peers[dispatch.worker]
        else {
            schedule(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
            return
        }
        if dispatch.id.attempt > 30 { farm.problem("task \(dispatch.id) is tried without end") }
        use(peer.version, for: dispatch.job.rawValue)
        if pictures[dispatch.job.rawValue]?.found.contains(dispatch.position) == true {
            farm.problem("\(role) of \(dispatch.job) was found, and is rendered")
        }
        do {
            let (task, limit) = try export.task(role)
            let assembler = ResultAssembler(
                task: dispatch.id.task, attempt: dispatch.id.attempt, kind: task.resultKind, limitBytes: limit)
            peers[dispatch.worker]?.assemblies[dispatch.id] = Assembly(
                life: export.life, role: role, assembler: assembler)
            exports.count(dispatch.job) { $0.dispatched(now: farm.now * 1_000_000) }
            let assignment = TaskAssignment(
                task: dispatch.id.task, attempt: dispatch.id.attempt, deadlineMilliseconds: 5000,
                resultLimitBytes: limit, payload: .inline(task.encoded()))
            send(.task(assignment), to: dispatch.worker)
        } catch { farm.problem("\(error)") }
    }

    func add(_ item: ResultItem, to assembly: inout Assembly) throws(ProtocolError) {
        if assembly.role.isReading { return try add(item, toReading: &assembly.result) }
        add(item, to: &assembly.result)
    }

    private func add(_ item: ResultItem, to result: inout TaskResult) {
        if let block = item.block {
            put(block.id, block.frame)
            result.blocks.append(block.id)
        }
        switch item {
        case .imageChunk(let chunk):
            result.chunks.append(
                ReceivedChunk(
                    pixels: chunk.map(\.id), byteCount: item.block.flatMap { Zstandard.declaredSize(of: $0.frame) }))
        case .imageEnd(let info): result.endImage(info)
        case .band(let band): result.add(band)
        case .pixels(let block):
            result.pixels = block.id
            result.pixelBytes = Zstandard.declaredSize(of: block.frame)
        case .localBand, .block, .draft, .readingEnd: farm.problem("\(item)")
        }
    }

    func forget(_ attempt: AttemptID, of worker: WorkerID) {
        if let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) { release(assembly.result.blocks) }
    }

    func remove(_ worker: WorkerID) {
        guard let peer = peers.removeValue(forKey: worker) else { return }
        workerOf[peer.connection] = nil
        for assembly in peer.assemblies.values { release(assembly.result.blocks) }
    }

    func accept(_ worker: WorkerID, _ attempt: AttemptID, _ position: TaskPosition) {
        if isLie(attempt, of: worker) { farm.problem("a lie of \(attempt) is believed") }
        guard let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) else {
            farm.problem("a result is accepted that nobody has")
            return
        }
        if assembly.result.draft != nil, exports[assembly.life] != nil { farm.readCount += 1 }
        let job = assembly.life.job.rawValue
        if exports[assembly.life] != nil, pictures[job]?.accepted.insert(position).inserted != true {
            farm.problem("\(position) of job \(job) accepted twice")
        }
        keep(assembly.result, of: attempt.task)
        advance(.accepted(assembly.life, assembly.role, assembly.result))
    }
}
