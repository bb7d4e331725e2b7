import InkCodecs
public import InkEngine
public import InkProtocol

/// What becomes of a worker's draft at a broker, without the workers that decode its images. Fuzzing calls it, from
/// where nothing else of a draft can be reached.
public enum DraftRehearsal {
    /// Reads, checks and plans a draft with whatever blocks it names, and makes the tasks of all its tiles.
    ///
    /// - Parameters:
    ///   - parts: as they came.
    ///   - picture: that was asked for.
    ///   - name: of the project.
    /// - Returns: What is wrong with the draft; nil if it has been planned.
    /// - Throws: `ProtocolError` for what is no draft, and what the plan throws.
    public static func run(
        _ parts: [[UInt8]], of picture: PictureSpec, name: String, limits: Limits
    ) throws -> String? {
        let order = DraftOrder(name: name, picture: picture, limits: limits)
        let draft = try PictureDraft(decoding: parts, for: order)
        let once = try draft.encodedParts()
        let twice = try PictureDraft(decoding: once, for: order).encodedParts()
        precondition(once == twice, "a draft that is read is not what was written")
        var blocks = Dictionary(draft.blocks.map { ($0, 0) }) { first, _ in first }
        for image in draft.images { blocks[image.file] = image.fileBytes }
        if let fault = draft.fault(for: order, blocks: blocks) { return fault }
        for keepsResults in [false, true] {
            for task in try draft.rehearsed(keepsResults: keepsResults).tasks {
                let task = WorkerTask.render(task)
                let read = try WorkerTask(decoding: task.encoded())
                precondition(read == task, "a task that is read is not what was written")
            }
        }
        return nil
    }
}

extension PictureDraft {
    /// Everything that is planned of it, as if its images had been decoded.
    func rehearsed(
        keepsResults: Bool
    ) throws(EngineError) -> (plan: PicturePlan, tasks: [TileTask], begun: [PictureWrite]) {
        let plan = try PicturePlan(self, decoded: images.map(\.answer), keepsResults: keepsResults)
        var tasks: [TileTask] = []
        for row in 0..<plan.rowCount {
            _ = (plan.rawBytes(ofRow: row), plan.place(ofRow: row).picture.rect.rows)
            for column in 0..<plan.columns {
                _ = plan.pixelBytes(row: row, column: column)
                tasks.append(plan.task(row: row, column: column))
            }
        }
        var assembler = try PictureSetAssembler.make(
            plan.heads, plan.pictures.map(\.share), isArchive: false
        ) { head throws(EngineError) in try PictureCodecs.assembler(for: head) }
        return (plan, tasks, assembler.begin())
    }
}

extension ImageRequest {
    /// Images that answer the request, with rows in blocks and without.
    fileprivate var answer: [DecodedImage] {
        resultSizes.map { size in
            let format = !scalings.isEmpty ? use.scaledFormat : use == .mask ? .mask8 : .rgb8
            let count = (size.height + ImageSlice.rowsPerChunk - 1) / ImageSlice.rowsPerChunk
            let chunks = (0..<count).map { $0 % 3 == 1 ? RowChunk.constant(0) : .samples(file) }
            let bounds = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
            return DecodedImage(
                info: DecodedImageInfo(size: size, format: format, maskBounds: use == .mask ? bounds : nil),
                chunks: chunks)
        }
    }
}
