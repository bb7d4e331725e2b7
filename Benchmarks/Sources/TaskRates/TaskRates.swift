import Dispatch
import Foundation
import InkBroker
import InkCodecs
import InkEngine
import InkPlanning
import InkProtocol
import Synchronization

/// How many tasks a broker gets through with workers that do nothing: the real broker, real TCP, results that are made
/// up.
///
///     swift run -c release --package-path Benchmarks TaskRates [SECONDS [WORKERS,... [BYTES,...]]]
///
/// For results of 64 bytes and of 256 KiB, and 1, 8, 64 and 512 workers: tasks a second, and the broker's processor
/// time a task, as exports report it. All workers share one thread; what it needs is part of the machine's limit.
@main
enum TaskRates {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
        let seconds = numbers.first?.first ?? 3
        let workerCounts = numbers.dropFirst().first?.map { Int($0) } ?? [1, 8, 64, 512]
        print("| result | workers | tasks a second | MB/s | broker's CPU a task, us |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for bytes in numbers.dropFirst(2).first?.map({ Int($0) }) ?? [64, 256 << 10] {
            for workers in workerCounts {
                let rate = try measure(workers: workers, resultBytes: bytes, seconds: seconds)
                print(
                    "| \(bytes) | \(workers) | \(Int(rate.tasksPerSecond)) | "
                        + "\(Int(rate.tasksPerSecond * Double(bytes) / 1e6)) | "
                        + String(format: "%.1f |", rate.brokerMicroseconds))
            }
        }
    }

    struct Rate {
        var tasksPerSecond: Double
        var brokerMicroseconds: Double
    }

    static func measure(workers: Int, resultBytes: Int, seconds: Double) throws -> Rate {
        // In memory where there is such a folder: the disk is not what is measured.
        let shared = URL(fileURLWithPath: "/dev/shm")
        let root = (try? shared.checkResourceIsReachable()) == true ? shared : FileManager.default.temporaryDirectory
        let folder = root.appendingPathComponent("ink-rates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tally = Tally(folder: folder.path)
        let context = try ZeroMQContext()
        var configuration = BrokerConfiguration(endpoint: "tcp://127.0.0.1:*")
        configuration.spillFolder = folder.path
        configuration.livenessMilliseconds = 30_000
        let broker = try Broker(configuration: configuration, context: context, makeAssembler: { _ in NoFile() }) {
            tally.add($0)
        }
        try broker.start()
        let crew = try Crew(endpoint: broker.boundEndpoint, workers: workers, resultBytes: resultBytes)
        defer {
            broker.stop()
            crew.stop()
        }
        let size = size(resultBytes: resultBytes)
        let order = PictureOrder(
            output: size, options: PictureOptions(tile: PixelSize(width: size.width, height: 16)))
        var submitted: UInt64 = 0
        func keepBusy(until end: Date) {
            while Date() < end {
                while submitted - tally.ended < 6 {
                    submitted += 1
                    broker.submit(
                        ExportJob(
                            id: JobID(submitted), name: "noop.ink", project: Project(canvasSize: size, layers: []),
                            order: order, destination: "\(folder.path)/\(submitted).png"))
                }
                usleep(2_000)
            }
        }
        keepBusy(until: Date().addingTimeInterval(1))
        let (before, start) = (tally.snapshot, Date())
        keepBusy(until: Date().addingTimeInterval(seconds))
        let (after, elapsed) = (tally.snapshot, Date().timeIntervalSince(start))
        let tasks = Double(after.tasks - before.tasks)
        return Rate(
            tasksPerSecond: tasks / elapsed,
            brokerMicroseconds: Double(after.brokerCPU - before.brokerCPU) / 1_000 / max(1, tasks))
    }

    /// 200 tasks. A broker takes no result that is larger than what its pixels can need.
    private static func size(resultBytes: Int) -> PixelSize {
        PixelSize(width: resultBytes > 65_536 ? 8_192 : 16, height: 3_200)
    }
}

/// What has ended.
private final class Tally: Sendable {
    struct Sums {
        var exports: UInt64 = 0
        var tasks = 0
        /// Nanoseconds.
        var brokerCPU: UInt64 = 0
    }

    private let folder: String
    private let sums = Mutex(Sums())

    init(folder: String) { self.folder = folder }

    var snapshot: Sums { sums.withLock { $0 } }
    var ended: UInt64 { snapshot.exports }

    func add(_ event: BrokerEvent) {
        switch event {
        case .finished(let id, let outcome):
            unlink("\(folder)/\(id.rawValue).png")
            sums.withLock {
                $0.exports += 1
                $0.tasks += outcome.tileCount
                $0.brokerCPU += outcome.brokerCPU
            }
        case .failed(_, .cancelled): break
        case .failed(let id, let error): fatalError("\(id): \(error)")
        default: break
        }
    }
}

/// Workers on one thread, each with a connection of its own.
private final class Crew: Sendable {
    private let isStopped = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(endpoint: String, workers: Int, resultBytes: Int) throws {
        Thread { [self] in
            do {
                let context = try ZeroMQContext()
                let filler = (0..<resultBytes).map { UInt8(truncatingIfNeeded: $0 &* 167) }
                let sessions = try (0..<workers).map { index in
                    try Session(endpoint: endpoint, context: context, name: "w\(index)", filler: filler)
                }
                while !isStopped.withLock({ $0 }) {
                    var items = sessions.map { $0.socket.pollItem() }
                    _ = try ZeroMQPoll.wait(&items, timeoutMilliseconds: 20)
                    for (index, session) in sessions.enumerated() where items[index].isReadable { try session.turn() }
                }
            } catch {
                fatalError("workers: \(error)")
            }
            ended.signal()
        }.start()
    }

    func stop() {
        isStopped.withLock { $0 = true }
        ended.wait()
    }
}

private final class Session {
    let socket: ZeroMQSocket
    private let filler: [UInt8]

    init(endpoint: String, context: ZeroMQContext, name: String, filler: [UInt8]) throws {
        self.filler = filler
        socket = try ZeroMQSocket(.dealer, context: context)
        try socket.connect(endpoint)
        try send(
            .hello(
                Hello(rendererVersion: "noop", workerName: name, threads: 1, taskCredits: 3, byteCredits: 1 << 28)))
    }

    func turn() throws {
        while let message = try socket.receive() {
            guard case .task(let assignment) = try BrokerMessage(frame: message.parts[0]),
                case .inline(let bytes) = assignment.payload,
                case .render(let tile) = try WorkerTask(decoding: bytes)
            else { continue }
            try answer(assignment, tile)
        }
    }

    private func answer(_ assignment: TaskAssignment, _ tile: TileTask) throws {
        let count = tile.rect.height * (1 + tile.rect.width * tile.pixelFormat.bytesPerPixel)
        let band = EncodedPiece(rowCount: tile.rect.height, rawByteCount: count, adler32: 1, bytes: filler)
        let bytes = try ResultItem.band(band).encodedRecord()
        var sequence: UInt32 = 0
        for start in stride(from: 0, to: bytes.count, by: ProtocolLimits.partBytes) {
            let piece = Array(bytes[start..<min(bytes.count, start + ProtocolLimits.partBytes)])
            try send(
                .resultPart(
                    ResultPart(task: assignment.task, attempt: assignment.attempt, sequence: sequence, bytes: piece)))
            sequence += 1
        }
        try send(
            .taskDone(
                TaskDone(
                    task: assignment.task, attempt: assignment.attempt, partCount: sequence,
                    resultBytes: UInt64(bytes.count), phases: PhaseTimes())))
    }

    private func send(_ message: WorkerMessage) throws {
        let frame = try message.encoded()
        while try socket.send([frame]) == .busy { usleep(100) }
    }
}

/// Of pictures that nobody wants to see.
private struct NoFile: PictureAssembler {
    mutating func begin() -> [PictureWrite] { [] }
    mutating func add(_ piece: EncodedPiece) -> [PictureWrite] { [.append(piece.bytes)] }
    mutating func end() -> [PictureWrite] { [] }
}
