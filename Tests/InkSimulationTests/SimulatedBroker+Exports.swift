import InkEngine
import InkStore
import InkTestSupport

@testable import InkBroker
@testable import InkProtocol
@testable import InkService

/// What an export is made of: images, tiles that become bands or bands at once, and for some a task at the end that needs
/// all bands.
struct ExportGraph {
    static let window = 3
    let stages: [Stage]
    /// The stage whose groups are the picture's bands.
    let bands: Int

    var decoding: Stage { stages[0] }
    var rest: [Stage] { Array(stages.dropFirst()) }
    var taskCount: Int { stages.reduce(0) { $0 + $1.groups * $1.tasks } }

    init(_ job: JobNumber) {
        let cost = Stage.Costs.all(TaskCost(bytes: 1000, nanoseconds: 20_000_000))
        let rows = SimulatedBroker.rows(of: job)
        var stages = [Stage(groups: Int(job % 3), costs: cost)]
        if job % 2 == 1 {
            stages.append(Stage(groups: rows, tasks: 2, inputs: [.whole(0)], costs: cost, window: Self.window))
            stages.append(Stage(groups: rows, inputs: [.group(1)], costs: cost, window: Self.window))
        } else {
            stages.append(Stage(groups: rows, inputs: [.whole(0)], costs: cost, window: Self.window))
        }
        bands = stages.count - 1
        if job % 5 < 2 { stages.append(Stage(groups: 1, inputs: [.whole(bands)], costs: cost)) }
        self.stages = stages
    }

    /// Whether all is accepted that a task needs.
    func mayBegin(_ position: TaskPosition, _ accepted: Set<TaskPosition>) -> Bool {
        stages[position.stage].inputs.allSatisfy { input in
            switch input {
            case .whole(let source):
                accepted.count { $0.stage == source } == stages[source].groups * stages[source].tasks
            case .group(let source):
                accepted.count { $0.stage == source && $0.group == position.group } == stages[source].tasks
            }
        }
    }
}

/// Exports: the scheduler's actions, rows of tiles, and how a picture gets its name.
extension SimulatedBroker {
    static func rows(of job: JobNumber) -> Int { 1 + Int(job % 6) }
    static func bands(of job: JobNumber) -> [String] { (0..<rows(of: job)).map { "\(job):\($0)" } }

    func launch(_ job: JobNumber) {
        guard service.jobs[job] != nil else { return }
        if farm.disk.files["\(job).png"] != nil { farm.problem("job \(job) is rendered again, its picture is there") }
        let rows = Self.rows(of: job)
        let output = PixelSize(width: Self.width, height: 16 * rows)
        let grid = TileGrid(output: output, tile: PixelSize(width: Self.width, height: 16))
        if grid.rows != rows { farm.problem("a grid of \(grid.rows) rows") }
        let graph = ExportGraph(job)
        exports[job] = Export(
            graph: graph,
            stitch: StitchState(
                grid: grid, format: .rgb, codec: PictureCodecs.all[0], window: ExportGraph.window))
        tell(.prepared(job))
        schedule(
            .jobAdded(
                JobID(job), priority: service.jobs[job]?.priority ?? 0, weight: 1, stages: [graph.decoding]))
        if service.jobs[job]?.wantsCancel == true { cancel(job) }
    }

    func planned(_ job: JobNumber) {
        guard let export = exports[job] else { return }
        schedule(.stagesPlanned(JobID(job), export.graph.rest))
    }

    func written(_ job: JobNumber, rows: Int) {
        guard let graph = exports[job]?.graph else { return }
        for stage in 1...graph.bands { schedule(.groupsWritten(JobID(job), stage: stage, count: rows)) }
    }

    func cancel(_ job: JobNumber) {
        guard let export = exports[job], !export.isFinishing else { return }
        end(job, .ended(.cancelled))
        schedule(.jobDropped(JobID(job)))
    }

    func end(_ job: JobNumber, _ end: ExportEnd) {
        exports[job] = nil
        tell(.exportEnded(job, end, story: []))
    }

    func schedule(_ event: SchedulerEvent) {
        for action in scheduler.handle(event, now: farm.now * 1_000_000) { perform(action) }
    }

    func perform(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch): self.dispatch(dispatch)
        case .cancel(let worker, let attempt): send(.cancel(attempt.task), to: worker)
        case .planStages(let job): later(.planned(job.rawValue))
        case .accept(let worker, let attempt, let job, let position):
            accept(worker, attempt, job.rawValue, position)
        case .hold: break
        case .drop(let worker, let attempt): peers[worker]?.assemblies[attempt] = nil
        case .jobComplete(let job):
            if exports[job.rawValue]?.isFinishing != true { farm.problem("\(job) complete, not all of it is in") }
        case .jobFailed(let job, let failure):
            farm.note("job \(job) fails: \(failure)")
            guard exports[job.rawValue] != nil else { return }
            if case .rendererGone = failure {
                end(job.rawValue, .again(reason: "renderer"))
            } else {
                end(job.rawValue, .ended(.failed(.internalError, text: "\(failure)")))
            }
        case .dismiss(let worker, _):
            send(.refuse(reason: "dismissed"), to: worker)
            if let peer = peers.removeValue(forKey: worker) { workerOf[peer.connection] = nil }
        }
    }

    func dispatch(_ dispatch: Dispatch) {
        let job = dispatch.job.rawValue
        guard let export = exports[job], peers[dispatch.worker] != nil else {
            schedule(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
            return
        }
        if dispatch.id.attempt > 30 { farm.problem("task \(dispatch.id) is tried without end") }
        if !export.graph.mayBegin(dispatch.position, export.accepted) {
            farm.problem("\(dispatch.position) of job \(job) begins before its inputs are there")
        }
        let task = Self.task(dispatch.position, job, export.graph)
        let assembler = ResultAssembler(
            task: dispatch.id.task, attempt: dispatch.id.attempt, kind: task.resultKind, limitBytes: 100_000)
        peers[dispatch.worker]?.assemblies[dispatch.id] = Assembly(
            job: job, position: dispatch.position, assembler: assembler)
        let assignment = TaskAssignment(
            task: dispatch.id.task, attempt: dispatch.id.attempt, deadlineMilliseconds: 5000,
            resultLimitBytes: 100_000, payload: .inline(task.encoded()))
        send(.task(assignment), to: dispatch.worker)
    }

    /// Bands are rendered; all that comes before or after them is an image for the workers.
    static func task(_ position: TaskPosition, _ job: JobNumber, _ graph: ExportGraph) -> WorkerTask {
        guard position.stage == graph.bands else {
            return .decode(
                DecodeTask(image: image.id, use: .color, place: Place(file: "\(job)"), limits: Limits()))
        }
        let (row, rows) = (position.group, rows(of: job))
        let output = PixelSize(width: width, height: 16 * rows)
        return .render(
            TileTask(
                // The canvas tells the job, the rectangle the row.
                canvas: CanvasSize(width: Double(job), height: 1), output: output,
                rect: PixelRect(x: 0, y: 16 * row, width: width, height: 16), background: .white, baseImage: nil,
                layers: [], pixelFormat: .rgb,
                delivery: .band(PieceEncoding(PictureEncoding(effort: .fast), isLast: row == rows - 1))))
    }

    func accept(_ worker: WorkerID, _ attempt: AttemptID, _ job: JobNumber, _ position: TaskPosition) {
        guard let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) else {
            farm.problem("a result is accepted that nobody has")
            return
        }
        guard var export = exports[job] else { return }
        if !export.accepted.insert(position).inserted { farm.problem("\(position) of job \(job) accepted twice") }
        if position.stage == export.graph.bands {
            guard let band = assembly.band else {
                farm.problem("a tile without a band is accepted")
                return
            }
            do {
                let ready = try export.stitch.accept(band, row: position.group)
                for band in ready { export.file.append(String(decoding: band.bytes, as: UTF8.self)) }
                if !ready.isEmpty { later(.written(job, rows: export.stitch.next)) }
            } catch { farm.problem("job \(job): \(error)") }
        }
        export.isFinishing = export.stitch.isComplete && export.accepted.count == export.graph.taskCount
        exports[job] = export
        if export.isFinishing { later(.synced(job)) }
    }

    // MARK: - The picture's name

    /// The temporary file is on the disk: the digest goes to the journal.
    func synced(_ job: JobNumber) {
        guard let export = exports[job] else { return }
        if export.file != Self.bands(of: job) { farm.problem("job \(job): bands \(export.file)") }
        farm.disk.files["\(job).part"] = export.file
        sealing.insert(job)
        let seal = PictureSeal(target: "\(job).png", temporary: "\(job).part", picture: picture(job))
        pendingJournal.append((.starting(job), [.publishing(job, seal)]))
        if !isCommitting {
            isCommitting = true
            later(.commit, 1...20)
        }
    }

    func picture(_ job: JobNumber) -> FinishedPicture {
        FinishedPicture(
            size: PixelSize(width: Self.width, height: 16 * Self.rows(of: job)), byteCount: job + 1,
            digest: [UInt8](repeating: UInt8(truncatingIfNeeded: job), count: 32), tileCount: 1, attemptCount: 1,
            elapsed: 1, phases: Array(repeating: 0, count: FinishedPicture.phaseCount))
    }

    func sealed(_ job: JobNumber, _ result: Result<[JournalOutcome], StorageFault>) {
        sealing.remove(job)
        switch result {
        case .success: later(.renamed(job))
        case .failure(let fault):
            farm.disk.files["\(job).part"] = nil
            end(job, .ended(.failed(.inputOutput, text: fault.text)))
        }
    }

    func renamed(_ job: JobNumber) {
        farm.disk.files["\(job).png"] = farm.disk.files.removeValue(forKey: "\(job).part")
        end(job, .ended(.finished(picture(job))))
    }

    func recover(_ job: JobNumber, _ seal: PictureSeal) {
        if farm.disk.files[seal.target] == nil { farm.disk.files[seal.target] = farm.disk.files[seal.temporary] }
        farm.disk.files[seal.temporary] = nil
        let isThere = farm.disk.files[seal.target] != nil
        later(.service(.recovered(job, isThere ? seal.picture : nil)))
    }
}
