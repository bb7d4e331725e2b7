import InkClient
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem

/// The state of the pictures that a remote farm renders: events in, actions out.
///
/// Pure: it neither waits nor does I/O. Every added picture ends exactly once.
struct RemoteExports: Sendable {
    enum Action: Hashable, Sendable {
        case tell(FarmEvent)
        case watch(JobNumber)
        /// The picture is fetched while the broker still writes it.
        case follow(JobNumber, to: String, as: PictureFormat = .png)
        case fetch(JobNumber, PictureReport, to: String, as: PictureFormat = .png)
        case noticeTaken(UInt64)
        /// The picture's archive is there, and its files are wanted.
        case unpack(Int, archive: String, outputs: [String], formats: [PictureFormat])
        /// Enough jobs may be purged that the broker should learn which.
        case forget
    }

    /// A picture that has not ended.
    private struct Entry {
        var id: Int
        var name: String
        /// Its files, and what they are.
        var outputs: [String]
        var formats: [PictureFormat]
        /// Where it is fetched to: its file, or the archive of several.
        var fetched: String
        var fetchedFormat: PictureFormat { outputs.count == 1 ? formats[0] : .png }
        var key: SubmissionKey
        /// nil until the broker has accepted it.
        var job: JobNumber?
        var hasStarted = false
        var isCancelOrdered = false
        /// The notice of the job's end, while its picture is fetched.
        var finish: (notice: UInt64, picture: PictureReport)?
    }

    /// The broker purges finished jobs in batches of this size.
    static let lotCount = 200

    private var open: [Int: Entry] = [:]
    private var idOfKey: [SubmissionKey: Int] = [:]
    private var idOfJob: [JobNumber: Int] = [:]
    private var forgettable: [JobNumber] = []
    private(set) var isCancelling = false

    var isEmpty: Bool { open.isEmpty }
    /// The known job numbers of pictures that have not ended, ascending.
    var jobs: [JobNumber] { open.values.compactMap(\.job).sorted() }

    /// - Parameters:
    ///   - id: unique in the run.
    ///   - name: what messages call the project.
    ///   - outputs: paths of its files.
    ///   - formats: of these.
    mutating func add(
        _ id: Int, name: String, outputs: [String], formats: [PictureFormat] = [.png], key: SubmissionKey
    ) {
        let (folder, file) = outputs[0].splitPath()
        let archive = folder.appendingPath(".\(file).\(key.bytes.prefix(4).hexadecimal).\(FileType.tar.name)")
        open[id] = Entry(
            id: id, name: name, outputs: outputs, formats: formats,
            fetched: outputs.count == 1 ? outputs[0] : archive, key: key)
        idOfKey[key] = id
    }

    /// Ends a picture that could not be submitted.
    mutating func fail(_ id: Int, _ failure: PictureFailure) -> [Action] { end(id, .failed(id, failure)) }

    /// Ends a picture that is no longer wanted.
    mutating func cancel(_ id: Int) -> [Action] { end(id, .cancelled(id)) }

    /// Ends all of them, in their order.
    mutating func failAll(_ failure: PictureFailure) -> [Action] { open.keys.sorted().flatMap { fail($0, failure) } }

    mutating func cancelAll() -> [Action] { open.keys.sorted().flatMap { cancel($0) } }

    private mutating func end(_ id: Int, _ event: FarmEvent) -> [Action] {
        guard let entry = open.removeValue(forKey: id) else { return [] }
        idOfKey[entry.key] = nil
        if let job = entry.job { idOfJob[job] = nil }
        return [.tell(event)]
    }

    // MARK: - Events of the client

    mutating func take(_ event: FarmClientEvent) -> [Action] {
        switch event {
        case .connected, .disconnected, .refused, .busy: return []
        case .accepted(let key, let job):
            guard let id = idOfKey[key] else { return [] }
            open[id]?.job = job
            idOfJob[job] = id
            return [.watch(job), .tell(.taken(id))]
        case .rejected(let key, let rejection):
            guard let id = idOfKey[key], let entry = open[id] else { return [] }
            return isCancelling ? cancel(id) : fail(id, PictureFailure(rejection, name: entry.name))
        case .progress(let job, let done, let total, let timeLeft):
            guard let id = idOfJob[job], let entry = open[id] else { return [] }
            let first: [Action] =
                entry.hasStarted ? [] : begin(id) + [.follow(job, to: entry.fetched, as: entry.fetchedFormat)]
            let estimate: [Action] = timeLeft.map { [.tell(.timeLeft(id, $0))] } ?? []
            return first + [.tell(.progress(id, done: done, total: total))] + estimate
        case .notice(let notice): return ended(notice)
        case .fetched(let job, _, let bytes): return fetched(job, folderBytes: bytes)
        case .fetchFailed(let job, let error):
            guard let id = idOfJob[job], let entry = open[id] else { return [] }
            // A picture that cannot be written on this machine is not fetched again.
            if entry.finish != nil, !isCancelling { forgettable.append(job) }
            let taken: [Action] = entry.finish.map { [.noticeTaken($0.notice)] } ?? []
            return taken + (isCancelling ? cancel(id) : fail(id, PictureFailure(error)))
        }
    }

    private mutating func begin(_ id: Int) -> [Action] {
        if open[id]?.hasStarted != false { return [] }
        open[id]?.hasStarted = true
        return [.tell(.started(id))]
    }

    private mutating func ended(_ notice: Notice) -> [Action] {
        guard let id = idOfJob[notice.job], let entry = open[id] else { return [.noticeTaken(notice.id)] }
        let first = begin(id)
        if case .finished(let picture) = notice.ending, !isCancelling {
            open[id]?.finish = (notice.id, picture)
            return first + [.fetch(notice.job, picture, to: entry.fetched, as: entry.fetchedFormat)]
        }
        let taken = first + [.noticeTaken(notice.id)]
        switch notice.ending {
        case .finished:
            // The job was cancelled at the same moment; the picture is no longer fetched.
            forgettable.append(notice.job)
            return taken + cancel(id)
        case .cancelled where isCancelling: return taken + cancel(id)
        case .unknown:
            let reason =
                "the broker has lost job \(notice.job), because its data was restored or replaced; export again"
            return taken + fail(id, PictureFailure(kind: .unreachable, reason: reason))
        case .failed, .cancelled:
            return taken + (PictureFailure(notice.ending, job: notice.job).map { fail(id, $0) } ?? [])
        }
    }

    private mutating func fetched(_ job: JobNumber, folderBytes: Int?) -> [Action] {
        guard let id = idOfJob[job], let entry = open[id], let picture = entry.finish?.picture else { return [] }
        if entry.outputs.count > 1 {
            return [.unpack(id, archive: entry.fetched, outputs: entry.outputs, formats: entry.formats)]
        }
        var report = picture
        if let folderBytes { report.files = [WrittenFile(byteCount: folderBytes, digest: [])] }
        return finished(id, report)
    }

    /// The picture is in its place: only now the broker may forget it.
    private mutating func finished(_ id: Int, _ picture: PictureReport) -> [Action] {
        guard let entry = open[id], let notice = entry.finish?.notice, let job = entry.job else { return [] }
        forgettable.append(job)
        let lot: [Action] = forgettable.count >= Self.lotCount ? [.forget] : []
        return [.noticeTaken(notice)] + lot + end(id, .finished(id, picture))
    }

    /// Takes what has come of unpacking.
    mutating func unpacked(_ id: Int, _ result: Result<[WrittenFile], PictureFailure>) -> [Action] {
        guard let entry = open[id], let finish = entry.finish else { return [] }
        switch result {
        case .success(let files):
            var picture = finish.picture
            picture.files = files
            return finished(id, picture)
        case .failure(let failure):
            // It will not be fetched again.
            if let job = entry.job { forgettable.append(job) }
            return [.noticeTaken(finish.notice)] + fail(id, failure)
        }
    }

    // MARK: - Orders

    /// Finished jobs that the broker may purge; each is returned once.
    mutating func takeForgettable() -> [JobNumber] {
        defer { forgettable = [] }
        return forgettable
    }

    /// Cancels all pictures. Returns false if they were already cancelled.
    mutating func beginCancelling() -> Bool {
        defer { isCancelling = true }
        return !isCancelling
    }

    /// Jobs that have not been cancelled yet; each is returned once.
    mutating func takeUncancelled() -> [JobNumber] {
        let entries = open.values.filter { $0.job != nil && !$0.isCancelOrdered }
        for entry in entries { open[entry.id]?.isCancelOrdered = true }
        return entries.compactMap(\.job).sorted()
    }

    /// Whether some submissions have not been answered with a job number yet.
    var isWaitingForNumbers: Bool { open.values.contains { $0.job == nil } }

    /// The pictures that the broker has not accepted.
    var unaccepted: [SubmissionKey] { open.values.filter { $0.job == nil }.map(\.key) }

    /// Lets the broker discard pictures that are being fetched.
    mutating func giveUpFetching() { forgettable += open.values.compactMap { $0.finish == nil ? nil : $0.job } }
}
