import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBroker

/// Exports with the real scheduler, workers that finish in any order, lanes that answer in any order, and people who
/// cancel, all from one seed.
private struct SimulatedExports {
    private(set) var state: ExportsState
    private(set) var problems: [String] = []
    private var scheduler = SchedulerState()
    private var random: SeededGenerator
    private var now: UInt64 = 0
    private var events: [SchedulerEvent] = []
    /// Tasks that workers are at.
    private var dispatched: [(Dispatch, life: ExportLife)] = []
    /// What lanes are going to say, each export's answers in order.
    private var answers: [(life: ExportLife, answer: LaneAnswer)] = []
    private var held: [BlockID: Int] = [:]
    private var lastBlock: UInt64 = 0
    private var submitted: [JobID: Int] = [:]
    private var ended: [JobID: Int] = [:]
    private var bands: [ExportLife: [String]] = [:]
    private var wholes: [ExportLife: [Int]] = [:]
    /// What workers read.
    private var sources: [ExportLife: Source] = [:]
    /// Lives that have been begun, ended ones included.
    private var lives: [ExportLife] = []
    private(set) var finished = 0
    /// Pictures that a worker has made alone, and those that it has left to many.
    private(set) var alone = (made: 0, left: 0)
    /// How many threads all workers have, as far as the exports know.
    private var threads = 0

    private struct Source {
        var draft: PictureDraft
        var blocks: [EncodedBlock]
        var isDocument = false
        /// How often files beside it are asked for.
        var rounds = 0
        /// What has been asked for and is not looked for yet, and what has been found.
        var asked: [CompanionRequest] = []
        var known: [CompanionRequest] = []
        var isRead = false
    }

    private static let worker = WorkerID(rawValue: 1)

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let width = Self.rowBytes
        state = ExportsState(
            rules: ExportRules(
                activeMax: Int.random(in: 1...3, using: &random), overtaking: Int.random(in: 0...2, using: &random),
                preparingMax: Int.random(in: 1...3, using: &random),
                reorderBytes: Int.random(in: 0...5, using: &random) * width,
                loneBytes: Int.random(in: 0...5, using: &random) << 20))
        schedule(
            .workerJoined(
                Self.worker, name: "w",
                credits: WorkerCredits(tasks: Int.random(in: 1...12, using: &random), bytes: 1 << 30)))
    }

    private static let output = PixelSize(width: 32, height: 16)
    private static var rowBytes: Int { output.height * (1 + 3 * output.width) }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    // MARK: - What happens

    mutating func run(steps: Int) {
        for _ in 0..<steps where problems.isEmpty { step() }
        if chance(0.3) { tell(.stopped(chance(0.5) ? nil : .noThread(errno: 1))) }
        for id in 1...6 as ClosedRange<UInt64> { tell(.pauseSet(JobID(id), false)) }
        // All that is under way comes to its end.
        while problems.isEmpty, !answers.isEmpty || !dispatched.isEmpty || state.active.values.contains(where: \.isBusy)
        {
            tell(.diskAdvanced, mayPrepare: true)
            if answers.isEmpty, dispatched.isEmpty {
                problems.append("nothing goes on, and \(state.active.keys) have not ended")
            }
            if !dispatched.isEmpty { finishTask() }
            if !answers.isEmpty { answer(failing: 0) }
        }
        if !state.waiting.isEmpty || !state.active.isEmpty { problems.append("some have not ended") }
        for (id, count) in submitted where ended[id] != count {
            problems.append("\(id) was submitted \(count) times and ended \(ended[id] ?? 0) times")
        }
        if !held.isEmpty { problems.append("\(held.count) blocks are still held") }
    }

    private mutating func step() {
        now += UInt64.random(in: 0...20_000_000, using: &random)
        if chance(0.1) { threads = Int.random(in: 0...3, using: &random) }
        let id = JobID(UInt64.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: submit(id)
        case 6..<8: tell(.cancelled(id))
        case 8..<10: tell(.failed(id, .cancelled(export: "a fault")))
        case 10..<13: tell(.prioritySet(id, Int.random(in: -1...1, using: &random)))
        case 13..<14: tell(.pauseSet(id, Bool.random(using: &random)))
        case 14..<16: tell(.diskAdvanced)
        case 16..<20: comeLate()
        case 20..<60: if !dispatched.isEmpty { finishTask() }
        default: if !answers.isEmpty { answer(failing: 0.02) }
        }
    }

    private mutating func submit(_ id: JobID) {
        let number = { (random: inout SeededGenerator) in Int.random(in: 0...2, using: &random) }
        let images = (0..<number(&random)).map { EncodedImage.fake("\(id) \($0)", width: 4, height: 4) }
        let layer = Layer(
            contentImage: images.first, strokes: [Stroke.line(from: (0, 0), to: (9, Double(id.rawValue)))])
        let project = Project(canvasSize: Self.output, baseImage: images.dropFirst().first, layers: [layer])
        let size = PixelSize(width: 32, height: 16 * Int.random(in: 1...7, using: &random))
        let tile = PixelSize(width: chance(0.5) ? 16 : 32, height: 16)
        submitted[id, default: 0] += 1
        // WebP is encoded as a whole, SVG drawn, and images in it rendered.
        let formats: [[PictureFormat]] = [
            [.png], [.png], [.webp], [.png, .webp], [.webp, .png], [.webp, .webp], [.svg], [.plot], [.svg, .png],
            [.webp, .svg, .plot],
        ]
        var options = PictureOptions(tile: tile)
        options.files = formats.randomElement(using: &random)!.map {
            PictureFileOptions(encoding: PictureEncoding(format: $0))
        }
        if chance(0.25) {
            // Bands, or a whole file, of limited size; sometimes of none that is possible.
            options.files = [PictureFileOptions(encoding: PictureEncoding(format: chance(0.5) ? .jpeg : .webp))]
            options.encoding.bytesMax = Int.random(in: 1...500, using: &random)
        }
        var job = ExportJob(
            id: id, name: "p", project: project, order: PictureOrder(output: size, options: options),
            destination: "p.png", priority: number(&random))
        job.othersWaiting = number(&random)
        tell(.submitted(job))
    }

    /// Something arrives for an export that may have ended long ago: it changes nothing, and its blocks go.
    private mutating func comeLate() {
        guard let life = lives.randomElement(using: &random), state[life] == nil else { return }
        let block = hold(nil)
        let before = summary
        let actions: [ExportAction]
        let isAnswer = chance(0.5)
        if isAnswer, state.preparing.contains(life) { return release([block]) }
        switch (isAnswer, chance(0.5)) {
        case (false, true):
            let late = TaskResult(blocks: [block], pixels: block)
            actions = state.handle(.accepted(life, .tile(row: 0, column: 0), late), now: now, mayPrepare: false)
        case (false, false):
            var late = TaskResult(blocks: [block])
            if chance(0.5) { late.reading.requests = [CompanionRequest(kind: 0, name: [])] }
            actions = state.handle(.accepted(life, .read, late), now: now, mayPrepare: false)
        case (true, true):
            let late = Readable(task: .local(block), cost: Self.readCost)
            let answer = LaneAnswer.readable(late, blocks: [EncodedBlock(id: block, frame: [])])
            actions = state.handle(.answered(life, answer), now: now, mayPrepare: false)
        case (true, false):
            guard let draft = try? Self.draft(of: Self.output).0 else { return release([block]) }
            let late = PreparedExport(draft: draft, blocks: [EncodedBlock(id: block, frame: [])], time: LaneTime())
            actions = state.handle(.answered(life, .prepared(late)), now: now, mayPrepare: false)
        }
        guard actions.count == 1, case .release([block])? = actions.first, summary == before else {
            problems.append("what comes late does \(actions)")
            return
        }
        release([block])
    }

    private var summary: [String] {
        state.active.values.map {
            "\($0.life) \($0.phase) \($0.heldBlocks) \($0.composition?.tiles ?? [:]) \($0.counts)"
        }.sorted()
            + state.waiting.map { "\($0.job.id)" } + ["\(state.unprepared.map(\.life))"]
            + ["\(state.preparing.map(\.number).sorted())"]
    }

    // MARK: - Lanes

    private static func draft(of size: PixelSize) throws(EngineError) -> (PictureDraft, [EncodedBlock]) {
        var blocks: [EncodedBlock] = []
        let draft = try PictureDraft(
            Project(canvasSize: size), order: PictureOrder(output: size), name: "p", limits: Limits(),
            encoder: FakeBlocks.encoder, blocks: &blocks)
        return (draft, blocks)
    }

    private mutating func answer(failing share: Double) {
        guard let life = answers.map(\.life).randomElement(using: &random),
            let index = answers.firstIndex(where: { $0.life == life })
        else { return }
        var answer = answers.remove(at: index).answer
        // A lane that has failed says nothing further.
        if chance(share) {
            answer = .failed(.noThread(errno: 1))
            answers.removeAll { $0.life == life }
        }
        for block in answer.blocks { _ = hold(block.id) }
        tell(.answered(life, answer))
    }

    private mutating func perform(_ action: ExportAction) {
        switch action {
        case .prepare(let life, let job):
            lives.append(life)
            guard case .ready(let project, let order) = job.source else { return }
            var blocks: [EncodedBlock] = []
            do {
                let draft = try PictureDraft(
                    project, order: order, name: "p", limits: Limits(), encoder: FakeBlocks.encoder, blocks: &blocks)
                guard chance(0.5) else {
                    answers.append((life, .prepared(PreparedExport(draft: draft, blocks: blocks, time: LaneTime()))))
                    return
                }
                sources[life] = Source(draft: draft, blocks: blocks)
                guard chance(0.3) else {
                    sources[life]?.isDocument = true
                    sources[life]?.rounds = Int.random(in: 0...3, using: &random)
                    return try open(job, order, life)
                }
                let source = EncodedBlock(id: FakeBlocks.id(of: Array("\(life)".utf8)), frame: [])
                let readable = Readable(task: .local(source.id), cost: Self.readCost)
                answers.append((life, .readable(readable, blocks: [source])))
            } catch { problems.append("\(error)") }
        case .findCompanions(let life, let readable, let requests):
            guard let source = sources[life], source.isDocument, !source.isRead, source.asked == requests else {
                return problems.append("\(requests) are looked for, which nobody has asked for")
            }
            if readable.document?.companions.map(\.request) != source.known {
                problems.append("\(source.known) have been found, and are not told")
            }
            sources[life]?.known += requests
            sources[life]?.asked = []
            var blocks: [EncodedBlock] = []
            do throws(BrokerError) {
                let found = try readable.with(requests, blocks: &blocks)
                answers.append((life, .readable(found, blocks: blocks)))
            } catch { problems.append("\(error)") }
        case .plan(let life, let draft, let decoded):
            do {
                let plan = try PicturePlan(draft, decoded: decoded)
                let assembler = try PictureCodecs.assembler(for: plan.heads[0])
                answers.append(
                    (
                        life,
                        .planned(
                            PlannedExport(
                                plan: plan, assembler: assembler, trials: TrialState(plan) { _ in Bytes() }, blocks: [],
                                time: LaneTime()))
                    ))
            } catch { problems.append("\(error)") }
        case .open(let id, _, _): if let life = state[id]?.life { bands[life] = [] }
        case .write(let life, let pieces, _, let ending?) where state[life]?.plan?.whole.set.bounded != nil:
            checkBounded(life, pieces, ending)
            answers.append((life, .finished([WrittenFile(byteCount: 1, digest: [])], LaneTime())))
        case .write(let life, let pieces, let rows, let ending):
            bands[life]? += pieces.filter { $0.file == nil }.map { String(decoding: $0.bytes, as: UTF8.self) }
            wholes[life, default: []] += pieces.compactMap(\.file)
            // Rows of images in drawings are not written.
            let written = min(rows, state[life]?.plan?.whole.rowCount ?? 0)
            if bands[life] != (0..<written).map({ "\($0)" }) { problems.append("\(rows) rows: \(bands[life] ?? [])") }
            answers.append((life, .written(rows: rows, UnfinishedPicture(path: "", byteCount: 0), LaneTime())))
            if ending != nil {
                let files = state[life]?.plan?.whole.set
                if let files, wholes[life]?.sorted() != files.wholes { problems.append("files \(wholes[life] ?? [])") }
                if files?.streamed.isEmpty == false, rows != state[life]?.plan?.rowCount {
                    problems.append("an end after \(rows) rows")
                }
                answers.append((life, .finished([WrittenFile(byteCount: 1, digest: [])], LaneTime())))
            }
        case .discard: break
        case .release(let blocks): release(blocks)
        case .schedule(let event): schedule(event)
        case .report(.alone(let id, false, _)):
            alone.left += 1
            if state[id]?.isAlone != false { problems.append("\(id) is left to many, and is not") }
        case .report(.finished(let id, _)):
            finished += 1
            ended[id, default: 0] += 1
        case .report(.failed(let id, let error)):
            ended[id, default: 0] += 1
            if case .internalError(let text) = error, !text.hasSuffix("taken") { problems.append(text) }
        case .report: break
        }
    }

    /// Opens a document for workers. Beside it are the files of every other name.
    private mutating func open(_ job: ExportJob, _ order: PictureOrder, _ life: ExportLife) throws(BrokerError) {
        let picture = PictureSpec(size: .exact(order.output), options: order.options)
        let document = OpenedDocument(name: "p", bytes: Array("\(life)".utf8), picture: picture, software: "") {
            requests in
            requests.map { request in
                let isThere = request.name.last.map { $0 % 2 == 0 } ?? false
                let companion = Companion(request: request, answer: isThere ? .file([], path: "f") : .missing)
                return FoundCompanion(companion, bytes: isThere ? request.name : [])
            }
        }
        var blocks: [EncodedBlock] = []
        let readable = try Readable(document, of: job, digestsStrokes: false, blocks: &blocks)
        answers.append((life, .readable(readable, blocks: blocks)))
    }

    /// Those that lanes prepare or open, and projects of the process that workers read.
    private var unprepared: Set<ExportLife> {
        let read = state.active.values.filter {
            $0.phase == .reading && $0.draft == nil && $0.readable?.document == nil
        }
        var lives = Set(read.map(\.life))
        for (life, answer) in answers {
            switch answer {
            case .prepared: lives.insert(life)
            // Not those whose files are found.
            case .readable(let readable, _) where readable.document?.companions.isEmpty != false: lives.insert(life)
            default: break
            }
        }
        return lives
    }

    /// Checks that the pieces are those of the best quality that fits.
    private mutating func checkBounded(_ life: ExportLife, _ pieces: [EncodedPiece], _ ending: PictureReport) {
        guard let plan = state[life]?.plan, let bytesMax = plan.whole.set.bounded?.encoding.bytesMax else { return }
        let groups = plan.whole.set.members[0].isWhole ? 1 : plan.rowCount
        let best = PictureEncoding.qualities.last { groups * Self.byteCount($0) <= bytesMax }
        let expected = (0..<groups).map { [UInt8($0)] + [UInt8](repeating: 0, count: Self.byteCount(best ?? 0) - 1) }
        if ending.quality != best { problems.append("quality \(ending.quality ?? 0), not \(best ?? 0)") }
        if pieces.map(\.bytes) != expected { problems.append("not the pieces of quality \(best ?? 0)") }
        if state[life]?.composition?.tiles.isEmpty == false { problems.append("tiles are kept after the last trial") }
    }

    private static func byteCount(_ quality: Int) -> Int { 3 + quality }
    private static let readCost = TaskCost(bytes: 1, nanoseconds: 1_000_000)

    private struct Bytes: PictureAssembler {
        mutating func begin() -> [PictureWrite] { [] }
        mutating func add(_ piece: EncodedPiece) -> [PictureWrite] { [.append(piece.bytes)] }
        mutating func end() -> [PictureWrite] { [] }
    }

    private mutating func tell(_ event: ExportEvent, mayPrepare: Bool? = nil) {
        let may = mayPrepare ?? chance(0.7)
        for action in state.handle(event, now: now, mayPrepare: may, threads: threads) { perform(action) }
        problems += state.brokenInvariants
        let count = unprepared.count
        if count > state.rules.preparingMax { problems.append("\(count) projects are prepared at once") }
    }

    private mutating func hold(_ id: BlockID?) -> BlockID {
        lastBlock += 1
        let id = id ?? FakeBlocks.id(of: Array("\(lastBlock)".utf8))
        held[id, default: 0] += 1
        return id
    }

    private mutating func release(_ blocks: [BlockID]) {
        for block in blocks {
            guard let count = held[block] else { return problems.append("a block is released and not held") }
            held[block] = count > 1 ? count - 1 : nil
        }
    }

    // MARK: - Workers

    private mutating func schedule(_ event: SchedulerEvent) {
        events.append(event)
        guard events.count == 1 else { return }
        while let event = events.first {
            for action in scheduler.handle(event, now: now) { perform(action) }
            events.removeFirst()
        }
    }

    private mutating func perform(_ action: SchedulerAction) {
        switch action {
        case .dispatch(let dispatch):
            guard let export = state[dispatch.job], let role = export.role(of: dispatch.position) else {
                return problems.append("a task of an export that has ended")
            }
            // A picture whose first attempt has failed, or any other task.
            if chance(0.1) { tell(.hasFailed(export.life, role)) }
            if case .tile(let row, _) = role, let stitch = export.stitch,
                row - stitch.next >= stitch.window, !stitch.isComplete,
                export.plan?.whole.set.streamed.isEmpty == false
            {
                problems.append("row \(row) is begun, \(stitch.next) is next")
            }
            do {
                let task = try state[dispatch.job]?.task(role).0
                if role == .whole, export.wasAlone, task?.isWhole != state[dispatch.job]?.isAlone {
                    problems.append("\(dispatch.job) is left to many, and is to be made alone")
                }
            } catch { problems.append("\(error)") }
            dispatched.append((dispatch, export.life))
        case .planStages(let id): tell(.stagesDone(id))
        case .accept(_, let attempt, _, let position):
            guard let index = dispatched.firstIndex(where: { $0.0.id == attempt }) else { return }
            let life = dispatched.remove(at: index).life
            guard let role = state[life]?.role(of: position) else { return problems.append("a task of no stage") }
            var result = self.result(of: role, life)
            if let fault = state[life]?.complete(&result, of: role) { problems.append(fault) }
            tell(.accepted(life, role, result))
        case .drop(_, let attempt): dispatched.removeAll { $0.0.id == attempt }
        case .cancel, .hold, .jobComplete: break
        case .jobFailed, .dismiss, .lookUp, .acceptFound: problems.append("\(action)")
        }
    }

    private mutating func finishTask() {
        guard let (dispatch, _) = dispatched.randomElement(using: &random) else { return }
        schedule(.taskFinished(Self.worker, dispatch.id))
    }

    /// - Parameter isAlone: whether all of the picture may come of it.
    private mutating func reading(_ life: ExportLife, isAlone: Bool) -> TaskResult {
        guard let source = sources[life], !source.isRead, source.asked.isEmpty else {
            problems.append("\(life) is read again")
            return TaskResult()
        }
        var result = TaskResult()
        if source.rounds > 0 {
            let count = Int.random(in: 1...3, using: &random)
            let requests = (0..<count).map { CompanionRequest(kind: UInt8(source.rounds), name: [0, UInt8($0)]) }
            sources[life]?.rounds -= 1
            sources[life]?.asked = requests
            result.reading.requests = requests
            return result
        }
        sources[life]?.isRead = true
        var draft = source.draft
        if isAlone, draft.isMadeAlone(within: .max), chance(0.8) {
            draft = draft.outline
            result.pieces = pieces(of: draft)
            alone.made += 1
        } else {
            result.blocks = source.blocks.map { hold($0.id) }
        }
        guard source.isDocument else {
            result.draft = draft
            return result
        }
        if result.pieces.isEmpty { for block in source.blocks { result.blockBytes[block.id] = block.frame.count } }
        do throws(ProtocolError) {
            for part in try draft.encodedParts() { try result.addDraft(Block(content: part)) }
        } catch {
            problems.append("\(error)")
        }
        return result
    }

    private mutating func pieces(of draft: PictureDraft) -> [EncodedPiece] {
        guard let plan = try? PicturePlan(draft, decoded: []) else {
            problems.append("the outline of a picture cannot be planned")
            return []
        }
        let set = plan.whole.set
        let rows = set.streamed.isEmpty ? [] : (0..<plan.rowCount).map { Self.band($0, plan) }
        return rows + set.wholes.map { Self.file($0, plan) }
    }

    private static func band(_ row: Int, _ plan: PicturePlan) -> EncodedPiece {
        let rows = plan.place(ofRow: row).picture.grid.pixelRows(ofRow: row)
        return EncodedPiece(
            rowCount: rows.count, rawByteCount: plan.rawBytes(ofRow: row), adler32: 1, bytes: Array("\(row)".utf8))
    }

    private static func file(_ member: Int, _ plan: PicturePlan) -> EncodedPiece {
        let (size, isDrawn) = (plan.whole.scene.output, plan.whole.drawings[member] != nil)
        let bytes = Array((isDrawn ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "whole").utf8)
        return EncodedPiece(
            rowCount: size.height, rawByteCount: isDrawn ? bytes.count : size.area * 3, adler32: 1, bytes: bytes)
    }

    private mutating func result(of role: TaskRole, _ life: ExportLife) -> TaskResult {
        let plan = state[life]?.plan
        func band(_ row: Int) -> TaskResult { TaskResult(band: plan.map { Self.band(row, $0) }) }
        switch role {
        case .read, .whole: return reading(life, isAlone: state[life]?.isAlone == true)
        case .decode:
            let block = hold(chance(0.3) ? FakeBlocks.id(of: []) : nil)
            let info = DecodedImageInfo(size: PixelSize(width: 4, height: 4), format: .rgba8)
            let chunks = [ReceivedChunk(pixels: .samples(block), byteCount: 64)]
            return TaskResult(blocks: [block], images: [ReceivedImage(info: info, chunks: chunks)])
        case .tile(let row, _):
            guard let plan else { return TaskResult() }
            let delivery = plan.task(row: row, column: 0).delivery
            var result = delivery == .pixels ? TaskResult() : band(row)
            if case .band = delivery { return result }
            let block = hold(chance(0.3) ? FakeBlocks.id(of: []) : nil)
            let bytes = plan.pixelBytes(row: row, column: 0)
            (result.blocks, result.pixels, result.pixelBytes) = ([block], block, bytes)
            return result
        case .encode(let row): return band(row)
        case .trial(_, let row):
            guard let plan = state[life]?.plan, let trials = state[life]?.trials else { return TaskResult() }
            let rows = trials.isWhole ? plan.whole.scene.output.height : 16
            let bytes = [UInt8(row)] + [UInt8](repeating: 0, count: Self.byteCount(trials.encoding?.quality ?? 0) - 1)
            return TaskResult(
                band: EncodedPiece(
                    rowCount: rows, rawByteCount: rows * plan.whole.scene.output.width * 3, adler32: 1, bytes: bytes))
        case .finish(let index):
            return TaskResult(band: plan.map { Self.file($0.whole.set.wholes[index], $0) })
        }
    }
}

extension Export {
    fileprivate var isBusy: Bool { phase != .finishing }
}

@Suite struct ExportsStateTests {
    @Test(arguments: 0..<300) func everyExportEndsOnceAndGivesItsBlocksBack(seed: UInt64) {
        var exports = SimulatedExports(seed: seed)
        exports.run(steps: 600)
        #expect(exports.problems.isEmpty, "SimulatedExports(seed: \(seed))")
        #expect(exports.finished > 0, "SimulatedExports(seed: \(seed))")
    }

    @Test func picturesAreMadeAloneAndTogether() {
        var (made, left, finished) = (0, 0, 0)
        for seed in 0..<40 as Range<UInt64> {
            var exports = SimulatedExports(seed: seed)
            exports.run(steps: 600)
            made += exports.alone.made
            left += exports.alone.left
            finished += exports.finished
        }
        #expect(made > 30 && left > 30 && finished > 2 * made, "\(made) made, \(left) left, \(finished) finished")
    }

    @Test func aReaderAsksForEachFileOnce() throws {
        let file = CompanionRequest(kind: 0, name: [1])
        let other = CompanionRequest(kind: 0, name: [2])
        let job = ExportJob(
            id: JobID(1), name: "p", project: Project(canvasSize: PixelSize(width: 1, height: 1)),
            order: PictureOrder(output: PixelSize(width: 1, height: 1)), destination: "p.png")
        let picture = PictureSpec(size: .named("1x"))
        let document = OpenedDocument(name: "p", bytes: [1], picture: picture, software: "") { requests in
            requests.map { FoundCompanion(Companion(request: $0, answer: .missing)) }
        }
        var blocks: [EncodedBlock] = []
        let first = try Readable(document, of: job, digestsStrokes: false, blocks: &blocks)
        let second = try first.with([file], blocks: &blocks)
        #expect(blocks.map(\.id) == second.task.blocks)
        func fault(_ readable: Readable, _ requests: [CompanionRequest]) -> String? {
            readable.fault(in: TaskResult(reading: ReadingEnd(requests: requests)))
        }
        #expect(fault(first, [file, other]) == nil)
        #expect(fault(first, [file, file]) == "a file is asked for twice")
        #expect(fault(second, [other]) == nil)
        #expect(fault(second, [other, file]) == "a file is asked for twice")
        let many = (0..<ProtocolLimits.companions).map {
            CompanionRequest(kind: 1, name: [UInt8($0 >> 8), UInt8($0 & 255)])
        }
        #expect(fault(first, many) == nil)
        #expect(fault(second, many) == "too many files are asked for")
        let local = Readable(task: .local(BlockID(hashing: [])), cost: TaskCost(bytes: 1, nanoseconds: 1))
        #expect(fault(local, [file]) != nil)
    }
}
