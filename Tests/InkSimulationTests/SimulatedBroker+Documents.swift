import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

@testable import InkBroker

/// Documents: the broker opens them and finds the files beside them, workers read them.
extension SimulatedBroker {
    /// What workers read for a job; nil where the broker cuts the project itself.
    func document(of job: JobNumber) -> SimulatedDocument? {
        guard farm.weather.readsDocuments, (farm.seed / 5 + job) % 4 != 0 else { return nil }
        return SimulatedDocument(of: job, seed: farm.seed)
    }

    func source(of job: JobNumber, _ order: PictureOrder) -> ExportSource {
        guard let document = document(of: job) else { return .ready(Self.project(of: job), order) }
        let picture = PictureSpec(size: .exact(order.output), options: order.options)
        return .document(
            DocumentSource {
                OpenedDocument(name: "p", bytes: document.bytes, picture: picture, software: order.software) {
                    requests in
                    requests.map { document.found($0) }
                }
            })
    }

    func open(_ source: DocumentSource, _ job: ExportJob, _ life: ExportLife) {
        answer(life) { blocks throws(BrokerError) in
            let readable = try Readable(
                source.open(), of: job, digestsStrokes: farm.weather.keepsResults, blocks: &blocks)
            return .readable(readable, blocks: blocks)
        }
    }

    /// Some come when the export has ended, or lives again.
    func find(_ requests: [CompanionRequest], _ readable: Readable, of life: ExportLife) {
        if requests.isEmpty { farm.problem("\(life.job): files are looked for that nobody asked for") }
        answer(life, farm.chance(0.2) ? 200...3_000 : 1...30) { blocks throws(BrokerError) in
            let found = try readable.with(requests, blocks: &blocks)
            return .readable(found, blocks: blocks)
        }
    }

    /// Takes an item of a reading.
    func add(_ item: ResultItem, toReading result: inout TaskResult) throws(ProtocolError) {
        switch item {
        case .block(let block):
            _ = try Block.verified(frame: block.frame, as: block.id)
            put(block.id, block.frame)
            result.blocks.append(block.id)
            result.blockBytes[block.id] = block.frame.count
        case .draft(let part): try result.addDraft(part)
        case .readingEnd(let end): result.reading = end
        case .band(let piece): try result.addPiece(piece, bytesMax: WholeTask.pieceBytesLimit)
        case .imageChunk, .imageEnd, .localBand, .pixels: farm.problem("\(item) of a reading")
        }
    }

    /// What two honest readers give alike.
    func digest(ofReading result: TaskResult) -> [UInt8] {
        var digest: [UInt8] = []
        for request in result.reading.requests { digest += [2, request.kind] + request.name + [0] }
        if result.draft != nil { digest += [3] + result.blocks.flatMap(\.digest) }
        for piece in result.pieces { digest += [4] + piece.bytes }
        return digest
    }

    func isLie(_ attempt: AttemptID, of worker: WorkerID) -> Bool {
        guard let connection = peers[worker]?.connection else { return false }
        return farm.lies.contains(Lie(connection: connection, task: attempt.task, attempt: attempt.attempt))
    }

    /// Checks that a fault of a whole result is its worker's.
    func judge(_ fault: String, _ attempt: AttemptID, of worker: WorkerID, _ assembly: Assembly) {
        if isLie(attempt, of: worker) {
            farm.refusedLies += 1
        } else {
            farm.problem("an honest worker's result: \(fault)")
        }
    }

    /// Takes nothing of a result that is not what it has to be; its worker has to go.
    func reject(_ attempt: AttemptID, of worker: WorkerID, _ fault: String) {
        let isAwaited = scheduler.tasks[attempt.task] != nil && scheduler.workers[worker]?.holdings[attempt] != nil
        farm.note("bad result of \(attempt): \(fault)")
        forget(attempt, of: worker)
        schedule(.taskFailed(worker, attempt, .malformed("bad result: \(fault)")))
        if isAwaited, peers[worker] != nil { farm.problem("the worker of a bad result stays: \(fault)") }
    }

    func take(_ failed: TaskFailed, _ worker: WorkerID) {
        let id = AttemptID(task: failed.task, attempt: failed.attempt)
        guard let assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        forget(id, of: worker)
        switch failed.kind {
        case .badInput:
            let isAwaited = scheduler.tasks[id.task] != nil && scheduler.workers[worker]?.holdings[id] != nil
            let place = failed.place ?? Place(file: "p")
            schedule(.taskFailed(worker, id, .badInput(.badInput(place, reason: failed.text))))
            if isAwaited, exports[assembly.life] != nil {
                farm.problem("\(assembly.life.job) goes on, and what it is made of is wrong")
            }
        case .internalError: schedule(.taskFailed(worker, id, .transient(failed.text)))
        case .cancelled: schedule(.taskFailed(worker, id, .cancelled))
        }
    }

    /// Checks how the export of a document ends.
    func checkEnd(_ job: JobNumber, _ error: BrokerError?) {
        guard let document = document(of: job) else { return }
        switch (document.kind, error) {
        case (.refused, nil), (.deadly, nil): farm.problem("job \(job) is finished, and nobody can read it")
        case (.refused, .refused(let cause)):
            let expected = EngineError.badInput(Place(file: "p"), reason: SimulatedDocument.refusal)
            if cause != expected { farm.problem("job \(job): \(cause)") }
        default: break
        }
    }
}
