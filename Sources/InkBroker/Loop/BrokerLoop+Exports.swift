import InkEngine
import InkProtocol
import InkSystem

/// The exports, from submission to their end.
extension BrokerLoop {
    func submit(_ job: ExportJob) {
        guard !isStopping else {
            onEvent(.failed(job.id, .cancelled(export: job.name)))
            return
        }
        guard jobs[job.id] == nil, !waiting.contains(where: { $0.job.id == job.id }) else {
            onEvent(.failed(job.id, .internalError("\(job.id) is taken")))
            return
        }
        waiting.append((job, SystemClock.nanoseconds))
        admit()
    }

    /// Begins the next exports: the highest priority first, equal ones in order of submission.
    func admit() {
        while let highest = waiting.map(\.job.priority).max(), hasRoom(for: highest),
            let index = waiting.firstIndex(where: { $0.job.priority == highest })
        {
            let (job, submitted) = waiting.remove(at: index)
            livesBegun += 1
            let life = ExportLife(job: job.id, number: livesBegun)
            jobs[job.id] = JobRun(job, life: life, submitted: submitted)
            onEvent(.started(job.id))
            prepare(job, life)
        }
    }

    /// A few more than usual may be under way when they are more urgent than all that are.
    private func hasRoom(for priority: Int) -> Bool {
        let active = jobs.values.filter { $0.stage != .finishing }
        if active.count < configuration.activeExports { return true }
        return active.count < configuration.activeExports + BrokerLoop.overtakingExports
            && active.allSatisfy { $0.priority < priority }
    }

    private static let overtakingExports = 4

    private func prepare(_ job: ExportJob, _ life: ExportLife) {
        unprepared.append((job, life))
        prepareNext()
    }

    /// Has the next project read and cut: one at a time, and none while blocks of those before wait for the disk, so that
    /// no more than one project's are in memory beyond the budget.
    func prepareNext() {
        guard !isPreparing, !store.isBehind else { return }
        while !unprepared.isEmpty {
            let (job, life) = unprepared.removeFirst()
            // It may have been cancelled since.
            guard jobs[job.id]?.life == life else { continue }
            isPreparing = true
            cut(job, life)
            return
        }
    }

    private func cut(_ job: ExportJob, _ life: ExportLife) {
        let (mailbox, encoder, local) = (mailbox, encoder, store.local)
        cutting.run {
            let (result, time) = LaneTime.measure { () -> Result<(PictureDraft, [EncodedBlock]), BrokerError> in
                var blocks: [EncodedBlock] = []
                do throws(BrokerError) {
                    try PictureWriter.checkTarget(job.destination)
                    let (project, order) = try job.source.read()
                    let draft = try PictureDraft(
                        project, job.measures, order: order, name: job.name, limits: job.limits, encoder: encoder,
                        blocks: &blocks)
                    return .success((draft, blocks))
                } catch {
                    for block in blocks { local?.remove(block.id) }
                    return .failure(error)
                }
            }
            let prepared = result.map { PreparedExport(draft: $0.0, blocks: $0.1, time: time) }
            mailbox.post(.laneAnswer(life, .prepared(prepared)))
        }
    }

    /// Takes what was done beside the loop, unless the export has ended meanwhile.
    func take(_ answer: LaneAnswer, of life: ExportLife) {
        let id = life.job
        if case .prepared = answer { isPreparing = false }
        defer { prepareNext() }
        guard let job = jobs[id], job.life == life else {
            for block in answer.blocks { store.local?.remove(block.id) }
            return
        }
        switch answer {
        case .prepared(let result): prepared(job, result)
        case .planned(let result): planned(job, result)
        case .written(let rows, let picture, let time):
            addStitchTime(time, to: id)
            onEvent(.written(id, picture))
            tell(.groupsWritten(id, stage: ExportStage.tile, count: rows))
        case .finished(let picture, let time):
            addStitchTime(time, to: id)
            finished(id, picture)
        case .writeFailed(let error): fail(id, error)
        }
    }

    private func prepared(_ job: JobRun, _ result: Result<PreparedExport, BrokerError>) {
        let id = job.id
        do throws(BrokerError) {
            let prepared = try result.get()
            try hold(prepared.blocks, for: id)
            jobs[id]?.stage = .decoding
            jobs[id]?.draft = prepared.draft
            jobs[id]?.decoded = Array(repeating: nil, count: prepared.draft.images.count)
            addPreparation(prepared.time, to: id)
            let costs = prepared.draft.images.map { image in
                // The file as it travels and as it is, and a chunk of rows as RGBA and compressed.
                let bytes = 2 * (store.byteCount(of: image.file) ?? 0) + 8 * ImageSlice.rowsPerChunk * image.size.width
                return TaskCost(bytes: bytes, nanoseconds: UInt64(min(image.size.area, 1 << 50)) * 20)
            }
            onEvent(.prepared(id))
            let decoding = Stage(groups: costs.count, costs: .each(costs))
            tell(.jobAdded(id, priority: job.priority, weight: job.weight, stages: [decoding]))
        } catch {
            fail(id, error)
        }
    }

    private func addPreparation(_ time: LaneTime, to id: JobID) {
        jobs[id]?.phases.prepare += time.elapsed
        jobs[id]?.brokerCPU += time.cpu
    }

    private func addStitchTime(_ time: LaneTime, to id: JobID) {
        jobs[id]?.phases.stitch += time.elapsed
        jobs[id]?.brokerCPU += time.cpu
    }

    private func hold(_ blocks: [EncodedBlock], for id: JobID) throws(BrokerError) {
        for block in blocks {
            try store.put(block.id, block.frame)
            owners[block.id] = id
            jobs[id]?.blocks.append(block.id)
        }
    }

    func planStages(_ id: JobID) {
        guard let job = jobs[id], let draft = job.draft else { return }
        jobs[id]?.stage = .planning
        let decoded = job.decoded.compactMap(\.self)
        guard decoded.count == draft.images.count else {
            fail(id, .internalError("\(job.name) is cut before its images are decoded"))
            return
        }
        // The files have served.
        for image in Set(draft.images.map(\.file)) {
            if let index = jobs[id]?.blocks.firstIndex(of: image) {
                jobs[id]?.blocks.remove(at: index)
                release([image])
            }
        }
        let (mailbox, encoder, local, life) = (mailbox, encoder, store.local, job.life)
        cutting.run {
            let (result, time) = LaneTime.measure { () -> Result<(PicturePlan, [EncodedBlock]), BrokerError> in
                var blocks: [EncodedBlock] = []
                do throws(BrokerError) {
                    let plan = try PicturePlan(draft, decoded: decoded, encoder: encoder, blocks: &blocks)
                    return .success((plan, blocks))
                } catch {
                    for block in blocks { local?.remove(block.id) }
                    return .failure(error)
                }
            }
            let planned = result.map { PlannedExport(plan: $0.0, blocks: $0.1, time: time) }
            mailbox.post(.laneAnswer(life, .planned(planned)))
        }
    }

    private func planned(_ job: JobRun, _ result: Result<PlannedExport, BrokerError>) {
        guard let draft = job.draft else { return }
        let id = job.id
        do throws(BrokerError) {
            let planned = try result.get()
            try hold(planned.blocks, for: id)
            addPreparation(planned.time, to: id)
            let plan = planned.plan
            let head = PictureHead(
                size: plan.scene.output, pixels: plan.format, encoding: plan.encoding, description: draft.description)
            let assembler: any PictureAssembler
            do { assembler = try makeAssembler(head) } catch { throw .refused(error) }
            let window = self.window(of: plan)
            jobs[id]?.stage = .rendering
            jobs[id]?.draft = nil
            jobs[id]?.decoded = []
            jobs[id]?.plan = plan
            jobs[id]?.stitch = StitchState(
                grid: plan.grid, format: plan.format, codec: plan.codec, window: window)
            jobs[id]?.output = PictureOutput(destination: job.destination, assembler: assembler) {
                () throws(BrokerError) in
                try PictureWriter(
                    target: job.destination, tag: job.temporaryTag, isPrivate: job.isPrivate, replaces: job.replaces,
                    wantsDigest: job.wantsDigest)
            }
            onEvent(.progress(id, done: 0, total: plan.grid.count))
            tell(.stagesPlanned(id, stages(of: plan, window: window)))
        } catch {
            fail(id, error)
        }
    }

    /// Rows of tiles that may be under way.
    private func window(of plan: PicturePlan) -> Int {
        max(2, min(64, configuration.reorderBytes / max(1, plan.rawBytes(ofRow: 0))))
    }

    /// The stages after decoding: tiles by rows and, where a row has several, encoding each row.
    private func stages(of plan: PicturePlan, window: Int) -> [Stage] {
        let rowBytes = plan.rawBytes(ofRow: 0)
        let tileBytes = plan.pixelBytes(row: 0, column: 0)
        let nanoseconds = UInt64(min(max(0, plan.tileNanoseconds), 1e15))
        let tiles = Stage(
            groups: plan.grid.rows, tasks: plan.grid.columns, inputs: [.whole(ExportStage.decode)],
            costs: .all(TaskCost(bytes: 2 * tileBytes, nanoseconds: nanoseconds)), window: window)
        guard !plan.grid.isBands else { return [tiles] }
        // Encoding reads the samples and writes about as much.
        let encodeCost = TaskCost(bytes: 2 * rowBytes, nanoseconds: UInt64(rowBytes) * 8)
        return [
            tiles, Stage(groups: plan.grid.rows, inputs: [.group(ExportStage.tile)], costs: .all(encodeCost)),
        ]
    }

    // MARK: - Results

    func tileDone(of id: JobID) {
        guard let job = jobs[id], let plan = job.plan else { return }
        let done = job.tilesDone + 1
        jobs[id]?.tilesDone = done
        let now = SystemClock.nanoseconds
        guard done == plan.grid.count || now - job.lastProgress >= 50_000_000 else { return }
        jobs[id]?.lastProgress = now
        onEvent(.progress(id, done: done, total: plan.grid.count))
    }

    /// Takes a band in and has those written whose turn it is.
    func stitch(_ piece: EncodedPiece, row: Int, of id: JobID) {
        guard let life = jobs[id]?.life, var stitch = jobs[id]?.stitch, let output = jobs[id]?.output else { return }
        jobs[id]?.stitch = nil
        let ready: [EncodedPiece]
        do throws(StitchError) {
            ready = try stitch.accept(piece, row: row)
        } catch {
            fail(id, .internalError("a checked band does not fit: \(error)"))
            return
        }
        let (rows, isComplete) = (stitch.next, stitch.isComplete)
        jobs[id]?.stitch = stitch
        guard !ready.isEmpty else { return }
        if isComplete { jobs[id]?.stage = .finishing }
        let (mailbox, syncing) = (mailbox, syncing)
        let finishing = isComplete ? self.finishing(id) : nil
        writing.run {
            let (result, time) = LaneTime.measure {
                BrokerLoop.result { () throws(BrokerError) in try output.write(ready) }
            }
            switch result {
            case .success(let picture): mailbox.post(.laneAnswer(life, .written(rows: rows, picture, time)))
            case .failure(let error): return mailbox.post(.laneAnswer(life, .writeFailed(error)))
            }
            if let finishing { syncing.run { BrokerLoop.finish(output, finishing, mailbox) } }
        }
        if isComplete { admit() }
    }

    private static func result<T>(_ work: () throws(BrokerError) -> T) -> Result<T, BrokerError> {
        do throws(BrokerError) { return .success(try work()) } catch { return .failure(error) }
    }

    /// What has to be known to end a file beside the loop.
    private struct Finishing: Sendable {
        var life: ExportLife
        var seal: (@Sendable (SealedPicture) throws(BrokerError) -> Void)?
        var outcome: ExportOutcome
    }

    private func finishing(_ id: JobID) -> Finishing? {
        guard let job = jobs[id] else { return nil }
        let none = WrittenPicture(byteCount: 0, digest: [])
        return outcome(of: job, none).map { Finishing(life: job.life, seal: job.seal, outcome: $0) }
    }

    private static func finish(
        _ output: PictureOutput, _ finishing: Finishing, _ mailbox: Mailbox<LoopCommand>
    ) {
        let (result, time) = LaneTime.measure { () -> Result<WrittenPicture, BrokerError> in
            do throws(BrokerError) {
                guard let seal = finishing.seal else { return .success(try output.finish(seal: nil)) }
                return .success(
                    try output.finish { (target, temporary, picture) throws(BrokerError) in
                        var outcome = finishing.outcome
                        outcome.byteCount = picture.byteCount
                        outcome.digest = picture.digest
                        try seal(
                            SealedPicture(
                                target: target, temporary: temporary, byteCount: picture.byteCount,
                                digest: picture.digest, outcome: outcome))
                    })
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let picture): mailbox.post(.laneAnswer(finishing.life, .finished(picture, time)))
        case .failure(let error): mailbox.post(.laneAnswer(finishing.life, .writeFailed(error)))
        }
    }

    private func finished(_ id: JobID, _ picture: WrittenPicture) {
        guard let job = jobs[id], let outcome = outcome(of: job, picture) else { return }
        // Whoever waits need not wait until what the picture was made of is freed.
        onEvent(.finished(id, outcome))
        end(id)
        admit()
    }

    private func outcome(of job: JobRun, _ picture: WrittenPicture) -> ExportOutcome? {
        guard let plan = job.plan else { return nil }
        let now = SystemClock.nanoseconds
        var phases = job.phases
        let untilFirst = (job.firstDispatch ?? now) - job.submitted
        phases.queue = untilFirst - min(untilFirst, phases.prepare)
        return ExportOutcome(
            size: plan.scene.output, format: plan.format, phases: phases, elapsed: now - job.submitted,
            brokerCPU: job.brokerCPU, byteCount: picture.byteCount, digest: picture.digest,
            tileCount: plan.grid.count, attemptCount: job.attemptCount, bytesSent: job.bytesSent,
            bytesReceived: job.bytesReceived)
    }

    // MARK: - Ends

    func cancel(_ id: JobID) {
        if let index = waiting.firstIndex(where: { $0.job.id == id }) {
            let (job, _) = waiting.remove(at: index)
            onEvent(.failed(id, .cancelled(export: job.name)))
        } else if let job = jobs[id], job.stage != .finishing {
            fail(id, .cancelled(export: job.name))
        }
    }

    func stop() {
        isStopping = true
        for id in waiting.map(\.job.id) + jobs.keys.sorted() { cancel(id) }
    }

    func failEverything(_ error: BrokerError) {
        let unbegun = waiting.map(\.job.id)
        waiting = []
        for id in unbegun { onEvent(.failed(id, error)) }
        for id in jobs.keys.sorted() where jobs[id]?.stage != .finishing { fail(id, error) }
    }

    /// Ends an export without a picture; does nothing for one that has ended.
    func fail(_ id: JobID, _ error: BrokerError) {
        guard let job = jobs[id] else { return }
        if let output = job.output { writing.run { output.discard() } }
        end(id)
        tell(.jobDropped(id))
        onEvent(.failed(id, error))
        admit()
    }

    private func end(_ id: JobID) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        release(job.blocks)
        for row in job.tiles.values { release(Array(row.values)) }
    }
}

extension ExportSource {
    fileprivate func read() throws(BrokerError) -> (Project, PictureOrder) {
        switch self {
        case .ready(let project, let options): (project, options)
        case .deferred(let read): try read()
        }
    }
}
