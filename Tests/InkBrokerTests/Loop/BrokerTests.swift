import Dispatch
import Foundation
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkBroker
@testable import InkPlanning

/// A broker with its workers, a folder for its pictures and what it said.
final class Farm: Sendable {
    let folder: String
    let broker: Broker
    private let workers = Mutex<[FakeWorker]>([])
    private let log: EventLog
    let context: ZeroMQContext
    let endpoint: String

    /// - Parameters:
    ///   - spill: nil: a file in the folder.
    ///   - isRemote: whether workers come over TCP.
    init(
        spill: (any SpillStorage)? = nil, isRemote: Bool = false,
        _ change: (inout BrokerConfiguration) -> Void = { _ in }
    ) throws {
        let name = UUID().uuidString
        folder = NSTemporaryDirectory() + "ink-broker-\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        context = try ZeroMQContext()
        var configuration = BrokerConfiguration(endpoint: isRemote ? "tcp://127.0.0.1:*" : "inproc://\(name)")
        configuration.heartbeatMilliseconds = 50
        // All tests run at once: a worker may have to wait for seconds.
        configuration.livenessMilliseconds = 10_000
        configuration.spillFolder = folder
        change(&configuration)
        let log = EventLog()
        self.log = log
        broker = try Broker(
            configuration: configuration, context: context, makeAssembler: { PlainAssembler($0) },
            spill: spill ?? NamelessFile(in: folder)
        ) { log.add($0) }
        try broker.start()
        endpoint = broker.boundEndpoint
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func hire(_ script: FakeWorker.Script = FakeWorker.Script()) {
        let worker = FakeWorker(endpoint: endpoint, context: context, script: script)
        workers.withLock { $0.append(worker) }
    }

    func hire(_ name: String, answer: @escaping @Sendable (WorkerTask, TaskAssignment) -> FakeAnswer) {
        hire(FakeWorker.Script(name: name, answer: answer))
    }

    func stop() {
        broker.stop()
        for worker in workers.withLock({ $0 }) { worker.stop() }
    }

    /// The end of an export; nil when it does not come.
    func end(of id: UInt64, seconds: Double = 60) -> Result<PictureReport, BrokerError>? {
        log.end(of: JobID(id), seconds: seconds)
    }

    func events(of id: UInt64) -> [BrokerEvent] { log.events(of: JobID(id)) }

    /// Whether its picture was to be made alone, each time that this was said.
    func chosen(for id: UInt64) -> [Bool] {
        log.all.compactMap { if case .alone(JobID(id), let isAlone, _) = $0 { isAlone } else { nil } }
    }

    /// Whether an export has been cut into blocks, and these been put.
    func isPrepared(_ id: UInt64) -> Bool {
        log.all.contains { if case .prepared(JobID(id)) = $0 { true } else { false } }
    }

    func until(seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if try condition() { return true }
            usleep(2_000)
        }
        return try condition()
    }

    /// What the broker says of itself; nil when it does not answer.
    var report: BrokerReport? {
        let reply = Mutex<BrokerReport?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        broker.report { report in
            reply.withLock { $0 = report }
            isThere.signal()
        }
        return isThere.wait(timeout: .now() + 20) == .success ? reply.withLock { $0 } : nil
    }

    /// Whether the broker holds nothing for anybody (any more).
    var isEmpty: Bool {
        report.map { $0.blockBytes == 0 && $0.spilledBytes == 0 && $0.queuedBytes == 0 } == true
    }

    /// Why workers of a name left.
    func departures(of name: String) -> [String] {
        log.all.compactMap { event in
            guard case .worker(let note) = event, note.worker == name, case .left(let reason) = note.what else {
                return nil
            }
            return reason
        }
    }

    func file(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// All files in the folder; the blocks' file has no name.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    func submit(
        _ id: UInt64, _ name: String = "a.png", project: Project? = nil, tile: PixelSize? = nil, priority: Int = 0
    ) {
        let project = project ?? Farm.project()
        let options = PictureOrder(output: project.canvasSize.pixels, options: PictureOptions(tile: tile))
        broker.submit(
            ExportJob(
                id: JobID(id), name: "a.ink", project: project, order: options, destination: folder + "/" + name,
                priority: priority))
    }

    static func project(images: Bool = true, height: Int = 300) -> Project {
        let canvas = PixelSize(width: 100, height: height)
        let strokes = (0..<5).map { Stroke.line(from: (5, Double($0) * 50), to: (95, Double($0) * 50 + 20)) }
        let image = { (name: String) in EncodedImage.fake("\(name) 100 \(height)", width: 100, height: height) }
        return Project(
            canvasSize: canvas, baseImage: images ? image("base") : nil,
            layers: [
                Layer(maskImage: images ? image("mask") : nil, strokes: strokes),
                Layer(contentImage: images ? image("content") : nil, strokes: strokes),
            ])
    }
}

extension BrokerEvent {
    fileprivate var isEnd: Bool {
        switch self {
        case .finished, .failed: true
        default: false
        }
    }
}

private final class EventLog: Sendable {
    private let events = Mutex<[BrokerEvent]>([])

    var all: [BrokerEvent] { events.withLock { $0 } }

    func add(_ event: BrokerEvent) { events.withLock { $0.append(event) } }

    func events(of id: JobID) -> [BrokerEvent] {
        events.withLock { events in
            events.filter {
                switch $0 {
                case .started(let job), .warned(let job, _), .progress(let job, _, _), .timeLeft(let job, _),
                    .finished(let job, _), .failed(let job, _):
                    job == id
                case .prepared, .alone, .planned, .written, .worker, .task, .resultsLost: false
                }
            }
        }
    }

    func end(of id: JobID, seconds: Double) -> Result<PictureReport, BrokerError>? {
        let deadline = Date().addingTimeInterval(seconds)
        while Date() < deadline {
            for event in events(of: id) {
                if case .finished(_, let outcome) = event { return .success(outcome) }
                if case .failed(_, let error) = event { return .failure(error) }
            }
            usleep(2_000)
        }
        return nil
    }
}

@Suite(.serialized) struct BrokerTests {
    private let size = PixelSize(width: 100, height: 300)

    @Test(arguments: [(100, 16, 1), (100, 300, 2), (100, 77, 3), (32, 40, 2), (16, 16, 1), (99, 500, 2)])
    func anyCutGivesTheWholePicture(width: Int, height: Int, workers: Int) throws {
        let farm = try Farm()
        defer { farm.stop() }
        for index in 0..<workers { farm.hire("w\(index)") { _, _ in .good } }
        farm.submit(1, tile: PixelSize(width: width, height: height))
        let outcome = try #require(try farm.end(of: 1)?.get())
        let grid = TileGrid(output: size, tile: PixelSize(width: width, height: height))
        let expected = FakePicture.file(grid, .rgb)
        #expect(farm.file("a.png") == expected)
        #expect(farm.files == ["a.png"])
        #expect(outcome.byteCount == expected.utf8.count && outcome.tileCount == grid.count)
        #expect(outcome.digest == sha256(expected))
        let tasks = grid.count + (grid.isBands ? 0 : grid.rows) + 3
        // Several workers may race each other on a busy machine.
        #expect(workers == 1 ? outcome.attemptCount == tasks : outcome.attemptCount >= tasks)
        #expect((UInt64(tasks * 10)...UInt64(outcome.attemptCount * 10)).contains(outcome.phases.raster))
        #expect(outcome.bytesSent ?? 0 > 0 && outcome.bytesReceived ?? 0 > 0 && outcome.brokerCPU > 0)
    }

    private func sha256(_ text: String) -> [UInt8] { BlockID(hashing: Array(text.utf8)).digest }

    @Test func eventsComeInOrderAndEndOnce() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire()
        farm.submit(1, tile: PixelSize(width: 100, height: 16))
        _ = try #require(try farm.end(of: 1)?.get())
        let events = farm.events(of: 1)
        guard case .started = events.first, case .finished = events.last else {
            Issue.record("\(events)")
            return
        }
        let progress = events.compactMap {
            if case .progress(_, let done, let total) = $0 { (done, total) } else { nil }
        }
        #expect(progress.first! == (0, 19) && progress.last! == (19, 19))
        let estimates = events.count { if case .timeLeft = $0 { true } else { false } }
        #expect(events.count == progress.count + estimates + 2)
    }

    @Test func manyExportsAtOnceAllComeOut() throws {
        let farm = try Farm { $0.activeExports = 3 }
        defer { farm.stop() }
        for index in 0..<3 { farm.hire("w\(index)") { _, _ in .good } }
        for id in UInt64(1)...12 { farm.submit(id, "x\(id)/a.png", tile: PixelSize(width: 100, height: 32)) }
        for id in UInt64(1)...12 {
            _ = try #require(try farm.end(of: id)?.get())
            #expect(farm.file("x\(id)/a.png")?.isEmpty == false)
        }
    }

    @Test func memoryForBlocksGoesToDiskWhenItIsShort() throws {
        let farm = try Farm { $0.blockMemoryBytes = 200 }
        defer { farm.stop() }
        farm.hire()
        farm.submit(1, tile: PixelSize(width: 20, height: 20))
        _ = try #require(try farm.end(of: 1)?.get())
        #expect(
            farm.file("a.png") == FakePicture.file(TileGrid(output: size, tile: PixelSize(width: 20, height: 20)), .rgb)
        )
        #expect(farm.files == ["a.png"])
    }

    @Test(arguments: [
        FakeAnswer.fail(.internalError, "boom"), .wrongRows, .wrongSequence, .wrongImage, .garbage, .fallSilent,
    ])
    func aWorkerThatMisbehavesIsMadeUpForByAnother(answer: FakeAnswer) throws {
        let farm = try Farm { $0.livenessMilliseconds = 300 }
        defer { farm.stop() }
        let count = Mutex(0)
        farm.hire("bad") { _, _ in
            count.withLock {
                $0 += 1; return $0 % 2 == 0 ? answer : .good
            }
        }
        farm.hire("good") { _, _ in .good }
        farm.submit(1, tile: PixelSize(width: 100, height: 16))
        let outcome = try #require(try farm.end(of: 1)?.get())
        #expect(
            farm.file("a.png")
                == FakePicture.file(TileGrid(output: size, tile: PixelSize(width: 100, height: 16)), .rgb))
        #expect(outcome.attemptCount >= 22)
    }

    @Test func aTaskThatAlwaysFailsEndsItsExportWithItsStory() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire("w1") { task, _ in
            if case .render(let tile) = task, tile.rect.y == 32 { .fail(.internalError, "boom") } else { .good }
        }
        farm.submit(1, tile: PixelSize(width: 100, height: 16))
        farm.submit(2, "b.png", tile: PixelSize(width: 100, height: 20))
        guard case .failure(.taskFailed("a.ink", "tile 0,2", let story, _)) = farm.end(of: 1) else {
            Issue.record("\(farm.events(of: 1))")
            return
        }
        #expect(story.count == 3 && story.allSatisfy { $0.contains("on w1: boom") })
        _ = try #require(try farm.end(of: 2)?.get())
        farm.stop()
        #expect(farm.files == ["b.png"])
    }

    @Test func aHungTaskIsGivenToAnotherWorker() throws {
        let farm = try Farm { $0.leaseMilliseconds = 200 }
        defer { farm.stop() }
        farm.hire("hangs") { task, _ in if case .render = task { .hang } else { .good } }
        farm.hire("good") { _, _ in .good }
        farm.submit(1, tile: PixelSize(width: 100, height: 16))
        _ = try #require(try farm.end(of: 1)?.get())
    }

    @Test func badInputIsNotTriedAgain() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire("w1") { task, _ in if case .decode = task { .fail(.badInput, "the PNG is cut") } else { .good } }
        farm.submit(1)
        let place = Place(file: "a.ink", path: "layers[0].maskImage")
        #expect(farm.end(of: 1).failure == .refused(.badInput(place, reason: "the PNG is cut")))
        farm.stop()
        #expect(farm.files.isEmpty)
    }

    @Test func exportsWithoutWorkersDoNotWaitForEver() throws {
        let farm = try Farm { $0.workerWaitMilliseconds = 200 }
        defer { farm.stop() }
        farm.submit(1)
        guard case .failure(.noWorkers("a.ink", let waited)) = farm.end(of: 1) else {
            Issue.record("\(farm.events(of: 1))")
            return
        }
        #expect(waited >= 200)
    }

    @Test func cancellingLeavesNothingBehind() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let reached = DispatchSemaphore(value: 0)
        farm.hire("w1") { task, _ in
            guard case .render(let tile) = task, tile.rect.y >= 160 else { return .good }
            reached.signal()
            return .hold
        }
        farm.submit(1, "deep/er/a.png", tile: PixelSize(width: 100, height: 16))
        farm.submit(2, "b.png", tile: PixelSize(width: 100, height: 150))
        reached.wait()
        farm.broker.cancel(JobID(1))
        #expect(farm.end(of: 1).failure == .cancelled(export: "a.ink"))
        farm.broker.cancel(JobID(1))
        _ = try #require(try farm.end(of: 2)?.get())
        farm.stop()
        #expect(farm.files == ["b.png"])
        #expect(farm.events(of: 1).filter { if case .failed = $0 { true } else { false } }.count == 1)
    }

    /// The document of the number's first life is still being opened when the second begins.
    @Test func aNumberThatIsSubmittedAgainMakesItsOwnPicture() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire()
        let (isReading, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        func job(_ height: Int, waits: Bool) -> ExportJob {
            let source = DocumentSource { () throws(BrokerError) in
                if waits {
                    isReading.signal()
                    mayGoOn.wait()
                }
                let picture = PictureSpec(size: .exact(PixelSize(width: 100, height: height)))
                return OpenedDocument(name: "a.ink", bytes: [1], picture: picture, software: "") { _ in [] }
            }
            return ExportJob(
                id: JobID(1), name: "a.ink", source: .document(source), destination: farm.folder + "/a.png")
        }
        farm.broker.submit(job(100, waits: true))
        isReading.wait()
        farm.broker.cancel(JobID(1))
        #expect(throws: BrokerError.cancelled(export: "a.ink")) { try farm.end(of: 1)?.get() }
        farm.broker.submit(job(200, waits: false))
        mayGoOn.signal()
        let deadline = Date().addingTimeInterval(30)
        while farm.events(of: 1).count(where: \.isEnd) < 2, Date() < deadline { usleep(2_000) }
        let ends = farm.events(of: 1).filter(\.isEnd)
        guard case .finished(_, let outcome) = ends.last else {
            Issue.record("\(ends)")
            return
        }
        #expect(outcome.size == PixelSize(width: 100, height: 200))
    }

    @Test func stoppingEndsEveryExport() throws {
        let farm = try Farm { $0.activeExports = 1 }
        farm.hire("w1") { task, _ in if case .render(let tile) = task, tile.rect.y > 100 { .hang } else { .good } }
        for id in UInt64(1)...3 { farm.submit(id, "\(id).png", tile: PixelSize(width: 100, height: 16)) }
        farm.stop()
        for id in UInt64(1)...3 { #expect(farm.end(of: id, seconds: 1).failure == .cancelled(export: "a.ink")) }
        #expect(farm.files.isEmpty)
    }

    @Test func targetsThatCannotBeWrittenFailBeforeAnythingIsRendered() throws {
        let farm = try Farm()
        defer { farm.stop() }
        let tasks = Mutex(0)
        farm.hire("w1") { _, _ in
            tasks.withLock {
                $0 += 1; return .good
            }
        }
        try FileManager.default.createDirectory(atPath: farm.folder + "/a.png", withIntermediateDirectories: true)
        farm.submit(1)
        #expect(farm.end(of: 1).failure == .targetNotAFile(path: farm.folder + "/a.png"))
        #expect(tasks.withLock { $0 } == 0)
        try Data().write(to: URL(fileURLWithPath: farm.folder + "/file"))
        farm.submit(2, "file/b.png")
        guard case .failure(.output) = farm.end(of: 2) else {
            Issue.record("\(farm.events(of: 2))")
            return
        }
    }

    @Test func projectsOverALimitAreRefused() throws {
        let farm = try Farm()
        defer { farm.stop() }
        var project = Farm.project(images: false)
        project.layers[0].strokes[0].brush.spacing = 1e-9
        farm.submit(1, project: project)
        guard
            case .failure(.refused(.overLimit(Place(file: "a.ink", path: "layers[0].strokes[0]"), _, _, _))) = farm.end(
                of: 1)
        else {
            Issue.record("\(farm.events(of: 1))")
            return
        }
    }

    @Test func tasksTooLargeForAMessageTravelAsBlocks() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire()
        let brush = Brush(type: .solid)
        let strokes = (0..<150_000).map {
            Stroke.line(from: (Double($0 % 90), 1), to: (Double($0 % 90), 2), brush: brush)
        }
        let project = Project(canvasSize: PixelSize(width: 100, height: 32), layers: [Layer(strokes: strokes)])
        farm.submit(1, project: project, tile: PixelSize(width: 100, height: 32))
        _ = try #require(try farm.end(of: 1)?.get())
    }

    @Test func workersOfAnotherRendererAreNotMixedIn() throws {
        let farm = try Farm()
        defer { farm.stop() }
        farm.hire(FakeWorker.Script(name: "first"))
        farm.submit(1)
        _ = try #require(try farm.end(of: 1)?.get())
        let tasks = Mutex(0)
        farm.hire(
            FakeWorker.Script(
                name: "other", renderer: "fake 2",
                answer: { _, _ in
                    tasks.withLock {
                        $0 += 1; return .good
                    }
                }))
        farm.submit(2, "b.png", tile: PixelSize(width: 16, height: 16))
        _ = try #require(try farm.end(of: 2)?.get())
        #expect(tasks.withLock { $0 } == 0)
    }

    @Test func configurationsThatCannotBeAreRefused() throws {
        let context = try ZeroMQContext()
        var configuration = BrokerConfiguration(endpoint: "inproc://never")
        configuration.heartbeatMilliseconds = 500
        configuration.livenessMilliseconds = 400
        #expect(throws: BrokerError.configuration("liveness is 400, it can be 500 to 3600000")) {
            try Broker(
                configuration: configuration, context: context, makeAssembler: { PlainAssembler($0) }, onEvent: { _ in }
            )
        }
    }

    @Test func anEndpointThatIsTakenIsAnError() throws {
        let context = try ZeroMQContext()
        let endpoint = "inproc://\(UUID().uuidString)"
        let make = {
            try Broker(
                configuration: BrokerConfiguration(endpoint: endpoint), context: context,
                makeAssembler: { PlainAssembler($0) }, onEvent: { _ in })
        }
        let first = try make()
        try first.start()
        defer { first.stop() }
        #expect(throws: BrokerError.self) { try make().start() }
    }
}

extension Result<PictureReport, BrokerError>? {
    fileprivate var failure: BrokerError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
