import Dispatch
import Glibc
import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkService
import InkSystem
import Synchronization

/// Small pictures of jobs, rendered by the farm when somebody looks at them, and kept.
final class Previews: Sendable {
    /// Each fits into a square of this edge, in pixels.
    static let edge = 768
    private static let keptMax = 2_000
    private static let patienceMilliseconds = 10_000

    private let service: FarmService
    private let folder: String
    private let underWay = Mutex<[JobNumber: DispatchGroup]>([:])
    /// So many are rendered at a time, so that jobs are not held up.
    private let places = DispatchSemaphore(value: 2)

    init(_ service: FarmService) {
        self.service = service
        folder = service.previewPath(of: 0).splitPath().folder
    }

    /// Makes the folder, without what an earlier life has left.
    func begin() {
        FileSystem.removeTree(folder)
        mkdir(folder, 0o700)
    }

    /// The PNG file of a job.
    ///
    /// - Throws: why there is none.
    func file(of number: JobNumber) throws(Problem) -> [UInt8] {
        let path = service.previewPath(of: number)
        if let bytes = read(path) { return bytes }
        // Several that look at a job wait for one picture.
        let (group, isFirst) = underWay.withLock { underWay in
            if let group = underWay[number] { return (group, false) }
            let group = DispatchGroup()
            group.enter()
            underWay[number] = group
            return (group, true)
        }
        if !isFirst {
            group.wait()
        } else {
            defer {
                _ = underWay.withLock { $0.removeValue(forKey: number) }
                group.leave()
            }
            places.wait()
            defer { places.signal() }
            let outcome = try rethrowing(
                try service.renderPreview(
                    of: number, edge: Self.edge, waitingMilliseconds: Self.patienceMilliseconds)
            ) { (error: ServiceError) in Problem.missing("preview of job \(number): \(error)") }
            if outcome == nil {
                throw .busy("no worker has rendered the preview yet; ask again later", retrySeconds: 5)
            }
            makeRoom()
        }
        guard let bytes = read(path) else { throw .missing("preview of job \(number)") }
        return bytes
    }

    /// The bytes of a file; nil if it is missing or cannot be read.
    private func read(_ path: String) -> [UInt8]? {
        do throws(SystemFailure) {
            let file = try FileDescriptor(
                opening: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK, operation: "open")
            return try file.read(try file.status().byteCount, at: 0)
        } catch {
            // It is rendered anew.
            return nil
        }
    }

    /// Removes a tenth when there are too many, the oldest first.
    private func makeRoom() {
        // A folder that cannot be read is looked at again after the next preview.
        guard let names = try? FileSystem.names(in: folder), names.count > Self.keptMax else { return }
        let paths = names.map { "\(folder)/\(String(decoding: $0, as: UTF8.self))" }
        let dated = paths.map { path -> (path: String, time: Int) in
            var status = stat()
            return (path, stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0)
        }
        for entry in dated.sorted(by: { $0.time < $1.time }).prefix(names.count / 10) { unlink(entry.path) }
    }
}

extension Gateway {
    /// - Parameter isPlain: all of it sharp, whatever is done.
    func preview(of job: JobFacts, isPlain: Bool) throws(Problem) -> HTTPResponse {
        let headers = [
            (name: "Content-Type", value: "image/png"),
            (name: "Cache-Control", value: job.state.hasEnded || isPlain ? "private, max-age=60" : "no-store"),
        ]
        let file = try previews.file(of: job.number)
        if isPlain || job.state == .finished { return HTTPResponse(200, headers: headers, body: .bytes(file)) }
        let tiles = try found { () throws(ServiceError) in try service.tiles(of: job.number) }
        do throws(EngineError) {
            return HTTPResponse(200, headers: headers, body: .bytes(try CoarsePreview.make(file, tiles)))
        } catch {
            throw Problem(500, "Internal Server Error", "the preview cannot be made: \(error)")
        }
    }
}

/// A preview in which what is not done is coarse.
enum CoarsePreview {
    /// Edge of the squares of one colour, pixels.
    private static let square = 24

    static func make(_ file: [UInt8], _ tiles: JobTiles?) throws(EngineError) -> [UInt8] {
        var image = try PreviewImage(file)
        let sharp = image
        image.average(square)
        if let tiles {
            for (tile, _) in tiles.done {
                func part(_ index: Int, _ edge: Int, _ all: Int, _ pixels: Int) -> Range<Int> {
                    let start = min(all, index * edge)
                    let end = min(all, start + edge)
                    return start * pixels / max(1, all)..<end * pixels / max(1, all)
                }
                let picture = tiles.tiles.picture
                image.copy(
                    sharp, columns: part(tile.column, tiles.tiles.tile.width, picture.width, image.size.width),
                    rows: part(tile.row, tiles.tiles.tile.height, picture.height, image.size.height))
            }
        }
        return try image.file()
    }
}

/// Pixels of a PNG.
private struct PreviewImage {
    let size: PixelSize
    private let format: SampleFormat
    private var channels: Int { format.bytesPerPixel }
    private var samples: [UInt8] = []

    init(_ file: [UInt8]) throws(EngineError) {
        var chunks: [DecodedChunk] = []
        let info = try ImageDecoders.decode(file, as: .color, place: Place(file: "preview")) { chunks.append($0) }
        size = info.size
        format = info.format
        for chunk in chunks {
            switch chunk.content {
            case .samples(let bytes): samples += bytes
            case .constant(let value):
                let pixel = (0..<channels).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                for _ in 0..<(chunk.rows.count * size.width) { samples += pixel }
            }
        }
    }

    mutating func average(_ edge: Int) {
        for top in stride(from: 0, to: size.height, by: edge) {
            for left in stride(from: 0, to: size.width, by: edge) {
                let (rows, columns) = (top..<min(size.height, top + edge), left..<min(size.width, left + edge))
                for channel in 0..<channels {
                    var sum = 0
                    for y in rows {
                        for x in columns { sum += Int(samples[(y * size.width + x) * channels + channel]) }
                    }
                    let mean = UInt8(sum / (rows.count * columns.count))
                    for y in rows {
                        for x in columns { samples[(y * size.width + x) * channels + channel] = mean }
                    }
                }
            }
        }
    }

    mutating func copy(_ other: PreviewImage, columns: Range<Int>, rows: Range<Int>) {
        for y in rows {
            let part =
                (y * size.width + columns.lowerBound) * channels..<(y * size.width + columns.upperBound) * channels
            samples.replaceSubrange(part, with: other.samples[part])
        }
    }

    func file() throws(EngineError) -> [UInt8] {
        try WholePNG.encode(samples: samples, size: size, format: format)
    }
}
