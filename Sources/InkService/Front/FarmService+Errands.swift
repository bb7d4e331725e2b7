import InkBroker
import InkCodecs
public import InkEngine
import InkPlanning
public import InkProtocol
import InkStore
import InkSystem
import Synchronization

/// Exports of a front itself, which are nobody's jobs: previews, and the test whether the farm can render.
extension FarmService {
    /// Numbers of errands are above those of jobs.
    static let firstErrand: UInt64 = 1 << 63
    private static let lastErrand = Atomic<UInt64>(0)

    private static let errandPriority = JobPriority.range.upperBound

    /// Where the preview of a job is, if it has been rendered. It is removed with the job.
    public func previewPath(of number: JobNumber) -> String { PictureFolder.previewPath(of: number, in: data) }

    /// Renders a job's picture in a small size, as PNG, for a screen.
    ///
    /// - Parameter edge: of a square that the picture fits into, in pixels.
    /// - Returns: nil if there is no such job, or the farm did not answer in time.
    /// - Throws: `store`, `broker`.
    public func renderPreview(
        of number: JobNumber, edge: Int, waitingMilliseconds: Int
    ) throws(ServiceError) -> PictureReport? {
        let record: JobRecord?
        do throws(StoreError) { record = try store.record(number) } catch { throw .store(error) }
        // A submission that cannot be read is the end of its job, and reported there.
        guard let record, var submission = try? Submission(stored: record.submission) else { return nil }
        submission.delivery = .fetch
        submission.picture.size = .named("\(edge)x\(edge)")
        submission.picture.options.otherFiles = []
        submission.picture.options.encoding = PictureEncoding(format: .png, effort: .fast)
        submission.picture.options.tile = nil
        submission.picture.options.digest = nil
        submission.picture.options.hasMetadata = false
        submission.picture.options.dotsPerInch = nil
        let loader = JobLoader(configuration: configuration, contents: contents) { _ in }
        return try run(waitingMilliseconds: waitingMilliseconds) { [submission] id in
            ExportJob(
                id: id, name: submission.name,
                source: .document(DocumentSource { () throws(BrokerError) in try loader.open(submission) }),
                limits: self.configuration.projectLimits, destination: self.previewPath(of: number),
                priority: Self.errandPriority)
        }
    }

    /// Renders a project in its own size.
    ///
    /// - Returns: nil if the farm did not answer in time.
    /// - Throws: `broker`.
    public func render(
        _ project: Project, _ size: PixelSize, to path: String, waitingMilliseconds: Int
    ) throws(ServiceError) -> PictureReport? {
        try run(waitingMilliseconds: waitingMilliseconds) { id in
            var options = PictureOptions()
            options.hasMetadata = false
            options.encoding.effort = .fast
            let order = PictureOrder(output: size, options: options, software: self.configuration.software)
            return ExportJob(
                id: id, name: "an errand of the broker", project: project, order: order, destination: path,
                priority: Self.errandPriority)
        }
    }

    private func run(
        waitingMilliseconds: Int, _ make: (JobID) -> ExportJob
    ) throws(ServiceError) -> PictureReport? {
        let id = JobID(Self.firstErrand + Self.lastErrand.add(1, ordering: .relaxed).newValue)
        var job = make(id)
        job.isPrivate = true
        job.isEstimated = false
        job.wantsDigest = false
        let errand = Errand()
        mailbox.post(.errand(id, errand))
        broker.submit(job)
        guard let result = errand.wait(milliseconds: waitingMilliseconds) else {
            broker.cancel(id)
            return nil
        }
        do throws(BrokerError) { return try result.get() } catch { throw .broker(error) }
    }
}

/// The end of an export that somebody waits for.
typealias Errand = Answer<Result<PictureReport, BrokerError>>

extension ServiceLoop {
    /// Whether an event is of an errand, and not of a job.
    func takeErrand(_ event: BrokerEvent) -> Bool {
        func isErrand(_ id: JobID) -> Bool { id.rawValue >= FarmService.firstErrand }
        switch event {
        case .started(let id), .warned(let id, _), .prepared(let id), .alone(let id, _, _), .planned(let id, _),
            .progress(let id, _, _),
            .written(let id, _),
            .timeLeft(let id, _):
            return isErrand(id)
        case .task(let note): return isErrand(note.job)
        case .finished(let id, let picture):
            guard isErrand(id) else { return false }
            errands.removeValue(forKey: id)?.give(.success(picture))
            return true
        case .failed(let id, let error):
            guard isErrand(id) else { return false }
            errands.removeValue(forKey: id)?.give(.failure(error))
            return true
        case .worker, .resultsLost: return false
        }
    }
}
