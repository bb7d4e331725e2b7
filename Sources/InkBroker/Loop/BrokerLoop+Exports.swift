import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkSystem

/// What exports need done: work on lanes, blocks, files.
extension BrokerLoop {
    /// Gives the exports an event and carries out their actions, those that arise from them at once.
    func tell(_ event: ExportEvent) {
        noteForEstimates(event)
        let actions = exports.handle(
            event, now: SystemClock.nanoseconds, mayPrepare: !store.isBehind, threads: estimator.threads)
        for action in actions { perform(action) }
    }

    private func perform(_ action: ExportAction) {
        switch action {
        case .prepare(let life, let job):
            targets[job.id] = PictureTarget(job)
            prepare(job, life)
        case .findCompanions(let life, let readable, let requests): find(requests, readable, of: life)
        case .plan(let life, let draft, let decoded): plan(life, draft, decoded)
        case .open(let id, let assembler, let formats): targets[id]?.open(assembler, as: formats)
        case .write(let life, let pieces, let rows, let ending): write(pieces, rows: rows, of: life, ending)
        case .discard(let id):
            if let output = targets.removeValue(forKey: id)?.output { writing.run { output.discard() } }
        case .release(let blocks): release(blocks)
        case .schedule(let event): tell(event)
        case .report(let event):
            switch event {
            case .finished(let id, _), .failed(let id, _):
                results?.forget(id)
                lookUps.forget(id)
            default: break
            }
            noteForEstimates(event)
            onEvent(event)
        }
    }

    /// Has a worker read the project. A project of this process goes only to workers that are here, too; for those
    /// elsewhere it is cut on the lane.
    private func prepare(_ job: ExportJob, _ life: ExportLife) {
        switch job.source {
        case .document(let source): open(source, job, life)
        case .ready(let project, let order):
            let nanoseconds = UInt64(RoughSize(job)?.prepare ?? 0)
            let draft = localDraft(of: project, order, job)
            guard let id = store.local?.add(.value(source(of: draft, life))) else { return cutHere(draft, life) }
            let cost = TaskCost(bytes: 0, nanoseconds: nanoseconds)
            take(
                .readable(Readable(task: .local(id), cost: cost), blocks: [EncodedBlock(id: id, frame: [])]), of: life)
        }
    }

    private typealias MakeDraft =
        @Sendable (_ encoder: BlockEncoder?, _ blocks: inout [EncodedBlock]) throws(BrokerError) -> PictureDraft

    private func localDraft(of project: Project, _ order: PictureOrder, _ job: ExportJob) -> MakeDraft {
        let (own, target) = (encoder, targets[job.id])
        return { (encoder, blocks) throws(BrokerError) in
            try target?.check(order.options.files.map(\.encoding.format))
            return try BrokerError.refusing { () throws(EngineError) in
                try PictureDraft(
                    project, job.measures, order: order, name: job.name, limits: job.limits,
                    encoder: encoder ?? own, blocks: &blocks)
            }
        }
    }

    private func source(of draft: @escaping MakeDraft, _ life: ExportLife) -> DraftSource {
        DraftSource { [mailbox, local = store.local] (encoder, blocks) throws(EngineError) in
            do throws(BrokerError) { return try draft(encoder, &blocks) } catch {
                for block in blocks { local?.remove(block.id) }
                // The export ends with the error itself, which a worker's answer does not hold.
                mailbox.post(.laneAnswer(life, .failed(error)))
                throw .cancelled
            }
        }
    }

    private func cutHere(_ draft: @escaping MakeDraft, _ life: ExportLife) {
        cut(life) { blocks throws(BrokerError) in
            let draft = try draft(nil, &blocks)
            let work = draft.work
            return { .prepared(PreparedExport(draft: draft, work: work, blocks: $0, time: $1)) }
        }
    }

    /// Opens a document for workers.
    private func open(_ source: DocumentSource, _ job: ExportJob, _ life: ExportLife) {
        let (target, digestsStrokes) = (targets[job.id], results != nil)
        cut(life) { blocks throws(BrokerError) in
            let document = try source.open()
            try target?.check(document.picture.options.files.map(\.encoding.format))
            let readable = try Readable(document, of: job, digestsStrokes: digestsStrokes, blocks: &blocks)
            return { blocks, _ in .readable(readable, blocks: blocks) }
        }
    }

    private func find(_ requests: [CompanionRequest], _ readable: Readable, of life: ExportLife) {
        cut(life) { blocks throws(BrokerError) in
            let found = try readable.with(requests, blocks: &blocks)
            return { blocks, _ in .readable(found, blocks: blocks) }
        }
    }

    private func plan(_ life: ExportLife, _ draft: PictureDraft, _ decoded: [[DecodedImage]]) {
        let (makeAssembler, keepsResults) = (makeAssembler, results != nil)
        let isArchive = targets[life.job]?.hasOnePlace ?? true
        cut(life) { _ throws(BrokerError) in
            let (plan, assembler) = try BrokerError.refusing { () throws(EngineError) in
                let plan = try PicturePlan(draft, decoded: decoded, keepsResults: keepsResults)
                let assembler = try PictureSetAssembler.make(
                    plan.heads, plan.pictures.map(\.share), isArchive: isArchive, makeAssembler)
                return (plan, assembler)
            }
            let trials = TrialState(plan, makeAssembler)
            return { .planned(PlannedExport(plan: plan, assembler: assembler, trials: trials, blocks: $0, time: $1)) }
        }
    }

    /// What becomes of an export's blocks and of the time that they took.
    private typealias Cut = (_ blocks: [EncodedBlock], _ time: LaneTime) -> LaneAnswer

    private func cut(
        _ life: ExportLife, _ work: @escaping @Sendable (inout [EncodedBlock]) throws(BrokerError) -> Cut
    ) {
        let (mailbox, local) = (mailbox, store.local)
        cutting.run {
            var blocks: [EncodedBlock] = []
            let (result, time) = LaneTime.measure {
                BrokerLoop.result { () throws(BrokerError) in try work(&blocks) }
            }
            switch result {
            case .success(let answer): mailbox.post(.laneAnswer(life, answer(blocks, time)))
            case .failure(let error):
                for block in blocks { local?.remove(block.id) }
                mailbox.post(.laneAnswer(life, .failed(error)))
            }
        }
    }

    /// Takes what was done beside the loop.
    func take(_ answer: LaneAnswer, of life: ExportLife) {
        do throws(BrokerError) {
            try hold(answer.blocks, for: life)
            tell(.answered(life, answer))
        } catch {
            tell(.answered(life, .failed(error)))
        }
    }

    /// Takes all of the blocks in, or none.
    private func hold(_ blocks: [EncodedBlock], for life: ExportLife) throws(BrokerError) {
        var held: [BlockID] = []
        do throws(BrokerError) {
            // One that has ended needs no more memory.
            guard exports[life] != nil else { throw .cancelled(export: "\(life.job)") }
            for block in blocks {
                try store.put(block.id, block.frame)
                owners[block.id] = life.job
                held.append(block.id)
            }
        } catch {
            release(held)
            for block in blocks.dropFirst(held.count) { store.local?.remove(block.id) }
            throw error
        }
    }

    // MARK: - Files

    private func write(_ pieces: [EncodedPiece], rows: Int, of life: ExportLife, _ ending: PictureReport?) {
        guard let target = targets[life.job], let output = target.output else { return }
        if ending != nil { targets[life.job] = nil }
        let (mailbox, syncing) = (mailbox, syncing)
        writing.run {
            let (result, time) = LaneTime.measure {
                BrokerLoop.result { () throws(BrokerError) in try output.write(pieces) }
            }
            switch result {
            case .success(let picture): mailbox.post(.laneAnswer(life, .written(rows: rows, picture, time)))
            case .failure(let error): return mailbox.post(.laneAnswer(life, .failed(error)))
            }
            guard let ending else { return }
            syncing.run { mailbox.post(.laneAnswer(life, BrokerLoop.finish(output, target, ending))) }
        }
    }

    private static func result<T>(_ work: () throws(BrokerError) -> T) -> Result<T, BrokerError> {
        do throws(BrokerError) { return .success(try work()) } catch { return .failure(error) }
    }

    private static func finish(
        _ output: PictureOutput, _ target: PictureTarget, _ ending: PictureReport
    ) -> LaneAnswer {
        let (result, time) = LaneTime.measure {
            BrokerLoop.result { () throws(BrokerError) in
                try output.finish { (name, temporary, picture) throws(BrokerError) in
                    var report = ending
                    report.files = [picture]
                    try target.seal?(SealedPicture(target: name, temporary: temporary, picture: report))
                }
            }
        }
        switch result {
        case .success(let files): return .finished(files, time)
        case .failure(let error): return .failed(error)
        }
    }
}
