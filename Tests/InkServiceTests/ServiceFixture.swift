import Foundation
import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkReading
import InkService
import InkTestSupport
import InkWorker
import Synchronization

/// A broker with its store in a temporary folder, workers and a client over loopback, all in this process.
final class Farm {
    let folder: TemporaryFolder
    let context: ZeroMQContext
    private(set) var service: FarmService
    private(set) var workers: [Worker] = []
    let log = FarmLog()

    init(
        workers count: Int = 2, folder: TemporaryFolder? = nil,
        configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws {
        self.folder = try folder ?? TemporaryFolder(prefix: "ink-service")
        context = try ZeroMQContext()
        service = try Farm.makeService(self.folder, context, log, configure)
        try service.start()
        for index in 0..<count { try addWorker("w\(index + 1)") }
    }

    private static func makeService(
        _ folder: TemporaryFolder, _ context: ZeroMQContext, _ log: FarmLog,
        _ configure: (inout ServiceConfiguration) -> Void
    ) throws -> FarmService {
        var broker = BrokerConfiguration(endpoint: "tcp://127.0.0.1:*")
        broker.heartbeatMilliseconds = 200
        broker.livenessMilliseconds = 2_000
        broker.spillFolder = folder.path
        var configuration = ServiceConfiguration(
            clientsEndpoint: "tcp://127.0.0.1:*", dataFolder: folder.path(of: "data"), broker: broker)
        configuration.heartbeatMilliseconds = 200
        configure(&configuration)
        return try FarmService(configuration: configuration, context: context, makeAssembler: { PlainAssembler($0) }) {
            log.add($0)
        }
    }

    func addWorker(
        _ name: String, version: String = "test-1", security: SocketSecurity? = nil,
        runner: (any TaskRunner)? = nil, endpoint: String? = nil
    ) throws {
        var configuration = WorkerConfiguration(
            endpoint: endpoint ?? service.workersEndpoint, name: name, rendererVersion: version, threads: 1)
        configuration.security = security
        configuration.helloMilliseconds = 500
        let worker = try Worker(
            configuration: configuration, context: try ZeroMQContext(),
            runner: runner ?? EngineTaskRunner(threads: 1, documents: TaskDocuments()))
        try worker.start()
        workers.append(worker)
    }

    func stopWorkers() {
        for worker in workers { worker.stopNow() }
        workers = []
    }

    func stop() {
        service.stop()
        service.waitUntilEnded()
        stopWorkers()
    }
}

/// What a broker said.
final class FarmLog: Sendable {
    private let kept = Mutex<[FarmNote]>([])
    var events: [FarmNote] { kept.withLock { $0 } }
    func add(_ event: FarmNote) { kept.withLock { $0.append(event) } }
}

/// A client that remembers what it was told.
final class Client {
    private final class Inbox: Sendable {
        let events = Mutex<[FarmClientEvent]>([])
    }

    private let inbox = Inbox()
    let client: FarmClient

    init(_ endpoint: String, context: ZeroMQContext? = nil, security: SocketSecurity? = nil) throws {
        let inbox = inbox
        var configuration = FarmClientConfiguration(endpoint: endpoint, name: "tester")
        configuration.helloMilliseconds = 500
        configuration.security = security
        client = try FarmClient(configuration: configuration, context: context ?? ZeroMQContext()) { event in
            inbox.events.withLock { $0.append(event) }
        }
        try client.start()
    }

    var events: [FarmClientEvent] { inbox.events.withLock { $0 } }

    /// Waits for an event that `pick` takes; nil after so many seconds.
    func wait<T>(seconds: Double = 60, _ pick: (FarmClientEvent) -> T?) -> T? {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if let found = events.lazy.compactMap(pick).first { return found }
            usleep(5_000)
        }
        return nil
    }

    func submit(
        _ project: Project, name: String = "test.ink", size: SizeSpec = .named("300x300"),
        tile: PixelSize? = nil, delivery: PictureDelivery = .fetch, priority: Int = 0
    ) throws -> SubmissionKey {
        let bytes = try Zstandard.compress(ProjectWriter.write(project))
        var spec = PictureSpec(size: size)
        spec.options.tile = tile
        let submission = Submission(
            key: .random(), name: name,
            source: .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), .zstd),
            picture: spec, delivery: delivery, priority: priority)
        client.submit(submission, content: .bytes(bytes))
        return submission.key
    }

    func until(seconds: Double = 30, _ condition: () -> Bool) -> Bool {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            if condition() { return true }
            usleep(20_000)
        }
        return condition()
    }

    func status() throws -> JSONValue { try JSONReader.read(try client.ask(.status, timeoutMilliseconds: 5_000)) }

    /// Whether some of a job's tiles are done.
    func isRendered(_ job: JobNumber) -> Bool {
        let exports = (try? status())?["exports"]?.array ?? []
        return exports.contains { $0["job"]?.integer == Int(job) && $0["done"]?.integer ?? 0 > 0 }
    }

    func job(of key: SubmissionKey) -> JobNumber? {
        wait { event in
            if case .accepted(key, let job) = event { job } else { nil }
        }
    }

    func ending(of job: JobNumber, seconds: Double = 60) -> JobEnding? {
        wait(seconds: seconds) { event in
            if case .notice(let notice) = event, notice.job == job { notice.ending } else { nil }
        }
    }
}
