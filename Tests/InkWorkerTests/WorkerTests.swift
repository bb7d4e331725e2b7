import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkWorker
import Synchronization
import Testing

/// A broker that does what the test says, on the test's thread.
final class ScriptedBroker {
    let context: ZeroMQContext
    let endpoint: String
    private let socket: ZeroMQSocket
    private(set) var identity: [UInt8] = []
    private static let serial = Atomic<Int>(0)

    init() throws {
        context = try ZeroMQContext()
        endpoint = "inproc://worker-test-\(ScriptedBroker.serial.add(1, ordering: .relaxed).newValue)"
        socket = try ZeroMQSocket(.router, context: context)
        try socket.bind(endpoint)
    }

    /// The worker's next message; heartbeats are passed over.
    func next() throws -> WorkerMessage {
        while true {
            var items = [socket.pollItem()]
            try #require(try ZeroMQPoll.wait(&items, timeoutMilliseconds: 30_000) == 1, "the worker is silent")
            let received = try #require(try socket.receive())
            identity = received.parts[0]
            let message = try WorkerMessage(frame: received.parts[1])
            if message != .heartbeat { return message }
        }
    }

    func send(_ message: BrokerMessage) throws { try sendFrame(message.encoded()) }
    func sendFrame(_ frame: [UInt8]) throws { #expect(try socket.send([identity, frame]) == .sent) }

    /// Takes the hello and welcomes the worker.
    @discardableResult
    func welcome(livenessMilliseconds: Int = 60_000) throws -> Hello {
        guard case .hello(let hello) = try next() else {
            throw ProtocolError.outOfSequence(what: "message", found: "another", expected: "hello")
        }
        try send(.welcome(Welcome(heartbeatMilliseconds: 50, livenessMilliseconds: livenessMilliseconds)))
        return hello
    }

    /// Serves blocks until the result of that task is there.
    func result(
        of task: TaskID, kind: ResultKind, blocks: [Block] = [], limit: UInt64 = 1 << 30
    ) throws -> [ResultItem] {
        var assembler = ResultAssembler(task: task, attempt: 1, kind: kind, limitBytes: limit)
        var items: [ResultItem] = []
        while true {
            switch try next() {
            case .blockRequest(let ranges):
                for range in ranges {
                    guard let block = blocks.first(where: { $0.id == range.id }) else {
                        try send(.blockMissing(range.id))
                        continue
                    }
                    for part in TaskSamples.parts(block, from: range.offset) { try send(part) }
                }
            case .resultPart(let part): items += try assembler.append(part)
            case .taskDone(let done):
                try assembler.finish(done)
                return items
            case let other: throw ProtocolError.outOfSequence(what: "message", found: "\(other)", expected: "a result")
            }
        }
    }

    func configuration(threads: Int = 2) -> WorkerConfiguration {
        WorkerConfiguration(endpoint: endpoint, name: "test", rendererVersion: "r1", threads: threads)
    }
}

/// Runs until it is cancelled.
struct EndlessRunner: TaskRunner {
    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        while true {
            try context.checkCancellation()
            usleep(1000)
        }
    }
}

@Suite("Worker over inproc", .timeLimit(.minutes(5)))
struct WorkerTests {
    @Test("It fetches blocks once, renders, and takes its leave")
    func wholeLife() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(), context: broker.context,
            runner: FakeRunner())
        try worker.start()
        let hello = try broker.welcome()
        #expect(hello.threads == 2 && hello.taskCredits == 4 && hello.rendererVersion == "r1")
        let strokes = try TaskSamples.strokes(7)
        let expected: [ResultItem] = [.pixels(try Block(content: [UInt8](repeating: 7, count: 24)))]
        try broker.send(.task(TaskSamples.assignment(1, TaskSamples.tile([strokes.id]))))
        #expect(try broker.result(of: TaskID(1), kind: .pixels, blocks: [strokes]) == expected)
        // The second time there is nobody to ask for the block.
        try broker.send(.task(TaskSamples.assignment(2, TaskSamples.tile([strokes.id]))))
        #expect(try broker.result(of: TaskID(2), kind: .pixels) == expected)
        try broker.send(.drain)
        #expect(try broker.next() == .goodbye(.draining))
        #expect(try broker.next() == .goodbye(.left))
        try worker.waitUntilEnded()
    }

    @Test("It tells that nobody answers, each time that it has waited")
    func unanswered() throws {
        let news = Mutex<[WorkerNews]>([])
        var configuration = WorkerConfiguration(
            endpoint: "tcp://127.0.0.1:9", name: "w", rendererVersion: "test", threads: 1)
        configuration.helloMilliseconds = 20
        let worker = try Worker(
            configuration: configuration, context: try ZeroMQContext(), runner: FakeRunner()
        ) { item in
            news.withLock { $0.append(item) }
        }
        try worker.start()
        for _ in 0..<1000 where news.withLock(\.count) < 3 { usleep(10_000) }
        worker.stopNow()
        #expect(news.withLock { $0 }.prefix(3) == [.unanswered, .unanswered, .unanswered])
    }

    @Test("It tells what its connection goes through")
    func news() throws {
        let broker = try ScriptedBroker()
        let news = Mutex<[WorkerNews]>([])
        let worker = try Worker(
            configuration: broker.configuration(), context: broker.context, runner: FakeRunner()
        ) { item in
            news.withLock { $0.append(item) }
        }
        try worker.start()
        try broker.welcome()
        // A broker that has forgotten it: it introduces itself again.
        try broker.send(.unknownWorker)
        try broker.welcome()
        try broker.send(.drain)
        #expect(try broker.next() == .goodbye(.draining))
        #expect(try broker.next() == .goodbye(.left))
        try worker.waitUntilEnded()
        // While nobody was there it may have said so.
        #expect(
            news.withLock { $0 }.filter { $0 != .unanswered } == [.connected, .disconnected, .connected, .draining])
    }

    @Test("Large blocks and large results travel in parts, within a small outgoing buffer")
    func large() throws {
        let broker = try ScriptedBroker()
        var configuration = broker.configuration(threads: 1)
        configuration.outgoingBytes = 1
        let worker = try Worker(
            configuration: configuration, context: broker.context, runner: FakeRunner())
        try worker.start()
        try broker.welcome()
        // Six million bytes that do not compress: two windows there, six parts back.
        var state: UInt64 = 1
        let pixels = (0..<2_000_000 * 3).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let block = try Block(content: pixels)
        let rect = PixelRect(x: 0, y: 0, width: 2000, height: 1000)
        let task = WorkerTask.encode(
            EncodeTask(
                rect: rect, format: .rgb, encoding: PieceEncoding(PictureEncoding(effort: .fast), isLast: true),
                pieces: [BandTile(rect: rect, block: block.id)]))
        try broker.send(.task(TaskSamples.assignment(1, task)))
        let items = try broker.result(of: TaskID(1), kind: .band, blocks: [block])
        #expect(
            items
                == [.band(EncodedPiece(rowCount: 1000, rawByteCount: pixels.count, adler32: 1, bytes: pixels))])
        try worker.stop()
    }

    @Test("Bad input and a result over its limit come back as failures")
    func failures() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(), context: broker.context,
            runner: FakeRunner())
        try worker.start()
        try broker.welcome()
        let place = Place(file: "f.ink", path: "baseImage")
        let png = try Block(content: [0])
        let task = WorkerTask.decode(DecodeTask(image: png.id, use: .color, place: place, limits: Limits()))
        try broker.send(.task(TaskSamples.assignment(1, task)))
        #expect(try broker.next() == .blockRequest([BlockRange(id: png.id)]))
        try broker.send(TaskSamples.parts(png)[0])
        #expect(
            try broker.next()
                == .taskFailed(
                    TaskFailed(task: TaskID(1), attempt: 1, kind: .badInput, place: place, text: "not a PNG")))
        try broker.send(.task(TaskSamples.assignment(2, TaskSamples.tile(), resultLimit: 10)))
        guard case .taskFailed(let failed) = try broker.next() else {
            Issue.record("expected a failure")
            return
        }
        #expect(failed.kind == .internalError && failed.text.contains("the broker allows 10"))
        try worker.stop()
    }

    @Test("Running and waiting runs are cancelled, and the worker goes on")
    func cancel() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(threads: 1), context: broker.context, runner: EndlessRunner())
        try worker.start()
        try broker.welcome()
        for id in 1...2 { try broker.send(.task(TaskSamples.assignment(UInt64(id), TaskSamples.tile()))) }
        for id in [2, 1] {
            try broker.send(.cancel(TaskID(UInt64(id))))
            guard case .taskFailed(let failed) = try broker.next() else {
                Issue.record("expected a failure")
                return
            }
            #expect(failed.task == TaskID(UInt64(id)) && failed.kind == .cancelled)
        }
        try worker.stop()
    }

    @Test("A silent broker is greeted anew from another address; garbage does not count as life")
    func silence() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(threads: 1), context: broker.context, runner: EndlessRunner())
        try worker.start()
        try broker.welcome(livenessMilliseconds: 400)
        let first = broker.identity
        try broker.send(.task(TaskSamples.assignment(1, TaskSamples.tile())))
        try broker.sendFrame([1, 2, 3])
        try broker.welcome()
        #expect(broker.identity != first)
        try worker.stop()
        #expect(try broker.next() == .goodbye(.draining))
        #expect(try broker.next() == .goodbye(.left))
    }

    @Test("A refused worker says why")
    func refused() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(), context: broker.context, runner: EndlessRunner())
        try worker.start()
        _ = try broker.next()
        try broker.send(.refuse(reason: "renderer too old"))
        #expect(throws: WorkerError.refused(reason: "renderer too old")) { try worker.waitUntilEnded() }
    }

    @Test("It ends at once when told so, in the middle of a run, and without a broker")
    func stopNow() throws {
        let broker = try ScriptedBroker()
        let worker = try Worker(
            configuration: broker.configuration(), context: broker.context, runner: EndlessRunner())
        try worker.start()
        try broker.welcome()
        try broker.send(.task(TaskSamples.assignment(1, TaskSamples.tile())))
        worker.stopNow()
        let alone = try Worker(
            configuration: WorkerConfiguration(
                endpoint: "inproc://nobody", name: "", rendererVersion: "", threads: 3),
            context: broker.context, runner: EndlessRunner())
        try alone.start()
        try alone.stop()
    }

    @Test("A configuration that cannot be is refused", arguments: [0, 513])
    func configuration(threads: Int) throws {
        let context = try ZeroMQContext()
        let configuration = WorkerConfiguration(endpoint: "inproc://x", name: "", rendererVersion: "", threads: threads)
        #expect(throws: WorkerError.configuration(what: "threads", found: "\(threads)", expected: "1 to 512")) {
            try Worker(configuration: configuration, context: context, runner: EndlessRunner())
        }
    }
}
