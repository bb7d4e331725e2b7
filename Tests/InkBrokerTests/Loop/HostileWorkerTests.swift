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

/// Workers that were let in and hand in what cannot be: they are dismissed, and the picture is right all the same.
@Suite("Workers that hand in what cannot be", .serialized)
struct HostileWorkerTests {
    struct Spoilt: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: FakeAnswer

        init(_ name: String, _ answer: FakeAnswer) {
            testDescription = name
            self.answer = answer
        }

        static func band(_ name: String, _ change: @escaping @Sendable (inout EncodedPiece) -> Void) -> Spoilt {
            Spoilt(
                name,
                .spoiled { items in
                    items.map { item in
                        guard case .band(var band) = item else { return item }
                        change(&band)
                        return .band(band)
                    }
                })
        }

        static func block(_ name: String, _ change: @escaping @Sendable (Block) throws -> Block) -> Spoilt {
            Spoilt(
                name,
                .spoiled { items in
                    try items.map { item in
                        switch item {
                        case .pixels(let block): .pixels(try change(block))
                        case .imageChunk(.samples(let block)): .imageChunk(.samples(try change(block)))
                        default: item
                        }
                    }
                })
        }
    }

    /// A frame that declares that many bytes and is as good as empty.
    private static func bomb(declaring size: UInt64) -> [UInt8] {
        [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + [1, 0, 0]
    }

    private static let ofAnyKind: [Spoilt] = [
        Spoilt("nothing", .spoiled { _ in [] }),
        Spoilt("everything twice", .spoiled { $0 + $0 }),
        Spoilt("a record that claims 4 GiB", .resaid { Self.replacing($0, [5, 0xFF, 0xFF, 0xFF, 0xFF]) }),
        Spoilt("an unknown record", .resaid { Self.replacing($0, [10, 1, 0, 0, 0, 7]) }),
        Spoilt("noise", .resaid { Self.replacing($0, [UInt8](repeating: 0xA5, count: 500)) }),
        Spoilt("more bytes than allowed", .resaid { Self.replacing($0, [UInt8](repeating: 4, count: 1_000_000)) }),
        Spoilt("the parts twice", .resaid { $0.dropLast() + $0 }),
        Spoilt("the first part missing", .resaid { Array($0.dropFirst()) }),
        Spoilt(
            "the parts backwards", .resaid { $0.dropLast().reversed().map { Self.moved($0, by: 1) } + $0.suffix(1) }),
        Spoilt("another number of parts", .resaid { Self.changingEnd($0) { $0.partCount += 1 } }),
        Spoilt("another number of bytes", .resaid { Self.changingEnd($0) { $0.resultBytes = .max } }),
    ]

    private static let bands: [Spoilt] = [
        .band("a row more") { $0.rowCount += 1 },
        .band("2^31 - 1 rows") { $0.rowCount = ProtocolLimits.edgePixels },
        .band("a byte less") { $0.rawByteCount -= 1 },
        .band("2^63 - 1 bytes") { $0.rawByteCount = .max },
        .band("no compressed bytes") { $0.bytes = [] },
        Spoilt("pixels for a band", .spoiled { _ in [.pixels(try Block(content: [1, 2, 3]))] }),
        Spoilt("an image for a band", .spoiled { _ in [.imageChunk(.constant(7))] }),
        Spoilt(
            "a band that only this process has",
            .spoiled { items in
                items.map { item in
                    guard case .band(let band) = item else { return item }
                    return .localBand(band, BlockID(hashing: band.bytes))
                }
            }),
    ]

    private static let blocks: [Spoilt] = [
        .block("another name") { Block(id: BlockID(hashing: [1]), frame: $0.frame) },
        .block("a pixel more") { try Block(content: try $0.content() + [0]) },
        .block("no zstd") { Self.named(Array($0.frame.reversed())) },
        .block("an empty frame") { _ in Self.named([]) },
        .block("2^62 bytes declared") { _ in Self.named(Self.bomb(declaring: 1 << 62)) },
        .block("2^64 - 1 bytes declared") { _ in Self.named(Self.bomb(declaring: .max)) },
        .block("16 MiB of the same") { _ in try Block(content: [UInt8](repeating: 0, count: 1 << 24)) },
    ]

    private static let images: [Spoilt] = [
        Spoilt("a chunk more", .spoiled { [$0[0]] + $0 }),
        Spoilt(
            "thousands of chunks", .spoiled { [ResultItem](repeating: .imageChunk(.constant(1)), count: 9_000) + $0 }),
        Spoilt("a chunk less", .spoiled { Array($0.dropFirst()) }),
        Spoilt("the end first", .spoiled { $0.reversed() }),
        Spoilt("another format", .spoiled { Self.changingImage($0) { $0.format = .mask16 } }),
        Spoilt("another size", .spoiled { Self.changingImage($0) { $0.size.width += 1 } }),
        Spoilt("a chunk of the size of the whole image", .resaid { Self.replacing($0, [2, 0, 0x50, 2, 0]) }),
    ]

    private static func named(_ frame: [UInt8]) -> Block { Block(id: BlockID(hashing: frame), frame: frame) }

    private static func changingImage(
        _ items: [ResultItem], _ change: (inout DecodedImageInfo) -> Void
    ) -> [ResultItem] {
        items.map { item in
            guard case .imageEnd(var image) = item else { return item }
            change(&image)
            return .imageEnd(image)
        }
    }

    private static func changingEnd(_ messages: [WorkerMessage], _ change: (inout TaskDone) -> Void) -> [WorkerMessage]
    {
        messages.map { message in
            guard case .taskDone(var done) = message else { return message }
            change(&done)
            return .taskDone(done)
        }
    }

    /// The messages of the task with other bytes for a result, and an end that agrees with them.
    private static func replacing(_ messages: [WorkerMessage], _ bytes: [UInt8]) -> [WorkerMessage] {
        guard case .taskDone(var done)? = messages.last else { return messages }
        done.partCount = 1
        done.resultBytes = UInt64(bytes.count)
        return [
            .resultPart(ResultPart(task: done.task, attempt: done.attempt, sequence: 0, bytes: bytes)), .taskDone(done),
        ]
    }

    private static func moved(_ message: WorkerMessage, by count: UInt32) -> WorkerMessage {
        guard case .resultPart(var part) = message else { return message }
        part.sequence += count
        return .resultPart(part)
    }

    /// One worker spoils its first task that `picks` chooses.
    private static func check(
        _ spoilt: Spoilt, tile: PixelSize, picks: @escaping @Sendable (WorkerTask) -> Bool
    ) throws {
        // However busy the machine is: nobody is lost for being slow.
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let isSpoilt = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        farm.hire(
            FakeWorker.Script(
                name: "bad",
                answer: { task, _ in
                    let isChosen =
                        picks(task)
                        && isFirst.withLock { first in
                            defer { first = false }
                            return first
                        }
                    return isChosen ? spoilt.answer : .good
                },
                // The other one comes when all has been said, or it would be done first.
                onDone: { task in if picks(task) { isSpoilt.signal() } }))
        farm.submit(1, tile: tile)
        try #require(isSpoilt.wait(timeout: .now() + 20) == .success)
        farm.hire("good") { _, _ in .good }
        let outcome = try #require(try farm.end(of: 1)?.get())
        let grid = TileGrid(output: PixelSize(width: 100, height: 300), tile: tile)
        #expect(farm.file("a.png") == FakePicture.file(grid, .rgb))
        #expect(outcome.attemptCount > grid.count + 3)
        let departures = farm.departures(of: "bad")
        #expect(departures.count == 1 && departures[0].hasPrefix("bad result: "), "\(departures)")
        #expect(farm.departures(of: "good").isEmpty)
    }

    @Test(arguments: ofAnyKind + bands) func ofABand(spoilt: Spoilt) throws {
        try Self.check(spoilt, tile: PixelSize(width: 100, height: 50)) { task in
            if case .render = task { true } else { false }
        }
    }

    @Test(arguments: ofAnyKind + blocks) func ofATile(spoilt: Spoilt) throws {
        try Self.check(spoilt, tile: PixelSize(width: 50, height: 60)) { task in
            if case .render = task { true } else { false }
        }
    }

    @Test(arguments: ofAnyKind + blocks + images) func ofAnImage(spoilt: Spoilt) throws {
        try Self.check(spoilt, tile: PixelSize(width: 100, height: 50)) { task in
            if case .decode(let decode) = task { decode.use == .color } else { false }
        }
    }

    /// Whatever a worker says of its times and of what it takes, sums hold.
    @Test func numbersAtTheirEndsAreHarmless() throws {
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        farm.hire("boaster") { _, _ in
            .resaid { messages in
                Self.changingEnd(messages) { done in
                    done.phases = PhaseTimes(decode: .max, raster: .max, composite: .max, encode: .max)
                }
            }
        }
        farm.submit(1, tile: PixelSize(width: 100, height: 50))
        let outcome = try #require(try farm.end(of: 1)?.get())
        let sum = [outcome.phases.decode, outcome.phases.raster, outcome.phases.encode].reduce(0.0) { $0 + Double($1) }
        #expect(sum <= 3 * 9 * Double(outcome.elapsed))
        #expect(farm.departures(of: "boaster").isEmpty)
    }

    /// Requests for blocks in any number and from any offset are answered or end the session, nothing more.
    @Test func requestsForBlocksAreBounded() throws {
        let farm = try Farm { $0.livenessMilliseconds = 60_000 }
        defer { farm.stop() }
        let socket = try ZeroMQSocket(.dealer, context: farm.context)
        try socket.connect(farm.endpoint)
        func say(_ message: WorkerMessage) throws {
            while try socket.send([message.encoded()]) != .sent { usleep(1_000) }
        }
        func hear() throws -> BrokerMessage {
            var items = [socket.pollItem()]
            _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 10_000)
            return try BrokerMessage(frame: try #require(try socket.receive()).parts[0])
        }
        let hello = Hello(
            rendererVersion: "fake 1", workerName: "asker", threads: 4096, taskCredits: 4096, byteCredits: .max)
        try say(.hello(hello))
        farm.submit(1, tile: PixelSize(width: 100, height: 50))
        var png: BlockID?
        while png == nil {
            guard case .task(let assignment) = try hear(), case .inline(let bytes) = assignment.payload else {
                continue
            }
            png = try WorkerTask(decoding: bytes).blocks.first
        }
        let id = try #require(png)
        for offset in [UInt64.max, 1 << 63, 1 << 32] { try say(.blockRequest([BlockRange(id: id, offset: offset)])) }
        try say(.blockRequest([BlockRange(id: BlockID(hashing: [1]), offset: 0)]))
        var missing = 0
        while missing < 4 { if case .blockMissing = try hear() { missing += 1 } }
        let many = [BlockRange](repeating: BlockRange(id: id, offset: 0), count: ProtocolLimits.requestedBlocks)
        // Nothing is read from the socket meanwhile, so that the broker cannot get rid of the answers.
        for _ in 0..<40 { try say(.blockRequest(many)) }
        farm.hire("good") { _, _ in .good }
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(farm.departures(of: "asker").contains("it asks for too much at once"))
    }
}
