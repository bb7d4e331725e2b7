import Dispatch
import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker
@testable import InkPlanning

@Suite("Documents that workers read", .serialized)
struct DocumentTests {
    private static let tile = PixelSize(width: 100, height: 50)
    private static let picture = FakePicture.file(
        TileGrid(output: PixelSize(width: 100, height: 300), tile: tile), .rgb)

    // MARK: - Workers that are honest

    /// Blocks are counted: nothing is left of the document, of what lay beside it and of its picture.
    @Test(arguments: [[1, 2, 3], [], [UInt8](repeating: 0, count: 2 * DocumentParts.partBytes + 9)] as [[UInt8]])
    func aDocumentWithFilesBesideIt(bytes: [UInt8]) throws {
        let farm = try Farm()
        defer { farm.stop() }
        let seen = Mutex<[DocumentTask]>([])
        farm.hire("w") { task, _ in
            guard let document = task.document else { return .good }
            let round = seen.withLock { seen in
                seen.append(document)
                return seen.count
            }
            let names = [1: ["a", "b", "c"], 2: ["d"]][round] ?? []
            if names.isEmpty { return .good }
            return .spoiled { _ in [.readingEnd(ReadingEnd(requests: names.map(FakeReading.request)))] }
        }
        let answers: [String: Companion.Answer] = [
            "a": .file([], path: "/p/a"), "b": .missing, "c": .failed(.io(path: "/p/c", operation: "open", errno: 13)),
            "d": .file([], path: "/p/d"),
        ]
        farm.submit(1, document: bytes, tile: Self.tile) { requests in
            requests.map { request in
                let answer = answers[String(decoding: request.name, as: UTF8.self)] ?? .nowhere
                // As the document itself: the same blocks, counted once more.
                return FoundCompanion(Companion(request: request, answer: answer), bytes: bytes)
            }
        }
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture)
        let tasks = seen.withLock { $0 }
        #expect(tasks.map(\.companions.count) == [0, 3, 4])
        let parts = tasks[0].content.parts
        #expect(parts.count == (bytes.count + DocumentParts.partBytes - 1) / DocumentParts.partBytes)
        #expect(
            tasks.last?.companions.map(\.answer) == [
                .file(parts, path: "/p/a"), .missing, .failed(.io(path: "/p/c", operation: "open", errno: 13)),
                .file(parts, path: "/p/d"),
            ])
        #expect(farm.until { farm.isEmpty })
    }

    @Test("An error of the document is that of its export, behind what was said of it before")
    func failure() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let error = EngineError.io(path: "/p/a.json", operation: "open", errno: 13)
        farm.hire("w") { task, _ in
            .spoiled { _ in [.readingEnd(ReadingEnd(warnings: ["odd"], failure: error))] }
        }
        farm.submit(1, document: [1])
        #expect(farm.end(of: 1) == .failure(.refused(error)))
        let events = farm.events(of: 1).filter { event in
            if case .timeLeft = event { false } else { true }
        }
        guard events.count == 3, case .warned(_, ["odd"]) = events[1], case .failed = events[2] else {
            Issue.record("\(events)")
            return
        }
        #expect(farm.departures(of: "w").isEmpty)
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A document whose job is paused keeps no other from being read")
    func paused() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.submit(1, document: [1], tile: Self.tile)
        farm.broker.setPaused(JobID(1), true)
        farm.submit(2, "b.png", document: [2], tile: Self.tile)
        // The broker itself is done with both.
        #expect(farm.until { farm.isPrepared(1) && farm.isPrepared(2) })
        farm.hire()
        _ = try #require(try farm.end(of: 2)?.get())
        #expect(farm.file("b.png") == Self.picture && farm.file("a.png") == nil)
        farm.broker.setPaused(JobID(1), false)
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A reader that fails is tried again elsewhere, and in the end its job fails with the story")
    func failingReaders() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire("w") { task, _ in task.document == nil ? .good : .fail(.internalError, "the reader broke") }
        farm.submit(1, document: [1])
        guard case .failure(.taskFailed("a.ink", "reading the project", let story, _))? = farm.end(of: 1) else {
            Issue.record("\(farm.events(of: 1))")
            return
        }
        #expect(story.count > 1 && story.allSatisfy { $0.contains("the reader broke") }, "\(story)")
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A job that ends while it is read leaves nothing", arguments: [false, true])
    func cancelled(whileFinding: Bool) throws {
        let farm = try Farm()
        defer { farm.stop() }
        let (isReached, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        farm.hire("w") { task, _ in
            guard whileFinding else {
                isReached.signal()
                return .hold
            }
            return .spoiled { _ in [.readingEnd(ReadingEnd(requests: [FakeReading.request("a")]))] }
        }
        farm.submit(1, document: [1, 2, 3]) { requests in
            isReached.signal()
            mayGoOn.wait()
            return requests.map {
                FoundCompanion(Companion(request: $0, answer: .file([], path: "/p/a")), bytes: [1, 2, 3])
            }
        }
        #expect(isReached.wait(timeout: .now() + 20) == .success)
        farm.broker.cancel(JobID(1))
        #expect(farm.end(of: 1) == .failure(.cancelled(export: "a.ink")))
        mayGoOn.signal()
        #expect(farm.until { farm.isEmpty })
    }

    // MARK: - Workers that are not

    struct Lie: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let spoil: @Sendable ([ResultItem], DocumentTask) throws -> [ResultItem]

        init(_ name: String, _ spoil: @escaping @Sendable ([ResultItem], DocumentTask) throws -> [ResultItem]) {
            testDescription = name
            self.spoil = spoil
        }

        /// Another end behind the draft, or in its place.
        static func end(_ name: String, keepsDraft: Bool = false, _ end: ReadingEnd) -> Lie {
            Lie(name) { items, _ in (keepsDraft ? items.dropLast() : []) + [.readingEnd(end)] }
        }

        static func drafts(_ name: String, _ parts: @escaping @Sendable (Block) throws -> [Block]) -> Lie {
            Lie(name) { items, _ in
                try items.flatMap { item in
                    guard case .draft(let part) = item else { return [item] }
                    return try parts(part).map { .draft($0) }
                }
            }
        }
    }

    private static let lies: [Lie] = [
        Lie("nothing") { _, _ in [] },
        Lie("everything twice") { items, _ in items + items },
        Lie("no end") { items, _ in Array(items.dropLast()) },
        .end("an end alone", ReadingEnd()),
        .end("requests beside a draft", keepsDraft: true, ReadingEnd(requests: [FakeReading.request("a")])),
        .end(
            "an error beside a draft", keepsDraft: true,
            ReadingEnd(failure: .badInput(Place(file: "a.ink"), reason: "bad"))),
        .end(
            "an error beside requests",
            ReadingEnd(
                requests: [FakeReading.request("a")], failure: .badInput(Place(file: "a.ink"), reason: "bad"))),
        .end("an error of the broker's own", ReadingEnd(failure: .io(path: "a", operation: "open", errno: EMFILE))),
        .end("a defect for an error", ReadingEnd(failure: .internalError("a"))),
        .end("an end that was not asked for", ReadingEnd(failure: .cancelled)),
        .end("a name twice", ReadingEnd(requests: [FakeReading.request("a"), FakeReading.request("a")])),
        .end(
            "too many names",
            ReadingEnd(requests: (0...ProtocolLimits.companions).map { FakeReading.request("\($0)") })),
        Lie("blocks without a draft") { items, _ in
            items.filter { item in
                if case .draft = item { false } else { true }
            }
        },
        Lie("blocks beside requests") { items, _ in
            items.prefix(1) + [.readingEnd(ReadingEnd(requests: [FakeReading.request("a")]))]
        },
        Lie("a block that did not come") { items, _ in Array(items.dropFirst()) },
        Lie("a block under another name") { items, _ in
            guard case .block(let block) = items[0] else { return [] }
            return [.block(Block(id: BlockID(hashing: [1]), frame: block.frame))] + items.dropFirst()
        },
        Lie("a draft of another size") { _, task in
            var other = task
            other.picture.size = .exact(PixelSize(width: 100, height: 299))
            return try FakeReading.items(.document(other))
        },
        Lie("a draft of other files") { _, task in
            var other = task
            other.picture.options.files = [PictureFileOptions(encoding: PictureEncoding(format: .webp))]
            return try FakeReading.items(.document(other))
        },
        Lie("images of another project") { _, task in
            var other = task
            other.name = "b.ink"
            return try FakeReading.items(.document(other))
        },
        .drafts("too many parts") { [Block](repeating: $0, count: ProtocolLimits.draftParts + 1) },
        .drafts("a short part before the last") { [$0, $0] },
        .drafts("an empty part") { _ in [try Block(content: [])] },
        .drafts("noise for a part") { _ in [try Block(content: [UInt8](repeating: 0xA5, count: 500))] },
        .drafts("no zstd for a part") { _ in [Block(id: BlockID(hashing: [1, 2]), frame: [1, 2])] },
        .drafts("a part of more bytes than allowed") { _ in
            [try Block(content: [UInt8](repeating: 1, count: ProtocolLimits.draftPartBytes + 1))]
        },
        .drafts("a part that only this process has") { [Block(id: $0.id, frame: [])] },
        Lie("pixels for a draft") { _, _ in [.pixels(try Block(content: [1, 2, 3]))] },
    ]

    /// They are dismissed, another worker reads the document, and nothing is left of what they sent.
    @Test(arguments: lies) func liesAreFoundOut(lie: Lie) throws {
        // However busy the machine is: nobody is lost for being slow.
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let isSpoilt = DispatchSemaphore(value: 0)
        farm.hire(
            FakeWorker.Script(
                name: "bad",
                answer: { task, _ in
                    guard let document = task.document else { return .good }
                    return .spoiled { try lie.spoil($0, document) }
                },
                onDone: { task in if task.document != nil { isSpoilt.signal() } }))
        farm.submit(1, document: [1, 2, 3], tile: Self.tile)
        try #require(isSpoilt.wait(timeout: .now() + 60) == .success)
        farm.hire("good") { _, _ in .good }
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.file("a.png") == Self.picture)
        let departures = farm.departures(of: "bad")
        #expect(departures.count == 1 && departures[0].hasPrefix("bad result: "), "\(departures)")
        #expect(farm.departures(of: "good").isEmpty)
        #expect(farm.until { farm.isEmpty })
    }

    @Test("A document for which files are asked for without end fails its job, and dismisses nobody")
    func endlessRequests() throws {
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let asked = Mutex(0)
        farm.hire("asker") { task, _ in
            guard let document = task.document else { return .good }
            let request = FakeReading.request("\(document.companions.count)")
            return .spoiled { _ in [.readingEnd(ReadingEnd(requests: [request]))] }
        }
        farm.submit(1, document: [1, 2, 3]) { requests in
            asked.withLock { $0 += requests.count }
            return requests.map { FoundCompanion(Companion(request: $0, answer: .missing)) }
        }
        let error = BrokerError.taskFailed(
            export: "a.ink", task: "reading the project", story: ["files beside it are asked for 9 times"])
        #expect(farm.end(of: 1) == .failure(error))
        #expect(asked.withLock { $0 } == ProtocolLimits.companionRounds)
        #expect(farm.departures(of: "asker").isEmpty)
        #expect(farm.until { farm.isEmpty })
    }
}
