import InkProtocol

/// The client's decisions: events in, actions out. It uses no socket, file, clock or thread; times are milliseconds of
/// any monotonic clock.
///
/// Every request of the caller is kept until it is settled, and sent again when a session begins. The messages are
/// idempotent.
struct ClientState {
    let rules: ClientRules

    /// State of the conversation with the broker.
    enum Phase: Hashable {
        case idle
        /// A hello has been sent but not answered, or the next connection waits for its time.
        case greeting
        case serving(ClientWelcome)
        case stopped
    }

    private(set) var phase = Phase.idle
    var submissions = SubmissionTable()
    var uploads = UploadTable()
    var jobs = WatchTable()
    var fetches = FetchTable()
    var requests = RequestTable()
    var line: LineWindow
    private let firstLine: LineWindow
    private var received = PartsReceived()
    var actions: [ClientAction] = []
    private var storeID: SubmissionKey?
    private var lastSent: Int64 = 0
    private var lastHeard: Int64 = 0
    private var greetingDeadline: Int64 = 0
    private var failedGreetings = 0
    private var jitter: UInt64

    /// - Parameters:
    ///   - seed: for the random part of waiting times.
    ///   - line: the window of a new connection.
    init(rules: ClientRules, seed: UInt64, line: LineWindow = .unbounded) {
        self.rules = rules
        self.line = line
        firstLine = line
        jitter = seed
    }

    var isServing: Bool { if case .serving = phase { true } else { false } }

    /// Processes an event and returns the actions.
    mutating func handle(_ event: ClientEvent, now: Int64) -> [ClientAction] {
        actions = []
        guard phase != .stopped else {
            // The file was renamed in any case.
            if case .stored(let id, let bytes) = event { stored(id, bytes, now: now) }
            return actions
        }
        switch event {
        case .started: connect(now: now)
        case .received(let message):
            lastHeard = now
            receive(message, now: now)
        case .connectionFailed(let error):
            endSession(because: error.description)
            awaitNextGreeting(now: now)
        case .tick: tick(now: now)
        case .submit(let submission, let content): submit(submission, content, now: now)
        case .expect(let submissions): for (job, submission) in submissions { jobs.expect(job, of: submission) }
        case .watch(let numbers): watch(numbers, now: now)
        case .noticeTaken(let id): noticeTaken(id)
        case .follow(let job, let path, let format): follow(job, to: path, format, now: now)
        case .fetch(let job, let picture, let path, let format): fetch(job, picture, to: path, format, now: now)
        case .order(let id, let action): request(id, .order(action), now: now)
        case .question(let id, let topic): request(id, .question(topic), now: now)
        case .giveUp(let id): requests.remove(id)
        case .withdraw(let keys): withdraw(keys, now: now)
        case .stopRequested: stop()
        case .contentRead(let read): take(read, now: now)
        case .written(let id, let byteCount): written(id, byteCount, now: now)
        case .stored(let id, let bytes): stored(id, bytes, now: now)
        case .fileFailed(let id, let error): fail(id, error, now: now)
        }
        if isSending { lastSent = now }
        return actions
    }

    /// When `tick` next has something to do; nil: never.
    var nextTick: Int64? {
        switch phase {
        case .idle, .stopped: return nil
        case .greeting: return greetingDeadline
        case .serving(let welcome):
            let times = [
                lastSent + Int64(welcome.heartbeatMilliseconds), lastHeard + Int64(welcome.livenessMilliseconds),
                submissions.nextTime, jobs.nextTime, fetches.nextTime, requests.nextTime,
            ]
            return times.compactMap(\.self).min()
        }
    }

    private var isSending: Bool { actions.contains { if case .send = $0 { true } else { false } } }

    /// Sends if there is a session; otherwise the message is sent when one starts.
    mutating func send(_ message: ClientMessage) {
        if isServing { actions.append(.send(message)) }
    }

    /// `time` plus a random part of up to half of it, so that clients that were rejected together do not return
    /// together.
    mutating func jittered(_ time: Int64) -> Int64 {
        // SplitMix64.
        jitter &+= 0x9E37_79B9_7F4A_7C15
        var z = jitter
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return time + Int64((z ^ (z >> 31)) % UInt64(max(1, time / 2)))
    }

    // MARK: Connection

    private mutating func connect(now: Int64) {
        awaitNextGreeting(now: now)
        actions += [.connect, .send(.hello(clientName: rules.name))]
    }

    private mutating func awaitNextGreeting(now: Int64) {
        phase = .greeting
        greetingDeadline = now + ClientRules.doubled(rules.helloTime, failedGreetings)
        failedGreetings += 1
    }

    private mutating func endSession(because reason: String) {
        guard isServing else { return }
        phase = .greeting
        uploads.endSession()
        actions.append(.emit(.disconnected(reason: reason)))
    }

    private mutating func tick(now: Int64) {
        switch phase {
        case .idle, .stopped: break
        case .greeting:
            if now >= greetingDeadline { connect(now: now) }
        case .serving(let welcome):
            if now - lastHeard >= Int64(welcome.livenessMilliseconds) {
                endSession(because: "the broker has been silent for \(now - lastHeard) ms")
                connect(now: now)
                return
            }
            repeatSubmissions(now: now)
            repeatWatches(now: now)
            repeatFetches(now: now)
            repeatRequests(now: now)
            readContents(now: now)
            if let total = received.acknowledgement() { actions.append(.send(.acknowledge(total))) }
            if !isSending, now - lastSent >= Int64(welcome.heartbeatMilliseconds) { actions.append(.send(.heartbeat)) }
        }
    }

    private mutating func stop() {
        for id in requests.all { actions.append(.answer(id, .failed(.stopped))) }
        for id in fetches.opened { actions.append(.discard(id)) }
        // Also while greeting: the broker may have received the hello.
        if phase != .idle { actions.append(.send(.goodbye)) }
        actions.append(.stop)
        phase = .stopped
    }

    // MARK: Messages

    private mutating func receive(_ message: ServiceMessage, now: Int64) {
        switch message {
        case .welcome(let welcome): begin(welcome, now: now)
        case .refuse(let reason): refused(reason, now: now)
        case .unknownSession:
            // While greeting, another hello has already been sent.
            guard isServing else { return }
            endSession(because: "the broker no longer knows this session")
            awaitNextGreeting(now: now)
            actions.append(.send(.hello(clientName: rules.name)))
        // A heartbeat is only a sign of life.
        case .heartbeat: break
        case .accepted(let key, let job): accepted(key, job, now: now)
        case .rejected(let key, let rejection): rejected(key, rejection, now: now)
        case .contentRequest(let id, let offset, let byteCount): asked(for: id, offset, byteCount, now: now)
        case .progress(let job, let done, let total, let timeLeft):
            if jobs.isWatched(job) {
                actions.append(.emit(.progress(job, done: done, total: total, timeLeft: timeLeft)))
            }
        case .notice(let notice): take(notice)
        case .picturePart(let part):
            count(part.bytes)
            take(part, now: now)
        case .pictureMissing(let job, let reason): pictureMissing(job, reason, now: now)
        case .orderDone(let result): take(result)
        case .answerPart(let part):
            count(part.bytes)
            take(part, now: now)
        case .acknowledge(let total):
            line.acknowledge(total, now: UInt64(max(0, now)))
            readContents(now: now)
        }
    }

    /// Also counts data that is no longer needed, because the broker counts what it sends.
    private mutating func count(_ bytes: [UInt8]) { if line.isBounded { received.take(bytes.count) } }

    /// Sends everything that is open. A second welcome answers a repeated hello, which has ended the session of the
    /// first one.
    private mutating func begin(_ welcome: ClientWelcome, now: Int64) {
        failedGreetings = 0
        phase = .serving(welcome)
        line = firstLine
        received = PartsReceived()
        uploads.endSession()
        actions.append(.emit(.connected(welcome)))
        if let storeID, storeID != welcome.storeID { forgetStore() }
        storeID = welcome.storeID
        sendSubmissions(now: now)
        sendWatches(now: now)
        sendFetches(now: now)
        sendRequests(now: now)
    }

    /// Job numbers have no meaning for another store.
    private mutating func forgetStore() {
        for notice in jobs.forget() { actions.append(.emit(.notice(notice))) }
        for id in fetches.opened { actions.append(.discard(id)) }
        for fetch in fetches.removeAll() where fetch.picture != nil {
            let error = ClientError.badPicture(reason: "the broker has a different store than before")
            actions.append(.emit(.fetchFailed(fetch.job, error)))
        }
        for id in requests.all where requests[id]?.kind.namesJobs == true {
            requests.remove(id)
            actions.append(.answer(id, .failed(.refused(reason: "the broker has a different store than before"))))
        }
    }

    private mutating func refused(_ reason: String, now: Int64) {
        endSession(because: reason)
        // This may change: the key may be added, or other clients may leave.
        failedGreetings = 3
        awaitNextGreeting(now: now)
        actions.append(.emit(.refused(reason: reason)))
        for id in requests.all { actions.append(.answer(id, .failed(.refused(reason: reason)))) }
        requests = RequestTable()
    }
}
