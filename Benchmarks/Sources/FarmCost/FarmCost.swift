import Foundation
import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning
import InkProtocol
import InkWorker
import Synchronization

/// What a farm costs over a loop: the processor time of an export by a broker and a worker in this process, beside that
/// of reading the same project and doing the same tasks one after the other on one thread, without broker, messages,
/// blocks and threads.
///
///     swift run -c release --package-path Benchmarks FarmCost PROJECT [EDGE [RUNS]]
///
/// EDGE is the longest edge of the picture (2048), RUNS how often both are done in turn (5); medians are printed.
@main
enum FarmCost {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else {
            print("FarmCost PROJECT [EDGE [RUNS]]")
            exit(2)
        }
        let edge = arguments.count > 2 ? Int(arguments[2]) ?? 2048 : 2048
        let runs = arguments.count > 3 ? Int(arguments[3]) ?? 5 : 5
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ink-cost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = try Bench(project: arguments[1], edge: edge, folder: folder.path)
        var farm: [Bench.Cost] = []
        var loop: [Double] = []
        for _ in 0...runs {
            farm.append(try bench.runFarm())
            loop.append(try bench.runLoop())
        }
        // The first turn warms caches.
        let (farmMedian, loopMedian) = (median(farm.dropFirst().map(\.processor)), median(loop.dropFirst()))
        let broker = median(farm.dropFirst().map(\.broker))
        print("| project | picture | loop, ms | farm, ms | over the loop | broker, ms | of the farm |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
        let name = URL(fileURLWithPath: arguments[1]).deletingPathExtension().lastPathComponent
        print(
            "| \(name) | \(bench.size) | "
                + String(
                    format: "%.1f | %.1f | %.1f%% | %.1f | %.1f%% |", loopMedian, farmMedian,
                    100 * (farmMedian / loopMedian - 1), broker, 100 * broker / farmMedian))
    }

    private static func median(_ values: some Sequence<Double>) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// One project, exported either way.
final class Bench: Sendable {
    /// Processor milliseconds of an export, all in all and of the broker's threads.
    struct Cost {
        var processor: Double
        var broker: Double
    }

    let size: PixelSize
    private let path: String
    private let folder: String
    private let recorder = RecordingRunner()
    private let context: ZeroMQContext
    private let number = Mutex(0)

    init(project: String, edge: Int, folder: String) throws {
        path = project
        self.folder = folder
        context = try ZeroMQContext()
        let canvas = try ProjectLoader.load(path: project).project.canvasSize
        size = try ExportSize.longestEdge(edge, name: "\(edge)").outputSize(
            canvas: canvas, limits: Limits(), place: Place(file: project))
    }

    /// As `ink export` does it, but for the program around it.
    func runFarm() throws -> Cost {
        let number = number.withLock { number in
            number += 1
            return number
        }
        let local = LocalBlocks(byteCountMax: 128 << 20)
        let ended = DispatchSemaphore(value: 0)
        let outcome = Mutex<PictureReport?>(nil)
        let endpoint = "inproc://cost-\(number)"
        let start = Processor.milliseconds
        let broker = try Broker(
            configuration: BrokerConfiguration(endpoint: endpoint), context: context, local: local
        ) { event in
            switch event {
            case .finished(_, let result):
                outcome.withLock { $0 = result }
                ended.signal()
            case .failed(_, let error): fatalError(error.description)
            default: break
            }
        }
        try broker.start()
        let worker = try Worker(
            configuration: WorkerConfiguration(
                endpoint: endpoint, name: "w", rendererVersion: TileRenderer.version, threads: 1),
            context: context, runner: recorder, cache: BlockCache(limitBytes: 128 << 20, local: local))
        try worker.start()
        recorder.isRecording.store(number == 1, ordering: .relaxed)
        let project = try ProjectLoader.load(path: path).project
        broker.submit(
            ExportJob(
                id: JobID(1), name: "project", project: project, order: PictureOrder(output: size),
                destination: "\(folder)/farm.png"))
        ended.wait()
        broker.stop()
        worker.stopNow()
        let processor = Processor.milliseconds - start
        return Cost(processor: processor, broker: Double(outcome.withLock { $0?.brokerCPU ?? 0 }) / 1e6)
    }

    /// Everything on this thread, but for the digest of what is read; its processor milliseconds.
    func runLoop() throws -> Double {
        let start = Processor.milliseconds
        let project = try ProjectLoader.load(path: path).project
        let (tasks, blocks) = recorder.recorded
        // The recorded blocks have theirs already; this is what making them costs.
        for layer in project.layers { _ = PreparedStrokeBlock(layer.strokes) }
        let renderer = TileRenderer()
        let encoder = BandEncoder()
        var adler32: UInt32 = 1
        var file: [UInt8] = []
        for task in tasks {
            switch task {
            case .decode(let task):
                _ = try PNGDecoder.decode(
                    blocks.bytes(of: task.image), as: task.use, place: task.place, limits: task.limits
                ) { (_: DecodedChunk) throws(EngineError) in }
            case .render(let task):
                guard case .band(let encoding) = task.delivery else { fatalError("a picture of bands is expected") }
                let tile = try renderer.render(task, blocks: blocks)
                let band = try encoder.encode(
                    pixels: tile.pixels, width: task.rect.width, format: task.pixelFormat, encoding: encoding)
                if file.isEmpty {
                    file = try PNGStream.prologue(
                        size: task.output, format: task.pixelFormat, description: PictureDescription())
                }
                file += PNGStream.idat(band.bytes, isFirst: task.rect.y == 0)
                adler32 = Adler32.combine(adler32, band.adler32, lengthB: band.rawByteCount)
            case .encode, .finish, .draw: fatalError("a picture of bands is expected")
            }
        }
        file += PNGStream.epilogue(adler32: adler32)
        try Data(file).write(to: URL(fileURLWithPath: "\(folder)/loop.png"))
        let processor = Processor.milliseconds - start
        // The compressed bytes may differ, what they stand for may not.
        guard try Bench.pixels(file) == Bench.pixels(InputFile.read(path: "\(folder)/farm.png", limitBytes: 1 << 32))
        else { fatalError("the loop has made another picture than the farm") }
        return processor
    }

    private static func pixels(_ png: [UInt8]) throws -> [ChunkPixels<[UInt8]>] {
        let chunks = Mutex<[ChunkPixels<[UInt8]>]>([])
        _ = try PNGDecoder.decode(png, as: .color, place: Place(file: "picture"), limits: Limits()) { chunk in
            chunks.withLock { $0.append(chunk.content) }
        }
        return chunks.withLock { $0 }
    }
}

enum Processor {
    /// What all threads of the process have taken so far.
    static var milliseconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}

/// Does tasks with the engine, and keeps them with all they need.
final class RecordingRunner: TaskRunner {
    private struct Record {
        var tasks: [WorkerTask] = []
        var blocks = RecordedBlocks()
    }

    let isRecording = Atomic<Bool>(true)
    private let engine = EngineTaskRunner(threads: 1)
    private let record = Mutex(Record())

    /// The tasks, images before tiles and these from the top.
    var recorded: (tasks: [WorkerTask], blocks: RecordedBlocks) {
        record.withLock { record in
            func order(_ task: WorkerTask) -> Int { if case .render(let task) = task { task.rect.y } else { -1 } }
            return (record.tasks.sorted { order($0) < order($1) }, record.blocks)
        }
    }

    func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
        if isRecording.load(ordering: .relaxed) { try keep(task, context.blocks) }
        return try engine.run(task, in: context)
    }

    private func keep(_ task: WorkerTask, _ cache: BlockCache) throws(EngineError) {
        var strokes: Set<BlockID> = []
        if case .render(let tile) = task {
            for layer in tile.layers { strokes.formUnion(layer.strokes.map(\.block)) }
        }
        var found = RecordedBlocks()
        for id in task.blocks {
            if strokes.contains(id) {
                // All of them: a block has no more strokes than points.
                found.strokes[id] = try cache.strokes(
                    of: id, among: Array(0..<8192), isSeen: { _ in true }, isCancelled: { false })
            } else {
                found.bytes[id] = try cache.bytes(of: id)
            }
        }
        record.withLock { record in
            record.tasks.append(task)
            record.blocks.bytes.merge(found.bytes) { old, _ in old }
            record.blocks.strokes.merge(found.strokes) { old, _ in old }
        }
    }
}

struct RecordedBlocks: TileBlocks, Sendable {
    var bytes: [BlockID: [UInt8]] = [:]
    var strokes: [BlockID: PreparedStrokeBlock] = [:]

    func bytes(of id: BlockID) throws(EngineError) -> [UInt8] {
        guard let found = bytes[id] else { throw .internalError("block \(id) was not recorded") }
        return found
    }

    func strokes(
        of id: BlockID, among indices: [Int], isSeen: (Rect) -> Bool, isCancelled: () -> Bool
    ) throws(EngineError) -> PreparedStrokeBlock {
        guard let found = strokes[id] else { throw .internalError("block \(id) was not recorded") }
        return found
    }
}
