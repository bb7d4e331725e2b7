package import InkCodecs
package import InkEngine
package import InkProtocol

/// Pictures that a worker makes alone (`WholeTask`).
extension PictureDraft {
    /// Nanoseconds of a sample's encoding where a file is made of the whole picture.
    private static let wholePixel = 100.0

    /// Whether one worker can make all files of the picture, and is estimated to take no more than so many nanoseconds.
    package func isMadeAlone(within nanosecondsMax: UInt64) -> Bool {
        // What is rendered of a layer, and how good a file of limited size is, is known only on the way.
        guard pictures.count == 1, let whole = pictures.first, files.allSatisfy({ $0.encoding.bytesMax == nil }),
            let set
        else { return false }
        let (area, bytes) = (whole.scene.picture.area, whole.format.bytesPerPixel * set.members.count)
        // A worker holds all samples of files that are made of the whole picture, and those of all images.
        let imageBytes = images.reduce(0) { $0 + min($1.resultLimit, 1 << 40) }
        guard area <= WholeTask.sampleBytesMax / bytes, imageBytes <= WholeTask.imageBytesMax else { return false }
        let drawn = whole.uses.compactMap(\.drawing)
        var nanoseconds = drawn.reduce(0) { $0 + Double($1.cost.nanoseconds) }
        nanoseconds += Self.wholePixel * Double(area) * Double(set.wholes.count - drawn.count)
        if whole.isRendered { nanoseconds += whole.costs.perRow.reduce(0, +) }
        for image in images { nanoseconds += Double(image.decodingNanoseconds) }
        return nanoseconds <= Double(nanosecondsMax)
    }

    /// The files of the picture itself; nil if a format is of another version.
    package var set: PictureSet? {
        // A format that only another version knows has no set.
        pictures.first.flatMap { try? PictureSet($0.uses.map(\.encoding), pixels: $0.format) }
    }

    /// What a broker needs to put pieces together that a worker has made alone: all but what is drawn.
    package var outline: PictureDraft {
        var outline = self
        outline.images = []
        for index in outline.pictures.indices {
            outline.pictures[index].scene.baseImage = nil
            outline.pictures[index].scene.layers = []
            for use in outline.pictures[index].uses.indices {
                outline.pictures[index].uses[use].drawing?.picture = BlockID(words: [0, 0, 0, 0])
                outline.pictures[index].uses[use].drawing?.marks = []
            }
        }
        return outline
    }

    /// Whether it may be the outline of a picture that was made alone.
    package var isOutline: Bool {
        pictures.count == 1 && images.isEmpty && isMadeAlone(within: .max)
            && pictures.allSatisfy { picture in
                picture.scene.baseImage == nil && picture.scene.layers.isEmpty
                    && picture.uses.allSatisfy { $0.drawing?.marks.isEmpty != false }
            }
    }
}

extension PicturePlan {
    /// How many pieces a picture has that is made alone.
    fileprivate var lonePieceCount: Int {
        let set = whole.set
        return (set.streamed.isEmpty ? 0 : rowCount) + set.wholes.count
    }

    /// The pieces of a picture that is made alone: one of each row of tiles where files are encoded piece by piece, then
    /// one of each file that is made of the whole picture. nil if there are more of them, or fewer.
    package func lonePieces(
        _ pieces: [EncodedPiece]
    ) -> (rows: ArraySlice<EncodedPiece>, files: [EncodedPiece])? {
        let set = whole.set
        guard pieces.count == lonePieceCount else { return nil }
        let rows = lonePieceCount - set.wholes.count
        let files = zip(pieces[rows...], set.wholes).map { piece, member in
            var piece = piece
            piece.file = whole.share.uses[member].file
            return piece
        }
        return (pieces[..<rows], files)
    }
}

extension PictureComposition {
    /// Makes all pieces of a picture that can be made alone, in the order of `PicturePlan.lonePieces`.
    ///
    /// - Parameters:
    ///   - bytesMax: the most bytes that they may have together.
    ///   - run: does a task, whose blocks are those of the draft and of results before; returns its result.
    ///   - release: gives up a block.
    /// - Returns: nil if they are larger, or more of them than a broker takes.
    /// - Throws: what `run` throws, `internalError` for a result that is not the task's.
    package static func pieces(
        of draft: PictureDraft, bytesMax: Int = WholeTask.pieceBytesLimit,
        run: (WorkerTask) throws(EngineError) -> [ResultItem], release: (BlockID) -> Void
    ) throws(EngineError) -> [EncodedPiece]? {
        var decoded: [[DecodedImage]] = []
        for request in draft.images {
            decoded.append(try images(of: request, in: run(.decode(request.task(draft.limits)))))
        }
        for file in Set(draft.images.map(\.file)) { release(file) }
        let plan = try PicturePlan(draft, decoded: decoded)
        guard plan.lonePieceCount <= WholeTask.piecesMax else { return nil }
        var composition = PictureComposition(plan)
        var (pieces, room): ([EncodedPiece], Int) = ([], bytesMax)
        func add(_ piece: EncodedPiece) -> Bool {
            room -= piece.bytes.count
            pieces.append(piece)
            return room >= 0
        }
        for row in 0..<plan.rowCount {
            for column in 0..<plan.columns {
                for item in try run(.render(plan.task(row: row, column: column))) {
                    switch item {
                    case .band(let piece): guard add(piece) else { return nil }
                    case .pixels(let block): composition.keep(block.id, row: row, column: column)
                    default: throw .internalError("\(draft.name): a tile gives neither a band nor pixels")
                    }
                }
            }
            guard composition.encodesRows else { continue }
            guard let task = composition.encode(row: row) else {
                throw .internalError("\(draft.name): row \(row) lacks tiles")
            }
            guard try add(piece(in: run(.encode(task)))) else { return nil }
            for block in composition.giveUp(row: row) { release(block) }
        }
        for index in plan.whole.set.wholes.indices {
            guard let task = composition.finish(file: index) else {
                throw .internalError("\(draft.name): file \(index) lacks tiles")
            }
            guard try add(piece(in: run(task))) else { return nil }
        }
        return pieces
    }

    private static func images(
        of request: ImageRequest, in items: [ResultItem]
    ) throws(EngineError) -> [DecodedImage] {
        var (images, chunks): ([DecodedImage], [RowChunk]) = ([], [])
        for item in items {
            switch item {
            case .imageChunk(let chunk): chunks.append(chunk.map(\.id))
            case .imageEnd(let info):
                images.append(DecodedImage(info: info, chunks: chunks))
                chunks = []
            default: throw .internalError("\(request.place): an image is decoded to something else")
            }
        }
        let sizes = request.resultSizes
        guard images.count == sizes.count, zip(images, sizes).allSatisfy({ $0.answers(request, $1) }) else {
            throw .internalError("\(request.place): another image than was asked for is decoded")
        }
        return images
    }

    /// The piece whose parts are the items.
    private static func piece(in items: [ResultItem]) throws(EngineError) -> EncodedPiece {
        var piece: EncodedPiece?
        for item in items {
            guard case .band(let part) = item else { throw .internalError("a piece is encoded to something else") }
            piece.append(part)
        }
        guard let piece else { throw .internalError("no piece is encoded") }
        return piece
    }
}

extension EncodedPiece? {
    /// Adds a piece, or the next part of one.
    package mutating func append(_ part: EncodedPiece) {
        if self == nil { return self = part }
        self?.rawByteCount &+= part.rawByteCount
        self?.bytes += part.bytes
    }
}
