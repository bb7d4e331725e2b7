import Glibc
@testable import InkBroker
import InkCodecs
import InkEngine
import InkProtocol
import InkStore
import InkTestSupport
import Testing

@testable import InkService

@Suite("Whose turn it is")
struct AdmissionQueueTests {
    private func take(_ queue: inout AdmissionQueue, _ count: Int) -> [JobNumber] {
        (0..<count).compactMap { _ in queue.take() }
    }

    @Test("The highest priority first, and every sixteenth turn the oldest job of all")
    func age() {
        var queue = AdmissionQueue()
        queue.insert(1, priority: -5, weight: 1, owner: "a")
        for job in 2...40 as ClosedRange<JobNumber> { queue.insert(job, priority: 0, weight: 1, owner: "a") }
        let taken = take(&queue, 41)
        #expect(taken == Array(2...16) + [1] + Array(17...40), "\(taken)")
    }

    @Test("Submitters of one priority take turns by their jobs' weight")
    func weights() {
        var queue = AdmissionQueue()
        for job in 1...30 as ClosedRange<JobNumber> {
            queue.insert(job, priority: 0, weight: 2, owner: "a")
            queue.insert(100 + job, priority: 0, weight: 1, owner: "b")
        }
        #expect(take(&queue, 15).count { $0 < 100 } == 10)
    }

    @Test("One who comes late takes turns from then on, not those of before")
    func newcomer() {
        var queue = AdmissionQueue()
        for job in 1...40 as ClosedRange<JobNumber> { queue.insert(job, priority: 0, weight: 1, owner: "a") }
        _ = take(&queue, 10)
        for job in 101...140 as ClosedRange<JobNumber> { queue.insert(job, priority: 0, weight: 1, owner: "b") }
        #expect(take(&queue, 4).count { $0 > 100 } == 2)
    }

    @Test("How many wait that are as urgent", arguments: 0..<20 as Range<UInt64>)
    func counts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = AdmissionQueue()
        var waiting: [JobNumber: Int] = [:]
        for _ in 0..<300 {
            let (job, priority) = (JobNumber.random(in: 1...20, using: &random), Int.random(in: -2...2, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                queue.remove(job)
                waiting[job] = nil
            case 1: if let taken = queue.take() { waiting[taken] = nil }
            default:
                queue.insert(job, priority: priority, weight: 1, owner: "a")
                waiting[job] = priority
            }
            #expect(queue.count == waiting.count)
            for least in -3...3 { #expect(queue.count(ofAtLeast: least) == waiting.values.count { $0 >= least }) }
        }
    }
}

@Suite("Decisions of a service")
struct ServiceStateTests {
    let one = SessionID(rawValue: 1)
    let two = SessionID(rawValue: 2)

    func service(_ limits: ServiceLimits = ServiceLimits(), active: Int = 8) -> ServiceState {
        var rules = ServiceRules()
        rules.activeJobs = active
        rules.inputRoots = ["/in"]
        var state = ServiceState(limits: limits, rules: rules, nextJob: 1, nextNotice: 1)
        for session in [one, two] { _ = state.handle(.joined(session, owner: "\(session.rawValue)"), now: 0) }
        return state
    }

    /// Brings a job to the disk; returns what is done then.
    func accept(_ state: inout ServiceState, priority: Int = 0, now: UInt64 = 0) -> [ServiceAction] {
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch, priority: priority)
        _ = state.handle(.submitted(one, submission), now: now)
        let number = state.nextJob
        let examined = state.handle(.examined(submission.key, known: nil, hasContent: true), now: now)
        if case .journal(_, let entries)? = examined.first, case .accept(let record)? = entries.first {
            #expect(record.owner == "1" && record.priority == priority && record.number == number)
        } else {
            Issue.record("\(examined)")
        }
        let outcome = JournalOutcome.accepted(number, isNew: true)
        return state.handle(.committed(.accept(submission.key), .success([outcome])), now: now)
    }

    func submission(_ key: SubmissionKey = .random(), _ path: String = "/in/a.ink") -> Submission {
        Submission(
            key: key, name: "a.ink", source: .path(path), picture: PictureSpec(size: .named("2k")), delivery: .fetch)
    }

    @Test("A batch is entered as a whole, answered when it is on the disk, and refused for good if it can never wait")
    func batches() {
        var limits = ServiceLimits()
        limits.queuedJobs = 3
        var state = service(limits)
        let (a, b) = (EntryID(rawValue: 1), EntryID(rawValue: 2))
        let two = [submission(), submission()]
        let actions = state.handle(.entered(a, owner: "anna", two), now: 0)
        guard case .journal(.enter(a), let entries)? = actions.first, case .enter(let records)? = entries.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(records.map(\.number) == [1, 2] && records.allSatisfy { $0.owner == "anna" } && !state.isIdle)
        // No room beside those that are on their way to the disk: later. Never: for good.
        for (count, isTemporary) in [(2, true), (4, false)] {
            let more = (0..<count).map { _ in submission() }
            guard
                case .answerEntry(b, .rejected(let rejection))? = state.handle(
                    .entered(b, owner: "bob", more), now: 0
                ).first
            else {
                Issue.record("\(count) more")
                return
            }
            #expect(rejection.code.isTemporary == isTemporary && (rejection.retryMilliseconds > 0) == isTemporary)
        }
        let stored = state.handle(.committed(.enter(a), .success([.entered([1, 2], isNew: true)])), now: 0)
        #expect(stored.contains(.answerEntry(a, .entered([1, 2], isNew: true))))
        #expect(Set(starting(stored)) == [1, 2] && state.entering.isEmpty && state.brokenInvariants.isEmpty)
        _ = state.handle(.entered(b, owner: "bob", [submission()]), now: 0)
        #expect(
            state.handle(.committed(.enter(b), .success([.conflict])), now: 0).contains(.answerEntry(b, .conflict)))
        // What is not allowed for one is not for all.
        let mixed = state.handle(.entered(b, owner: "bob", [submission(.random(), "/else/a.ink")]), now: 0)
        guard case .answerEntry(b, .rejected(let rejection))? = mixed.first else {
            Issue.record("\(mixed)")
            return
        }
        #expect(rejection.code == .forbidden)
        _ = state.handle(.stopping, now: 0)
        let late = state.handle(.entered(b, owner: "bob", [submission()]), now: 0)
        guard case .answerEntry(b, .rejected(let busy))? = late.first else {
            Issue.record("\(late)")
            return
        }
        #expect(busy.code == .busy)
    }

    @Test("A size that a format cannot have is rejected when it is submitted", arguments: ["20000x20000", "exact"])
    func sizeOfFormat(text: String) {
        var state = service()
        var wanted = submission()
        wanted.picture.size = text == "exact" ? .exact(PixelSize(width: 20_000, height: 9)) : .named(text)
        wanted.picture.options.encoding = PictureEncoding(format: .webp)
        _ = state.handle(.submitted(one, wanted), now: 0)
        let actions = state.handle(.examined(wanted.key, known: nil, hasContent: true), now: 0)
        guard case .send(one, .rejected(wanted.key, let rejection))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(rejection.code == .invalid && rejection.text.contains("16383 pixels"), "\(rejection.text)")
    }

    @Test("A key that comes with another submission is refused: while it is open, when it is known, when it is stored")
    func oneKey() {
        var state = service()
        let key = SubmissionKey.random()
        let (first, other) = (submission(key), submission(key, "/in/b.ink"))
        func rejected(_ actions: [ServiceAction], _ session: SessionID) -> Bool {
            actions.contains { action in
                if case .send(session, .rejected(key, let rejection)) = action {
                    rejection.code == .invalid
                } else {
                    false
                }
            }
        }
        _ = state.handle(.submitted(one, first), now: 0)
        #expect(rejected(state.handle(.submitted(two, other), now: 0), two))
        // The same again is not.
        #expect(state.handle(.submitted(two, first), now: 0).isEmpty)
        let known = KnownSubmission(job: 9, submission: other.digest)
        #expect(rejected(state.handle(.examined(key, known: known, hasContent: true), now: 0), two))
        _ = state.handle(.submitted(one, first), now: 0)
        _ = state.handle(.examined(key, known: nil, hasContent: true), now: 0)
        #expect(rejected(state.handle(.committed(.accept(key), .success([.conflict])), now: 0), one))
        #expect(state.jobs.isEmpty && state.submitting.isEmpty)
    }

    func starting(_ actions: [ServiceAction]) -> [JobNumber] {
        actions.compactMap { if case .journal(.starting(let job), _) = $0 { job } else { nil } }
    }

    @Test("Eight jobs at once, and four more only of a higher priority than all of them")
    func overtaking() {
        var state = service()
        var begun: [JobNumber] = []
        for _ in 1...20 { begun += starting(accept(&state)) }
        #expect(begun == Array(1...8))
        begun = []
        for _ in 21...30 { begun += starting(accept(&state, priority: 1)) }
        // The second is of no higher priority than the first, which runs.
        #expect(begun == [21])
        #expect(starting(accept(&state, priority: 2)) == [31])
        #expect(state.brokenInvariants == [])
    }

    @Test("Jobs whose pictures are made alone take no place, as far as there are threads for them")
    func alone() {
        var state = service(active: 2)
        var begun: [JobNumber] = []
        for _ in 1...20 { begun += starting(accept(&state)) }
        #expect(begun == [1, 2])
        func tell(_ job: JobNumber, _ isAlone: Bool) -> [JobNumber] {
            _ = state.handle(.committed(.starting(job), .success([.done])), now: 0)
            return starting(state.handle(.alone(job, isAlone, atOnce: 3), now: 0))
        }
        #expect(tell(1, true) == [3] && tell(2, true) == [4] && tell(3, true) == [5])
        // There are threads for three.
        #expect(tell(4, true) == [] && state.activeJobs.count == 5)
        #expect(starting(state.handle(.exportEnded(1, .ended(.cancelled), story: []), now: 0)) == [6])
        // One is more than was thought, and takes a place with those that are made by many.
        #expect(tell(2, false) == [] && tell(5, false) == [])
        #expect(starting(state.handle(.exportEnded(2, .ended(.cancelled), story: []), now: 0)) == [])
        #expect(starting(state.handle(.exportEnded(5, .ended(.cancelled), story: []), now: 0)) == [7])
        // One that has ended says nothing more.
        #expect(tell(2, true) == [] && state.brokenInvariants == [])
    }

    @Test(
        "How many are before a job: those of a higher priority, and those before it", arguments: 0..<8 as Range<UInt64>)
    func places(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var state = service(active: 2)
        for _ in 0..<60 { _ = accept(&state, priority: Int.random(in: -2...2, using: &generator)) }
        let waiting = state.jobs.filter { $0.value.phase == .waiting }
        let asked = (1...70 as ClosedRange<JobNumber>).filter { _ in Bool.random(using: &generator) }
        var expected: [JobNumber: Int] = [:]
        for number in asked {
            guard let job = waiting[number] else { continue }
            expected[number] = waiting.count { other, entry in
                entry.priority > job.priority || entry.priority == job.priority && other <= number
            }
        }
        #expect(state.counts(upTo: asked) == expected, "seed \(seed)")
    }

    @Test("With one job at a time, too, every sixteenth turn is the oldest job's")
    func ageOfOneAtATime() {
        var state = service(active: 1)
        _ = accept(&state)
        _ = accept(&state, priority: -5)
        for _ in 3...40 { _ = accept(&state) }
        var order: [JobNumber] = [1]
        while order.count < 20, !order.contains(2), let job = order.last {
            _ = state.handle(.committed(.starting(job), .success([.done])), now: 0)
            order += starting(state.handle(.exportEnded(job, .ended(.cancelled), story: []), now: 0))
        }
        // The one behind it is of a higher priority and overtakes it.
        #expect(order == [1] + Array(3...16) + [2, 17], "\(order)")
    }

    @Test("A submission that is known is answered with its job, whatever the rules have become")
    func knownSubmission() {
        var state = service()
        let known = Submission(
            key: .random(), name: "a.ink", source: .path("/elsewhere/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .write("a.png"))
        let examine = ServiceAction.examine(known.key, known.source)
        #expect(state.handle(.submitted(one, known), now: 0) == [examine])
        #expect(
            state.handle(
                .examined(known.key, known: KnownSubmission(job: 7, submission: known.digest), hasContent: false),
                now: 0) == [
                    .send(one, .accepted(known.key, 7))
                ])
        #expect(state.handle(.submitted(one, known), now: 0) == [examine])
        guard
            case .send(one, .rejected(known.key, let rejection))? = state.handle(
                .examined(known.key, known: nil, hasContent: false), now: 0
            ).first
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(rejection.code == .forbidden && state.submitting.isEmpty)
    }

    @Test func roomThatNoPictureTookIsGivenBack() throws {
        let folder = try TemporaryFolder()
        let contents = try ContentFolder(folder: folder.path, quotaBytes: 100)
        let reservation = PictureReservation(in: contents)
        try reservation.take(bytes: 60)
        #expect(throws: StoreError.self) { try PictureReservation(in: contents).take(bytes: 60) }
        for _ in 0..<2 { reservation.giveBack() }
        #expect(contents.usedBytes == 0)
        try reservation.take(bytes: 100)
    }

    @Test("A changed priority counts for jobs that wait and for those that run")
    func priority() {
        var state = service()
        for _ in 1...10 { _ = accept(&state) }
        _ = state.handle(.committed(.starting(1), .success([.done])), now: 0)
        let order = Order(number: 1, action: .priority([1, 10], -3))
        let actions = state.handle(.ordered(one, order), now: 0)
        #expect(actions.contains(.setPriority(1, -3)) && !actions.contains(.setPriority(10, -3)))
        #expect(starting(state.handle(.ordered(one, Order(number: 2, action: .priority([10], 5))), now: 0)) == [10])
    }

    @Test("A paused job has no turn and takes no place; resumed, it goes on")
    func pause() {
        var state = service()
        for _ in 1...10 { _ = accept(&state) }
        for job in 1...2 as ClosedRange<JobNumber> {
            _ = state.handle(.committed(.starting(job), .success([.done])), now: 0)
        }
        func order(_ number: UInt32, _ action: OrderAction) -> [ServiceAction] {
            state.handle(.ordered(one, Order(number: number, action: action)), now: 0)
        }
        // One that runs, one that is being started, one that waits.
        let actions = order(1, .pause([1, 3, 9]))
        #expect(actions.contains(.setPaused(1, true)) && !actions.contains(.setPaused(9, true)))
        let stored = [1, 3, 9].map { JournalEntry.paused($0, true) }
        #expect(actions.contains(.journal(.order(OrderID(session: one, number: 1)), stored)))
        #expect(starting(actions) == [10])
        #expect(!state.handle(.committed(.starting(3), .success([.done])), now: 0).contains(.start(3)))
        #expect(state.jobs[3]?.phase == .waiting && state.counts == (queued: 0, running: 7, paused: 3))
        #expect(state.brokenInvariants == [])
        #expect(order(2, .resume([1])).contains(.setPaused(1, false)))
        #expect(starting(order(3, .resume([9]))) == [])
        #expect(state.handle(.exportEnded(1, .ended(.cancelled), story: []), now: 0).isEmpty == false)
        #expect(order(4, .cancel([3])).contains { if case .journal(.ended(3), _) = $0 { true } else { false } })
        #expect(state.brokenInvariants == [])
        var restored = service()
        let submission = Submission(
            key: .random(), name: "a", source: .path("/in/a"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        _ = restored.restore([
            JobRecord(
                number: 7, key: submission.key, submission: submission.stored, owner: "", priority: 0, isPaused: true,
                createdAt: 0)
        ])
        #expect(starting(restored.handle(.tick, now: 0)) == [])
    }

    @Test("Ends beyond what one client is told at once come when it has taken the others")
    func notices() {
        var limits = ServiceLimits()
        limits.openNotices = 1
        limits.watchedJobs = 3
        var state = service(limits)
        #expect(state.handle(.watched(one, [5, 6, 7]), now: 0) == [.lookUp(one, [5])])
        func notice(_ job: JobNumber) -> Notice { Notice(id: job, job: job, ending: .cancelled) }
        #expect(state.handle(.lookedUp(one, [notice(5), notice(8)]), now: 0) == [.send(one, .notice(notice(5)))])
        // The oldest of those that wait.
        #expect(state.handle(.noticesTaken(one, [5]), now: 0) == [.lookUp(one, [6])])
        _ = state.handle(.lookedUp(one, [notice(6)]), now: 0)
        #expect(state.handle(.noticesTaken(one, [6]), now: 0) == [.lookUp(one, [7])])
        _ = state.handle(.lookedUp(one, [notice(7)]), now: 0)
        #expect(state.handle(.noticesTaken(one, [7]), now: 0) == [.lookUp(one, [8])])
    }

    @Test("A notice that is not taken is repeated ever more seldom: on a slow line it leaves room for the pictures")
    func noticesAreRepeated() {
        var state = service(ServiceLimits())
        _ = state.handle(.watched(one, [5]), now: 0)
        _ = state.handle(.lookedUp(one, [Notice(id: 5, job: 5, ending: .cancelled)]), now: 0)
        var times: [UInt64] = []
        for second in 1...2_000 as ClosedRange<UInt64> {
            let actions = state.handle(.tick, now: second * 1_000)
            if actions.contains(where: { if case .send(_, .notice) = $0 { true } else { false } }) {
                times.append(second)
            }
        }
        #expect(times == [5, 15, 35, 75, 155, 315, 635, 955, 1275, 1595, 1915])
        _ = state.handle(.noticesTaken(one, [5]), now: 2_000_000)
        #expect(state.handle(.tick, now: 9_000_000).isEmpty)
    }

    @Test("A client watches so many jobs and no more")
    func watched() {
        var limits = ServiceLimits()
        limits.watchedJobs = 2
        var state = service(limits)
        for _ in 1...4 { _ = accept(&state) }
        _ = state.handle(.watched(one, [1, 2, 3, 4]), now: 0)
        #expect(state.sessions[one]?.watched.count == 2)
    }

    @Test("When the disk refuses the mark, no job is begun for a while")
    func refusedMark() {
        var state = service()
        #expect(starting(accept(&state)) == [1])
        let fault = StoreError.full(path: "/data")
        #expect(starting(state.handle(.committed(.starting(1), .failure(fault)), now: 10)) == [])
        #expect(starting(state.handle(.tick, now: 2_009)) == [])
        #expect(starting(state.handle(.tick, now: 2_010)) == [1])
    }

    @Test("When the system is short of something, the job waits and no other is begun for a while")
    func shortage() {
        var state = service()
        #expect(starting(accept(&state)) == [1])
        _ = state.handle(.committed(.starting(1), .success([.done])), now: 5)
        let actions = state.handle(.exportEnded(1, .later(reason: "too many open files"), story: []), now: 10)
        #expect(starting(actions) == [] && endings(actions) == [])
        #expect(starting(accept(&state, now: 20)) == [])
        #expect(starting(state.handle(.tick, now: 2_010)) == [1, 2])
    }

    func endings(_ actions: [ServiceAction]) -> [JobNumber] {
        actions.compactMap { if case .journal(.ended(let job), _) = $0 { job } else { nil } }
    }

    func answers(_ actions: [ServiceAction]) -> [OrderResult] {
        actions.compactMap { if case .send(_, .orderDone(let result)) = $0 { result } else { nil } }
    }

    @Test("A cancellation is answered when the ends of its jobs are on the disk, and says which had finished")
    func cancellation() {
        var state = service(active: 2)
        for _ in 1...3 { _ = accept(&state) }
        for job in 1...2 as ClosedRange<JobNumber> {
            _ = state.handle(.committed(.starting(job), .success([.done])), now: 0)
        }
        let order = Order(number: 1, action: .cancel([1, 2, 3, 3, 9]))
        var actions = state.handle(.ordered(one, order), now: 0)
        #expect(actions.contains(.cancelExport(1)) && actions.contains(.cancelExport(2)))
        #expect(endings(actions) == [3] && answers(actions) == [])
        // Said again under another number.
        actions = state.handle(.ordered(one, Order(number: 2, action: .cancel([3]))), now: 0)
        #expect(endings(actions) == [] && answers(actions) == [])
        actions = state.handle(.committed(.ended(3), .success([.done])), now: 0)
        #expect(answers(actions) == [OrderResult(number: 2, code: .done, count: 1, text: "")])
        // The first was being finished; the disk refuses the end of the second at first.
        let picture = PictureReport(
            size: PixelSize(width: 1, height: 1),
            files: [WrittenFile(byteCount: 1, digest: [UInt8](repeating: 0, count: 32))])
        _ = state.handle(.exportEnded(1, .ended(.finished(picture)), story: []), now: 0)
        _ = state.handle(.exportEnded(2, .ended(.cancelled), story: []), now: 0)
        #expect(answers(state.handle(.committed(.ended(1), .success([.done])), now: 0)) == [])
        let fault = StoreError.full(path: "/data")
        #expect(answers(state.handle(.committed(.ended(2), .failure(fault)), now: 0)) == [])
        #expect(endings(state.handle(.tick, now: 2_000)) == [2])
        actions = state.handle(.committed(.ended(2), .success([.done])), now: 2_000)
        let text = "not under way, or unknown: jobs 9, 1"
        #expect(answers(actions) == [OrderResult(number: 1, code: .partly, count: 2, text: text)])
        #expect(state.orders.isEmpty)
    }

    @Test("An end that the disk does not take is counted, asked for again, and told to who cancels the job")
    func stuckEnd() {
        var state = service()
        _ = accept(&state)
        _ = state.handle(.committed(.starting(1), .success([.done])), now: 0)
        _ = state.handle(.exportEnded(1, .ended(.failed(.inputOutput, text: "x")), story: []), now: 0)
        let fault = StoreError.full(path: "/data")
        _ = state.handle(.committed(.ended(1), .failure(fault)), now: 10)
        #expect(state.stuckEnds == [1: 10] && state.brokenInvariants == [])
        let text = "already ended (not yet stored), or unknown: job 1"
        let refusal = OrderResult(number: 1, code: .refused, count: 0, text: text)
        #expect(answers(state.handle(.ordered(one, Order(number: 1, action: .cancel([1]))), now: 20)) == [refusal])
        #expect(endings(state.handle(.tick, now: 2_100)) == [1])
        _ = state.handle(.committed(.ended(1), .failure(fault)), now: 2_110)
        #expect(state.stuckEnds == [1: 10])
        #expect(endings(state.handle(.tick, now: 4_200)) == [1])
        #expect(state.handle(.committed(.ended(1), .success([.done])), now: 4_210).count == 1)
        #expect(state.stuckEnds.isEmpty && state.jobs.isEmpty)
    }

    @Test("Who cancels a job whose end the disk does not take hears that after a while")
    func stuckCancellation() {
        var state = service(active: 1)
        for _ in 1...2 { _ = accept(&state) }
        #expect(answers(state.handle(.ordered(one, Order(number: 1, action: .cancel([2]))), now: 0)) == [])
        let fault = StoreError.full(path: "/data")
        #expect(answers(state.handle(.committed(.ended(2), .failure(fault)), now: 0)) == [])
        #expect(answers(state.handle(.tick, now: 4_999)) == [])
        let text = "already ended (not yet stored), or unknown: job 2"
        #expect(
            answers(state.handle(.tick, now: 5_000)) == [OrderResult(number: 1, code: .refused, count: 0, text: text)])
        #expect(state.orders.isEmpty)
    }

    @Test("A notice names the submission, whether its job was in memory or is looked up")
    func noticeOfSubmission() {
        var state = service()
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        _ = state.handle(.submitted(one, submission), now: 0)
        _ = state.handle(.examined(submission.key, known: nil, hasContent: true), now: 0)
        _ = state.handle(.committed(.accept(submission.key), .success([.accepted(1, isNew: true)])), now: 0)
        _ = state.handle(.watched(one, [1]), now: 0)
        _ = state.handle(.committed(.starting(1), .success([.done])), now: 0)
        _ = state.handle(.exportEnded(1, .ended(.failed(.internalError, text: "x")), story: []), now: 0)
        let actions = state.handle(.committed(.ended(1), .success([.done])), now: 0)
        let notices = actions.compactMap { action -> Notice? in
            if case .send(_, .notice(let notice)) = action { notice } else { nil }
        }
        #expect(notices.map(\.submission) == [submission.digest])
    }

    @Test("The log names each end that the disk refuses once, and the rest once in a while with a count")
    func refusalLog() {
        var log = RefusalLog()
        #expect(log.count(.end, 1, now: 0) == 1)
        #expect(log.count(.end, 1, now: 2_000) == nil)
        #expect(log.count(.end, 2, now: 4_000) == 2)
        #expect(log.count(.submission, nil, now: 4_000) == 1)
        for _ in 0..<5 { #expect(log.count(.submission, nil, now: 5_000) == nil) }
        #expect(log.count(.submission, nil, now: 64_000) == 6)
        #expect(log.count(.end, 1, now: 64_000) == 1)
    }

    @Test("A job that is to be cancelled ends, even where the disk refuses the mark of its beginning")
    func cancellationOfOneThatBegins() {
        var state = service()
        _ = accept(&state)
        #expect(answers(state.handle(.ordered(one, Order(number: 1, action: .cancel([1]))), now: 0)) == [])
        let fault = StoreError.full(path: "/data")
        #expect(endings(state.handle(.committed(.starting(1), .failure(fault)), now: 0)) == [1])
    }

    @Test("A client has so many orders open and no more, and those of one that leaves are forgotten")
    func openOrders() {
        var limits = ServiceLimits()
        limits.openOrders = 2
        var state = service(limits)
        for _ in 1...3 { _ = accept(&state) }
        var actions: [ServiceAction] = []
        for number in 1...3 as ClosedRange<UInt32> {
            actions = state.handle(.ordered(one, Order(number: number, action: .cancel([JobNumber(number)]))), now: 0)
        }
        #expect(answers(actions).map(\.code) == [.refused] && endings(actions) == [])
        _ = state.handle(.ordered(one, Order(number: 1, action: .cancel([3]))), now: 0)
        _ = state.handle(.left(one), now: 0)
        #expect(state.orders.isEmpty)
        #expect(answers(state.handle(.committed(.ended(1), .success([.done])), now: 0)) == [])
    }

    @Test("An order that is said again before its answer is carried out once")
    func doubledOrder() {
        var state = service()
        let order = Order(number: 1, action: .retry([7]))
        let id = OrderID(session: one, number: 1)
        #expect(state.handle(.ordered(one, order), now: 0) == [.journal(.order(id), [.retried(7)])])
        #expect(state.handle(.ordered(one, order), now: 0) == [])
    }

    @Test("A project that was being read when the broker died three times is given up")
    func crashes() {
        var state = service()
        let submission = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        func record(_ number: JobNumber, crashes: Int) -> InkStore.JobRecord {
            InkStore.JobRecord(
                number: number, key: .random(), submission: submission.stored, owner: "", priority: 0,
                state: .starting, crashes: crashes, createdAt: 0)
        }
        let actions = state.restore([record(1, crashes: 1), record(2, crashes: 2)])
        #expect(actions.first == .journal(.note, [.queued(1, crashes: 2)]))
        guard case .journal(.ended(2), let entries)? = actions.last,
            case .ended(2, .failed(.internalError, _), _, _, _)? = entries.first
        else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test("A job whose record cannot be read fails, and those behind it are taken up")
    func damagedRecord() {
        var state = service()
        func record(_ number: JobNumber, _ submission: [UInt8]) -> InkStore.JobRecord {
            InkStore.JobRecord(
                number: number, key: .random(), submission: submission, owner: "", priority: 0, createdAt: 0)
        }
        let good = Submission(
            key: .random(), name: "a.ink", source: .path("/in/a.ink"), picture: PictureSpec(size: .named("2k")),
            delivery: .fetch)
        #expect(endings(state.restore([record(1, [0]), record(2, good.stored)])) == [1])
        #expect(endings(state.giveUp(3, reason: "its record is damaged")) == [3])
        #expect(starting(state.handle(.tick, now: 0)) == [2])
    }
}
