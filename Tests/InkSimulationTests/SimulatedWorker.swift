import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkTestSupport

@testable import InkWorker

enum WorkerStep {
    case start
    case done(RunID)
}

/// A worker's process: the real state, and runs that take their time.
final class SimulatedWorker {
    let index: Int
    let slowness: UInt64
    /// The renderer's; another one makes other pictures.
    let version: String
    private(set) var life = 0
    private var state: WorkerState?
    private var connection: Connection?
    private var cache: [BlockID: Block] = [:]
    private var runs: [RunID: Run] = [:]
    private var cancelled: Set<RunID> = []
    private var freeAt: UInt64 = 0
    var stoppedUntil: UInt64 = 0
    private var letters: [BrokerMessage] = []

    init(index: Int, version: String, slowness: UInt64) {
        self.index = index
        self.version = version
        self.slowness = slowness
    }

    var shortState: String { state.map { "\($0.phase)" } ?? "dead" }

    func die() {
        life += 1
        state = nil
        connection = nil
        cache = [:]
        runs = [:]
        cancelled = []
        letters = []
    }

    private func isAwake(_ farm: Farm) -> Bool { state != nil && (farm.now >= stoppedUntil || farm.isCalm) }

    func take(_ step: WorkerStep, _ farm: Farm) {
        switch step {
        case .start:
            guard state == nil else { return }
            state = WorkerState(
                hello: Hello(
                    rendererVersion: version, workerName: "w\(index)", threads: 1, taskCredits: 2,
                    byteCredits: 1 << 20),
                helloMilliseconds: 1000)
            freeAt = farm.now
            handle(.started, farm)
        case .done(let run): finish(run, farm)
        }
    }

    func take(_ message: BrokerMessage, _ from: Connection, _ farm: Farm) {
        guard state != nil, from == connection else { return }
        letters.append(message)
        if isAwake(farm) { readLetters(farm) }
    }

    private func readLetters(_ farm: Farm) {
        let waiting = letters
        letters = []
        for letter in waiting { handle(.received(letter), farm) }
    }

    func tick(_ farm: Farm) {
        guard isAwake(farm) else { return }
        readLetters(farm)
        handle(.tick, farm)
    }

    private func handle(_ event: WorkerEvent, _ farm: Farm) {
        guard let actions = state?.handle(event, now: Int64(farm.now), hold: { cache[$0] != nil }) else { return }
        for action in actions { perform(action, farm) }
    }

    private func perform(_ action: WorkerAction, _ farm: Farm) {
        switch action {
        case .connect: connection = farm.connect()
        case .send(let message):
            guard let connection else { return }
            farm.send(connection, .toBroker(connection, .worker(index, message)))
        case .store(let block, _): cache[block.id] = block
        case .release, .discard: break
        case .run(let run): begin(run, farm)
        case .cancelRun(let run): cancelled.insert(run)
        case .stop: restart(farm)
        }
    }

    /// Supervisors start it again.
    private func restart(_ farm: Farm) {
        die()
        let life = life
        farm.at(farm.pick(100...1_000)) { .workerStep(index, life: life, .start) }
    }

    private func begin(_ run: Run, _ farm: Farm) {
        runs[run.id] = run
        if farm.weather.poison, case .render(let task) = run.task, Int(task.canvas.width) % 4 == 1, task.rect.y == 0 {
            // The tile takes the process down.
            farm.note("w\(index) dies of a tile")
            return restart(farm)
        }
        if let (task, isAlone) = run.task.reading {
            if isAlone, farm.weather.poison, (try? document(of: task, farm))?.job.isMultiple(of: 4) == false {
                farm.note("w\(index) dies of a picture")
                return restart(farm)
            }
            if (try? document(of: task, farm))?.kind == .deadly {
                farm.note("w\(index) dies of a document")
                return restart(farm)
            }
            if !farm.isCalm, farm.chance(farm.weather.readingHangs) {
                freeAt = max(freeAt, farm.now) + farm.pick(3_000...15_000)
            }
        }
        freeAt = max(freeAt, farm.now) + farm.pick(2...40) * slowness
        let (id, life) = (run.id, life)
        farm.at(freeAt - farm.now) { .workerStep(index, life: life, .done(id)) }
    }

    private func finish(_ id: RunID, _ farm: Farm) {
        guard isAwake(farm) else {
            let life = life
            farm.at(100) { .workerStep(index, life: life, .done(id)) }
            return
        }
        guard let run = runs.removeValue(forKey: id) else { return }
        if cancelled.remove(id) != nil { return handle(.finished(id, .cancelled), farm) }
        do {
            if let (task, isAlone) = run.task.reading { return try read(task, isAlone: isAlone, id, farm) }
            let bytes = try result(of: run.task).flatMap { try $0.encodedRecord() }
            handle(.produced(id, sequence: 0, bytes: bytes), farm)
            handle(
                .finished(
                    id, .done(resultBytes: UInt64(bytes.count), phases: PhaseTimes())), farm)
        } catch { farm.problem("\(error)") }
    }

    // MARK: - Documents

    private func document(of task: DocumentTask, _ farm: Farm) throws(EngineError) -> SimulatedDocument {
        try SimulatedReader(seed: farm.seed).document(of: task, bytes: bytes)
    }

    private func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        do throws(ProtocolError) {
            if let content = try cache[id]?.content() { return content }
        } catch {
            throw .internalError("\(error)")
        }
        throw .internalError("block \(id) is not there")
    }

    /// All of the picture, by the tasks that it would take; nil for one that this worker leaves to many.
    private func made(
        _ task: DocumentTask, _ reading: DocumentTaskReading, _ farm: Farm
    ) throws(EngineError) -> [ResultItem]? {
        guard case .read(let project, let warnings) = reading else { return nil }
        var blocks: [EncodedBlock] = []
        let draft = try task.draft(of: project, .standard, &blocks)
        guard draft.isMadeAlone(within: .max), (farm.seed + UInt64(project.canvasSize.width)) % 5 > 0 else {
            return nil
        }
        for block in blocks { cache[block.id] = Block(id: block.id, frame: block.frame) }
        let pieces =
            try PictureComposition.pieces(
                of: draft,
                run: { part throws(EngineError) in
                    do {
                        let items = try result(of: part)
                        for block in items.compactMap(\.block) { cache[block.id] = block }
                        return items
                    } catch { throw .internalError("\(error)") }
                }, release: { _ in }) ?? []
        let blank = draft.outline
        let named = Dictionary(blank.blocks.map { ($0, 0) }) { first, _ in first }
        return try task.items(of: blank, blocks: named) + pieces.map(ResultItem.band)
            + [.readingEnd(ReadingEnd(warnings: warnings))]
    }

    private func read(_ task: DocumentTask, isAlone: Bool, _ id: RunID, _ farm: Farm) throws {
        var items: [ResultItem]
        do throws(EngineError) {
            let reading = try SimulatedReader(seed: farm.seed).read(task, bytes: bytes)
            if isAlone, let made = try made(task, reading, farm) {
                items = made
            } else {
                items = try task.result(of: reading)
            }
        } catch {
            farm.note("w\(index) refuses a document: \(error)")
            items = try DocumentTask.result(refusing: error)
        }
        if !farm.isCalm, farm.weather.isInsatiable, index == 0 {
            let name = Array("needless \(task.companions.count)".utf8)
            items = [.readingEnd(ReadingEnd(requests: [CompanionRequest(kind: .max, name: name)]))]
        } else if !farm.isCalm, farm.chance(farm.weather.lies), let connection, let key = state?.tasks.key(of: id) {
            items = try task.lie(farm.pick(0...8), instead: items, of: document(of: task, farm))
            farm.note("w\(index) lies about task \(key.task), attempt \(key.attempt)")
            farm.lies.insert(Lie(connection: connection, task: key.task, attempt: key.attempt))
        }
        let records = try items.map { try $0.encodedRecord() }
        let dies = !farm.isCalm && farm.chance(farm.weather.readingDeaths)
        let count = dies ? Int(farm.pick(0...UInt64(records.count))) : records.count
        for (sequence, record) in records.prefix(count).enumerated() {
            handle(.produced(id, sequence: UInt32(sequence), bytes: record), farm)
        }
        if dies {
            farm.note("w\(index) dies while it reads")
            return restart(farm)
        }
        let resultBytes = records.reduce(0) { $0 + UInt64($1.count) }
        handle(.finished(id, .done(resultBytes: resultBytes, phases: PhaseTimes())), farm)
    }

    // MARK: - Results

    /// What a renderer of that version writes behind the number of a job.
    static func mark(of version: String?) -> String { version == "2" ? "'" : "" }

    /// Samples say which tile they are, bands which row of which job.
    private func result(of task: WorkerTask) throws -> [ResultItem] {
        let mark = Self.mark(of: version)
        func isOwn(_ job: Substring) -> Bool { job.drop(while: \.isNumber) == mark }
        switch task {
        case .render(let task):
            let (job, row) = ("\(Int(task.canvas.width))\(mark)", task.rect.y / 16)
            guard case .pixels = task.delivery else {
                return [Self.band("\(job):\(row)", task.rect, task.pixelFormat)]
            }
            let name = Array("\(job):\(row):\(task.rect.x / task.rect.width);".utf8)
            return [
                .pixels(
                    try Block(
                        content: name
                            + [UInt8](repeating: 0, count: task.pixelFormat.bytesPerPixel * task.rect.area - name.count)
                    ))
            ]
        case .encode(let task):
            let names = try task.pieces.map(name(of:))
            let job = names[0].prefix { $0 != ":" }
            let (band, row) = ("\(job):\(task.rect.y / 16)", task.rect.y / 16)
            let isWhole = isOwn(job) && names == task.pieces.indices.map { "\(job):\(row):\($0)" }
            let text = isWhole ? band : "not the row's tiles: \(names)"
            return [Self.band(text, task.rect, task.format, task.encoding.picture)]
        case .draw(let task):
            let content = try cache[task.picture]?.content() ?? []
            let drawn = try DrawnPictureBlock(decoding: content, strokes: []).picture
            let tiles = task.images.flatMap { $0.rows.joined() }
            let isWhole = tiles.allSatisfy { cache[$0.block] != nil }
            // In two pieces.
            let pieces = [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
                isWhole ? "\(Int(drawn.canvas.width))\(mark):\(task.images.count)" : "without its images",
            ]
            return pieces.map { piece in
                .band(
                    EncodedPiece(
                        rowCount: drawn.output.height, rawByteCount: piece.utf8.count, adler32: 1,
                        bytes: Array(piece.utf8)))
            }
        case .finish(let task):
            let names = try task.rows.joined().map(name(of:))
            let job = names[0].prefix { $0 != ":" }
            let expected = task.rows.indices.flatMap { row in
                task.rows[row].indices.map { "\(job):\(row):\($0)" }
            }
            let rect = PixelRect(x: 0, y: 0, width: task.size.width, height: task.size.height)
            let text = isOwn(job) && names == expected ? "\(job):whole" : "not the picture's tiles: \(names)"
            return [Self.band(text, rect, task.format, task.encoding, rows: task.rows.count)]
        case .read, .whole: return []
        case .decode(let task):
            let size = PixelSize(width: 4, height: 4)
            let chunk: ChunkPixels<Block> =
                task.image.digest[0] % 2 == 0
                ? .constant(1) : .samples(try Block(content: [UInt8](repeating: 9, count: 4 * size.area)))
            return [.imageChunk(chunk), .imageEnd(DecodedImageInfo(size: size, format: .rgba8))]
        }
    }

    private func name(of tile: BandTile) throws -> String {
        let content = try cache[tile.block]?.content() ?? []
        return String(decoding: content.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
    }

    /// Bytes of a piece of the lowest quality, less one.
    static let leastBytes = 20

    /// The bytes of a piece of so many rows of tiles.
    static func byteCount(quality: Int, rows: Int) -> Int { leastBytes + quality * rows }

    private static func band(
        _ text: String, _ rect: PixelRect, _ format: PixelFormat, _ encoding: PictureEncoding = PictureEncoding(),
        rows: Int = 1
    ) -> ResultItem {
        var bytes = Array((text + (encoding.quality.map { "@\($0)" } ?? "")).utf8)
        if let quality = encoding.quality {
            bytes += Array(
                repeating: UInt8(ascii: " "), count: max(0, byteCount(quality: quality, rows: rows) - bytes.count))
        }
        let filters = [.png, .ora].contains(encoding.format) ? 1 : 0
        return .band(
            EncodedPiece(
                rowCount: rect.height, rawByteCount: rect.height * (filters + rect.width * format.bytesPerPixel),
                adler32: 1, bytes: bytes))
    }
}

extension WorkerTask {
    /// The document that is read, and whether all of its picture is made.
    fileprivate var reading: (task: DocumentTask, isAlone: Bool)? {
        switch self {
        case .read(.document(let task)): (task, false)
        case .whole(let whole): if case .document(let task) = whole.read { (task, true) } else { nil }
        default: nil
        }
    }
}
