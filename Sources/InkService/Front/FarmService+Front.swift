import InkBroker
public import InkEngine
public import InkProtocol
import InkStore
import InkSystem
import Synchronization

/// For a front in the same process, such as an HTTP server: sessions, and answers to questions. All can be called from
/// any thread but the service's own, and wait for the answer.
extension FarmService {
    /// How long the loop may take for an answer, milliseconds.
    static let patienceMilliseconds = 10_000
    /// How long an answer may take that waits for the disk, milliseconds.
    static let diskPatienceMilliseconds = 30_000

    /// Opens a session: submissions, orders and watches as a client's.
    ///
    /// - Parameter onMessage: called on the service's thread; must return soon.
    public func openSession(
        owner: String, onMessage: @escaping @Sendable (ServiceMessage) -> Void
    ) -> LocalSession {
        LocalSession(owner: owner, mailbox, onMessage: onMessage)
    }

    /// - Throws: `store`; `ended` if the service does not answer any more.
    public func jobs(_ query: JobQuery) throws(ServiceError) -> (jobs: [JobFacts], next: [UInt8]?) {
        var stored = StoredJobQuery()
        stored.owner = query.owner
        stored.name = query.name
        stored.keyPrefix = query.batch
        stored.isDescending = query.isDescending
        stored.limit = max(1, min(1000, query.limit))
        stored.order =
            switch query.order {
            case .id: .number
            case .name: .name
            case .ended: .ended
            case .priority: .priority
            }
        stored.after = query.cursor.flatMap(JobCursor.position)
        if !query.states.isEmpty {
            var states = StoredJobQuery.States()
            states.finished = query.states.contains(.finished)
            states.failed = query.states.contains(.failed)
            states.cancelled = query.states.contains(.cancelled)
            states.paused = query.states.contains(.paused)
            states.running = query.states.contains(.running)
            states.queued = query.states.contains(.queued)
            if states.running != states.queued { states.begun = try look { $0.begunJobs } }
            stored.states = states
        }
        let page: (records: [JobRecord], next: StoredJobQuery.Position?)
        do throws(StoreError) { page = try store.list(stored) } catch { throw .store(error) }
        return (try facts(page.records), page.next.map(JobCursor.bytes))
    }

    /// nil if there is no such job.
    ///
    /// - Throws: `store`, `ended`.
    public func job(_ number: JobNumber) throws(ServiceError) -> JobFacts? {
        let record: JobRecord?
        do throws(StoreError) { record = try store.record(number) } catch { throw .store(error) }
        return try record.map { record throws(ServiceError) in try facts([record]) }?.first
    }

    /// Those of the jobs that there are, in the same order.
    ///
    /// - Throws: `store`, `ended`.
    public func jobs(_ numbers: [JobNumber]) throws(ServiceError) -> [JobFacts] {
        var records: [JobRecord] = []
        do throws(StoreError) {
            for number in numbers { if let record = try store.record(number) { records.append(record) } }
        } catch { throw .store(error) }
        return try facts(records)
    }

    private func facts(_ records: [JobRecord]) throws(ServiceError) -> [JobFacts] {
        let open = records.filter { record in
            if case .ended = record.state { false } else { true }
        }.map(\.number)
        let live = open.isEmpty ? [:] : try look { $0.live(open) }
        return records.map { JobFacts($0, live[$0.number]) }
    }

    /// The events of its tasks, a JSON text; nil if there is none.
    ///
    /// - Throws: `store`, `ended`.
    public func story(_ number: JobNumber) throws(ServiceError) -> [UInt8]? {
        if let text = try look({ $0.runs[number]?.story.text(job: number) }) { return Array(text.utf8) }
        do throws(StoreError) { return try store.story(number) } catch { throw .store(error) }
    }

    /// nil unless it runs and its picture has been planned.
    ///
    /// - Throws: `ended`.
    public func tiles(of number: JobNumber) throws(ServiceError) -> JobTiles? { try look { $0.tiles(of: number) } }

    /// nil if there are no such jobs.
    ///
    /// - Parameter id: `JobFacts.batch`.
    /// - Throws: `store`, `ended`.
    public func batch(_ id: [UInt8]) throws(ServiceError) -> BatchFacts? { try facts(ofBatches: [id]).facts.first }

    /// The newest batches first.
    ///
    /// - Parameters:
    ///   - limit: 1 to 1,000.
    ///   - cursor: where the page before ended.
    /// - Throws: `store`, `ended`.
    public func batches(
        limit: Int, after cursor: JobNumber?
    ) throws(ServiceError) -> (batches: [BatchFacts], next: JobNumber?) {
        let limit = max(1, min(1000, limit))
        let found: [(id: [UInt8], first: JobNumber)]
        do throws(StoreError) { found = try store.batches(before: cursor, limit: limit + 1) } catch {
            throw .store(error)
        }
        var page = found.prefix(limit)
        let batches = try facts(ofBatches: page.map(\.id), jobsMax: Self.listedJobsMax)
        page = page.prefix(batches.examined)
        return (batches.facts, found.count > page.count ? page.last?.first : nil)
    }

    /// Jobs of the batches of a page, beyond which it ends: all their states are looked at.
    private static let listedJobsMax = 100_000

    /// Those of the batches that there are, in the same order.
    ///
    /// - Parameter jobsMax: those after so many jobs are left out.
    private func facts(
        ofBatches ids: [[UInt8]], jobsMax: Int = .max
    ) throws(ServiceError) -> (facts: [BatchFacts], examined: Int) {
        var jobs: [(id: [UInt8], states: [StoredJobState])] = []
        var count = 0
        do throws(StoreError) {
            for id in ids where count < jobsMax {
                jobs.append((id, try store.states(keyPrefix: id)))
                count += jobs[jobs.count - 1].states.count
            }
        } catch { throw .store(error) }
        let examined = jobs.count
        jobs.removeAll { $0.states.isEmpty }
        guard !jobs.isEmpty else { return ([], examined) }
        let open = jobs.map { $0.states.filter { $0.ending == nil }.map(\.number) }
        let report = open.contains { !$0.isEmpty } ? report() : nil
        let (begun, timesLeft) = try look { loop in
            (Set(loop.begunJobs), report.map { loop.timesLeft(of: open, $0) })
        }
        let facts = jobs.enumerated().map { index, batch in
            BatchFacts(batch.id, batch.states, begun: begun, timeLeft: timesLeft?[index])
        }
        return (facts, examined)
    }

    /// - Throws: `ended`.
    public func status() throws(ServiceError) -> FarmStatus {
        let counts = Result { () throws(StoreError) in try store.counts() }
        guard let report = report() else { throw .ended }
        return try look { $0.status(counts, report) }
    }

    private func report() -> BrokerReport? {
        let report = Answer<BrokerReport>()
        broker.report { report.give($0) }
        return report.wait(milliseconds: Self.patienceMilliseconds)
    }

    /// Enters all jobs of a batch or none; their keys begin alike, and their contents are held.
    ///
    /// - Throws: `ended` if no answer comes in time; the batch may be entered then or not.
    public func enter(_ submissions: [Submission], owner: String) throws(ServiceError) -> EntryAnswer {
        let answer = Answer<EntryAnswer>()
        mailbox.post(.enter(submissions, owner: owner) { answer.give($0) })
        guard let given = answer.wait(milliseconds: Self.diskPatienceMilliseconds) else { throw .ended }
        return given
    }

    /// Contents that stay as long as this does, whether jobs refer to them or not.
    public final class HeldContents: Sendable {
        private let contents: ContentFolder
        private let ids = Mutex<[ContentID]>([])

        fileprivate init(_ contents: ContentFolder) { self.contents = contents }

        fileprivate func add(_ id: ContentID) {
            contents.hold(id)
            ids.withLock { $0.append(id) }
        }

        deinit { for id in ids.withLock({ $0 }) { contents.release(id) } }
    }

    public func holdContents() -> HeldContents { HeldContents(contents) }

    /// Makes sure that the broker has a content, and holds it.
    ///
    /// - Throws: `store`.
    public func keep(_ bytes: [UInt8], as id: ContentID, in held: HeldContents) throws(ServiceError) {
        held.add(id)
        do throws(StoreError) {
            if contents.has(id, byteCount: UInt64(bytes.count)) { return }
            let content = try contents.begin(id, byteCount: UInt64(bytes.count))
            defer { content.discard() }
            try content.write(bytes, at: 0)
            try content.finish()
        } catch {
            throw .store(error)
        }
    }

    /// Keeps the bytes of a file as a content, without holding them in memory.
    public func keep(file path: String, as id: ContentID, in held: HeldContents) throws(ServiceError) {
        held.add(id)
        do throws(StoreError) { try contents.keep(file: path, as: id) } catch { throw .store(error) }
    }

    /// Whether the service's loop turns.
    public func isAlive(withinMilliseconds milliseconds: Int) -> Bool {
        // Ended, or without an answer in time: either way it does not turn.
        (try? look(waitingMilliseconds: milliseconds) { _ in true }) ?? false
    }

    /// Where the picture of a finished job is, if the broker keeps it.
    public func picturePath(of number: JobNumber) -> String { PictureFolder.path(of: number, in: data) }

    /// A folder of the data folder for files of a front, which the next life finds.
    public var folder: String { data.path }

    /// Has something done on the loop's thread.
    func look<T: Sendable>(
        waitingMilliseconds: Int = patienceMilliseconds, _ body: @escaping @Sendable (ServiceLoop) -> T
    ) throws(ServiceError) -> T {
        let answer = Answer<T>()
        mailbox.post(.look { answer.give(body($0)) })
        guard let value = answer.wait(milliseconds: waitingMilliseconds) else { throw .ended }
        return value
    }
}

/// A place in a list of jobs as bytes: the number, big-endian, and what the list is ordered by.
enum JobCursor {
    static func bytes(_ position: StoredJobQuery.Position) -> [UInt8] {
        withUnsafeBytes(of: position.number.bigEndian) { Array($0) } + Array(position.value.utf8)
    }

    static func position(_ bytes: [UInt8]) -> StoredJobQuery.Position? {
        guard bytes.count >= 8 else { return nil }
        return StoredJobQuery.Position(
            number: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            value: String(decoding: bytes.dropFirst(8), as: UTF8.self))
    }
}

extension ServiceLoop {
    /// The jobs that the broker has and that do not wait.
    var begunJobs: [JobNumber] { state.activeJobs.filter { shownPhase(of: $0) != .waiting }.sorted() }

    /// Tiles done and all tiles of those that are not paused; 0 of 0 if its picture is not planned yet.
    private var tileCounts: [(done: Int, total: Int)] {
        state.activeJobs.filter { state.jobs[$0]?.isPaused == false }
            .map { number in runs[number].map { ($0.done, $0.total) } ?? (0, 0) }
    }

    func status(_ stored: Result<StoreCounts, StoreError>, _ report: BrokerReport) -> FarmStatus {
        let now = SystemClock.milliseconds
        let counts = counts
        // The error is the problem that is shown below.
        let ended = try? stored.get()
        let rates = throughput.rates(now: now, startedAt: startedAt)
        var problem = refusal
        if case .failure(let error) = stored { problem = "\(error)" }
        return FarmStatus(
            name: configuration.name, software: configuration.software, uptimeSeconds: Int(now - startedAt) / 1000,
            isDraining: stopping != .no, queued: counts.queued, running: counts.running, paused: counts.paused,
            finished: ended?.finished, failed: ended?.failed, cancelled: ended?.cancelled,
            queueLimit: configuration.limits.queuedJobs, clients: peers.count, broker: report,
            picturesPerMinute: rates.picturesPerMinute, tasksPerSecond: rates.tasksPerSecond,
            megapixelsPerSecond: rates.megapixels, storeUsedBytes: parts.contents.usedBytes,
            storeQuotaBytes: configuration.quotaBytes, storeProblem: problem, history: history,
            timeLeft: counts.queued + counts.running > 0 ? report.timeLeft(with: state.queue.count) : nil,
            tilesWaiting: TileBacklog.tiles(exports: tileCounts, waiting: state.counts.queued))
    }
}

extension FarmService {
    /// The folders below which documents may be named by their paths; absolute.
    public var inputRoots: [String] { configuration.inputRoots }

    /// Most bytes of contents and pictures.
    public var quotaBytes: Int { configuration.quotaBytes }

}
