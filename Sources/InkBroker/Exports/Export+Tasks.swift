import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What workers are asked for an export, and what their answers have to be.
extension Export {
    /// A task and the bytes that its result may have.
    func task(_ role: TaskRole) throws(BrokerError) -> (WorkerTask, resultLimit: UInt64) {
        switch role {
        case .read, .whole:
            guard let readable else { break }
            let limit =
                readable.document.map { ResultLimit.draft(fileBytes: $0.limits.fileBytes) } ?? ResultLimit.localDraft
            guard let lone, role == .whole else { return (.read(readable.task), limit) }
            return (.whole(lone.task(readable.task)), limit)
        case .decode(let index):
            guard let draft else { break }
            let request = draft.images[index]
            return (.decode(request.task(draft.limits)), request.resultLimit)
        case .tile(let row, let column):
            guard let plan else { break }
            let task = plan.task(row: row, column: column)
            let (bands, pixels) = (
                plan.place(ofRow: row).picture.set.resultLimit(task.rect.size, task.pixelFormat),
                ResultLimit.pixels(size: task.rect.size, format: task.pixelFormat)
            )
            let limit =
                switch task.delivery {
                case .band: bands
                case .pixels: pixels
                case .bandAndPixels: bands + pixels
                }
            return (.render(task), limit)
        case .encode(let row):
            if let task = composition?.encode(row: row) { return limited(task) }
        case .finish(let index):
            if let task = composition?.finish(file: index) { return limited(task) }
        case .trial(let number, let row):
            guard let plan, let trials, number == trials.number, let encoding = trials.encoding else { break }
            let piece = PieceEncoding(encoding, isLast: row == plan.rowCount - 1)
            if trials.isWhole {
                if let task = composition?.finish(encoding) { return limited(.finish(task)) }
            } else if let task = composition?.encode(row: row, piece) {
                return limited(task)
            }
        }
        throw .internalError("\(role) of \(name) before its time")
    }

    private func limited(_ task: EncodeTask) -> (WorkerTask, resultLimit: UInt64) {
        let limit = ResultLimit.band(width: task.rect.width, rows: task.rect.height, format: task.format)
        return (.encode(task), UInt64(task.encoding.pictures.count) * limit)
    }

    /// A file of the whole picture.
    private func limited(_ task: WorkerTask) -> (WorkerTask, resultLimit: UInt64) {
        guard case .finish(let finish) = task else { return (task, ResultLimit.drawing) }
        return (
            task, ResultLimit.band(width: finish.size.width, rows: finish.size.height, format: finish.format)
        )
    }

    /// Whether a result of this kind can be compared with other results of the task: not with those of workers that only
    /// read, when the picture was to be made alone and has been left to many since.
    func compares(_ kind: ResultKind, of role: TaskRole) -> Bool { role != .whole || isAlone == (kind == .whole) }

    /// The image that a task decodes; nil for other tasks.
    func image(of role: TaskRole) -> ImageRequest? {
        guard case .decode(let index) = role else { return nil }
        return draft?.images[index]
    }

    /// What an item of its result may have, bytes; nil where that is not known.
    func itemLimit(of role: TaskRole) -> UInt64? {
        if case .finish(let index) = role, let whole = plan?.whole, whole.drawings[whole.set.wholes[index]] != nil {
            return ResultLimit.drawnPiece
        }
        // A block with its name.
        if role.isReading { return UInt64(ProtocolLimits.blockFrameBytes) + 64 }
        return image(of: role)?.chunkLimit
    }

    /// Puts a result together whose items are all there, and says what makes it useless; nil when nothing does.
    func complete(_ result: inout TaskResult, of role: TaskRole) -> String? {
        if !result.draftParts.isEmpty, let order = readable?.order {
            do throws(ProtocolError) {
                let parts = try result.draftParts.map { part throws(ProtocolError) in
                    try part.content(limit: ProtocolLimits.draftPartBytes)
                }
                result.draft = try PictureDraft(decoding: parts, for: order)
            } catch {
                return "\(error)"
            }
        }
        // They can be large, and have served.
        result.draftParts = []
        return fault(in: result, of: role)
    }

    /// What makes a complete result useless, nil when nothing does.
    func fault(in result: TaskResult, of role: TaskRole) -> String? {
        switch role {
        case .read, .whole: return readable?.fault(in: result)
        case .decode:
            guard let request = image(of: role) else { return nil }
            let sizes = request.resultSizes
            guard result.images.count == sizes.count else {
                return "\(result.images.count) images, of which \(sizes.count) were asked for"
            }
            for (received, size) in zip(result.images, sizes) {
                guard received.image.answers(request, size) else {
                    return "not the image of \(size) that was asked for"
                }
                for (index, chunk) in received.chunks.enumerated() {
                    guard case .samples = chunk.pixels else { continue }
                    let rows = ImageSlice.rows(ofChunk: index, imageHeight: size.height).count
                    let expected = rows * size.width * received.info.format.bytesPerPixel
                    guard chunk.byteCount == expected else {
                        return Self.wrongSize("chunk \(index)", chunk.byteCount, expected)
                    }
                }
            }
            return nil
        case .tile(let row, let column):
            if result.pixels != nil, let plan {
                let expected = plan.pixelBytes(row: row, column: column)
                guard result.pixelBytes == expected else {
                    return Self.wrongSize("tile", result.pixelBytes, expected)
                }
            }
            return bandFault(result, row)
        case .encode(let row): return bandFault(result, row)
        case .finish(let index):
            guard let whole = plan?.whole, let piece = result.band else { return nil }
            return whole.set.members[whole.set.wholes[index]].fault(inWhole: piece, whole.scene.picture, whole.format)
        case .trial(let number, let row):
            return result.band.flatMap { trials?.fault(in: $0, row: row, of: number) }
        }
    }

    private static func wrongSize(_ what: String, _ found: Int?, _ expected: Int) -> String {
        "the \(what)'s block holds \(found.map { "\($0)" } ?? "an unknown number of") bytes, not \(expected)"
    }

    private func bandFault(_ result: TaskResult, _ row: Int) -> String? {
        guard let band = result.band else { return nil }
        do throws(StitchError) {
            try stitch?.check(band, row: row)
            return nil
        } catch {
            // A second result of a tile that is in already is late, not bad; the scheduler drops it.
            if case .repeated = error { return nil }
            return error.description
        }
    }
}

extension PictureSet.Member {
    /// What makes a file that was encoded as a whole useless, nil when nothing does.
    func fault(inWhole piece: EncodedPiece, _ size: PixelSize, _ format: PixelFormat) -> String? {
        let rawBytes = codec.isVector ? piece.bytes.count : size.area * format.bytesPerPixel
        let isWhole =
            piece.rowCount == size.height && piece.rawByteCount == rawBytes
            && codec.isSoundWhole(piece.bytes, size, encoding)
        return isWhole ? nil : "not the file of a picture of \(size)"
    }
}

extension PictureSet {
    /// For a rendered or encoded band of that size: a piece of each file.
    fileprivate func resultLimit(_ size: PixelSize, _ format: PixelFormat) -> UInt64 {
        UInt64(streamed.count) * ResultLimit.band(width: size.width, rows: size.height, format: format)
    }
}
