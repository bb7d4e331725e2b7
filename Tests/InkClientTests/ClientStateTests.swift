import InkEngine
import InkProtocol
import Testing

@testable import InkClient

@Suite("Decisions of a client")
struct ClientStateTests {
    private static let welcome = ClientWelcome(
        brokerName: "b", storeID: ClientSamples.key(1), heartbeatMilliseconds: 1_000, livenessMilliseconds: 3_000)

    /// A state with a clock.
    private struct Driver {
        var state: ClientState
        var now: Int64 = 0

        init(_ rules: ClientRules = ClientRules()) { state = ClientState(rules: rules, seed: 1) }

        mutating func handle(_ event: ClientEvent) -> [ClientAction] { state.handle(event, now: now) }

        /// What is sent.
        mutating func sent(_ event: ClientEvent) -> [ClientMessage] {
            handle(event).compactMap { if case .send(let message) = $0 { message } else { nil } }
        }

        /// What the caller is told.
        mutating func told(_ event: ClientEvent) -> [FarmClientEvent] {
            handle(event).compactMap { if case .emit(let event) = $0 { event } else { nil } }
        }

        mutating func serve() {
            _ = handle(.started)
            _ = handle(.received(.welcome(ClientStateTests.welcome)))
        }

        mutating func pass(_ time: Int64) -> [ClientMessage] {
            now += time
            return sent(.tick)
        }
    }

    private let content = PreparedContent(bytes: Array(0..<100))

    private var submit: ClientEvent { .submit(ClientSamples.submission(content, 1), content.content) }

    @Test("An unanswered hello is repeated over new connections, with growing patience")
    func greeting() {
        var client = Driver()
        var actions = client.handle(.started)
        var times: [Int64] = []
        for _ in 0..<6 {
            #expect(actions.count == 2)
            if case .connect? = actions.first {} else { Issue.record("no new connection") }
            guard let next = client.state.nextTick else { return }
            times.append(next - client.now)
            client.now = next
            actions = client.handle(.tick)
        }
        #expect(times == [5_000, 10_000, 20_000, 40_000, 40_000, 40_000])
    }

    @Test(
        "It says that it is there when it has said nothing else, and makes a new connection when the broker is silent")
    func life() {
        var client = Driver()
        client.serve()
        #expect(client.pass(999) == [])
        #expect(client.pass(1) == [.heartbeat])
        _ = client.handle(.received(.heartbeat))
        #expect(client.pass(1_000) == [.heartbeat])
        #expect(client.pass(1_000) == [.heartbeat])
        client.now += 1_000
        let actions = client.handle(.tick)
        guard case .emit(.disconnected)? = actions.first, case .connect = actions[1], case .send(.hello) = actions[2]
        else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test("A broker that does not know the session is greeted over the same connection, once")
    func unknownSession() {
        var client = Driver()
        client.serve()
        let actions = client.handle(.received(.unknownSession))
        #expect(!actions.contains { if case .connect = $0 { true } else { false } })
        #expect(client.sent(.received(.unknownSession)) == [])
        #expect(client.state.phase == .greeting)
    }

    @Test("A new session hears at once of everything that is open")
    func newSession() {
        var client = Driver()
        #expect(client.handle(submit).isEmpty)
        _ = client.handle(.watch([3, 1]))
        let bytes = [UInt8](repeating: 1, count: 10_000_000)
        let picture = ClientSamples.picture(of: bytes)
        _ = client.handle(.fetch(9, picture, path: "a"))
        _ = client.handle(.order(1, .cancel([5])))
        _ = client.handle(.question(2, .status))
        _ = client.handle(.started)
        let submission = ClientSamples.submission(content, 1)
        let window = ProtocolLimits.transferWindowBytes
        #expect(
            client.sent(.received(.welcome(Self.welcome))) == [
                .submit(submission), .watch([1, 3]), .pictureRequest(9, offset: 0), .pictureRequest(9, offset: window),
                .order(Order(number: 1, action: .cancel([5]))), .question(Question(number: 2, topic: .status)),
            ])
        let part = PicturePart(
            job: 9, offset: 0, totalBytes: UInt64(picture.byteCount), bytes: Array(bytes[..<1_000]))
        _ = client.handle(.received(.picturePart(part)))
        _ = client.handle(.written(1, byteCount: 1_000))
        _ = client.handle(.received(.unknownSession))
        #expect(
            client.sent(.received(.welcome(Self.welcome))) == [
                .submit(submission), .watch([1, 3]), .pictureRequest(9, offset: 1_000),
                .pictureRequest(9, offset: 1_000 + window), .order(Order(number: 3, action: .cancel([5]))),
                .question(Question(number: 4, topic: .status)),
            ])
        // Also when the broker has taken a hello that was repeated for another one.
        #expect(client.sent(.received(.welcome(Self.welcome))).count == 6)
    }

    @Test("A submission is repeated under its key until it is answered, and told once")
    func submission() {
        var client = Driver()
        client.serve()
        let submission = ClientSamples.submission(content, 1)
        #expect(client.sent(submit) == [.submit(submission)])
        #expect(client.sent(submit) == [])
        var repeats = 0
        for _ in 0..<120 {
            _ = client.handle(.received(.heartbeat))
            repeats += client.pass(1_000).count { $0 == .submit(submission) }
        }
        #expect(repeats >= 2 && repeats <= 4)
        #expect(client.told(.received(.accepted(submission.key, 7))) == [.accepted(submission.key, 7)])
        #expect(client.told(.received(.accepted(submission.key, 7))) == [])
        #expect(client.told(.received(.rejected(submission.key, Rejection(code: .invalid, text: "")))) == [])
    }

    @Test("What is withdrawn is not sent again; of what is on its way the answer decides")
    func withdrawing() {
        var client = Driver()
        client.serve()
        let rejection = Rejection(code: .busy, retryMilliseconds: 1_000, text: "full")
        let key = ClientSamples.key(1)
        let withdrawn = FarmClientEvent.rejected(key, Rejection(code: .busy, text: "it was withdrawn"))
        // Backing off.
        _ = client.handle(submit)
        _ = client.told(.received(.rejected(key, rejection)))
        #expect(client.told(.withdraw([key, ClientSamples.key(2)])) == [withdrawn])
        for _ in 0..<20 {
            _ = client.handle(.received(.heartbeat))
            #expect(!client.pass(500).contains { if case .submit = $0 { true } else { false } })
        }
        // On its way: turned away, and taken.
        _ = client.handle(submit)
        #expect(client.told(.withdraw([key])).isEmpty)
        #expect(client.told(.received(.rejected(key, rejection))) == [.rejected(key, rejection)])
        _ = client.handle(submit)
        #expect(client.told(.withdraw([key])).isEmpty)
        #expect(client.told(.received(.accepted(key, 5))) == [.accepted(key, 5)])
        // Waiting behind others, which then go on.
        var waiting = Driver()
        _ = waiting.handle(submit)
        #expect(waiting.told(.withdraw([key])) == [withdrawn])
        waiting.serve()
        #expect(waiting.told(.received(.accepted(key, 5))).isEmpty)
    }

    @Test("A busy broker is asked again, later and later, never at once")
    func busy() {
        var client = Driver()
        client.serve()
        _ = client.handle(submit)
        let rejection = Rejection(code: .busy, retryMilliseconds: 1_000, text: "full")
        var delays: [Int] = []
        for _ in 0..<6 {
            let told = client.told(.received(.rejected(ClientSamples.key(1), rejection)))
            guard case .busy(_, let delay, "full")? = told.first else {
                Issue.record("\(told)")
                return
            }
            delays.append(delay)
            client.now += Int64(delay) - 1
            _ = client.handle(.received(.heartbeat))
            #expect(!client.pass(0).contains { if case .submit = $0 { true } else { false } })
            #expect(client.pass(1).contains { if case .submit = $0 { true } else { false } })
        }
        for (delay, base) in zip(delays, [1_000, 2_000, 4_000, 8_000, 8_000, 8_000]) {
            #expect(delay >= base && delay < base + base / 2)
        }
        #expect(Set(delays.suffix(3)).count > 1, "no jitter: \(delays)")
    }

    @Test("What cannot be taken is rejected before it is sent; what the broker rejects is given up")
    func rejections() {
        var client = Driver()
        client.serve()
        var submission = ClientSamples.submission(content, 1)
        func isRejected(_ events: [FarmClientEvent]) -> Bool {
            if case .rejected? = events.first { events.count == 1 } else { false }
        }
        #expect(isRejected(client.told(.submit(submission, nil))))
        #expect(isRejected(client.told(.submit(submission, .bytes([1])))))
        submission.name = ""
        #expect(isRejected(client.told(.submit(submission, content.content))))
        _ = client.handle(submit)
        #expect(
            isRejected(client.told(.received(.rejected(submission.key, Rejection(code: .forbidden, text: "no"))))))
        #expect(client.state.submissions.entries.isEmpty && client.state.submissions.inFlight.isEmpty)
    }

    @Test("A content that the broker did not get is offered again, unless it cannot be read")
    func contentRejections() {
        let rejection = Rejection(code: .content, text: "did not come")
        var client = Driver()
        client.serve()
        _ = client.handle(submit)
        var told: [FarmClientEvent] = []
        for _ in 0..<3 {
            told += client.told(.received(.rejected(ClientSamples.key(1), rejection)))
            _ = client.pass(60_000)
            _ = client.handle(.received(.welcome(Self.welcome)))
        }
        #expect(told.count == 3 && told.last == .rejected(ClientSamples.key(1), rejection))

        client = Driver()
        client.serve()
        _ = client.handle(submit)
        guard case .content(let id, _, _) = content.source else { return }
        _ = client.handle(.received(.contentRequest(id, offset: 0, byteCount: 100)))
        let failure = ContentRead(
            id: id, serial: 1, offset: 0, byteCount: 100, result: .failure(.changed(path: "a.ink")))
        let reason = "a.ink has changed since it was submitted"
        #expect(client.sent(.contentRead(failure)) == [.contentUnavailable(id, reason: reason)])
        #expect(
            client.told(.received(.rejected(ClientSamples.key(1), rejection)))
                == [.rejected(ClientSamples.key(1), rejection)])
    }

    @Test("Contents are read piece by piece within memory, and what an earlier request asked for is dropped")
    func uploads() {
        var rules = ClientRules()
        rules.uploadPartBytes = 30
        rules.uploadBytes = 60
        var client = Driver(rules)
        client.serve()
        _ = client.handle(submit)
        guard case .content(let id, _, _) = content.source else { return }
        func reads(_ actions: [ClientAction]) -> [UInt64] {
            actions.compactMap { if case .read(_, _, _, let offset, _) = $0 { offset } else { nil } }
        }
        func read(_ serial: UInt64, _ offset: UInt64, _ count: Int) -> ClientEvent {
            .contentRead(
                ContentRead(
                    id: id, serial: serial, offset: offset, byteCount: count,
                    result: content.content.read(offset: offset, byteCount: count)
                ))
        }
        #expect(reads(client.handle(.received(.contentRequest(id, offset: 0, byteCount: 100)))) == [0, 30])
        let actions = client.handle(read(1, 0, 30))
        #expect(reads(actions) == [60])
        guard case .send(.contentPart(let part))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(part == ContentPart(id: id, offset: 0, bytes: Array(0..<30)))
        // Asked again: memory is still in use by what was read before.
        #expect(reads(client.handle(.received(.contentRequest(id, offset: 10, byteCount: 1_000)))) == [])
        #expect(client.sent(read(1, 30, 30)) == [])
        #expect(client.sent(read(1, 60, 30)) == [])
        #expect(client.sent(read(2, 10, 30)).count == 1)
        let other = ContentID(digest: [UInt8](repeating: 9, count: 32))
        #expect(client.sent(.received(.contentRequest(other, offset: 0, byteCount: 1))).count == 1)
    }

    @Test("A notice is told once for each watch, and not repeated by the broker once it is taken")
    func notices() {
        var client = Driver()
        client.serve()
        let notice = Notice(id: 12, job: 7, ending: .cancelled)
        #expect(client.sent(.watch([7])) == [.watch([7])])
        #expect(client.told(.received(.progress(7, done: 1, total: 2))) == [.progress(7, done: 1, total: 2)])
        #expect(client.told(.received(.notice(notice))) == [.notice(notice)])
        #expect(client.handle(.received(.notice(notice))).isEmpty)
        #expect(client.told(.received(.progress(7, done: 1, total: 2))) == [])
        #expect(client.sent(.noticeTaken(12)) == [.noticesTaken([12])])
        #expect(client.sent(.received(.notice(notice))) == [.noticesTaken([12])])
        _ = client.handle(.watch([7]))
        #expect(client.told(.received(.notice(notice))) == [.notice(notice)])
        // One that the broker does not know has nothing to be taken.
        let unknown = Notice(id: 0, job: 8, ending: .unknown)
        _ = client.handle(.watch([8]))
        #expect(client.told(.received(.notice(unknown))) == [.notice(unknown)])
        #expect(client.sent(.noticeTaken(0)) == [])
    }

    @Test("Watched jobs are said again now and then, a thousand in a message")
    func manyWatches() {
        var client = Driver()
        client.serve()
        let jobs = (1...2_500).map { JobNumber($0) }
        let messages = [Array(jobs[..<1000]), Array(jobs[1000..<2000]), Array(jobs[2000...])].map {
            ClientMessage.watch($0)
        }
        #expect(client.sent(.watch(jobs)) == messages)
        for _ in 0..<29 {
            _ = client.handle(.received(.heartbeat))
            #expect(client.pass(1_000) == [.heartbeat])
        }
        _ = client.handle(.received(.heartbeat))
        #expect(client.pass(1_000) == messages)
    }

    @Test("A number that the broker has given again: its picture is not taken for the one that was submitted")
    func numberGivenAgain() {
        let submission = ClientSamples.submission(content, 1)
        let finished = JobEnding.finished(ClientSamples.picture(of: [1]))
        let lost = Notice(id: 0, job: 7, ending: .unknown)
        var other = submission
        other.picture.size = .named("4k")
        for (notice, told) in [
            (Notice(id: 3, job: 7, submission: submission.digest, ending: finished), nil),
            (Notice(id: 3, job: 7, submission: other.digest, ending: finished), lost),
            (Notice(id: 3, job: 7, ending: finished), lost),
            (Notice(id: 3, job: 7, submission: other.digest, ending: .cancelled), lost),
            (Notice(id: 3, job: 7, submission: submission.digest, ending: .cancelled), nil),
            (Notice(id: 3, job: 7, ending: .cancelled), nil),
        ] as [(Notice, Notice?)] {
            var client = Driver()
            client.serve()
            _ = client.handle(submit)
            _ = client.handle(.received(.accepted(submission.key, 7)))
            _ = client.handle(.watch([7]))
            let actions = client.handle(.received(.notice(notice)))
            let events = actions.compactMap { if case .emit(let event) = $0 { event } else { nil } }
            #expect(events == [.notice(told ?? notice)], "\(notice)")
            // Whose it is: it need not be said again.
            let sent = actions.compactMap { if case .send(let message) = $0 { message } else { nil } }
            #expect(sent == (told == nil ? [] : [.noticesTaken([3])]), "\(notice)")
        }
    }

    @Test("A job of another client is the one that was meant, or is told as lost")
    func expectedSubmission() {
        var client = Driver()
        client.serve()
        let (own, other) = (ClientSamples.submission(content, 1).digest, ClientSamples.submission(content, 2).digest)
        _ = client.handle(.expect([7: own, 8: own]))
        _ = client.handle(.watch([7, 8, 9]))
        let finished = JobEnding.finished(ClientSamples.picture(of: [1]))
        func told(_ job: JobNumber) -> [FarmClientEvent] {
            client.told(
                .received(.notice(Notice(id: job, job: job, submission: job == 7 ? own : other, ending: finished))))
        }
        #expect(told(7) == [.notice(Notice(id: 7, job: 7, submission: own, ending: finished))])
        #expect(told(8) == [.notice(Notice(id: 0, job: 8, ending: .unknown))])
        #expect(told(9) == [.notice(Notice(id: 9, job: 9, submission: other, ending: finished))])
    }

    @Test("Another store than before: nothing of the old one is waited for, submissions go on")
    func otherStore() {
        var client = Driver()
        client.serve()
        _ = client.handle(submit)
        _ = client.handle(.watch([7]))
        _ = client.handle(.fetch(7, ClientSamples.picture(of: [1]), path: "a"))
        _ = client.handle(.order(1, .purge([7], endedSecondsAgo: 0)))
        _ = client.handle(.question(2, .story(7)))
        _ = client.handle(.question(3, .status))
        var other = Self.welcome
        other.storeID = ClientSamples.key(2)
        _ = client.handle(.received(.unknownSession))
        let actions = client.handle(.received(.welcome(other)))
        let told = actions.compactMap { if case .emit(let event) = $0 { event } else { nil } }
        let sent = actions.compactMap { if case .send(let message) = $0 { message } else { nil } }
        #expect(
            told == [
                .connected(other), .notice(Notice(id: 0, job: 7, ending: .unknown)),
                .fetchFailed(7, .badPicture(reason: "the broker has a different store than before")),
            ])
        // Its numbers are another's jobs there.
        #expect(sent.count == 2 && sent.first == .submit(ClientSamples.submission(content, 1)), "\(sent)")
        if case .question(let question)? = sent.last { #expect(question.topic == .status) }
        let refusal = ClientError.refused(reason: "the broker has a different store than before")
        let refused = actions.compactMap { action -> RequestID? in
            if case .answer(let id, .failed(refusal)) = action { id } else { nil }
        }
        #expect(refused == [1, 2], "\(actions)")
        #expect(actions.contains { if case .discard = $0 { true } else { false } })
    }

    @Test("The parts of two answers are not taken for one")
    func answers() {
        var client = Driver()
        client.serve()
        #expect(client.sent(.question(1, .status)) == [.question(Question(number: 1, topic: .status))])
        func part(_ number: UInt32, _ offset: UInt64, _ text: String) -> ClientEvent {
            .received(
                .answerPart(AnswerPart(number: number, offset: offset, totalBytes: 4, bytes: Array(text.utf8))))
        }
        _ = client.handle(part(1, 0, "ab"))
        client.now += 4_000
        _ = client.handle(.received(.welcome(Self.welcome)))
        #expect(client.handle(part(1, 2, "cd")).isEmpty)
        _ = client.handle(part(2, 0, "wx"))
        #expect(client.handle(part(2, 0, "wx")).isEmpty)
        let actions = client.handle(part(2, 2, "yz"))
        guard case .answer(1, .answer(let text))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(text == Array("wxyz".utf8))
        #expect(client.handle(part(2, 2, "yz")).isEmpty)
        // Of a question that was repeated the first answer that begins is taken.
        _ = client.handle(.question(3, .status))
        var again: [UInt32] = []
        for _ in 0..<6 {
            client.now += 1_000
            _ = client.handle(.received(.heartbeat))
            for case .send(.question(let question)) in client.handle(.tick) { again.append(question.number) }
        }
        #expect(again == [4])
        _ = client.handle(part(3, 0, "ab"))
        #expect(client.handle(part(4, 0, "wx")).isEmpty)
        guard case .answer(3, .answer(let late))? = client.handle(part(3, 2, "cd")).first else {
            Issue.record("the first answer is not taken")
            return
        }
        #expect(late == Array("abcd".utf8))
        // Nobody waits any more.
        _ = client.handle(.question(2, .status))
        _ = client.handle(.giveUp(2))
        #expect(client.handle(part(5, 0, "abcd")).isEmpty)
    }

    @Test("Pictures: a few at a time, one file for a job, no more ahead of the disk than two windows")
    func fetches() {
        var client = Driver()
        client.serve()
        let window = Int(ProtocolLimits.transferWindowBytes)
        let bytes = [UInt8](repeating: 1, count: 3 * window)
        let picture = ClientSamples.picture(of: bytes)
        #expect(client.sent(.fetch(1, picture, path: "a")).count == 2)
        #expect(client.sent(.fetch(1, picture, path: "b")).isEmpty)
        for job in 2...4 { #expect(client.sent(.fetch(JobNumber(job), picture, path: "c")).count == 2) }
        #expect(client.sent(.fetch(5, picture, path: "d")).isEmpty)
        func part(_ offset: Int, _ count: Int) -> ClientEvent {
            .received(
                .picturePart(
                    PicturePart(
                        job: 1, offset: UInt64(offset), totalBytes: UInt64(bytes.count),
                        bytes: [UInt8](repeating: 1, count: count))))
        }
        #expect(client.handle(part(0, 100)).count == 1)
        #expect(client.handle(part(0, 100)).isEmpty)
        #expect(client.handle(part(200, 100)).isEmpty)
        // The next window is asked for when the first one is on the disk.
        #expect(client.sent(.written(1, byteCount: 100)).isEmpty)
        for start in stride(from: 100, to: window, by: 100_000) {
            let count = min(100_000, window - start)
            #expect(client.handle(part(start, count)).count == 1)
            let sent = client.sent(.written(1, byteCount: count))
            #expect(sent == (start + count == window ? [.pictureRequest(1, offset: UInt64(2 * window))] : []))
        }
        let other = PicturePart(job: 1, offset: UInt64(window), totalBytes: 5, bytes: [1])
        let actions = client.handle(.received(.picturePart(other)))
        let told = actions.compactMap { if case .emit(let event) = $0 { event } else { nil } }
        guard case .fetchFailed(1, .damagedPicture)? = told.first else {
            Issue.record("\(told)")
            return
        }
        // The second file of the job has its turn.
        #expect(actions.contains { if case .open(_, "b", _) = $0 { true } else { false } })
    }

    /// A client that has followed job 1 and has `received` bytes of its picture on the disk.
    private func follower(received count: Int) -> Driver {
        var client = Driver()
        client.serve()
        #expect(client.sent(.follow(1, path: "a")) == [.pictureRequest(1, offset: 0)])
        if count > 0 {
            let part = PicturePart(job: 1, offset: 0, totalBytes: nil, bytes: [UInt8](repeating: 1, count: count))
            #expect(client.handle(.received(.picturePart(part))).count == 1)
            #expect(client.sent(.written(1, byteCount: count)) == [])
        }
        return client
    }

    private func finish(_ actions: [ClientAction]) -> FetchID? {
        actions.compactMap { if case .finish(let id, _, _) = $0 { id } else { nil } }.first
    }

    @Test("A followed picture is finished with what is missing of it, and begun anew where it has become another one")
    func followedPictures() {
        let bytes = [UInt8](repeating: 1, count: 1_000)
        let picture = ClientSamples.picture(of: bytes)
        func rest(_ total: UInt64?) -> ClientEvent {
            .received(.picturePart(PicturePart(job: 1, offset: 400, totalBytes: total, bytes: Array(bytes[400...]))))
        }
        // The rest comes before the notice or after it.
        var client = follower(received: 400)
        #expect(client.handle(rest(nil)).count == 1)
        #expect(finish(client.handle(.fetch(1, picture, path: "a"))) == 1)
        client = follower(received: 400)
        #expect(client.handle(.fetch(1, picture, path: "a")).isEmpty)
        #expect(finish(client.handle(rest(1_000))) == 1)
        #expect(client.told(.stored(1)) == [.fetched(1, path: "a")])
        // What comes again begins elsewhere: only what is new of it counts.
        client = follower(received: 400)
        _ = client.handle(.fetch(1, picture, path: "a"))
        let again = PicturePart(job: 1, offset: 100, totalBytes: 1_000, bytes: Array(bytes[100...]))
        let actions = client.handle(.received(.picturePart(again)))
        if case .write(1, let written)? = actions.first { #expect(written.count == 600) } else { Issue.record() }
        #expect(finish(actions) == 1)
        // What was asked for does not come: the rest is asked for again.
        client = follower(received: 400)
        #expect(client.handle(.fetch(1, picture, path: "a")).isEmpty)
        var sent: [ClientMessage] = []
        for _ in 0..<5 {
            sent += client.pass(1_000)
            _ = client.handle(.received(.heartbeat))
        }
        #expect(sent.contains(.pictureRequest(1, offset: 400)), "\(sent)")
        // Another picture: seen at its end, by its length, or when the broker has no such byte.
        client = follower(received: 400)
        _ = client.handle(.fetch(1, picture, path: "a"))
        _ = client.handle(rest(1_000))
        #expect(
            client.sent(.fileFailed(1, .badPicture(reason: "its SHA-256"))) == [.pictureRequest(1, offset: 0)])
        client = follower(received: 2_000)
        #expect(client.sent(.fetch(1, picture, path: "a")) == [.pictureRequest(1, offset: 0)])
        client = follower(received: 400)
        _ = client.handle(.fetch(1, picture, path: "a"))
        #expect(client.sent(.received(.pictureMissing(1, reason: ""))) == [.pictureRequest(1, offset: 0)])
        // Only once.
        #expect(
            client.told(.received(.pictureMissing(1, reason: "purged"))) == [
                .fetchFailed(1, .pictureMissing(1, reason: "purged"))
            ])
    }

    @Test("What came of a picture that will not be is removed, and nothing is said of it")
    func followedInVain() {
        func isDiscarded(_ actions: [ClientAction]) -> Bool {
            if case .discard(1)? = actions.first { actions.count == 1 } else { false }
        }
        // A broker that does not send unfinished pictures.
        var client = follower(received: 0)
        #expect(isDiscarded(client.handle(.received(.pictureMissing(1, reason: "not finished")))))
        client = follower(received: 400)
        _ = client.handle(.watch([1]))
        let notice = Notice(id: 5, job: 1, ending: .failed(.badInput, text: "bad"))
        let actions = client.handle(.received(.notice(notice)))
        #expect(isDiscarded(Array(actions.prefix(1))))
        #expect(actions.contains { if case .emit(.notice(notice)) = $0 { true } else { false } })
        client = follower(received: 400)
        #expect(isDiscarded(Array(client.handle(.stopRequested).prefix(1))))
        // What cannot be written is said when the picture is fetched.
        client = follower(received: 0)
        #expect(client.handle(.fileFailed(1, .file(path: "a", operation: "create", errno: 13))).isEmpty)
        let picture = ClientSamples.picture(of: [1, 2])
        #expect(client.sent(.fetch(1, picture, path: "a")) == [.pictureRequest(1, offset: 0)])
        // Two at a time, and none twice.
        client = follower(received: 0)
        #expect(client.handle(.follow(1, path: "b")).isEmpty)
        #expect(client.sent(.follow(2, path: "b")).count == 1)
        #expect(client.handle(.follow(3, path: "c")).isEmpty)
    }
}
