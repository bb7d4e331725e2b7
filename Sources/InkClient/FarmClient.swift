import Dispatch
public import InkEngine
public import InkProtocol
import InkSystem
import Synchronization

/// A client of a farm's broker: submits projects, waits for jobs, fetches pictures, sends orders and questions.
///
///     let client = try FarmClient(configuration: configuration, context: context) { event in mailbox.post(event) }
///     try client.start()
///     client.submit(submission, content: prepared.content)
///     ...
///     client.stop()
///
/// It tolerates a broker that is not running yet, is restarted or disconnected, and lost messages: open requests are
/// repeated until they are settled. It uses one thread of its own and two for files. All methods can be called from any
/// thread.
public final class FarmClient: Sendable {
    private let configuration: FarmClientConfiguration
    private let context: ZeroMQContext
    private let onEvent: @Sendable (FarmClientEvent) -> Void
    private let mailbox: Mailbox<ClientEvent>
    private let reads: Mailbox<ContentRead>
    private let replies = Replies()
    private let session = SessionNews()
    private let lifecycle = Mutex(Lifecycle.idle)
    private let ended = DispatchSemaphore(value: 0)
    private let lastRequest = Atomic<RequestID>(0)

    private enum Lifecycle {
        case idle
        case running
        case stopped
    }

    /// - Parameters:
    ///   - context: for an `inproc` endpoint the broker's own.
    ///   - onEvent: called on the client's thread, in order; must return soon, and must not call `order`, `ask` or
    ///     `stop`.
    /// - Throws: `ClientError.transport` for an invalid endpoint, or if the process has no descriptor left.
    public init(
        configuration: FarmClientConfiguration, context: ZeroMQContext,
        onEvent: @escaping @Sendable (FarmClientEvent) -> Void
    ) throws(ClientError) {
        self.configuration = configuration
        self.context = context
        self.onEvent = onEvent
        do throws(ProtocolError) {
            mailbox = try Mailbox()
            reads = try Mailbox()
            // An endpoint that ZeroMQ does not support is the caller's mistake; any other problem may be temporary.
            try DealerConnection.check(configuration.endpoint, options: configuration.socketOptions, context: context)
        } catch {
            throw .transport(error)
        }
    }

    deinit { stop() }

    /// Starts to connect. Call it once.
    ///
    /// - Throws: `ClientError.stopped` after `stop`; `noThread` if the system cannot start the threads, all of which
    ///   are started here.
    public func start() throws(ClientError) {
        let isFirst = lifecycle.withLock { state in
            guard state == .idle else { return false }
            state = .running
            return true
        }
        guard isFirst else { throw .stopped }
        let (onEvent, replies, ended, session) = (onEvent, replies, ended, session)
        let parts = ClientParts(
            configuration: configuration, context: context, mailbox: mailbox, reads: reads,
            onEvent: { event in
                session.note(event)
                onEvent(event)
            },
            onAnswer: { replies.complete($0, $1) }, onAnswering: { replies.goOn($0) })
        do throws(SystemFailure) {
            let files = try FileLanes(
                replacesFiles: configuration.replacesFiles, onRead: { [reads] in reads.post($0) },
                onEvent: { [mailbox] in mailbox.post($0) })
            try PosixThread("client") {
                ClientLoop(parts, files).run()
                replies.close()
                ended.signal()
            }.detach()
        } catch {
            replies.close()
            ended.signal()
            throw .noThread(errno: error.errno)
        }
    }

    /// Says goodbye and returns when the client's threads have ended. Open requests stay open. Incomplete pictures
    /// leave no files behind.
    public func stop() {
        let before = lifecycle.withLock { state in
            defer { state = .stopped }
            return state
        }
        switch before {
        case .idle: ended.signal()
        case .running: mailbox.post(.stopRequested)
        case .stopped: break
        }
        // Every caller waits for the end.
        ended.wait()
        ended.signal()
    }

    // MARK: Requests

    /// Submits a project exactly once, in spite of failures in between. Ends with the event `accepted` or `rejected`.
    /// If the broker is busy, the client tries again until it is not. At most 64 submissions are open; others wait for
    /// their answers.
    ///
    /// - Parameter content: for a source of kind `.content`; `PreparedContent` makes both.
    public func submit(_ submission: Submission, content: ContentSource? = nil) {
        mailbox.post(.submit(submission, content))
    }

    /// Withdraws submissions that the broker does not have. Each ends with `rejected`, or with `accepted` if the broker
    /// already had it.
    public func withdraw(_ keys: [SubmissionKey]) { mailbox.post(.withdraw(keys)) }

    /// Tells the client the expected digests (`Submission.digest`) of jobs that others submitted, before they are
    /// watched. It knows those of its own submissions. A job with a different digest is reported as `unknown`.
    public func expect(_ submissions: [JobNumber: ContentID]) { mailbox.post(.expect(submissions)) }

    /// Requests the progress of these jobs and one notice of the end of each. For a job that has ended, the notice
    /// comes at once.
    public func watch(_ jobs: [JobNumber]) { mailbox.post(.watch(jobs)) }

    /// Confirms a notice once it has been handled, so the broker stops repeating it.
    public func noticeTaken(_ id: UInt64) { mailbox.post(.noticeTaken(id)) }

    /// Starts to fetch the picture of a running job, for the path that `fetch` will use. Limited to a few jobs at a
    /// time. There are no events, and if the picture is not fetched, nothing of it stays.
    public func follow(_ job: JobNumber, to path: String, as format: PictureFormat = .png) {
        mailbox.post(.follow(job, path: path, format: format))
    }

    /// Fetches a job's picture. Ends with the event `fetched` or `fetchFailed`.
    ///
    /// The file appears only when it is complete; its size and SHA-256 are those of `picture`. Its folder is created if
    /// it is missing. A few pictures are fetched at a time, the others wait.
    ///
    /// - Parameter format: where a picture of it is a folder, `picture` is its archive, which is unpacked at the path.
    public func fetch(_ job: JobNumber, picture: PictureReport, to path: String, as format: PictureFormat = .png) {
        mailbox.post(.fetch(job, picture, path: path, format: format))
    }

    /// Sends an order and waits for its result.
    ///
    /// If the connection is lost before the answer, the order is repeated: it has then been carried out at least once,
    /// and the result is that of the last time. Lists of more than `ProtocolLimits.jobsPerMessage` jobs become several
    /// orders with one result.
    ///
    /// - Parameter timeoutMilliseconds: for each of these orders.
    /// - Throws: `unreachable`, `refused`, `stopped`; `transport` for an order that cannot be encoded.
    public func order(_ action: OrderAction, timeoutMilliseconds: Int) throws(ClientError) -> OrderResult {
        let pieces = action.pieces
        // Checked before anything is carried out.
        for piece in pieces {
            do throws(ProtocolError) {
                _ = try ClientMessage.order(Order(number: 0, action: piece)).encoded()
            } catch { throw .transport(error) }
        }
        var results: [OrderResult] = []
        for piece in pieces {
            let outcome = try request(timeoutMilliseconds) { .order($0, piece) }
            if case .done(let result) = outcome { results.append(result) }
        }
        return OrderResult(joining: results)
    }

    /// Asks a question and waits for the answer, a JSON text. Each arriving part restarts the timeout.
    ///
    /// - Throws: `unreachable`, `refused`, `stopped`.
    public func ask(_ topic: Topic, timeoutMilliseconds: Int) throws(ClientError) -> [UInt8] {
        let outcome = try request(timeoutMilliseconds) { .question($0, topic) }
        guard case .answer(let text) = outcome else { throw .stopped }
        return text
    }

    private func request(
        _ timeoutMilliseconds: Int, _ event: (RequestID) -> ClientEvent
    ) throws(ClientError) -> RequestOutcome {
        let id = lastRequest.add(1, ordering: .relaxed).newValue
        guard lifecycle.withLock({ $0 == .running }), let reply = replies.open(id) else { throw .stopped }
        mailbox.post(event(id))
        switch reply.wait(milliseconds: timeoutMilliseconds) {
        case .failed(let error): throw error
        case .some(let outcome): return outcome
        case nil:
            replies.forget(id)
            mailbox.post(.giveUp(id))
            throw session.explain(endpoint: configuration.endpoint, waitedMilliseconds: timeoutMilliseconds)
        }
    }
}

extension OrderAction {
    /// The order, split into several of at most `ProtocolLimits.jobsPerMessage` jobs.
    fileprivate var pieces: [OrderAction] {
        func cut(_ jobs: [JobNumber], _ make: ([JobNumber]) -> OrderAction) -> [OrderAction] {
            let limit = ProtocolLimits.jobsPerMessage
            return stride(from: 0, to: max(1, jobs.count), by: limit).map { make(Array(jobs[$0...].prefix(limit))) }
        }
        switch self {
        case .cancel(let jobs): return cut(jobs) { .cancel($0) }
        case .retry(let jobs): return cut(jobs) { .retry($0) }
        case .priority(let jobs, let priority): return cut(jobs) { .priority($0, priority) }
        case .purge(let jobs, let seconds): return cut(jobs) { .purge($0, endedSecondsAgo: seconds) }
        case .pause(let jobs): return cut(jobs) { .pause($0) }
        case .resume(let jobs): return cut(jobs) { .resume($0) }
        case .drain, .dismiss: return [self]
        }
    }
}

extension OrderResult {
    /// The combined result of an order that was split.
    fileprivate init(joining results: [OrderResult]) {
        let texts = results.map(\.text).filter { !$0.isEmpty }
        let codes = Set(results.map(\.code))
        self.init(
            number: results.last?.number ?? 0, code: codes.count == 1 ? results[0].code : .partly,
            count: results.reduce(0) { $0 + $1.count }, text: texts.joined(separator: "; "))
    }
}
