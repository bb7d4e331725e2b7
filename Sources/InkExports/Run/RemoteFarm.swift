import Glibc
import InkClient
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkSystem
import Synchronization

/// The farm behind a broker: projects are sent to it, and its pictures are written on this machine.
///
/// The client's events arrive on the client's thread, `submit` and the other calls on the command's. Projects are
/// packed on one lane; orders wait for their answers on another.
final class RemoteFarm: ExportFarm {
    /// Milliseconds that cancelling all jobs may take. This and the two below are together less than a run waits.
    private static let cancelMilliseconds = 3_000
    /// Milliseconds to wait after that for jobs and for pictures that are being fetched.
    private static let lastEndsMilliseconds = 2_000
    /// Milliseconds that the broker may take to purge a batch of jobs.
    private static let purgeMilliseconds = 2_000
    /// Ticks after which the broker learns which jobs it may purge, however few.
    private static let purgeTurns = 20
    private static let turnMilliseconds = 500

    private struct State {
        var connection: (any FarmConnection)?
        var onEvent: (@Sendable (FarmEvent) -> Void)?
        var rendererVersion = TileRenderer.version
        var threadCount = 0
        var exports = RemoteExports()
        var link: LinkWatch
        var turn = 0
        var isStopped = false
    }

    private let options: RemoteOptions
    private let connector: FarmConnector
    private let state: Mutex<State>
    private let packing: Lane
    private let orders: Lane
    /// The project that was packed last, because pictures of one project follow each other. Used on the packing lane.
    private let packed = Mutex<(digest: [UInt8], content: PreparedContent)?>(nil)
    private let clock = Stopwatch()

    /// - Throws: if its threads cannot be started.
    init(_ options: RemoteOptions, _ connector: @escaping FarmConnector) throws(ExportError) {
        do throws(SystemFailure) {
            // Projects are written there.
            packing = try Lane("client-pack", stackBytes: PosixThread.standardStackBytes)
            orders = try Lane("client-order")
        } catch {
            throw .noThread("the connection to the broker", error)
        }
        self.options = options
        self.connector = connector
        state = Mutex(State(link: LinkWatch(options)))
    }

    /// The renderer of the farm's workers, if there are any and they agree; otherwise this program's.
    var rendererVersion: String { state.withLock(\.rendererVersion) }
    /// The threads of the farm's workers at the start.
    var threadCount: Int { state.withLock(\.threadCount) }

    func start(_ onEvent: @escaping @Sendable (FarmEvent) -> Void) throws(PictureFailure) {
        do throws(ExportError) {
            state.withLock { $0.onEvent = onEvent }
            let connection = try options.connect(connector) { [self] event in take(event) }
            state.withLock { $0.connection = connection }
            let patience = options.timeoutMilliseconds ?? Int(LinkWatch.firstAnswerMilliseconds)
            let status: JSONValue
            do throws(ExportError) {
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
            state.exports.add(
                request.id, name: request.name, outputs: request.outputs,
                formats: request.options.files.map(\.encoding.format), key: key)
            return state.connection
        }
        packing.run { [self] in
            guard !state.withLock(\.exports.isCancelling) else { return perform { $0.cancel(request.id) } }
            do throws(PictureFailure) {
                var request = request
                try checkFolders(request)
                try takePage(of: &request)
                let content = try pack(request)
                let submission = Submission(
                    key: key, name: ProjectPacking.name(request.name), source: content.source,
                    picture: PictureSpec(size: .exact(request.size), options: request.options), delivery: .fetch)
                connection?.submit(submission, content: content.content)
            } catch {
                perform { $0.fail(request.id, error) }
            }
        }
    }

    /// Before anything is rendered, so that no file is made without the others.
    private func checkFolders(_ request: PictureRequest) throws(PictureFailure) {
        for (file, output) in zip(request.options.files, request.outputs) {
            try rethrowing(try file.encoding.format.checkFolder(output, replaces: options.replacesFiles)) {
                PictureFailure(EngineError($0))
            }
        }
    }

    /// A page that is a project is sent as one, so that the broker gets what the picture shows and no more.
    private func takePage(of request: inout PictureRequest) throws(PictureFailure) {
        guard request.project.pages != nil else { return }
        let view = request.options.view
        do throws(EngineError) {
            (request.project, request.options.view) = try request.project.page(view, place: Place(file: request.name))
        } catch {
            throw PictureFailure(error)
        }
        if request.project.scaling == .pixel {
            request.options.fit = request.options.fit ?? PictureFit()
            request.options.fit?.repeatsPixels = true
        }
        request.text = nil
        request.contentDigest = SHA256.digest(request.contentDigest + Array((view?.canonicalText ?? "").utf8))
    }

    private func pack(_ request: PictureRequest) throws(PictureFailure) -> PreparedContent {
        if let last = packed.withLock({ $0 }), last.digest == request.contentDigest { return last.content }
        let content = try ProjectPacking.content(
            of: request.project, warnings: request.warnings, text: request.text, name: request.name)
        packed.withLock { $0 = (request.contentDigest, content) }
        return content
    }

    private func take(_ event: FarmClientEvent) {
        let now = clock.milliseconds
        state.withLock { $0.link.note(event, now: now) }
        perform { $0.take(event) }
    }

    /// Changes the exports, then carries out the resulting actions.
    private func perform(_ change: (inout RemoteExports) -> [RemoteExports.Action]) {
        let (actions, connection) = state.withLock { (change(&$0.exports), $0.connection) }
        for action in actions {
            switch action {
            case .tell(let event): tell(event)
            case .watch(let job): connection?.watch([job])
            case .follow(let job, let path, let format): connection?.follow(job, to: path, as: format)
            case .fetch(let job, let picture, let path, let format):
                connection?.fetch(job, picture: picture, to: path, as: format)
            case .unpack(let id, let archive, let outputs, let formats): unpack(id, archive, outputs, formats)
            case .noticeTaken(let notice): connection?.noticeTaken(notice)
            case .forget: orders.run { [self] in purge() }
            }
        }
    }

    private func unpack(_ id: Int, _ archive: String, _ outputs: [String], _ formats: [PictureFormat]) {
        let unpacking = ArchiveUnpacking(
            archive: archive, outputs: outputs, formats: formats, replacesFiles: options.replacesFiles)
        packing.run { [self] in
            let result: Result<[WrittenFile], PictureFailure>
            do throws(PictureFailure) { result = .success(try unpacking.run()) } catch { result = .failure(error) }
            perform { $0.unpacked(id, result) }
        }
    }

    private func tell(_ event: FarmEvent) { state.withLock(\.onEvent)?(event) }

    // MARK: - Time

    private func startClock() {
        orders.run(afterMilliseconds: Self.turnMilliseconds) { [weak self] in
            guard let self, !self.state.withLock(\.isStopped) else { return }
            passTime()
            startClock()
        }
    }

    private func passTime() {
        let now = clock.milliseconds
        let (news, failure, jobs, isPurgeTime) = state.withLock { state in
            state.turn += 1
            return (
                state.link.news(now: now), state.link.failure(now: now), state.exports.jobs,
                state.turn % Self.purgeTurns == 0
            )
        }
        if let news { tell(.news(news)) }
        if let failure {
            if !jobs.isEmpty { tell(.news("the broker may still make what it has: ink cancel \(jobs.shortText)")) }
            perform { $0.failAll(PictureFailure(failure)) }
        }
        if isPurgeTime { purge() }
    }

    /// Lets the broker purge pictures that have been fetched, so that a long run does not fill its quota.
    private func purge(timeoutMilliseconds: Int = RemoteFarm.purgeMilliseconds) {
        let (connection, jobs) = state.withLock { state in
            (state.connection, state.link.isConnected ? state.exports.takeForgettable() : [])
        }
        guard let connection, !jobs.isEmpty else { return }
        // Jobs that are not purged now are purged after the broker's retention.
        _ = try? connection.order(.purge(jobs, endedSecondsAgo: 0), timeoutMilliseconds: timeoutMilliseconds)
    }

    // MARK: - The end

    func cancelAll() {
        guard state.withLock({ $0.exports.beginCancelling() }) else { return }
        orders.run { [self] in cancelJobs() }
    }

    /// Cancels all jobs, including those whose number has not arrived yet, and ends their pictures.
    private func cancelJobs() {
        let start = clock.milliseconds
        let (connection, unaccepted) = state.withLock { ($0.connection, $0.exports.unaccepted) }
        connection?.withdraw(unaccepted)
        var untold: [JobNumber] = []
        while clock.milliseconds - start < Double(Self.cancelMilliseconds) {
            let (connection, jobs, isWaiting) = state.withLock { state in
                (state.connection, state.exports.takeUncancelled(), state.exports.isWaitingForNumbers)
            }
            if !jobs.isEmpty {
                let left = max(500, Self.cancelMilliseconds - Int(clock.milliseconds - start))
                // Jobs whose cancellation failed are named below, whatever the reason.
                let result = try? connection?.order(.cancel(jobs), timeoutMilliseconds: left)
                if result == nil { untold += jobs }
            }
            if !isWaiting { break }
            usleep(20_000)
        }
        if !untold.isEmpty {
            tell(
                .news("the broker could not be reached; to stop its jobs, use ink cancel \(untold.sorted().shortText)"))
        }
        waitForLastEnds()
        purge()
        // From here on no picture appears under its name.
        state.withLock(\.connection)?.stop()
        perform { $0.cancelAll() }
    }

    /// Waits briefly until the broker has reported the end of all jobs and the last pictures have arrived.
    private func waitForLastEnds() {
        let start = clock.milliseconds
        while clock.milliseconds - start < Double(Self.lastEndsMilliseconds) {
            if state.withLock({ state in !state.link.isConnected || state.exports.isEmpty }) { return }
            usleep(10_000)
        }
        state.withLock { $0.exports.giveUpFetching() }
    }

    func stop() {
        let connection = state.withLock { state in
            state.isStopped = true
            return state.connection
        }
        // Sent without waiting for the broker's disk; it is sent before the goodbye.
        purge(timeoutMilliseconds: 0)
        state.withLock { $0.connection = nil }
        connection?.stop()
    }
}
