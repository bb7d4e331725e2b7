import Glibc
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

/// A picture of which at least one file holds the layers. Used by one thread.
final class LayeredJob: @unchecked Sendable {
    /// What is to be done when no picture of it is being rendered any more.
    enum Step {
        /// Render the files without layers.
        case plain(PictureRequest)
        case end(FarmEvent)
    }

    /// A file with layers.
    private struct File {
        /// Its place among the picture's files.
        var index: Int
        var format: PictureFormat
        var output: String
        var digest: PictureDigest?
        var picture: LayeredPicture
        var written: PendingFile
    }

    /// Pictures to render, each once.
    let parts: [LayeredPart]
    /// What differs between the project and a file, with the name of the format in front.
    let warnings: [String]
    /// The parts that are being rendered, by the farm's ids.
    var ids: [Int: Int] = [:]
    var isCancelled = false

    private let whole: PictureRequest
    private let effort: EncodingEffort
    private let sha256: ([UInt8]) -> [UInt8]
    /// Where the parts are written to.
    private let folder: String
    private var files: [File]
    private var plain: PictureRequest?
    private var hasBegun = false
    private var progress: [Int: Double] = [:]
    private var timesLeft: [Int: TimeLeft] = [:]
    private var failure: PictureFailure?
    private var report: PictureReport
    /// Since the first task.
    private var clock = Stopwatch()
    private var results: [Int: WrittenFile] = [:]
    private var pictures: [LayeredPart: ORAWriter.Picture] = [:]
    private var planes: [LayeredPart: PackedPlanes] = [:]

    /// Creates the files, and a folder for the parts beside the first of them.
    ///
    /// - Throws: if a file cannot be created, or the project has more than a format can hold; nothing is left then.
    init(_ request: PictureRequest, sha256: @escaping ([UInt8]) -> [UInt8]) throws(PictureFailure) {
        whole = request
        report = PictureReport(size: request.size)
        self.sha256 = sha256
        files = []
        let place = Place(file: request.name)
        var made: [File] = []
        do throws(EngineError) {
            try request.options.checkFormats(request.size, place: place)
            for (index, options) in request.options.files.enumerated() where options.isLayered {
                let format = options.encoding.format
                let picture = try LayeredPicture(
                    request.project, request.options, size: request.size,
                    format == .ora ? ORAWriter.abilities : PSDWriter.abilities, place: place)
                if format != .ora { try PSDWriter.check(picture, place: place) }
                let output = request.outputs[index]
                let written = try EngineError.wrapping { () throws(SystemFailure) in
                    try PendingFile(target: output, replaces: request.replacesFile)
                }
                made.append(
                    File(
                        index: index, format: format, output: output,
                        digest: options.digest.flatMap { PictureDigest(bytes: $0) }, picture: picture,
                        written: written))
            }
            let parent = made[0].written.temporary.splitPath().folder
            folder = try TemporaryFolder.make(".ink-layers", in: parent.isEmpty ? "." : parent)
        } catch {
            for index in made.indices { made[index].written.discard() }
            throw PictureFailure(error)
        }
        files = made
        var parts: [LayeredPart] = []
        var warnings: [String] = []
        for file in made {
            for part in file.picture.parts where !parts.contains(part) { parts.append(part) }
            let name = PictureCodecs.codec(of: file.format)?.name ?? ""
            warnings += file.picture.warnings.map { "\(name): \($0)" }
        }
        self.parts = parts
        self.warnings = warnings
        // Where no file keeps the PNGs, they need not be small.
        effort = request.options.files.first { $0.encoding.format == .ora }?.encoding.effort ?? .fast
        plain = LayeredJob.plain(request)
    }

    /// The files without layers; nil without any.
    private static func plain(_ request: PictureRequest) -> PictureRequest? {
        let kept = request.options.files.indices.filter { !request.options.files[$0].isLayered }
        guard !kept.isEmpty else { return nil }
        var plain = request
        plain.options.files = kept.map { request.options.files[$0] }
        plain.outputs = kept.map { request.outputs[$0] }
        plain.ids = kept.map { request.ids[$0] }
        return plain
    }

    /// What renders a part.
    func request(_ index: Int, id: Int) -> PictureRequest {
        let part = parts[index]
        let file = files.first { $0.picture.parts.contains(part) } ?? files[0]
        let source = file.picture.source(of: part, effort: effort)
        // The pictures of one project have one content, but these are of different ones.
        let isWhole = part == .merged || part == .thumbnail
        return PictureRequest(
            id: id, name: whole.name, project: source.project, size: source.size, options: source.options,
            output: path(index),
            contentDigest: isWhole
                ? whole.contentDigest : sha256(whole.contentDigest + Array("part \(part)".utf8)),
            text: isWhole ? whole.text : nil, warnings: whole.warnings, wantsFileDigest: false)
    }

    private func path(_ index: Int) -> String { folder.appendingPath("\(index).png") }

    // MARK: - Events

    /// Whether this is the beginning.
    func begin() -> Bool {
        if hasBegun { return false }
        (hasBegun, clock) = (true, Stopwatch())
        return true
    }

    /// The progress of all, in thousandths of a picture.
    func note(_ id: Int, done: Int, total: Int) -> (done: Int, total: Int) {
        let unit = 1_000
        if let part = ids[id] { progress[part] = Double(done) / Double(max(total, 1)) }
        let sum = progress.values.reduce(0, +)
        return (
            Int(sum * Double(unit)), (parts.count + (whole.options.files.contains { !$0.isLayered } ? 1 : 0)) * unit
        )
    }

    /// Until all parts that are being rendered are done; nil while that is not known.
    func note(_ id: Int, _ time: TimeLeft) -> TimeLeft? {
        timesLeft[id] = time
        let times = ids.keys.compactMap { timesLeft[$0] }
        return times.count == ids.count ? times.reduce(nil) { $0?.joined($1) ?? $1 } : nil
    }

    func fail(_ failure: PictureFailure) {
        if self.failure == nil { self.failure = failure }
    }

    /// A part, or the files without layers, have been written.
    func finish(_ id: Int, _ own: PictureReport) {
        guard let index = ids[id] else { return }
        report.add(own)
        progress[index] = 1
        guard index < parts.count else {
            let kept = whole.options.files.indices.filter { !whole.options.files[$0].isLayered }
            for (file, written) in zip(kept, own.files) { results[file] = written }
            return
        }
        guard failure == nil, !isCancelled else { return }
        measured { () throws(EngineError) in try pack(index) }
    }

    private func pack(_ index: Int) throws(EngineError) {
        let part = parts[index]
        let png = try FileSystem.read(path(index), limitBytes: .max)
        for file in files where file.picture.parts.contains(part) {
            if file.format == .ora {
                pictures[part] = ORAWriter.Picture(path: path(index), bytes: png)
            } else if planes[part] == nil {
                let channels: PackedPlanes.Channels
                switch part {
                case .mask: channels = .mask
                case .merged: channels = .merged
                default: channels = .layer
                }
                planes[part] = try PackedPlanes(of: png, channels, path: folder.appendingPath("\(index).planes"))
            }
        }
        if pictures[part] == nil { unlink(path(index)) }
    }

    /// Nothing is being rendered: writes the files with layers, or gives all files their names.
    func next() -> Step {
        if failure == nil, !isCancelled {
            measured { () throws(EngineError) in
                for index in files.indices where results[files[index].index] == nil { try write(index) }
            }
            if failure == nil, let plain {
                self.plain = nil
                return .plain(plain)
            }
        }
        if failure == nil, !isCancelled { measured { () throws(EngineError) in try publish() } }
        discard()
        if let failure { return .end(.failed(whole.id, failure)) }
        if isCancelled { return .end(.cancelled(whole.id)) }
        report.files = whole.outputs.indices.map { results[$0] ?? WrittenFile(byteCount: 0, digest: []) }
        report.elapsed = clock.nanoseconds
        return .end(.finished(whole.id, report))
    }

    private func write(_ index: Int) throws(EngineError) {
        let file = files[index]
        var sink = LayeredSink(file.written)
        do throws(EngineError) {
            if file.format == .ora {
                let writer = try ORAWriter(
                    file.picture, size: whole.size, description(file), pictures: pictures)
                try writer.write(to: &sink, place: Place(file: file.output))
            } else {
                let writer = try PSDWriter(
                    file.picture, size: whole.size, description(file), isLarge: file.format == .psb, planes: planes)
                try writer.write(to: &sink)
            }
        } catch {
            files[index].written = sink.abandon()
            throw error
        }
        let finished = sink.finish()
        files[index].written = finished.file
        if let failure = finished.failure { throw failure }
        var written: [UInt8] = []
        if whole.wantsFileDigest {
            let digest = SHA256()
            let temporary = finished.file.temporary
            try EngineError.wrapping { () throws(SystemFailure) in
                let opened = try FileDescriptor(opening: temporary, flags: O_RDONLY, operation: "open")
                var buffer = [UInt8](repeating: 0, count: 1 << 20)
                while true {
                    let count = try opened.read(into: &buffer)
                    if count == 0 { break }
                    buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                }
            }
            written = digest.finish()
        }
        results[file.index] = WrittenFile(byteCount: finished.file.byteCount, digest: written)
    }

    private func description(_ file: File) -> PictureDescription {
        whole.options.description(
            of: whole.project, output: whole.size, software: "ink \(ProgramVersion.text)", digest: file.digest?.bytes)
    }

    private func publish() throws(EngineError) {
        for index in files.indices {
            try EngineError.wrapping { () throws(SystemFailure) in try files[index].written.publish() }
        }
    }

    /// Removes what has no name yet.
    func discard() {
        TemporaryFolder.remove(folder)
        for index in files.indices { files[index].written.discard() }
    }

    private func measured(_ body: () throws(EngineError) -> Void) {
        let clock = Stopwatch()
        do throws(EngineError) { try body() } catch { fail(PictureFailure(error)) }
        report.phases.stitch += clock.nanoseconds
    }
}

extension PictureReport {
    /// Adds what a part took.
    mutating func add(_ other: PictureReport) {
        phases.add(other.phases)
        tileCount += other.tileCount
        if let found = other.foundCount { foundCount = (foundCount ?? 0) + found }
        brokerCPU &+= other.brokerCPU
        attemptCount += other.attemptCount
        if let sent = other.bytesSent { bytesSent = (bytesSent ?? 0) + sent }
        if let received = other.bytesReceived { bytesReceived = (bytesReceived ?? 0) + received }
    }
}
