import Dispatch
import Glibc
import InkClient
import InkEngine
import InkJSON
import InkProtocol
import Synchronization

/// The farm behind a broker: contents go there, pictures come back and are written here.
///
/// Events of the client come on its thread, `submit` and the other calls on the command's. Projects are packed on a
/// lane of its own, orders wait for their answers on another.
final class RemoteFarm: ExportFarm {
    /// How long ordering the end of all jobs may take, milliseconds; with the two below less than a run waits for the end.
    private static let cancelMilliseconds = 3_000
    /// How long jobs are waited for after that, and pictures that are on their way.
    private static let lastEndsMilliseconds = 2_000
    /// How long it may take the broker to forget a lot of jobs.
    private static let purgeMilliseconds = 2_000
    /// Finished jobs are forgotten at the broker in lots of so many, or after so many turns of the clock.
    private static let purgeCount = 200
    private static let purgeTurns = 20
    private static let turnMilliseconds = 500

    /// A picture that has not ended.
    private struct Entry {
        var id: Int
        var name: String
        var output: String
        var key: SubmissionKey
        /// nil until the broker has accepted it.
        var job: JobNumber?
        var hasStarted = false
        var isCancelOrdered = false
        /// Of its end, when its picture is on its way.
        var finish: (notice: UInt64, picture: FinishedPicture)?
    }

    private struct State {
        var connection: (any FarmConnection)?
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        var rendererVersion = TileRenderer.version
        var threadCount = 0
        var open: [Int: Entry] = [:]
        var idOfKey: [SubmissionKey: Int] = [:]
        var idOfJob: [JobNumber: Int] = [:]
        var isCancelling = false
        var link: LinkWatch
        /// Finished jobs that the broker need not keep.
        var forgettable: [JobNumber] = []
        var turn = 0
        var isStopped = false
    }

    private let options: RemoteOptions
    private let environment: CommandEnvironment
    private let state: Mutex<State>
    private let packing = DispatchQueue(label: "ink.remote.packing")
    private let orders = DispatchQueue(label: "ink.remote.orders")
    /// The project that was packed last: pictures of one project come one after the other. Used on the packing lane.
    private let packed = Mutex<(digest: [UInt8], content: PreparedContent)?>(nil)
    private let clock = Stopwatch()

    init(_ options: RemoteOptions, _ environment: CommandEnvironment) {
        self.options = options
        self.environment = environment
        state = Mutex(State(link: LinkWatch(options)))
    }

    /// That of the farm's workers, if there are any and they agree; else this program's.
    var rendererVersion: String { state.withLock(\.rendererVersion) }
    /// Of the farm's workers at the start.
    var threadCount: Int { state.withLock(\.threadCount) }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        do throws(CommandError) {
            state.withLock { $0.onEvent = onEvent }
            let connection = try options.connect(environment) { [self] event in take(event) }
            state.withLock { $0.connection = connection }
            let patience = options.timeoutMilliseconds ?? Int(LinkWatch.firstAnswerMilliseconds)
            let status: JSONValue
            do throws(CommandError) {
                status = try connection.answer(.status, timeoutMilliseconds: patience)
            } catch {
                connection.stop()
                throw error
            }
            learn(status)
        } catch {
            throw PictureFailure(error)
        }
        startClock()
    }

    private func learn(_ status: JSONValue) {
        let workers = status["workers"]?.array ?? []
        if workers.isEmpty { tell(.news("the farm has no workers; the pictures wait for the first")) }
        let versions = Set(workers.compactMap { $0["renderer"]?.string })
        state.withLock { state in
            state.threadCount = workers.reduce(0) { $0 + ($1["threads"]?.integer ?? 0) }
            if versions.count == 1, let version = versions.first { state.rendererVersion = version }
        }
    }

    // MARK: - Pictures

    func submit(_ request: PictureRequest) {
        let key = SubmissionKey.random()
        let connection = state.withLock { state in
            state.open[request.id] = Entry(id: request.id, name: request.name, output: request.output, key: key)
            state.idOfKey[key] = request.id
            return state.connection
        }
        packing.async { @Sendable [self] in
            guard !state.withLock(\.isCancelling) else { return end(request.id, .cancelled(request.id)) }
            do throws(PictureFailure) {
                let content = try pack(request)
                let submission = Submission(
                    key: key, name: ProjectPacking.name(request.name), source: content.source,
                    picture: PictureSpec(
                        size: .exact(request.size), look: request.look, drawnLayers: request.drawnLayers,
                        digest: request.digest), delivery: .fetch)
                connection?.submit(submission, content: content.content)
            } catch {
                end(request.id, .failed(request.id, error))
            }
        }
    }

    private func pack(_ request: PictureRequest) throws(PictureFailure) -> PreparedContent {
        if let last = packed.withLock({ $0 }), last.digest == request.contentDigest { return last.content }
        let content = try ProjectPacking.content(of: request.project, text: request.text, name: request.name)
        packed.withLock { $0 = (request.contentDigest, content) }
        return content
    }

    /// Tells a picture's end, once.
    private func end(_ id: Int, _ event: FarmEvent) {
        let onEvent = state.withLock { state in
            guard let entry = state.open.removeValue(forKey: id) else { return (@Sendable (FarmEvent) -> Void)?.none }
            state.idOfKey[entry.key] = nil
            if let job = entry.job { state.idOfJob[job] = nil }
            return state.onEvent
        }
        onEvent?(event)
    }

    private func tell(_ event: FarmEvent) { state.withLock(\.onEvent)?(event) }

    // MARK: - What the client says

    private func take(_ event: FarmClientEvent) {
        let now = clock.milliseconds
        state.withLock { $0.link.note(event, now: now) }
        switch event {
        case .connected, .disconnected, .refused, .busy: break
        case .accepted(let key, let job): accepted(key, job)
        case .rejected(let key, let rejection):
            guard let entry = entry(of: key) else { return }
            end(entry.id, .failed(entry.id, PictureFailure(rejection, name: entry.name)))
        case .progress(let job, let done, let total):
            guard let id = state.withLock({ $0.idOfJob[job] }) else { return }
            if begin(id), let output = state.withLock({ $0.open[id]?.output }) {
                connection?.follow(job, to: output)
            }
            tell(.progress(id, done: done, total: total))
        case .notice(let notice): ended(notice)
        case .fetched(let job, _): fetched(job)
        case .fetchFailed(let job, let error):
            guard let entry = entry(of: job) else { return }
            if let notice = entry.finish?.notice { connection?.noticeTaken(notice) }
            // The broker has been told to forget it.
            let isCancelling = state.withLock(\.isCancelling)
            end(entry.id, isCancelling ? .cancelled(entry.id) : .failed(entry.id, PictureFailure(error)))
        }
    }

    private var connection: (any FarmConnection)? { state.withLock(\.connection) }
    private func entry(of key: SubmissionKey) -> Entry? {
        state.withLock { state in state.idOfKey[key].flatMap { state.open[$0] } }
    }
    private func entry(of job: JobNumber) -> Entry? {
        state.withLock { state in state.idOfJob[job].flatMap { state.open[$0] } }
    }

    private func accepted(_ key: SubmissionKey, _ job: JobNumber) {
        let id = state.withLock { state in
            guard let id = state.idOfKey[key], state.open[id] != nil else { return Int?.none }
            state.open[id]?.job = job
            state.idOfJob[job] = id
            return id
        }
        guard let id else { return }
        connection?.watch([job])
        tell(.taken(id))
    }

    /// Returns whether it is the first sign of the picture's being worked on.
    @discardableResult
    private func begin(_ id: Int) -> Bool {
        let isFirst = state.withLock { state in
            guard let entry = state.open[id], !entry.hasStarted else { return false }
            state.open[id]?.hasStarted = true
            return true
        }
        if isFirst { tell(.started(id)) }
        return isFirst
    }

    private func ended(_ notice: Notice) {
        guard let entry = entry(of: notice.job) else {
            connection?.noticeTaken(notice.id)
            return
        }
        begin(entry.id)
        let isCancelling = state.withLock(\.isCancelling)
        if case .finished(let picture) = notice.ending, !isCancelling {
            state.withLock { $0.open[entry.id]?.finish = (notice.id, picture) }
            connection?.fetch(notice.job, picture: picture, to: entry.output)
            return
        }
        connection?.noticeTaken(notice.id)
        switch notice.ending {
        case .finished:
            // In the very moment: not fetched any more.
            state.withLock { $0.forgettable.append(notice.job) }
            end(entry.id, .cancelled(entry.id))
        case .cancelled where isCancelling: end(entry.id, .cancelled(entry.id))
        case .failed, .cancelled, .unknown:
            if let failure = PictureFailure(notice.ending, job: notice.job) {
                end(entry.id, .failed(entry.id, failure))
            }
        }
    }

    /// The picture is in its place: only now the broker may forget it.
    private func fetched(_ job: JobNumber) {
        guard let entry = entry(of: job), let (notice, picture) = entry.finish else { return }
        connection?.noticeTaken(notice)
        let isLot = state.withLock { state in
            state.forgettable.append(job)
            return state.forgettable.count >= Self.purgeCount
        }
        if isLot { orders.async { @Sendable [self] in purge() } }
        end(entry.id, .finished(entry.id, PictureOutcome(picture)))
    }

    // MARK: - Time

    private func startClock() {
        orders.asyncAfter(deadline: .now() + .milliseconds(Self.turnMilliseconds)) { @Sendable [weak self] in
            guard let self, !self.state.withLock(\.isStopped) else { return }
            passTime()
            startClock()
        }
    }

    private func passTime() {
        let now = clock.milliseconds
        let (news, failure, open, isPurgeTime) = state.withLock { state in
            state.turn += 1
            return (
                state.link.news(now: now), state.link.failure(now: now), Array(state.open.values),
                state.turn % Self.purgeTurns == 0
            )
        }
        if let news { tell(.news(news)) }
        if let failure {
            let jobs = open.compactMap(\.job).sorted()
            if !jobs.isEmpty { tell(.news("the broker may still make what it has: ink cancel \(jobs.shortText)")) }
            for id in open.map(\.id).sorted() { end(id, .failed(id, PictureFailure(failure))) }
        }
        if isPurgeTime { purge() }
    }

    /// Lets the broker forget pictures that are here, so that a long run does not fill its quota.
    private func purge() {
        let (connection, jobs, isConnected) = state.withLock { state in
            defer { if state.link.isConnected { state.forgettable = [] } }
            return (state.connection, state.forgettable, state.link.isConnected)
        }
        guard let connection, isConnected, !jobs.isEmpty else { return }
        // What is not forgotten now is after the broker's retention.
        _ = try? connection.order(.purge(jobs, endedSecondsAgo: 0), timeoutMilliseconds: Self.purgeMilliseconds)
    }

    // MARK: - The end

    func cancelAll() {
        let isFirst = state.withLock { state in
            defer { state.isCancelling = true }
            return !state.isCancelling
        }
        guard isFirst else { return }
        orders.async { @Sendable [self] in cancelJobs() }
    }

    /// Orders the end of all jobs, also of those whose number is still on its way, and ends their pictures here.
    private func cancelJobs() {
        let start = clock.milliseconds
        var untold: [JobNumber] = []
        while clock.milliseconds - start < Double(Self.cancelMilliseconds) {
            let (connection, jobs, isWaiting) = state.withLock { state in
                let entries = state.open.values
                return (
                    state.connection, entries.compactMap { $0.isCancelOrdered ? nil : $0.job },
                    entries.contains { $0.job == nil }
                )
            }
            if !jobs.isEmpty {
                let left = max(500, Self.cancelMilliseconds - Int(clock.milliseconds - start))
                let result = try? connection?.order(.cancel(jobs), timeoutMilliseconds: left)
                if result == nil { untold += jobs }
                state.withLock { state in
                    for job in jobs {
                        if let id = state.idOfJob[job] { state.open[id]?.isCancelOrdered = true }
                    }
                }
            }
            if !isWaiting { break }
            usleep(20_000)
        }
        if !untold.isEmpty {
            tell(.news("the broker could not be told to stop; its jobs go on: ink cancel \(untold.sorted().shortText)"))
        }
        waitForLastEnds()
        purge()
        // Then no picture can get its name any more.
        connection?.stop()
        for id in state.withLock({ Array($0.open.keys) }).sorted() { end(id, .cancelled(id)) }
    }

    /// Waits a little until the broker has told the ends of all jobs, and the last pictures are here.
    private func waitForLastEnds() {
        let start = clock.milliseconds
        while clock.milliseconds - start < Double(Self.lastEndsMilliseconds) {
            if state.withLock({ state in !state.link.isConnected || state.open.isEmpty }) { return }
            usleep(10_000)
        }
        // The broker need not keep what is on its way still.
        state.withLock { state in
            state.forgettable += state.open.values.compactMap { $0.finish == nil ? nil : $0.job }
        }
    }

    func stop() {
        let connection = state.withLock { state in
            state.isStopped = true
            return state.connection
        }
        orders.sync { purge() }
        state.withLock { $0.connection = nil }
        connection?.stop()
    }
}
