import InkSystem
import Synchronization

/// A farm that finds the best quality with which a picture's file is not larger than asked for: it lets another farm
/// make the picture again and again, and keeps the best file. Pictures without such a bound go to the other farm as
/// they are.
final class BoundedFarm: ExportFarm {
    /// The ids of the other farm's pictures, so that none is one of a run's own, nor of a `LayeredFarm`.
    private static let firstTrialID = 1 << 41

    private struct State {
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        /// The picture that each picture of the other farm is a trial of.
        var owners: [Int: Int] = [:]
        var nextID = BoundedFarm.firstTrialID
        var isCancelling = false
    }

    private let farm: any ExportFarm
    private let state = Mutex(State())
    /// Used on the lane.
    private let jobs = Mutex<[Int: BoundedJob]>([:])
    private let lane: Lane

    /// - Parameter farm: makes the pictures.
    /// - Throws: if no thread can be started.
    init(_ farm: any ExportFarm) throws(ExportError) {
        self.farm = farm
        do throws(SystemFailure) { lane = try Lane(stackBytes: PosixThread.standardStackBytes) } catch {
            throw .noThread("files of limited size", error)
        }
    }

    var rendererVersion: String { farm.rendererVersion }
    var threadCount: Int { farm.threadCount }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        state.withLock { $0.onEvent = onEvent }
        try farm.start { [weak self] event in self?.take(event) }
    }

    func submit(_ request: PictureRequest) {
        guard let bytesMax = request.bytesMax else { return farm.submit(request) }
        lane.run { [self] in begin(request, bytesMax) }
    }

    func cancelAll() {
        state.withLock { $0.isCancelling = true }
        farm.cancelAll()
        // A trial that has been submitted since then is cancelled too.
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

    private var isCancelling: Bool { state.withLock(\.isCancelling) }

    // MARK: - On the lane

    private func begin(_ request: PictureRequest, _ bytesMax: Int) {
        guard !isCancelling else { return tell(.cancelled(request.id)) }
        do throws(PictureFailure) {
            go(on: try BoundedJob(request, bytesMax: bytesMax))
        } catch {
            tell(.failed(request.id, error))
        }
    }

    /// Begins another trial, or ends.
    private func go(on job: BoundedJob) {
        let picture = job.request.id
        guard !isCancelling else { return end(job, .cancelled(picture)) }
        if var trial = job.nextTrial {
            let id = state.withLock { state in
                defer { state.nextID += 1 }
                state.owners[state.nextID] = picture
                return state.nextID
            }
            trial.ids = [id]
            jobs.withLock { $0[picture] = job }
            return farm.submit(trial)
        }
        do throws(PictureFailure) {
            end(job, .finished(picture, try job.publish()))
        } catch {
            end(job, .failed(picture, error))
        }
    }

    private func end(_ job: BoundedJob, _ event: FarmEvent) {
        job.discard()
        jobs.withLock { $0[job.request.id] = nil }
        tell(event)
    }

    /// Takes an event of the other farm, on any thread.
    private func take(_ event: FarmEvent) {
        guard let id = event.id, let picture = state.withLock({ $0.owners[id] }) else { return tell(event) }
        lane.run { [self] in
            guard let job = jobs.withLock({ $0[picture] }) else { return }
            take(event, id: id, job)
        }
    }

    private func take(_ event: FarmEvent, id: Int, _ job: BoundedJob) {
        let picture = job.request.id
        switch event {
        // The project is needed for further trials.
        case .taken, .incomplete, .news: return
        case .warned(_, let warnings): return job.isFirstTrial ? tell(.warned(picture, warnings)) : ()
        case .started: return job.isFirstTrial ? tell(.started(picture)) : ()
        case .progress(_, let done, let total):
            let progress = job.progress(done: done, total: total)
            return tell(.progress(picture, done: progress.done, total: progress.total))
        case .timeLeft(_, let time): return tell(.timeLeft(picture, job.timeLeft(ofTrial: time)))
        case .finished(_, let report):
            job.note(report)
            go(on: job)
        case .failed(_, let failure): end(job, .failed(picture, failure))
        case .cancelled: end(job, .cancelled(picture))
        }
        state.withLock { $0.owners[id] = nil }
    }
}
