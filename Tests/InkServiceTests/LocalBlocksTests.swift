import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport
import InkWorker
import Synchronization
import Testing

@testable import InkPlanning

/// Broker and workers of one process hand blocks over as they are; nothing of it shows in the picture or stays behind.
@Suite(.serialized, .waits) struct LocalBlocksTests {
    private final class Endings: Sendable {
        private let endings = Mutex<[JobID: BrokerError?]>([:])

        func take(_ event: BrokerEvent) {
            switch event {
            case .finished(let id, _): endings.withLock { $0[id] = .some(nil) }
            case .failed(let id, let error): endings.withLock { $0[id] = error }
            default: break
            }
        }

        /// Why each of the exports gave no picture, nil where it did, once all have ended.
        func wait(for count: Int) async throws -> [JobID: BrokerError?] {
            for _ in 0..<2000 {
                let endings = endings.withLock { $0 }
                if endings.count == count { return endings }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw NotEnded()
        }

        private struct NotEnded: Error {}
    }

    private struct Lost: Error, Hashable, CustomStringConvertible {
        var description: String { "lost" }
    }

    private static func image(_ seed: UInt64, _ size: PixelSize, channels: Int) -> EncodedImage {
        var random = SeededGenerator(seed: seed)
        let samples = (0..<size.area * channels).map { _ in UInt8.random(in: 0...255, using: &random) }
        let png =
            channels == 1
            ? MinimalPNGWriter.png(gray: samples, size: size) : MinimalPNGWriter.png(rgba: samples, size: size)
        return EncodedImage(bytes: png, header: ImageHeader(size: size, isHeldWhole: false), place: "image")
    }

    private static func project() -> Project {
        let size = PixelSize(width: 160, height: 240)
        var project = Project(canvasSize: size)
        for number in 0..<3 {
            var layer = Layer()
            layer.opacity = 0.7
            // The first two share a mask.
            layer.maskImage = image(number < 2 ? 1 : 2, size, channels: 1)
            if number == 2 { layer.contentImage = image(3, size, channels: 4) }
            layer.strokes = (0..<5).map { index in
                Stroke(
                    brush: Brush(type: .dots, spacing: 4),
                    points: [
                        StrokePoint(x: Double(10 * index), y: 5), StrokePoint(x: 120, y: Double(40 * index + number)),
                    ])
            }
            project.layers.append(layer)
        }
        return project
    }

    /// The pictures, read back, of the same project exported with those blocks, and a broken project beside it.
    private func export(_ local: LocalBlocks?, name: String, tile: PixelSize?) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let context = try ZeroMQContext()
        let endings = Endings()
        let configuration = BrokerConfiguration(endpoint: "inproc://\(name)")
        let broker = try Broker(
            configuration: configuration, context: context, local: local
        ) { endings.take($0) }
        try broker.start()
        let cache = BlockCache(limitBytes: 1 << 20, local: local)
        let workers = try (0..<2).map { index in
            let configuration = WorkerConfiguration(
                endpoint: "inproc://\(name)", name: "w\(index)", rendererVersion: TileRenderer.version, threads: 1)
            return try Worker(
                configuration: configuration, context: context, runner: EngineTaskRunner(threads: 1), cache: cache)
        }
        for worker in workers { try worker.start() }
        let project = Self.project()
        var broken = project
        broken.layers[2].contentImage?.bytes.removeLast(200)
        let options = PictureOrder(output: PixelSize(width: 320, height: 480), options: PictureOptions(tile: tile))
        for (index, project) in [project, broken].enumerated() {
            broker.submit(
                ExportJob(
                    id: JobID(UInt64(index)), name: "p\(index)", source: .ready(project, options),
                    destination: folder.path + "/\(index).png"))
        }
        let lost = BrokerError.source(export: "p2", Cause(Lost()))
        broker.submit(
            ExportJob(
                id: JobID(2), name: "p2", source: .document(DocumentSource { () throws(BrokerError) in throw lost }),
                destination: folder.path + "/2.png"))
        broker.submit(
            ExportJob(id: JobID(3), name: "p3", source: .ready(project, options), destination: folder.path))
        let ended = try await endings.wait(for: 4)
        #expect(ended[JobID(0)] == .some(nil))
        #expect({ if case .refused?? = ended[JobID(1)] { true } else { false } }(), "\(ended)")
        #expect(ended[JobID(2)] == lost && ended[JobID(3)] == .targetNotAFile(path: folder.path), "\(ended)")
        for worker in workers { try worker.stop() }
        broker.stop()
        let png = try InputFile.read(path: folder.path + "/0.png", limitBytes: 1 << 24)
        return try PNGDecoder.decodeRGBA(png, place: Place(file: "0.png")).rgba
    }

    @Test(arguments: [nil, PixelSize(width: 64, height: 64)])
    func thePictureIsTheSameAndNothingStays(tile: PixelSize?) async throws {
        let name = "local-\(tile == nil ? "bands" : "tiles")"
        let expected = try await export(nil, name: "\(name)-none", tile: tile)
        // Room for everything, for a part, for nothing.
        for room in [1 << 30, 120_000, 0] {
            let local = LocalBlocks(byteCountMax: room)
            let pixels = try await export(local, name: "\(name)-\(room)", tile: tile)
            #expect(pixels == expected, "\(room) bytes of local blocks")
            #expect(local.byteCount == 0 && local.isEmpty, "\(room) bytes of local blocks")
        }
    }

    @Test func aBandThatNobodyWantsIsLetGo() throws {
        let local = LocalBlocks(byteCountMax: 100)
        let name = try #require(local.add(.bytes([1, 2, 3])))
        let band = EncodedPiece(rowCount: 64, rawByteCount: 115_264, adler32: 1, bytes: [])
        let bytes = try ResultItem.localBand(band, name).encodedRecord()
        local.discard(bytes, sequence: 0)
        #expect(local.byteCount == 0)
    }

    @Test func aResultThatNobodyWantsIsLetGo() throws {
        let local = LocalBlocks(byteCountMax: 100)
        let first = try #require(local.add(.bytes([1, 2, 3])))
        let second = try #require(local.add(.bytes([4])))
        #expect(local.add(.bytes([UInt8](repeating: 0, count: 97))) == nil)
        let kept = try #require(local.add(.marks(.strokes([]))))
        let travels = Block(id: kept, frame: [1])
        let items: [ResultItem] = [
            .imageChunk(.samples(Block(id: first, frame: []))), .imageChunk(.constant(7)),
            .imageChunk(.samples(travels)),
            .imageChunk(.samples(Block(id: second, frame: []))),
        ]
        let bytes = try items.flatMap { try $0.encodedRecord() }
        local.discard(bytes, sequence: 1)
        #expect(local.byteCount == 4)
        local.discard(Array(bytes.dropLast()), sequence: 0)
        #expect(local.content(of: first) == nil && local.content(of: second) != nil)
        local.discard(bytes, sequence: 0)
        #expect(local.content(of: second) == nil && local.content(of: kept) != nil)
    }
}
