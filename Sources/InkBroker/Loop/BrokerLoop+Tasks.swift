import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkSystem

/// Tasks out, results in.
extension BrokerLoop {
    func dispatch(_ dispatch: Dispatch) {
        guard let peer = peers[dispatch.worker] else {
            tell(.workerLost(dispatch.worker, reason: "its connection is gone"))
            return
        }
        if dispatch.hasFailed, let export = exports[dispatch.job], let role = export.role(of: dispatch.position) {
            tell(.hasFailed(export.life, role))
        }
        guard let export = exports[dispatch.job], let role = export.role(of: dispatch.position) else {
            tell(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
            return
        }
        let id = dispatch.job
        do {
            let (task, limit) = try export.task(role)
            let (payload, block) = try TaskPayload.make(task, inlineBytes: peer.inlineTaskBytes)
            if let block { try store.put(block.id, block.frame) }
            let milliseconds = (dispatch.deadline - min(dispatch.deadline, SystemClock.nanoseconds)) / 1_000_000
            let assignment = TaskAssignment(
                task: dispatch.id.task, attempt: dispatch.id.attempt,
                deadlineMilliseconds: max(1, Int(min(milliseconds, UInt64(Int32.max)))), resultLimitBytes: limit,
                payload: payload)
            // An image comes in pieces, none of which is waited for whole beyond its size.
            let assembler = ResultAssembler(
                task: dispatch.id.task, attempt: dispatch.id.attempt, kind: task.resultKind, limitBytes: limit,
                itemLimitBytes: export.itemLimit(of: role))
            peers[dispatch.worker]?.assemblies[dispatch.id] = Assembly(
                life: export.life, role: role, assembler: assembler, payloadBlock: block?.id)
            if let block { owners[block.id] = id }
            counters.dispatched += 1
            note(dispatch.id, role, of: id, dispatch.worker, dispatch.isRace ? .raced : .dispatched)
            exports.count(id) { counts in
                counts.dispatched(now: SystemClock.nanoseconds)
                if case .inline(let bytes) = payload { counts.bytesSent += bytes.count }
            }
            send(.task(assignment), to: dispatch.worker, attempt: dispatch.id)
            estimator.dispatched(underWay: tasksUnderWay)
        } catch {
            tell(.failed(id, Self.error(of: error, packing: role, of: export)))
            // The worker never got it: its credit comes back here.
            tell(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
        }
    }

    private static func error(of error: any Error, packing role: TaskRole, of export: Export) -> BrokerError {
        if let error = error as? BrokerError { return error }
        guard let cause = error as? ProtocolError else {
            return .internalError("\(role) cannot be packed: \(error)")
        }
        if case .overLimit(let what, let found, let limit) = cause {
            // A thousand layers with masks of a million rows: each tile names all of their pieces.
            return .refused(
                .overLimit(
                    Place(file: export.name), what: "the \(what) of \(role), which names all images that it needs,",
                    found: "\(found) bytes", limit: "\(limit) bytes"))
        }
        return .packing("\(role)", cause)
    }

    // MARK: - Results

    func take(_ part: ResultPart, _ worker: WorkerID) {
        let id = AttemptID(task: part.task, attempt: part.attempt)
        guard var assembly = peers[worker]?.assemblies[id], assembly.fault == nil, !assembly.isDone else {
            store.local?.discard(part.bytes, sequence: part.sequence)
            return
        }
        exports.count(assembly.life.job) { $0.bytesReceived += part.bytes.count }
        // Not copied while it grows: the table gives it up until it is put back.
        peers[worker]?.assemblies[id] = nil
        do {
            for item in try assembly.assembler.append(part) { try add(item, to: &assembly) }
        } catch let error as BrokerError {
            // The broker's own trouble; the worker is not to blame.
            assembly.fault = error.description
            peers[worker]?.assemblies[id] = assembly
            tell(.failed(assembly.life.job, error))
            return
        } catch {
            peers[worker]?.assemblies[id] = assembly
            reject(id, of: worker, "\(error)")
            return
        }
        peers[worker]?.assemblies[id] = assembly
        tell(.taskProgressed(worker, id))
    }

    /// Takes nothing of a result that is not what it has to be.
    private func reject(_ id: AttemptID, of worker: WorkerID, _ fault: String) {
        guard let assembly = peers[worker]?.assemblies[id] else { return }
        let reason = "bad result: \(fault)"
        counters.failed += 1
        peers[worker]?.tasksFailed += 1
        note(id, assembly.role, of: assembly.life.job, worker, .failed(reason: reason))
        forget(id, of: worker)
        tell(.taskFailed(worker, id, .malformed(reason)))
    }

    /// - Throws: `BrokerError` when the broker cannot take it, `ProtocolError` when it cannot be right.
    private func add(_ item: ResultItem, to assembly: inout Assembly) throws {
        // An export that has ended needs no more memory.
        guard let export = exports[assembly.life] else {
            item.block.map { store.local?.remove($0.id) }
            return
        }
        switch item {
        case .imageChunk(let chunk):
            guard let sizes = export.image(of: assembly.role)?.resultSizes else { return }
            let index = assembly.result.images.count
            let expected = index < sizes.count ? ImageSlice.chunks(of: 0..<sizes[index].height).count : 0
            guard assembly.result.chunks.count < expected else {
                throw ProtocolError.outOfSequence(
                    what: "image chunk", found: "\(expected + 1)", expected: "at most \(expected)")
            }
            var byteCount: Int?
            if case .samples(let block) = chunk { byteCount = try hold(block, for: &assembly) }
            assembly.result.chunks.append(ReceivedChunk(pixels: chunk.map(\.id), byteCount: byteCount))
        case .imageEnd(let image):
            assembly.result.endImage(image)
        case .band(let band): try add(band, to: &assembly, of: export)
        case .localBand(var band, let id):
            guard case .bytes(let bytes) = store.local?.content(of: id) else {
                throw ProtocolError.badValue(what: "band", offset: 0, found: "\(id)", expected: "a local block")
            }
            store.local?.remove(id)
            band.bytes = bytes
            try add(band, to: &assembly, of: export)
        case .block(let block):
            _ = try hold(block, for: &assembly)
            assembly.result.blockBytes[block.id] = block.frame.count
        case .readingEnd(let end): assembly.result.reading = end
        case .draft(let block) where !block.frame.isEmpty: try assembly.result.addDraft(block)
        case .draft(let block):
            guard case .value(let value) = store.local?.content(of: block.id), let draft = value as? PictureDraft else {
                throw ProtocolError.badValue(what: "draft", offset: 0, found: "\(block.id)", expected: "a local block")
            }
            store.local?.remove(block.id)
            assembly.result.draft = draft
        case .pixels(let block):
            assembly.result.pixelBytes = try hold(block, for: &assembly)
            assembly.result.pixels = block.id
        }
    }

    private func add(
        _ band: EncodedPiece, to assembly: inout Assembly, of export: Export
    ) throws(ProtocolError) {
        guard assembly.role == .whole else { return assembly.result.add(band) }
        // One that has been left to many since is still welcome.
        try assembly.result.addPiece(band, bytesMax: export.lone?.pieceBytesMax ?? WholeTask.pieceBytesLimit)
    }

    /// Takes a block in under the name that it has; returns how many bytes it says that it holds.
    private func hold(_ block: Block, for assembly: inout Assembly) throws -> Int? {
        if block.frame.isEmpty, let content = store.local?.content(of: block.id) {
            try store.put(block.id, [])
            assembly.result.blocks.append(block.id)
            return content.byteCount
        }
        _ = try Block.verified(frame: block.frame, as: block.id)
        try store.put(block.id, block.frame)
        owners[block.id] = assembly.life.job
        assembly.result.blocks.append(block.id)
        return Zstandard.declaredSize(of: block.frame)
    }

    func take(_ done: TaskDone, _ worker: WorkerID) {
        let id = AttemptID(task: done.task, attempt: done.attempt)
        guard var assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        guard assembly.fault == nil else {
            forget(id, of: worker)
            tell(.taskFailed(worker, id, .cancelled))
            return
        }
        // One that comes late is dropped as it is: what it would be held to may be gone.
        let isWanted = scheduler.isOpen(id.task)
        do throws(ProtocolError) {
            try assembly.assembler.finish(done)
        } catch {
            reject(id, of: worker, "\(error)")
            return
        }
        let isComparable = exports[assembly.life]?.compares(assembly.assembler.kind, of: assembly.role)
        if scheduler.wantsDigest(id.task), isComparable == false {
            forget(id, of: worker)
            tell(.taskFailed(worker, id, .cancelled))
            return
        }
        if isWanted, let fault = exports[assembly.life]?.complete(&assembly.result, of: assembly.role) {
            reject(id, of: worker, fault)
            return
        }
        counters.finished += 1
        peers[worker]?.tasksDone += 1
        peers[worker]?.speed.add(now: SystemClock.nanoseconds)
        note(id, assembly.role, of: assembly.life.job, worker, .finished)
        // Counted whether the result is still wanted or not: it is what the export cost.
        let elapsed = SystemClock.nanoseconds - assembly.dispatched
        exports.count(assembly.life.job) { $0.phases.add(done.phases, atMost: elapsed) }
        noteForEstimates(done.phases, assembly)
        assembly.isDone = true
        peers[worker]?.assemblies[id] = assembly
        if scheduler.wantsDigest(id.task) {
            digest(assembly, id, worker)
        } else {
            tell(.taskFinished(worker, id))
        }
    }

    /// Has the digest of a whole result made. Its worker keeps its place in the scheduler until then, so no more wait than
    /// workers have tasks in hand.
    private func digest(_ assembly: Assembly, _ id: AttemptID, _ worker: WorkerID) {
        let files: PictureSet? =
            switch assembly.role {
            case .tile(let row, _), .encode(let row): exports[assembly.life]?.plan?.place(ofRow: row).picture.set
            // Whole files, and the pieces of trials, are compared by their bytes.
            case .whole: assembly.result.draft?.set
            case .read, .decode, .finish, .trial: nil
            }
        let (result, mailbox) = (assembly.result, mailbox)
        let (digest, blocks) = (ResultDigest(result, files, in: store), result.blocks)
        for block in blocks { store.retain(block) }
        digesting[id] = worker
        checking.run {
            let result: Result<[UInt8], ResultDigest.Unreadable>
            do throws(ResultDigest.Unreadable) { result = .success(try digest.make()) } catch {
                result = .failure(error)
            }
            mailbox.post(.digested(worker, id, blocks, result))
        }
    }

    func take(_ result: Result<[UInt8], ResultDigest.Unreadable>, of id: AttemptID, _ worker: WorkerID) {
        // The result may not be wanted any more, or its worker be gone.
        guard peers[worker]?.assemblies[id]?.isDone == true else { return }
        switch result {
        case .success(let digest): tell(.taskFinished(worker, id, digest: digest))
        case .failure(let error):
            // The broker's own trouble; the worker is not to blame.
            failExports(needing: error.block, error.failure)
            forget(id, of: worker)
            tell(.taskFailed(worker, id, .cancelled))
        }
    }

    func take(_ failed: TaskFailed, _ worker: WorkerID) {
        let id = AttemptID(task: failed.task, attempt: failed.attempt)
        // Why a project of this process cannot be read was posted before, and workers fail faster than the loop turns.
        if failed.kind == .cancelled, peers[worker]?.assemblies[id]?.role.isReading == true { carryOutPosted() }
        guard let assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        let fault: TaskFault
        switch failed.kind {
        case .badInput:
            let place = failed.place ?? Place(file: exports[assembly.life]?.name ?? "")
            fault = .badInput(.badInput(place, reason: failed.text))
        case .internalError: fault = .transient(failed.text)
        case .cancelled: fault = .cancelled
        }
        if failed.kind != .cancelled {
            counters.failed += 1
            peers[worker]?.tasksFailed += 1
            note(id, assembly.role, of: assembly.life.job, worker, .failed(reason: failed.text))
        }
        forget(id, of: worker)
        tell(.taskFailed(worker, id, fault))
    }

    /// Gives up what has come of an attempt.
    func forget(_ attempt: AttemptID, of worker: WorkerID) {
        guard let assembly = takeBack(attempt, from: worker) else { return }
        release(assembly.result.blocks)
    }

    /// The worker has the attempt no longer.
    private func takeBack(_ attempt: AttemptID, from worker: WorkerID) -> Assembly? {
        guard let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) else { return nil }
        if let payload = assembly.payloadBlock { release([payload]) }
        // One of an earlier life is no longer counted.
        if exports[assembly.life] != nil {
            exports.count(assembly.life.job) { $0.returned(now: SystemClock.nanoseconds) }
        }
        return assembly
    }

    /// Moves a result that the scheduler wants to its export.
    func accept(_ attempt: AttemptID, from worker: WorkerID) {
        guard let assembly = takeBack(attempt, from: worker) else { return }
        keep(assembly.result, of: attempt.task)
        tell(.accepted(assembly.life, assembly.role, assembly.result))
    }

    func release(_ blocks: [BlockID]) {
        for block in blocks {
            store.release(block)
            if store.byteCount(of: block) == nil { owners[block] = nil }
        }
    }
}
