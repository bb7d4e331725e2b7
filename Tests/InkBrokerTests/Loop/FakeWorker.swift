import Dispatch
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

@testable import InkBroker
@testable import InkPlanning

/// What a fake worker does with a task.
enum FakeAnswer: Sendable {
    case good
    case fail(TaskFailureKind, String)
    /// Neither result nor heartbeat, ever again.
    case fallSilent
    /// Heartbeats go on, the task is forgotten.
    case hang
    /// Nothing until it is cancelled.
    case hold
    /// A band of one row less than asked for.
    case wrongRows
    /// Parts out of order.
    case wrongSequence
    /// Something that is no message.
    case garbage
    /// An image of another size.
    case wrongImage
    /// The right result, changed.
    case spoiled(@Sendable ([ResultItem]) throws -> [ResultItem])
    /// The right messages, changed.
    case resaid(@Sendable ([WorkerMessage]) -> [WorkerMessage])
}

/// Answers tasks over a socket with made-up results that depend on the task alone.
final class FakeWorker: Sendable {
    struct Script: Sendable {
        var name = "fake"
        var renderer = "fake 1"
        var credits = 3
        var answer: @Sendable (WorkerTask, TaskAssignment) -> FakeAnswer = { _, _ in .good }
        /// Called when a result has been sent.
        var onDone: @Sendable (WorkerTask) -> Void = { _ in }
    }

    private let isStopped = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(endpoint: String, context: ZeroMQContext, script: Script = Script()) {
        DispatchQueue(label: "fake worker").async { @Sendable [self] in
            do {
                let session = try FakeSession(endpoint: endpoint, context: context, script: script)
                while !isStopped.withLock({ $0 }) { try session.turn() }
            } catch {
                print("fake worker: \(error)")
            }
            ended.signal()
        }
    }

    func stop() {
        let wasRunning = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        if wasRunning { ended.wait() }
    }
}

/// The thread's own part of a fake worker.
private final class FakeSession {
    private let socket: ZeroMQSocket
    private let script: FakeWorker.Script
    private var waiting: [(assignment: TaskAssignment, task: WorkerTask?)] = []
    private var blocks: [BlockID: [UInt8]] = [:]
    private var partial: [BlockID: [UInt8]] = [:]
    private var held: [TaskAssignment] = []
    private var received = PartsReceived()
    private var isSilent = false
    private var lastSent: UInt64 = 0

    init(endpoint: String, context: ZeroMQContext, script: FakeWorker.Script) throws {
        self.script = script
        socket = try ZeroMQSocket(.dealer, context: context)
        try socket.connect(endpoint)
        try send(
            .hello(
                Hello(
                    rendererVersion: script.renderer, workerName: script.name, threads: 1, taskCredits: script.credits,
                    byteCredits: 1 << 30)))
    }

    func turn() throws {
        var items = [socket.pollItem()]
        _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 5)
        while let message = try socket.receive() {
            if !isSilent { try take(try BrokerMessage(frame: message.parts[0])) }
        }
        if !isSilent, SystemClock.nanoseconds - lastSent > 30_000_000 { try send(.heartbeat) }
    }

    private func send(_ message: WorkerMessage) throws {
        _ = try socket.send([message.encoded()])
        lastSent = SystemClock.nanoseconds
    }

    private func take(_ message: BrokerMessage) throws {
        switch message {
        case .task(let assignment):
            switch assignment.payload {
            case .inline(let bytes): waiting.append((assignment, try WorkerTask(decoding: bytes)))
            case .block(let id):
                waiting.append((assignment, nil))
                if blocks[id] == nil { try send(.blockRequest([BlockRange(id: id)])) }
            }
            if let task = waiting[waiting.count - 1].task { try request(task.blocks) }
        case .blockPart(let part):
            received.take(part.bytes.count)
            if let total = received.acknowledgement() { try send(.acknowledge(total)) }
            partial[part.id, default: []] += part.bytes
            guard let frame = partial[part.id] else { return }
            if UInt64(frame.count) == part.totalBytes {
                blocks[part.id] = try Block.verified(frame: frame, as: part.id).content()
                partial[part.id] = nil
            } else if frame.count % ProtocolLimits.blockWindowBytes == 0 {
                try send(.blockRequest([BlockRange(id: part.id, offset: UInt64(frame.count))]))
            }
        case .blockMissing(let id):
            // Asked for by a task of a job that is gone since; a later task's block may have the same content.
            partial[id] = nil
        case .cancel(let task):
            let cancelled = held.filter { $0.task == task } + waiting.map(\.assignment).filter { $0.task == task }
            held.removeAll { $0.task == task }
            waiting.removeAll { $0.assignment.task == task }
            for assignment in cancelled {
                let attempt = assignment.attempt
                try send(.taskFailed(TaskFailed(task: task, attempt: attempt, kind: .cancelled, text: "")))
            }
        default: break
        }
        try work()
    }

    private func request(_ ids: [BlockID]) throws {
        for id in ids where blocks[id] == nil && partial[id] == nil {
            partial[id] = []
            try send(.blockRequest([BlockRange(id: id)]))
        }
    }

    private func work() throws {
        var index = 0
        while index < waiting.count {
            let (assignment, found) = waiting[index]
            var task = found
            if task == nil, case .block(let id) = assignment.payload, let bytes = blocks[id] {
                task = try WorkerTask(decoding: bytes)
                waiting[index].task = task
                try request(task!.blocks)
            }
            guard let task, task.blocks.allSatisfy({ blocks[$0] != nil }) else {
                index += 1
                continue
            }
            waiting.remove(at: index)
            try answer(task, assignment)
            if isSilent { return }
        }
    }

    private func answer(_ task: WorkerTask, _ assignment: TaskAssignment) throws {
        let answer = script.answer(task, assignment)
        switch answer {
        case .fail(let kind, let text):
            let place = Place(file: "a.ink", path: "layers[0].maskImage")
            try send(
                .taskFailed(
                    TaskFailed(
                        task: assignment.task, attempt: assignment.attempt, kind: kind,
                        place: kind == .badInput ? place : nil, text: text)))
        case .fallSilent: isSilent = true
        case .hang: break
        case .hold: held.append(assignment)
        case .garbage: _ = try socket.send([[1, 2, 3]])
        case .good, .wrongRows, .wrongSequence, .wrongImage, .spoiled, .resaid:
            try sendResult(task, assignment, answer)
        }
    }

    private func sendResult(_ task: WorkerTask, _ assignment: TaskAssignment, _ answer: FakeAnswer) throws {
        var items = try items(task, answer)
        if case .spoiled(let spoil) = answer { items = try spoil(items) }
        let bytes = try items.flatMap { try $0.encodedRecord() }
        var messages: [WorkerMessage] = []
        var sequence: UInt32 = 0
        for start in stride(from: 0, to: bytes.count, by: 700) {
            if case .wrongSequence = answer { sequence += 1 }
            messages.append(
                .resultPart(
                    ResultPart(
                        task: assignment.task, attempt: assignment.attempt, sequence: sequence,
                        bytes: Array(bytes[start..<min(bytes.count, start + 700)]))))
            sequence += 1
        }
        messages.append(
            .taskDone(
                TaskDone(
                    task: assignment.task, attempt: assignment.attempt, partCount: sequence,
                    resultBytes: UInt64(bytes.count),
                    phases: PhaseTimes(decode: 1, raster: 10, composite: 100, encode: 1000))))
        if case .resaid(let change) = answer { messages = change(messages) }
        for message in messages { try send(message) }
        script.onDone(task)
    }

    /// All of a picture, by the results of the tasks that it would take.
    private func made(_ document: DocumentTask, _ answer: FakeAnswer) throws -> [ResultItem] {
        let (draft, encoded) = try FakeReading.draft(document)
        guard draft.isMadeAlone(within: .max) else { return try FakeReading.items(.document(document)) }
        for block in encoded { blocks[block.id] = try Block(id: block.id, frame: block.frame).content() }
        let pieces =
            try PictureComposition.pieces(
                of: draft,
                run: { task throws(EngineError) in
                    do {
                        let items = try items(task, answer)
                        for block in items.compactMap(\.block) { blocks[block.id] = try block.content() }
                        return items
                    } catch { throw .internalError("\(error)") }
                }, release: { _ in }) ?? []
        let outline = try draft.outline.encodedParts().map { ResultItem.draft(try Block(content: $0)) }
        return outline + pieces.map(ResultItem.band) + [.readingEnd(ReadingEnd())]
    }

    private func items(_ task: WorkerTask, _ answer: FakeAnswer) throws -> [ResultItem] {
        switch task {
        case .read(let read): return try FakeReading.items(read)
        case .whole(let whole): return try whole.read.document.map { try made($0, answer) } ?? []
        case .decode(let decode):
            // The "PNG" says its size in words.
            let words = String(decoding: blocks[decode.image]!.prefix(40), as: UTF8.self).split(separator: " ")
            var size = PixelSize(width: Int(words[1])!, height: Int(words[2])!)
            if case .wrongImage = answer { size.height += 1 }
            let chunks = try ImageSlice.chunkRows(ofHeight: size.height).map { rows in
                let pixels = [UInt8](
                    repeating: UInt8(truncatingIfNeeded: rows.lowerBound / 64 + 1),
                    count: rows.count * size.width * (decode.use == .mask ? 1 : 3))
                return ResultItem.imageChunk(.samples(try Block(content: pixels)))
            }
            let bounds = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
            let isMask = decode.use == .mask
            return chunks + [
                .imageEnd(
                    DecodedImageInfo(
                        size: size, format: isMask ? .mask8 : .rgb8, maskBounds: isMask ? bounds : nil))
            ]
        case .render(let tile):
            for selection in tile.layers.flatMap(\.marks) {
                let marks = try MarkBlock(decoding: blocks[selection.block]!).marks
                precondition(selection.indices.allSatisfy((0..<marks.count).contains))
            }
            let pixels = ResultItem.pixels(try Block(content: FakePicture.pixels(tile.rect, tile.pixelFormat)))
            switch tile.delivery {
            case .pixels: return [pixels]
            case .band(let encoding): return [.band(FakePicture.band(tile.rect, tile.pixelFormat, encoding, answer))]
            case .bandAndPixels(let encoding, _):
                return [.band(FakePicture.band(tile.rect, tile.pixelFormat, encoding, answer)), pixels]
            }
        case .draw: preconditionFailure("a fake worker draws nothing")
        case .encode(let encode):
            for piece in encode.pieces {
                precondition(blocks[piece.block] == FakePicture.pixels(piece.rect, encode.format))
            }
            return [.band(FakePicture.band(encode.rect, encode.format, encode.encoding, answer))]
        case .finish(let finish):
            for piece in finish.rows.flatMap({ $0 }) {
                precondition(blocks[piece.block] == FakePicture.pixels(piece.rect, finish.format))
            }
            return [
                .band(
                    EncodedPiece(
                        rowCount: finish.size.height,
                        rawByteCount: finish.size.area * finish.format.bytesPerPixel, adler32: 1,
                        bytes: Array("whole \(finish.size)".utf8)))
            ]
        }
    }
}

extension ImageSlice {
    static func chunkRows(ofHeight height: Int) -> [Range<Int>] {
        stride(from: 0, to: height, by: rowsPerChunk).map { $0..<min(height, $0 + rowsPerChunk) }
    }
}

/// Pictures that are made up from coordinates.
enum FakePicture {
    static func pixels(_ rect: PixelRect, _ format: PixelFormat) -> [UInt8] {
        rect.rows.flatMap { y in
            rect.columns.flatMap { x in
                (0..<format.bytesPerPixel).map { UInt8(truncatingIfNeeded: x * 7 + y * 31 + $0) }
            }
        }
    }

    /// "Filtered" rows: a 0 and the pixels.
    static func filtered(_ rect: PixelRect, _ format: PixelFormat) -> [UInt8] {
        rect.rows.flatMap { y in
            [0] + pixels(PixelRect(x: rect.x, y: y, width: rect.width, height: 1), format)
        }
    }

    /// A "deflate" piece: a few bytes that say which rows it is.
    static func piece(_ rect: PixelRect, isLast: Bool) -> [UInt8] { Array("\(rect)\(isLast ? "!" : ",")".utf8) }

    static func band(
        _ rect: PixelRect, _ format: PixelFormat, _ encoding: PieceEncoding, _ answer: FakeAnswer
    ) -> EncodedPiece {
        let bytes = filtered(rect, format)
        var rows = rect.height
        if case .wrongRows = answer { rows -= 1 }
        return EncodedPiece(
            rowCount: max(1, rows), rawByteCount: bytes.count, adler32: adler32(bytes),
            bytes: piece(rect, isLast: encoding.isLast))
    }

    /// The file that an export of that cut must give.
    static func file(_ grid: TileGrid, _ format: PixelFormat) -> String {
        let whole = PixelRect(x: 0, y: 0, width: grid.output.width, height: grid.output.height)
        let bands = (0..<grid.rows).map { row -> String in
            let rows = grid.pixelRows(ofRow: row)
            let rect = PixelRect(x: 0, y: rows.lowerBound, width: whole.width, height: rows.count)
            return String(decoding: piece(rect, isLast: row == grid.rows - 1), as: UTF8.self)
        }
        return "\(grid.output) \(format)\nfirst \(bands.joined())\nadler \(adler32(filtered(whole, format)))"
    }
}
