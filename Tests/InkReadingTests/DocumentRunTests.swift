import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkReading
import InkTestSupport
import InkWorker
import Synchronization
import Testing

@Suite("Documents that a worker reads")
struct DocumentRunTests {
    private final class Collector: Sendable {
        let items = Mutex<[ResultItem]>([])
    }

    private func run(_ document: SentDocument, cancelled: Bool = false) throws -> [ResultItem] {
        let cache = BlockCache(limitBytes: 1 << 20)
        for block in document.blocks.values { cache.insert(block, holders: 1) }
        let collector = Collector()
        let cancellation = Cancellation()
        if cancelled { cancellation.cancel() }
        let context = TaskContext(blocks: cache, threadIndex: 0, cancellation: cancellation) { item in
            collector.items.withLock { $0.append(item) }
        }
        let runner = EngineTaskRunner(threads: 1, documents: TaskDocuments())
        let phases = try runner.run(.read(.document(document.task)), in: context)
        #expect(phases.prepare > 0)
        return collector.items.withLock { $0 }
    }

    /// The only item: what has come of a document that gives no draft.
    private func end(_ document: SentDocument) throws -> ReadingEnd {
        let items = try run(document)
        guard items.count == 1, case .readingEnd(let end) = items[0] else {
            Issue.record("\(items)")
            return ReadingEnd()
        }
        return end
    }

    @Test("The draft of a worker is the one that is made here", arguments: [false, true])
    func draft(digestsStrokes: Bool) throws {
        for seed in UInt64(0)..<12 {
            let made = RandomProject.make(seed: seed, options: .everything)
            var document = try SentDocument(try ProjectWriter.write(made.project))
            document.task.digestsStrokes = digestsStrokes
            document.task.picture.size = .exact(made.output)
            document.task.picture.options.tile = PixelSize(width: 48, height: 32)
            document.task.picture.options.view = made.viewport.map {
                .place(center: $0.center, zoom: $0.zoom, rotation: $0.rotation, size: $0.size)
            }
            let items = try run(document)
            guard case .readingEnd(let end)? = items.last else {
                Issue.record("\(items.count) items")
                return
            }
            #expect(end.requests.isEmpty && end.failure == nil)
            var (sizes, parts): ([BlockID: Int], [[UInt8]]) = ([:], [])
            for item in items.dropLast() {
                switch item {
                case .block(let block):
                    #expect(BlockID(hashing: block.frame) == block.id)
                    sizes[block.id] = block.frame.count
                case .draft(let part): parts.append(try part.content(limit: ProtocolLimits.draftPartBytes))
                default: Issue.record("\(item)")
                }
            }
            let task = document.task
            let order = DraftOrder(
                name: task.name, picture: task.picture, software: task.software, limits: task.limits)
            let draft = try PictureDraft(decoding: parts, for: order)
            #expect(draft.fault(for: order, blocks: sizes) == nil, "seed \(seed)")
            #expect(draft.blocks.isSubset(of: sizes.keys), "seed \(seed)")

            let project = try ProjectLoader.load(bytes: ProjectWriter.write(made.project)).project
            let picture = try PictureOrder(
                task.picture, of: project, software: task.software, limits: task.limits, place: Place(file: "job"))
            var blocks: [EncodedBlock] = []
            let local = try PictureDraft(
                project, order: picture, name: "job", limits: task.limits,
                encoder: digestsStrokes ? BlockEncoder.standard.digestingStrokes : .standard, blocks: &blocks)
            #expect(try local.encodedParts() == parts, "seed \(seed)")
            #expect(Set(blocks.map(\.id)) == Set(sizes.keys), "seed \(seed)")
        }
    }

    private func text(_ layers: String) -> String {
        #"{"version":"1.2","canvasSize":{"width":9,"height":9},"layers":[\#(layers)]}"#
    }

    @Test("What is wrong with a document is an answer, with all that its error says")
    func badInput() throws {
        let bytes = Array(text(#"{"opacity":7}"#).utf8)
        let expected = #expect(throws: EngineError.self) { try ProjectLoader.load(bytes: bytes, name: "a.ink") }
        let end = try end(SentDocument(bytes))
        #expect(end.failure == expected && end.warnings.isEmpty && end.requests.isEmpty)
        #expect(end.failure?.description.hasPrefix("a.ink: layers[0].opacity") == true)
    }

    @Test("What was said of a document before its picture was refused comes along")
    func warnings() throws {
        var document = try SentDocument(text(#"{"blendmode":"plus"}"#))
        document.task.picture.options.layers = [7]
        let end = try end(document)
        #expect(end.failure == .badInput(Place(file: "job"), reason: "there is no layer 8, the project has 1"))
        #expect(end.warnings == ["layers[0].blendmode: unknown key, ignored (did you mean blendMode?)"])
        document.task.picture = PictureSpec(size: .named("huge"))
        #expect(try self.end(document).failure == .badInput(Place(file: "job"), reason: "\"huge\" is not a size"))
    }

    @Test("The limits are those of the task")
    func limits() throws {
        let strokes = [String](repeating: #"{"points":[[1,2],[3,4]]}"#, count: 3).joined(separator: ",")
        var document = try SentDocument(text(#"{"strokes":[\#(strokes)]}"#))
        document.task.limits.strokes = 2
        guard case .overLimit? = try end(document).failure else {
            Issue.record("more strokes than allowed are read")
            return
        }
        document.task.limits.strokes = 3
        #expect(try run(document).count > 1)
        document.task.limits.edgePixels = 8
        guard case .overLimit? = try end(document).failure else {
            Issue.record("a larger picture than allowed is drafted")
            return
        }
    }

    @Test("Files that are needed are asked for, and nothing else is given")
    func requests() throws {
        let document = try SentDocument(text(#"{"contentFile":"a.png"},{"opacity":7}"#))
        let end = try end(document)
        #expect(end.requests.map { String(decoding: $0.name, as: UTF8.self) } == ["a.png"])
        #expect(end.warnings.isEmpty && end.failure == nil)
    }

    @Test("A document that needs more files than a message can name is refused, and its worker goes on")
    func tooManyFiles() throws {
        var document = try SentDocument(text(#"{"contentFile":"a.png"}"#))
        for index in 1..<ProtocolLimits.companions { document.add(1, "\(index).png", .missing) }
        #expect(try end(document).requests.count == 1)
        document.add(1, "one more.png", .missing)
        let expected = EngineError.overLimit(
            Place(file: "a.ink"), what: "the number of files beside it", found: "\(ProtocolLimits.companions + 1)",
            limit: "\(ProtocolLimits.companions)")
        #expect(try end(document).failure == expected)
    }

    @Test func aFileThatCannotBeOpenedIsItsOwnError() throws {
        let failure = EngineError.io(path: "/p/a.png", operation: "open", errno: 13)
        var document = try SentDocument(text(#"{"contentFile":"a.png"}"#))
        document.add(1, "a.png", .failed(failure))
        #expect(try end(document).failure == failure)
    }

    @Test("What is not the document's fault is the worker's failure")
    func otherErrors() throws {
        var document = try SentDocument(text(#"{"name":"A"}"#))
        #expect(throws: EngineError.cancelled) { try run(document, cancelled: true) }
        document.task.content.parts.append(BlockID(hashing: [1]))
        #expect(throws: EngineError.self) { try run(document) }
        let context = TaskContext(blocks: BlockCache(limitBytes: 1), threadIndex: 0) { _ in }
        #expect(throws: EngineError.internalError("this worker reads no documents")) {
            try EngineTaskRunner(threads: 1).run(.read(.document(document.task)), in: context)
        }
    }
}
