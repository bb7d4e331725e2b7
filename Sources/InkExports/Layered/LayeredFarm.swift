package import InkCodecs
import InkEngine
import InkSystem
import Synchronization

extension PictureFileOptions {
    /// Whether the file holds the layers of the project.
    package var isLayered: Bool { PictureCodecs.codec(of: encoding.format)?.isLayered ?? false }
}

/// A farm that also makes files with layers: it lets another farm render a picture of each layer, and puts the file
/// together when all of them are there. Pictures without such files go to the other farm as they are.
final class LayeredFarm: ExportFarm {
    /// The ids of the other farm's pictures, so that none is one of a run's own.
    private static let firstPartID = 1 << 40

    private struct State {
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        /// The picture that each picture of the other farm is a part of.
        var owners: [Int: Int] = [:]
        var nextID = LayeredFarm.firstPartID
        var isCancelling = false
    }

    private let farm: any ExportFarm
    private let sha256: @Sendable ([UInt8]) -> [UInt8]
    private let state = Mutex(State())
    /// The pictures that are being made; used on the lane.
    private let jobs = Mutex<[Int: LayeredJob]>([:])
    private let lane: Lane

    /// - Parameter farm: renders the pictures.
    /// - Throws: if no thread can be started.
    init(_ farm: any ExportFarm, _ sha256: @escaping @Sendable ([UInt8]) -> [UInt8]) throws(ExportError) {
        self.farm = farm
        self.sha256 = sha256
        do throws(SystemFailure) { lane = try Lane(stackBytes: PosixThread.standardStackBytes) } catch {
            throw .noThread("files with layers", error)
        }
    }

    var rendererVersion: String { farm.rendererVersion }
    var threadCount: Int { farm.threadCount }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
        try farm.start { [weak self] event in self?.take(event) }
    }

    func submit(_ request: PictureRequest) {
        guard request.options.files.contains(where: \.isLayered) else { return farm.submit(request) }
        lane.run { [self] in begin(request) }
    }

    func cancelAll() {
        state.withLock { $0.isCancelling = true }
        farm.cancelAll()
        // What has not been submitted yet must not be, and what has been since then is cancelled too.
        lane.run { [self] in farm.cancelAll() }
    }

    func stop() {
        farm.stop()
        // These are left by a farm that has not kept its promise to end all.
        lane.run { [self] in
            jobs.withLock { jobs in
                for job in jobs.values { job.discard() }
                jobs = [:]
            }
        }
        lane.wait()
    }

    private func tell(_ event: FarmEvent) { state.withLock(\.onEvent)?(event) }

    // MARK: - On the lane

    private func begin(_ request: PictureRequest) {
        guard !state.withLock(\.isCancelling) else { return tell(.cancelled(request.id)) }
        let job: LayeredJob
        do throws(PictureFailure) {
            job = try LayeredJob(request, sha256: sha256)
        } catch {
            return tell(.failed(request.id, error))
        }
        if !job.warnings.isEmpty {
            tell(.warned(request.id, job.warnings.map { ReadingWarning(.other, at: nil, $0) }))
        }
        jobs.withLock { $0[request.id] = job }
        for part in job.parts.indices { submit(job.request(part, id: newID(of: request.id, part, job))) }
    }

    private func newID(of picture: Int, _ part: Int, _ job: LayeredJob) -> Int {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            state.owners[state.nextID] = picture
            return state.nextID
        }
        job.ids[id] = part
        return id
    }

    /// Takes an event of the other farm, on any thread.
    private func take(_ event: FarmEvent) {
        guard let id = event.id, let picture = state.withLock({ $0.owners[id] }) else { return tell(event) }
        // A part's project is small beside what is kept for the others.
        if case .taken = event { return }
        lane.run { [self] in
            guard let job = jobs.withLock({ $0[picture] }) else { return }
            take(event, id: id, job, picture)
        }
    }

    private func take(_ event: FarmEvent, id: Int, _ job: LayeredJob, _ picture: Int) {
        switch event {
        case .taken, .incomplete, .news: break
        case .warned(_, let warnings): tell(.warned(picture, warnings))
        case .started:
            if job.begin() { tell(.started(picture)) }
        case .progress(_, let done, let total):
            let progress = job.note(id, done: done, total: total)
            tell(.progress(picture, done: progress.done, total: progress.total))
        case .timeLeft(_, let time): if let whole = job.note(id, time) { tell(.timeLeft(picture, whole)) }
        case .finished(_, let report): ended(id, job, picture) { job.finish(id, report) }
        case .failed(_, let failure): ended(id, job, picture) { job.fail(failure) }
        case .cancelled: ended(id, job, picture) { job.isCancelled = true }
        }
    }

    private func ended(_ id: Int, _ job: LayeredJob, _ picture: Int, _ note: () -> Void) {
        if state.withLock(\.isCancelling) { job.isCancelled = true }
        note()
        job.ids[id] = nil
        state.withLock { $0.owners[id] = nil }
        guard job.ids.isEmpty else { return }
        switch job.next() {
        case .plain(var request):
            request.ids = [newID(of: picture, job.parts.count, job)] + request.ids.dropFirst()
            farm.submit(request)
        case .end(let event):
            jobs.withLock { $0[picture] = nil }
            tell(event)
        }
    }
}

extension FarmEvent {
    /// The picture that it is about.
    var id: Int? {
        switch self {
        case .taken(let id), .started(let id), .progress(let id, _, _), .timeLeft(let id, _), .finished(let id, _),
            .failed(let id, _), .cancelled(let id), .warned(let id, _), .incomplete(let id, _):
            id
        case .news: nil
        }
    }
}
