import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol

/// What workers are asked for an export, and what their answers have to be.
extension Export {
    /// A task and the bytes that its result may have.
    func task(_ role: TaskRole) throws(BrokerError) -> (WorkerTask, resultLimit: UInt64) {
        switch role {
        case .read:
            guard let readable else { break }
            let limit = readable.document.map { ResultLimit.draft(fileBytes: $0.limits.fileBytes) }
            return (.read(readable.task), limit ?? ResultLimit.localDraft)
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
            if let plan, let task = encodeTask(row, plan, plan.encoding(ofRow: row)) { return task }
        case .finish(let index):
            guard let plan else { break }
            let set = plan.whole.set
            let member = set.wholes[index]
            if let drawing = plan.whole.drawings[member] {
                let images = try images(ofFile: plan.whole.share.uses[member].file, plan)
                return (
                    .draw(DrawTask(picture: drawing.picture, strokes: drawing.strokes, images: images)),
                    ResultLimit.drawing
                )
            }
            if let task = finishTask(plan, set.members[member].encoding) { return task }
        case .trial(let number, let row):
            guard let plan, let trials, number == trials.number, let encoding = trials.encoding else { break }
            let piece = PieceEncoding(encoding, isLast: row == plan.rowCount - 1)
            if let task = trials.isWhole ? finishTask(plan, encoding) : encodeTask(row, plan, piece) { return task }
        }
        throw .internalError("\(role) of \(name) before its time")
    }

    /// The images in a file of lines, in its order.
    private func images(ofFile file: Int, _ plan: PicturePlan) throws(BrokerError) -> [FinishTask] {
        var images: [(number: Int, task: FinishTask)] = []
        for (index, picture) in plan.pictures.enumerated() where picture.source.isDrawn {
            guard let member = picture.share.uses.firstIndex(where: { $0.file == file }) else { continue }
            let rows = plan.rows(ofPicture: index).compactMap { bandTiles(ofRow: $0, plan) }
            guard rows.count == picture.rowCount else { throw .internalError("\(name) is drawn before its images") }
            let task = FinishTask(
                size: picture.scene.output, format: picture.format, encoding: picture.set.members[member].encoding,
                rows: rows)
            images.append((picture.share.uses[member].picture, task))
        }
        return images.sorted { $0.number < $1.number }.map(\.task)
    }

    /// nil if tiles are missing.
    private func encodeTask(
        _ row: Int, _ plan: PicturePlan, _ encoding: PieceEncoding
    ) -> (WorkerTask, resultLimit: UInt64)? {
        guard let pieces = bandTiles(ofRow: row, plan) else { return nil }
        let (picture, pictureRow) = plan.place(ofRow: row)
        let rows = picture.grid.pixelRows(ofRow: pictureRow)
        let rect = PixelRect(x: 0, y: rows.lowerBound, width: picture.rect.width, height: rows.count)
        let task = EncodeTask(rect: rect, format: picture.format, encoding: encoding, pieces: pieces)
        let limit = ResultLimit.band(width: rect.width, rows: rect.height, format: picture.format)
        return (.encode(task), UInt64(encoding.pictures.count) * limit)
    }

    /// nil if tiles are missing.
    private func finishTask(
        _ plan: PicturePlan, _ encoding: PictureEncoding
    ) -> (WorkerTask, resultLimit: UInt64)? {
        let whole = plan.whole
        let halvings = whole.halvings
        let rows = (0..<whole.grid.rows).compactMap { bandTiles(ofRow: $0, plan, halvings: halvings) }
        guard rows.count == whole.grid.rows else { return nil }
        let size = whole.scene.output
        let task = FinishTask(size: size, format: whole.format, encoding: encoding, halvings: halvings, rows: rows)
        return (.finish(task), ResultLimit.band(width: size.width, rows: size.height, format: whole.format))
    }

    /// nil if some are missing.
    private func bandTiles(ofRow row: Int, _ plan: PicturePlan, halvings: Int = 0) -> [BandTile]? {
        guard let tiles = tiles[row], tiles.count == plan.columns else { return nil }
        let (picture, pictureRow) = plan.place(ofRow: row)
        return (0..<plan.columns).compactMap { column in
            tiles[column].map { block in
                let rect = picture.grid.rect(row: pictureRow, column: column)
                let size = rect.size.halved(halvings)
                return BandTile(
                    rect: PixelRect(
                        x: rect.x >> halvings, y: rect.y >> halvings, width: size.width, height: size.height),
                    block: block)
            }
        }
    }

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
        if role == .read { return UInt64(ProtocolLimits.blockFrameBytes) + 64 }
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
        case .read: return readable?.fault(in: result)
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
            return whole.set.members[whole.set.wholes[index]].fault(inWhole: piece, whole.scene.output, whole.format)
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
