import Dispatch
import Glibc
import InkClient
import InkCodecs
import InkEngine
import InkProtocol
import InkSystem
import Synchronization

@testable import InkCommands
@testable import InkExports

/// A broker as a client sees it: answers on a thread of its own, as told.
///
/// Jobs get numbers from 1 and end at once, by the name of their project: `...bad.ink` fails, `...gone.ink` is
/// cancelled, `...slow.ink` only ends by an order, `...late.ink` is finished
/// just when it is to be cancelled, `...refused.ink` is not accepted; any other one is finished, with
/// its number as its picture.
final class FakeBroker: FarmConnection {
    struct Job {
        var submission: Submission
        var content: ContentSource?
        var ending: JobEnding?
    }

    struct State {
        var onEvent: (@Sendable (FarmClientEvent) -> Void)?
        var jobs: [JobNumber: Job] = [:]
        var orders: [OrderAction] = []
        var taken: [UInt64] = []
        var fetched: [JobNumber: String] = [:]
        /// What jobs are made of, as their watchers say.
        var expected: [JobNumber: ContentID] = [:]
        /// Pictures that were to come while they are made, by job.
        var followed: [JobNumber: String] = [:]
        var isStopped = false
        /// Accepted submissions wait until `release` is called.
        var holdsSubmissions = false
        var held: [Submission] = []
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "fake.broker")
    let options = Mutex<RemoteOptions?>(nil)
    /// What `ask` answers; nil: nobody is there.
    let answers: @Sendable (Topic) -> String?
    let orderResult: OrderResult
    /// How long it is about an order, milliseconds.
    let orderMilliseconds: Int

    init(
        answers: @escaping @Sendable (Topic) -> String? = { _ in "{}" },
        orderResult: OrderResult = OrderResult(number: 1, code: .done, count: 1, text: ""),
        orderMilliseconds: Int = 0
    ) {
        self.answers = answers
        self.orderMilliseconds = orderMilliseconds
        self.orderResult = orderResult
    }

    var now: State { state.withLock { $0 } }

    /// The environment of a command whose broker this is.
    func environment(_ console: Console) -> CommandEnvironment {
        var environment = CommandEnvironment.process
        environment.console = console
        environment.handlesSignals = false
        environment.variables = [:]
        environment.sleep = { _ in }
        environment.exports.makeOpener = { _ in FakeOpener() }
        environment.connect = { options, onEvent throws(CommandError) in
            self.options.withLock { $0 = options }
            self.state.withLock { $0.onEvent = onEvent }
            return self
        }
        return environment
    }

    func run(
        _ arguments: [String], input: String = "", variables: [String: String] = [:]
    ) -> (code: ExitCode, output: String, error: String) {
        let transcript = Transcript()
        var environment = environment(transcript.console())
        environment.variables = variables
        environment.readStandardInput = { _ throws(EngineError) in Array(input.utf8) }
        let code = InkCommands.run(arguments, environment)
        return (code, transcript.output, transcript.error)
    }

    func hold() { state.withLock { $0.holdsSubmissions = true } }

    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.holdsSubmissions = false
            return state.held
        }
        for submission in held { accept(submission, nil) }
    }

    func emit(_ event: FarmClientEvent) {
        let onEvent = state.withLock(\.onEvent)
        queue.async { onEvent?(event) }
    }

    /// Puts a job there as if another client had submitted it.
    func put(_ job: JobNumber, name: String, ending: JobEnding?) {
        let submission = Submission(
            key: .random(), name: name, source: .path("/x"), picture: PictureSpec(size: .named("2k")), delivery: .fetch)
        state.withLock { $0.jobs[job] = Job(submission: submission, ending: ending) }
    }

    static func picture(_ job: JobNumber) -> PictureReport {
        let bytes = Array("picture \(job)".utf8)
        var picture = PictureReport(
            size: PixelSize(width: 40, height: 30),
            files: [WrittenFile(byteCount: bytes.count, digest: SHA256.digest(bytes))], tileCount: 3, attemptCount: 4,
            elapsed: 1_500_000)
        (picture.phases.queue, picture.phases.stitch, picture.brokerCPU) = (1_000_000, 7_000_000, 8_000_000)
        return picture
    }

    // MARK: FarmConnection

    func start() throws(ClientError) {
        emit(
            .connected(
                ClientWelcome(
                    brokerName: "fake", storeID: .random(), heartbeatMilliseconds: 1000, livenessMilliseconds: 3000)))
    }

    func submit(_ submission: Submission, content: ContentSource?) {
        let isHeld = state.withLock { state in
            if state.holdsSubmissions { state.held.append(submission) }
            return state.holdsSubmissions
        }
        if isHeld { return emit(.busy(submission.key, retryMilliseconds: 10, reason: "full")) }
        accept(submission, content)
    }

    /// What is held is on its way.
    func withdraw(_ keys: [SubmissionKey]) {}

    private func accept(_ submission: Submission, _ content: ContentSource?) {
        if submission.name.hasSuffix("refused.ink") {
            return emit(.rejected(submission.key, Rejection(code: .forbidden, text: "not below a root")))
        }
        let job = state.withLock { state in
            let job = JobNumber(state.jobs.count + 1)
            let ending: JobEnding? =
                switch submission.name {
                case let name where name.hasSuffix("bad.ink"): .failed(.badInput, text: "\(name): layers[0]: is bad")
                case let name where name.hasSuffix("gone.ink"): .cancelled
                case let name where name.hasSuffix("slow.ink") || name.hasSuffix("late.ink"): nil
                default: .finished(FakeBroker.picture(job))
                }
            state.jobs[job] = Job(submission: submission, content: content, ending: ending)
            return job
        }
        emit(.accepted(submission.key, job))
    }

    func expect(_ submissions: [JobNumber: ContentID]) {
        state.withLock { $0.expected.merge(submissions) { _, new in new } }
    }

    func watch(_ jobs: [JobNumber]) {
        for job in jobs {
            let entry = state.withLock { $0.jobs[job] }
            emit(.progress(job, done: 1, total: 2))
            if entry == nil { emit(.notice(Notice(id: 0, job: job, ending: .unknown))) }
            if let ending = entry?.ending { emit(.notice(Notice(id: 100 + job, job: job, ending: ending))) }
        }
    }

    func noticeTaken(_ id: UInt64) { state.withLock { $0.taken.append(id) } }

    func follow(_ job: JobNumber, to path: String, as format: PictureFormat) {
        state.withLock { $0.followed[job] = path }
    }

    func fetch(_ job: JobNumber, picture: PictureReport, to path: String, as format: PictureFormat) {
        let name = state.withLock { state in
            state.fetched[job] = path
            return state.jobs[job]?.submission.name ?? ""
        }
        if name.hasSuffix("lost.ink") {
            return emit(.fetchFailed(job, .pictureMissing(job, reason: "it is gone")))
        }
        do {
            try FileSystem.makeFolder(path.splitPath().folder)
            try FileSystem.writeAtomically(Array("picture \(job)".utf8), to: path)
            emit(.fetched(job, path: path))
        } catch {
            emit(.fetchFailed(job, .file(path: path, operation: "write", errno: 28)))
        }
    }

    func order(_ action: OrderAction, timeoutMilliseconds: Int) throws(ClientError) -> OrderResult {
        let ended = state.withLock { state in
            state.orders.append(action)
            guard case .cancel(let jobs) = action else { return [Notice]() }
            return jobs.filter { state.jobs[$0]?.ending == nil }.map { job in
                let isLate = state.jobs[job]?.submission.name.hasSuffix("late.ink") == true
                return Notice(
                    id: 100 + job, job: job, ending: isLate ? .finished(FakeBroker.picture(job)) : .cancelled)
            }
        }
        for notice in ended { emit(.notice(notice)) }
        usleep(UInt32(min(orderMilliseconds, timeoutMilliseconds) * 1000))
        return orderResult
    }

    func ask(_ topic: Topic, timeoutMilliseconds: Int) throws(ClientError) -> [UInt8] {
        guard let answer = answers(topic) else {
            throw .unreachable(
                endpoint: "tcp://fake:1", waitedMilliseconds: timeoutMilliseconds, hint: "nobody is there")
        }
        return Array(answer.utf8)
    }

    func stop() { state.withLock { $0.isStopped = true } }
}
