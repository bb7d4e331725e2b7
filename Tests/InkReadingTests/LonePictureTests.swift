import InkCodecs
import InkDocuments
import InkEngine
import InkProtocol
import InkReading
import InkTestSupport
import InkWorker
import Synchronization
import Testing

@testable import InkPlanning

@Suite("Pictures that a worker makes alone")
struct LonePictureTests {
    private static let formats: [[PictureFormat]] =
        PictureCodecs.all.map { [$0.format] } + [[.png, .webp, .jpeg], [.png, .svg]]

    private func run(
        _ task: WorkerTask, _ cache: BlockCache, cancellation: Cancellation = Cancellation()
    ) throws(EngineError) -> [ResultItem] {
        let items = Mutex<[ResultItem]>([])
        let context = TaskContext(blocks: cache, threadIndex: 0, cancellation: cancellation) { item in
            items.withLock { $0.append(item) }
        }
        _ = try EngineTaskRunner(threads: 1, documents: TaskDocuments()).run(task, in: context)
        return items.withLock { $0 }
    }

    private func document(_ seed: UInt64, _ formats: [PictureFormat], tile: PixelSize?) throws -> SentDocument {
        let made = RandomProject.make(seed: seed, options: .everything)
        var document = try SentDocument(try ProjectWriter.write(made.project))
        document.task.picture.size = .exact(made.output)
        document.task.picture.options.tile = tile
        document.task.picture.options.files = formats.map {
            PictureFileOptions(encoding: PictureEncoding(format: $0))
        }
        return document
    }

    private func cache(of document: SentDocument) -> BlockCache {
        let cache = BlockCache(limitBytes: .max)
        for block in document.blocks.values { cache.insert(block, holders: 1) }
        return cache
    }

    private func draft(in items: [ResultItem], for task: DocumentTask) throws -> PictureDraft {
        let order = DraftOrder(name: task.name, picture: task.picture, software: task.software, limits: task.limits)
        let parts = try items.compactMap { item -> [UInt8]? in
            guard case .draft(let part) = item else { return nil }
            return try part.content()
        }
        let draft = try PictureDraft(decoding: parts, for: order)
        var sizes = Dictionary(draft.blocks.map { ($0, 0) }) { first, _ in first }
        for case .block(let block) in items { sizes[block.id] = block.frame.count }
        #expect(draft.fault(for: order, blocks: sizes) == nil)
        return draft
    }

    /// The files, one after the other or as an archive.
    private func file(of pieces: [EncodedPiece], _ draft: PictureDraft, _ plan: PicturePlan) throws -> [UInt8] {
        let (rows, files) = try #require(plan.lonePieces(pieces))
        var assembler = try PictureSetAssembler.make(plan.heads, plan.pictures.map(\.share), isArchive: true) {
            head throws(EngineError) in try PictureCodecs.assembler(for: head)
        }
        var writes = assembler.begin()
        for piece in rows + files { writes += assembler.add(piece) }
        return try #require(carriedOut(writes + assembler.end())[0])
    }

    /// What workers make that each do a part of it.
    private func pieces(of draft: PictureDraft, _ items: [ResultItem]) throws -> [EncodedPiece] {
        let cache = BlockCache(limitBytes: .max)
        for case .block(let block) in items { cache.insert(block, holders: 1) }
        let pieces = try PictureComposition.pieces(
            of: draft,
            run: { task throws(EngineError) in
                let items = try run(task, cache)
                for block in items.compactMap(\.block) { cache.insert(block, holders: 1) }
                return items
            }, release: { _ in })
        return try #require(pieces)
    }

    @Test("The files are those that many workers make together", arguments: formats)
    func sameFiles(formats: [PictureFormat]) throws {
        for (seed, tile) in [(1, nil), (2, PixelSize(width: 24, height: 16))] as [(UInt64, PixelSize?)] {
            let document = try document(seed, formats, tile: tile)
            let read = try run(.read(.document(document.task)), cache(of: document))
            let draft = try draft(in: read, for: document.task)
            let whole = try run(
                .whole(WholeTask(read: .document(document.task), nanosecondsMax: .max)), cache(of: document))
            guard draft.isMadeAlone(within: .max) else {
                #expect(whole == read && draft.pictures.count > 1)
                continue
            }
            let outline = try self.draft(in: whole, for: document.task)
            #expect(outline.isOutline && whole.last == read.last)
            let made = whole.compactMap { item -> EncodedPiece? in
                if case .band(let piece) = item { piece } else { nil }
            }
            let expected = try pieces(of: draft, read)
            #expect(made == expected)
            let decoded = try PicturePlan(outline, decoded: [])
            let assembled = try file(of: made, outline, decoded)
            #expect(try file(of: expected, draft, PicturePlan(outline, decoded: [])) == assembled)
            #expect(assembled.count > 20)
        }
    }

    @Test("A picture that would take too long is only read")
    func tooLong() throws {
        let document = try document(1, [.png], tile: nil)
        let read = try run(.read(.document(document.task)), cache(of: document))
        let draft = try draft(in: read, for: document.task)
        let least = try #require((0..<50).map { UInt64(1) << $0 }.first { draft.isMadeAlone(within: $0) })
        func whole(_ nanoseconds: UInt64) throws -> [ResultItem] {
            try run(
                .whole(WholeTask(read: .document(document.task), nanosecondsMax: nanoseconds)), cache(of: document))
        }
        #expect(try whole(least / 2) == read)
        #expect(try whole(least) != read)
    }

    @Test("A picture whose pieces are larger than the broker has room for, or more, is only read")
    func tooLarge() throws {
        var document = try document(1, [.png, .webp], tile: nil)
        let read = try run(.read(.document(document.task)), cache(of: document))
        func whole(_ bytes: Int) throws -> [ResultItem] {
            let task = WholeTask(read: .document(document.task), nanosecondsMax: .max, pieceBytesMax: bytes)
            return try run(.whole(task), cache(of: document))
        }
        let made = try whole(WholeTask.pieceBytesLimit).reduce(0) { sum, item in
            if case .band(let piece) = item { sum + piece.bytes.count } else { sum }
        }
        #expect(try made > 2 && whole(made) != read)
        for bytes in [0, 1, made - 1] { #expect(try whole(bytes) == read) }
        // As many rows as pixels.
        document = try SentDocument(#"{"version":"1.2","canvasSize":{"width":1,"height":70000},"layers":[{}]}"#)
        document.task.picture.size = .exact(PixelSize(width: 1, height: 70_000))
        document.task.picture.options.tile = PixelSize(width: 1, height: 1)
        let (tall, long) = (
            try run(.read(.document(document.task)), cache(of: document)), try whole(WholeTask.pieceBytesLimit)
        )
        #expect(tall == long)
    }

    @Test("What has images of more samples than fit is made together")
    func manySamples() throws {
        let document = try document(1, [.png], tile: nil)
        var draft = try draft(in: run(.read(.document(document.task)), cache(of: document)), for: document.task)
        func image(_ edge: Int) -> ImageRequest {
            ImageRequest(
                file: BlockID(words: [1, 2, 3, 4]), fileBytes: 9, use: .color,
                size: PixelSize(width: edge, height: edge), place: Place(file: "a"))
        }
        draft.images = [image(4_000)]
        #expect(draft.isMadeAlone(within: .max))
        // What decoding takes counts, as it does elsewhere.
        #expect(!draft.isMadeAlone(within: image(4_000).decodingNanoseconds))
        draft.images = [image(4_000), image(1_000)]
        #expect(!draft.isMadeAlone(within: .max))
        draft.images = [image(4_200)]
        #expect(!draft.isMadeAlone(within: .max))
    }

    @Test("What has more samples than fit, or a bound, is made together")
    func unsuited() throws {
        var document = try SentDocument(#"{"version":"1.2","canvasSize":{"width":9000,"height":9000},"layers":[{}]}"#)
        let large = try draft(in: run(.read(.document(document.task)), cache(of: document)), for: document.task)
        #expect(!large.isMadeAlone(within: .max) && !large.outline.isOutline)
        document.task.picture.size = .exact(PixelSize(width: 9, height: 9))
        document.task.picture.options.files[0].encoding = PictureEncoding(format: .jpeg)
        document.task.picture.options.files[0].encoding.bytesMax = 5_000
        let bounded = try draft(in: run(.read(.document(document.task)), cache(of: document)), for: document.task)
        #expect(!bounded.isMadeAlone(within: .max) && bounded.pictures.count == 1)
    }

    @Test("In a process of their own, blocks are passed by reference, and nothing of the work stays behind")
    func local() throws {
        // One with strokes, so that there are blocks of it.
        let made = try #require(
            (0..<20).lazy.map { RandomProject.make(seed: $0, options: .everything) }
                .first { $0.project.layers.flattened().contains { !$0.layer.strokes.isEmpty } })
        let order = PictureOrder(output: made.output)
        let broker = LocalBlocks(byteCountMax: 1 << 30)
        let cache = BlockCache(limitBytes: 1 << 20, local: broker)
        let source = DraftSource { encoder, blocks throws(EngineError) in
            try PictureDraft(
                made.project, order: order, name: "a", limits: Limits(), encoder: encoder ?? .local(broker),
                blocks: &blocks)
        }
        let id = try #require(broker.add(.value(source)))
        #expect(cache.hold(id))
        func pieces(_ items: [ResultItem]) throws -> [EncodedPiece] {
            try items.compactMap { item in
                guard case .localBand(var piece, let id) = item else { return nil }
                guard case .bytes(let bytes) = broker.content(of: id) else { throw EngineError.cancelled }
                piece.bytes = bytes
                return piece
            }
        }
        let items = try run(.whole(WholeTask(read: .local(id), nanosecondsMax: .max)), cache)
        var blocks: [EncodedBlock] = []
        let draft = try PictureDraft(
            made.project, order: order, name: "a", limits: Limits(), encoder: .standard, blocks: &blocks)
        let read = blocks.map { ResultItem.block(Block(id: $0.id, frame: $0.frame)) }
        #expect(try pieces(items) == self.pieces(of: draft, read))
        guard case .draft(let block)? = items.first, case .value(let value) = broker.content(of: block.id) else {
            Issue.record("no draft by reference")
            return
        }
        #expect((value as? PictureDraft)?.isOutline == true)
        for block in items.compactMap(\.block) { broker.remove(block.id) }
        #expect(broker.byteCount == 0)
        // One that is only read gives what it is cut into.
        let parts = try run(.whole(WholeTask(read: .local(id), nanosecondsMax: 1)), cache)
        #expect(try parts.contains { if case .block = $0 { true } else { false } } && pieces(parts).isEmpty)
    }

    @Test("What is wrong with a document is an answer, and a cancelled run ends")
    func faults() throws {
        let text = #"{"version":"1.2","canvasSize":{"width":9,"height":9},"layers":[{"opacity":7}]}"#
        for document in [try SentDocument(text), try SentDocument(#"{"layers":[{"contentFile":"a.png"}]}"#)] {
            let task = WholeTask(read: .document(document.task), nanosecondsMax: .max)
            #expect(
                try run(.whole(task), cache(of: document))
                    == run(.read(.document(document.task)), cache(of: document)))
        }
        let document = try document(1, [.png], tile: nil)
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(throws: EngineError.cancelled) {
            try run(
                .whole(WholeTask(read: .document(document.task), nanosecondsMax: .max)), cache(of: document),
                cancellation: cancellation)
        }
    }

    @Test("An image that cannot be decoded is the document's fault, as it is elsewhere")
    func brokenImage() throws {
        var png = MinimalPNGWriter.png(
            rgba: [UInt8](repeating: 9, count: 36), size: PixelSize(width: 3, height: 3))
        png[png.count - 20] ^= 0xff
        let project = Project(
            canvasSize: PixelSize(width: 9, height: 9),
            baseImage: EncodedImage(
                bytes: png, header: ImageHeader(size: PixelSize(width: 3, height: 3), isHeldWhole: false),
                place: "baseImage"))
        let document = try SentDocument(try ProjectWriter.write(project))
        let task = WholeTask(read: .document(document.task), nanosecondsMax: .max)
        let error = #expect(throws: EngineError.self) { _ = try run(.whole(task), cache(of: document)) }
        let isBadInput = if case .badInput? = error { true } else { false }
        #expect(isBadInput)
    }
}
