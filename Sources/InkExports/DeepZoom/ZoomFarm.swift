package import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

extension PictureFileOptions {
    /// Whether the file is a folder, made from an archive.
    package var isFolder: Bool { PictureCodecs.codec(of: encoding.format)?.isFolder ?? false }
}

/// A farm that also makes pictures that are folders: another farm makes an archive of each, which is unpacked beside the
/// place of the folder.
final class ZoomFarm: ExportFarm {
    /// A picture that has such files.
    private struct Job: Sendable {
        var outputs: [String]
        var formats: [PictureFormat]
        var replaces: Bool
        /// Temporary folders, by the number of the file.
        var work: [Int: String] = [:]
        /// Folders that had to be made, outermost first.
        var made: [String] = []

        func folder(_ index: Int, _ work: String) -> ZoomFolderWriting {
            ZoomFolderWriting(
                archive: work.appendingPath(ZoomFarm.archiveName), work: work, output: outputs[index],
                isOneFolder: formats[index] == .iiif, replaces: replaces)
        }

        func discard() {
            for folder in work.values { TemporaryFolder.remove(folder) }
            for folder in made.reversed() { FileSystem.removeEmptyFolder(folder) }
        }
    }

    private struct State {
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        var jobs: [Int: Job] = [:]
    }

    private static let archiveName = "picture.zip"

    private let farm: any ExportFarm
    private let state = Mutex(State())
    private let lane: Lane

    /// - Parameter farm: makes everything else.
    /// - Throws: if no thread can be started.
    init(_ farm: any ExportFarm) throws(ExportError) {
        self.farm = farm
        do throws(SystemFailure) { lane = try Lane(stackBytes: PosixThread.standardStackBytes) } catch {
            throw .noThread("folders of tiles", error)
        }
    }

    var rendererVersion: String { farm.rendererVersion }
    var threadCount: Int { farm.threadCount }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
        try farm.start { [weak self] event in self?.take(event) }
    }

    func submit(_ request: PictureRequest) {
        guard request.options.files.contains(where: \.isFolder) else { return farm.submit(request) }
        var job = Job(
            outputs: request.outputs, formats: request.options.files.map(\.encoding.format),
            replaces: request.replacesFile)
        var inner = request
        do throws(EngineError) {
            for (index, file) in request.options.files.enumerated() where file.isFolder {
                let output = request.outputs[index]
                let folder = output.splitPath().folder
                try EngineError.wrapping(output) { () throws(SystemFailure) in
                    if !folder.isEmpty { try FileSystem.makeFolders(folder, made: &job.made) }
                }
                let work = try TemporaryFolder.make(".ink-zoom", in: folder.isEmpty ? "." : folder)
                job.work[index] = work
                // Before anything is rendered, so that no file is made without the others.
                try job.folder(index, work).checkPlace()
                inner.outputs[index] = work.appendingPath(ZoomFarm.archiveName)
            }
        } catch {
            job.discard()
            return tell(.failed(request.id, PictureFailure(error)))
        }
        inner.wantsFileDigest = request.wantsFileDigest && job.work.count < request.outputs.count
        state.withLock { [job] in $0.jobs[request.id] = job }
        farm.submit(inner)
    }

    func cancelAll() { farm.cancelAll() }

    func stop() {
        farm.stop()
        lane.wait()
        // These are left by a farm that has not kept its promise to end all.
        for job in state.withLock(\.jobs).values { job.discard() }
    }

    private func tell(_ event: FarmEvent) { state.withLock(\.onEvent)?(event) }

    private func take(_ event: FarmEvent) {
        switch event {
        case .finished(let id, let picture):
            guard let job = state.withLock({ $0.jobs.removeValue(forKey: id) }) else { break }
            return lane.run { [self] in finish(id, picture, job) }
        case .failed(let id, _), .cancelled(let id):
            state.withLock { $0.jobs.removeValue(forKey: id) }?.discard()
        case .taken, .started, .progress, .timeLeft, .incomplete, .warned, .news: break
        }
        tell(event)
    }

    private func finish(_ id: Int, _ picture: PictureReport, _ job: Job) {
        var picture = picture
        var failures: [Int: PictureFailure] = [:]
        let clock = Stopwatch()
        for (index, work) in job.work.sorted(by: { $0.key < $1.key }) {
            do throws(EngineError) {
                let bytes = try job.folder(index, work).run()
                picture.files[index] = WrittenFile(byteCount: bytes, digest: [])
            } catch {
                // The other files have their names already.
                failures[index] = PictureFailure(error)
            }
            TemporaryFolder.remove(work)
        }
        if failures.count == job.outputs.count, let failure = failures[0] {
            job.discard()
            return tell(.failed(id, failure))
        }
        picture.phases.stitch += clock.nanoseconds
        picture.elapsed &+= clock.nanoseconds
        if !failures.isEmpty { tell(.incomplete(id, failures)) }
        tell(.finished(id, picture))
    }
}
