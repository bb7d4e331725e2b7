import InkEngine
import InkProtocol
import InkSystem

/// Tasks out, results in.
extension BrokerLoop {
    func dispatch(_ dispatch: Dispatch) {
        guard let peer = peers[dispatch.worker] else {
            tell(.workerLost(dispatch.worker, reason: "its connection is gone"))
            return
        }
        guard let job = jobs[dispatch.job] else {
            tell(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
            return
        }
        let role = TaskRole(dispatch.position)
        do {
            let (task, limit) = try makeTask(role, of: job)
            let (payload, block) = try TaskPayload.make(task, inlineBytes: peer.inlineTaskBytes)
            if let block { try store.put(block.id, block.frame) }
            let milliseconds = (dispatch.deadline - min(dispatch.deadline, SystemClock.nanoseconds)) / 1_000_000
            let assignment = TaskAssignment(
                task: dispatch.id.task, attempt: dispatch.id.attempt,
                deadlineMilliseconds: max(1, Int(min(milliseconds, UInt64(Int32.max)))), resultLimitBytes: limit,
                payload: payload)
            let assembler = ResultAssembler(
                task: dispatch.id.task, attempt: dispatch.id.attempt, kind: task.resultKind, limitBytes: limit,
                itemLimitBytes: itemLimit(role, of: job))
            peers[dispatch.worker]?.assemblies[dispatch.id] = Assembly(
                job: job, role: role, assembler: assembler, payloadBlock: block?.id)
            if let block { owners[block.id] = job.id }
            counters.dispatched += 1
            note(dispatch.id, role, of: job.id, dispatch.worker, dispatch.isRace ? .raced : .dispatched)
            jobs[job.id]?.attemptCount += 1
            jobs[job.id]?.firstDispatch = job.firstDispatch ?? SystemClock.nanoseconds
            if case .inline(let bytes) = payload { jobs[job.id]?.bytesSent += bytes.count }
            send(.task(assignment), to: dispatch.worker, attempt: dispatch.id)
        } catch {
            fail(job.id, Self.error(of: error, packing: role, of: job))
            // The worker never got it: its credit comes back here.
            tell(.taskFailed(dispatch.worker, dispatch.id, .cancelled))
        }
    }

    private static func error(of error: any Error, packing role: TaskRole, of job: JobRun) -> BrokerError {
        if let error = error as? BrokerError { return error }
        if case .overLimit(let what, let found, let limit)? = error as? ProtocolError {
            // A thousand layers with masks of a million rows: each tile names all of their pieces.
            return .refused(
                .overLimit(
                    Place(file: job.name), what: "the \(what) of \(role), which names all images that it needs,",
                    found: "\(found) bytes", limit: "\(limit) bytes"))
        }
        return .internalError("\(role) cannot be packed: \(error)")
    }

    /// An image comes in pieces, none of which is waited for whole beyond its size; nil for the limit of the whole.
    private func itemLimit(_ role: TaskRole, of job: JobRun) -> UInt64? {
        guard case .decode(let index) = role, let request = job.draft?.images[index] else { return nil }
        return ResultLimit.chunk(imageWidth: request.size.width)
    }

    /// A task and the bytes that its result may have.
    func makeTask(_ role: TaskRole, of job: JobRun) throws(BrokerError) -> (WorkerTask, UInt64) {
        switch role {
        case .decode(let index):
            guard let draft = job.draft else { break }
            let request = draft.images[index]
            let task = DecodeTask(
                image: request.file, use: request.use, place: request.place,
                limits: draft.limits)
            return (.decode(task), ResultLimit.image(size: request.size))
        case .tile(let row, let column):
            guard let plan = job.plan else { break }
            let task = plan.task(row: row, column: column)
            let limit =
                plan.grid.isBands
                ? ResultLimit.band(width: task.rect.width, rows: task.rect.height, format: plan.format)
                : ResultLimit.pixels(size: task.rect.size, format: plan.format)
            return (.render(task), limit)
        case .encode(let row):
            guard let plan = job.plan, let tiles = job.tiles[row], tiles.count == plan.grid.columns else { break }
            let rows = plan.grid.pixelRows(ofRow: row)
            let rect = PixelRect(x: 0, y: rows.lowerBound, width: plan.scene.output.width, height: rows.count)
            let pieces = (0..<plan.grid.columns).compactMap { column in
                tiles[column].map { BandTile(rect: plan.grid.rect(row: row, column: column), block: $0) }
            }
            let encoding = PieceEncoding(plan.encoding, isLast: row == plan.grid.rows - 1)
            let task = EncodeTask(rect: rect, format: plan.format, encoding: encoding, pieces: pieces)
            return (.encode(task), ResultLimit.band(width: rect.width, rows: rect.height, format: plan.format))
        }
        throw .internalError("\(role) of \(job.name) before its time")
    }

    // MARK: - Results

    func take(_ part: ResultPart, _ worker: WorkerID) {
        let id = AttemptID(task: part.task, attempt: part.attempt)
        guard var assembly = peers[worker]?.assemblies[id], assembly.fault == nil, !assembly.isDone else {
            store.local?.discard(part.bytes, sequence: part.sequence)
            return
        }
        jobs[assembly.job]?.bytesReceived += part.bytes.count
        // Not copied while it grows: the table gives it up until it is put back.
        peers[worker]?.assemblies[id] = nil
        do {
            for item in try assembly.assembler.append(part) { try add(item, to: &assembly) }
        } catch let error as BrokerError {
            // The broker's own trouble; the worker is not to blame.
            assembly.fault = error.description
            peers[worker]?.assemblies[id] = assembly
            fail(assembly.job, error)
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
        note(id, assembly.role, of: assembly.job, worker, .failed(reason: reason))
        forget(id, of: worker)
        tell(.taskFailed(worker, id, .malformed(reason)))
    }

    /// - Throws: `BrokerError` when the broker cannot take it, `ProtocolError` when it cannot be right.
    private func add(_ item: ResultItem, to assembly: inout Assembly) throws {
        // An export that has ended needs no more memory.
        guard let job = job(of: assembly) else {
            item.block.map { store.local?.remove($0.id) }
            return
        }
        switch item {
        case .imageChunk(let chunk):
            guard case .decode(let index) = assembly.role, let image = job.draft?.images[index] else { return }
            let expected = ImageSlice.chunks(of: 0..<image.size.height).count
            guard assembly.chunks.count < expected else {
                throw ProtocolError.outOfSequence(
                    what: "image chunk", found: "\(expected + 1)", expected: "at most \(expected)")
            }
            var byteCount: Int?
            if case .samples(let block) = chunk { byteCount = try hold(block, for: &assembly) }
            assembly.chunks.append(chunk.map(\.id))
            assembly.chunkBytes.append(byteCount)
        case .imageEnd(let image):
            assembly.imageInfo = image
        case .band(let band): assembly.band = band
        case .localBand(var band, let id):
            guard case .bytes(let bytes) = store.local?.content(of: id) else {
                throw ProtocolError.badValue(what: "band", offset: 0, found: "\(id)", expected: "a local block")
            }
            store.local?.remove(id)
            band.bytes = bytes
            assembly.band = band
        case .pixels(let block):
            assembly.pixelBytes = try hold(block, for: &assembly)
            assembly.pixels = block.id
        }
    }

    /// Takes a block in under the name that it has; returns how many bytes it says that it holds.
    private func hold(_ block: Block, for assembly: inout Assembly) throws -> Int? {
        if block.frame.isEmpty, let content = store.local?.content(of: block.id) {
            try store.put(block.id, [])
            assembly.blocks.append(block.id)
            return content.byteCount
        }
        _ = try Block.verified(frame: block.frame, as: block.id)
        try store.put(block.id, block.frame)
        owners[block.id] = assembly.job
        assembly.blocks.append(block.id)
        return Zstandard.declaredSize(of: block.frame)
    }

    func take(_ done: TaskDone, _ worker: WorkerID) {
        let id = AttemptID(task: done.task, attempt: done.attempt)
        guard let assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        guard assembly.fault == nil else {
            forget(id, of: worker)
            tell(.taskFailed(worker, id, .cancelled))
            return
        }
        do throws(ProtocolError) {
            try assembly.assembler.finish(done)
        } catch {
            reject(id, of: worker, "\(error)")
            return
        }
        if let fault = fault(in: assembly) {
            reject(id, of: worker, fault)
            return
        }
        counters.finished += 1
        peers[worker]?.tasksDone += 1
        note(id, assembly.role, of: assembly.job, worker, .finished)
        // Counted whether the result is still wanted or not: it is what the export cost. No phase took longer than all.
        let elapsed = SystemClock.nanoseconds - assembly.dispatched
        jobs[assembly.job]?.phases.decode += min(elapsed, done.phases.decode)
        jobs[assembly.job]?.phases.raster += min(elapsed, done.phases.raster)
        jobs[assembly.job]?.phases.composite += min(elapsed, done.phases.composite)
        jobs[assembly.job]?.phases.encode += min(elapsed, done.phases.encode)
        peers[worker]?.assemblies[id]?.isDone = true
        if scheduler.wantsDigest(id.task) {
            digest(assembly, id, worker)
        } else {
            tell(.taskFinished(worker, id))
        }
    }

    /// Has the digest of a whole result made. Its worker keeps its place in the scheduler until then, so no more wait than
    /// workers have tasks in hand.
    private func digest(_ assembly: Assembly, _ id: AttemptID, _ worker: WorkerID) {
        let codec = jobs[assembly.job]?.plan?.codec ?? PictureCodecs.all[0]
        let (digest, blocks, mailbox) = (ResultDigest(assembly, codec, in: store), assembly.blocks, mailbox)
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
            failJobs(needing: error.block, error.failure)
            forget(id, of: worker)
            tell(.taskFailed(worker, id, .cancelled))
        }
    }

    /// The export that a result is for; nil when it has ended.
    func job(of assembly: Assembly) -> JobRun? {
        jobs[assembly.job].flatMap { $0.submitted == assembly.submitted ? $0 : nil }
    }

    /// What makes a complete result useless for its export, nil when nothing does.
    private func fault(in assembly: Assembly) -> String? {
        guard let job = job(of: assembly) else { return nil }
        switch assembly.role {
        case .decode(let index):
            guard let request = job.draft?.images[index] else { return nil }
            guard let image = assembly.decodedImage, image.answers(request) else {
                return "not the image of \(request.size) that was asked for"
            }
            for (index, found) in assembly.chunkBytes.enumerated() {
                guard case .samples = image.chunks[index] else { continue }
                let rows = min(ImageSlice.rowsPerChunk, image.size.height - index * ImageSlice.rowsPerChunk)
                let expected = rows * image.size.width * image.format.bytesPerPixel
                guard found == expected else { return Self.wrongSize("chunk \(index)", found, expected) }
            }
            return nil
        case .tile(let row, let column):
            guard assembly.pixels != nil, let plan = job.plan else { return bandFault(assembly, row, job) }
            let expected = plan.pixelBytes(row: row, column: column)
            guard assembly.pixelBytes == expected else { return Self.wrongSize("tile", assembly.pixelBytes, expected) }
            return nil
        case .encode(let row): return bandFault(assembly, row, job)
        }
    }

    private static func wrongSize(_ what: String, _ found: Int?, _ expected: Int) -> String {
        "the \(what)'s block holds \(found.map { "\($0)" } ?? "an unknown number of") bytes, not \(expected)"
    }

    private func bandFault(_ assembly: Assembly, _ row: Int, _ job: JobRun) -> String? {
        guard let band = assembly.band else { return nil }
        do throws(StitchError) {
            try job.stitch?.check(band, row: row)
            return nil
        } catch {
            // A second result of a tile that is in already is late, not bad; the scheduler drops it.
            if case .repeated = error { return nil }
            return error.description
        }
    }

    func take(_ failed: TaskFailed, _ worker: WorkerID) {
        let id = AttemptID(task: failed.task, attempt: failed.attempt)
        guard let assembly = peers[worker]?.assemblies[id], !assembly.isDone else { return }
        let fault: TaskFault
        switch failed.kind {
        case .badInput:
            let place = failed.place ?? Place(file: jobs[assembly.job]?.name ?? "")
            fault = .badInput(.badInput(place, reason: failed.text))
        case .internalError: fault = .transient(failed.text)
        case .cancelled: fault = .cancelled
        }
        if failed.kind != .cancelled {
            counters.failed += 1
            note(id, assembly.role, of: assembly.job, worker, .failed(reason: failed.text))
        }
        forget(id, of: worker)
        tell(.taskFailed(worker, id, fault))
    }

    /// Gives up what has come of an attempt.
    func forget(_ attempt: AttemptID, of worker: WorkerID) {
        guard let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) else { return }
        release(assembly.blocks)
        if let payload = assembly.payloadBlock { release([payload]) }
    }

    /// Moves a result that the scheduler wants to its export.
    func accept(_ attempt: AttemptID, from worker: WorkerID) {
        guard let assembly = peers[worker]?.assemblies.removeValue(forKey: attempt) else { return }
        if let payload = assembly.payloadBlock { release([payload]) }
        guard jobs[assembly.job] != nil else {
            release(assembly.blocks)
            return
        }
        switch assembly.role {
        case .decode(let index):
            jobs[assembly.job]?.blocks += assembly.blocks
            jobs[assembly.job]?.decoded[index] = assembly.decodedImage
        case .tile(let row, let column):
            if let band = assembly.band {
                stitch(band, row: row, of: assembly.job)
            } else if let pixels = assembly.pixels {
                jobs[assembly.job]?.tiles[row, default: [:]][column] = pixels
            }
            tileDone(of: assembly.job)
        case .encode(let row):
            release(jobs[assembly.job]?.tiles.removeValue(forKey: row).map { Array($0.values) } ?? [])
            if let band = assembly.band { stitch(band, row: row, of: assembly.job) }
        }
    }

    func release(_ blocks: [BlockID]) {
        for block in blocks {
            store.release(block)
            if store.byteCount(of: block) == nil { owners[block] = nil }
        }
    }
}
