import InkEngine
import InkProtocol
import InkTestSupport

/// A broker for clients without disk, workers and sockets: messages in, messages out. What it has accepted and what has
/// ended survives `restart`, the rest does not.
struct FakeService {
    struct Job {
        var submission: Submission
        var startedAt: Int64
        var endsAt: Int64
        var picture: [UInt8]
        /// What is shown of a picture that is begun anew before it is finished.
        var firstTry: [UInt8]?
        /// What was asked for of the picture before it is finished, by route.
        var followers: [Int: Range<Int>] = [:]
        var ending: JobEnding?
        var notice: UInt64 = 0
    }

    private struct Session {
        var received = PartsReceived()
        var watched: Set<JobNumber> = []
        var notices: [UInt64: (notice: Notice, sentAt: Int64)] = [:]
    }

    private struct Upload {
        var bytes: [UInt8] = []
        var route: Int
        var askedAt: Int64
    }

    typealias Mail = (route: Int, message: ServiceMessage)

    /// Each test has a generator of its own.
    var random: SeededGenerator
    var storeID = SubmissionKey(bytes: [UInt8](repeating: 1, count: 16))
    var heartbeat = 1_000
    var liveness = 3_000
    /// Jobs that may be open at once; beyond, submissions are turned away.
    var queueLimit = Int.max
    /// How long a job takes at most, milliseconds.
    var jobTime = 2_000
    /// Pieces that pictures and answers are cut into, bytes.
    var partBytes = 1...65_536
    var repeatTime: Int64 = 5_000
    /// Bytes of a job's picture.
    var pictureBytes = 1...200_000
    /// Jobs that begin anew before they end, with another picture, of a hundred.
    var remakeShare = 0
    /// Whether pictures are damaged after their digest has been taken.
    var damagesPictures = false

    // Durable.
    private(set) var jobs: [JobNumber: Job] = [:]
    private(set) var pictures: [JobNumber: [UInt8]] = [:]
    private(set) var contents: [ContentID: [UInt8]] = [:]
    private var byKey: [SubmissionKey: JobNumber] = [:]
    private var lastNotice: UInt64 = 0

    // Forgotten by a restart.
    private var sessions: [Int: Session] = [:]
    private var submitting: [SubmissionKey: (route: Int, submission: Submission)] = [:]
    private var uploads: [ContentID: Upload] = [:]
    private var mail: [Mail] = []

    // For the tests.
    private(set) var submitCount = 0
    private(set) var orders: [OrderAction] = []
    private(set) var busyCount = 0
    /// Parts of pictures that were not finished.
    private(set) var earlyParts = 0
    var openNotices: Int { sessions.values.reduce(0) { $0 + $1.notices.count } }

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func restart() {
        sessions = [:]
        submitting = [:]
        uploads = [:]
        for number in jobs.keys { jobs[number]?.followers = [:] }
    }

    /// As if the data folder had been lost.
    mutating func loseStore() {
        restart()
        jobs = [:]
        pictures = [:]
        contents = [:]
        byKey = [:]
        storeID = SubmissionKey(bytes: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    mutating func receive(_ message: ClientMessage, from route: Int, now: Int64) -> [Mail] {
        mail = []
        if case .hello = message {
            sessions[route] = Session()
            send(
                .welcome(
                    ClientWelcome(
                        brokerName: "fake", storeID: storeID, heartbeatMilliseconds: heartbeat,
                        livenessMilliseconds: liveness)), route)
        } else if sessions[route] == nil {
            if message != .goodbye { send(.unknownSession, route) }
        } else {
            take(message, route, now)
        }
        return mail
    }

    mutating func tick(now: Int64) -> [Mail] {
        mail = []
        for number in jobs.keys.sorted() {
            if jobs[number]?.ending == nil, jobs[number]?.endsAt ?? 0 <= now { end(number, now) }
            for route in (jobs[number]?.followers ?? [:]).keys.sorted() { continuePicture(number, route, now) }
        }
        for route in sessions.keys.sorted() {
            send(.heartbeat, route)
            for (id, open) in (sessions[route]?.notices ?? [:]).sorted(by: { $0.key < $1.key })
            where now >= open.sentAt + repeatTime {
                sessions[route]?.notices[id]?.sentAt = now
                send(.notice(open.notice), route)
            }
        }
        for id in uploads.keys.sorted(by: { "\($0)" < "\($1)" }) {
            if let upload = uploads[id], now >= upload.askedAt + repeatTime { request(id, now) }
        }
        return mail
    }

    private mutating func send(_ message: ServiceMessage, _ route: Int) { mail.append((route, message)) }

    private mutating func take(_ message: ClientMessage, _ route: Int, _ now: Int64) {
        switch message {
        case .hello, .heartbeat, .acknowledge: break
        case .goodbye:
            sessions[route] = nil
            for number in jobs.keys { jobs[number]?.followers[route] = nil }
        case .submit(let submission): submit(submission, route, now)
        case .contentPart(let part):
            sessions[route]?.received.take(part.bytes.count)
            if let total = sessions[route]?.received.acknowledgement() { send(.acknowledge(total), route) }
            take(part, route, now)
        case .contentUnavailable(let id, let reason): fail(id, reason)
        case .watch(let numbers): for number in numbers { watch(number, route, now) }
        case .noticesTaken(let ids): for id in ids { sessions[route]?.notices[id] = nil }
        case .pictureRequest(let job, let offset): sendPicture(job, offset, route, now)
        case .order(let order):
            orders.append(order.action)
            if case .drain(let worker) = order.action, worker == "nobody" { return }
            send(.orderDone(OrderResult(number: order.number, code: .done, count: 1, text: "")), route)
        case .question(let question):
            let text = FakeService.answer(to: question.topic)
            for range in cut(0..<text.count) {
                send(
                    .answerPart(
                        AnswerPart(
                            number: question.number, offset: UInt64(range.lowerBound), totalBytes: UInt64(text.count),
                            bytes: Array(text[range]))), route)
            }
        }
    }

    static func answer(to topic: Topic) -> [UInt8] {
        Array("{\"topic\":\"\(topic)\",\"filler\":\"\(String(repeating: "f", count: 100_000))\"}".utf8)
    }

    private mutating func cut(_ range: Range<Int>) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, start + Int.random(in: partBytes, using: &random))
            pieces.append(start..<end)
            start = end
        }
        return pieces
    }

    // MARK: Submissions

    private mutating func submit(_ submission: Submission, _ route: Int, _ now: Int64) {
        submitCount += 1
        if let job = byKey[submission.key] { return send(.accepted(submission.key, job), route) }
        if case .path = submission.source {
            return send(.rejected(submission.key, Rejection(code: .forbidden, text: "no roots")), route)
        }
        guard jobs.values.count(where: { $0.ending == nil }) < queueLimit else {
            busyCount += 1
            let rejection = Rejection(code: .busy, retryMilliseconds: 1_000, text: "full")
            return send(.rejected(submission.key, rejection), route)
        }
        guard case .content(let id, _, _) = submission.source else { return }
        submitting[submission.key] = (route, submission)
        if contents[id] != nil { return accept(submission.key, now) }
        if uploads[id] == nil { uploads[id] = Upload(route: route, askedAt: now) } else { uploads[id]?.route = route }
        request(id, now)
    }

    private mutating func accept(_ key: SubmissionKey, _ now: Int64) {
        guard let (route, submission) = submitting.removeValue(forKey: key) else { return }
        let number = JobNumber(jobs.count + 1)
        let time = Int64.random(in: 1...Int64(jobTime), using: &random)
        var bytes = (0..<Int.random(in: pictureBytes, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        bytes[0] = UInt8(truncatingIfNeeded: number)
        var job = Job(submission: submission, startedAt: now, endsAt: now + time, picture: bytes)
        if Int.random(in: 0..<100, using: &random) < remakeShare {
            job.firstTry = (0..<Int.random(in: pictureBytes, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        }
        jobs[number] = job
        byKey[key] = number
        send(.accepted(key, number), route)
    }

    private mutating func request(_ id: ContentID, _ now: Int64) {
        guard let upload = uploads[id],
            case .content(_, let total, _)? = submitting.values.first(where: { uses($0.submission, id) })?
                .submission.source
        else { return }
        let offset = UInt64(upload.bytes.count)
        let most = UInt64.random(in: 1...ProtocolLimits.transferWindowBytes, using: &random)
        uploads[id]?.askedAt = now
        send(.contentRequest(id, offset: offset, byteCount: min(most, total - offset)), upload.route)
    }

    private func uses(_ submission: Submission, _ id: ContentID) -> Bool {
        if case .content(id, _, _) = submission.source { true } else { false }
    }

    private mutating func take(_ part: ContentPart, _ route: Int, _ now: Int64) {
        guard let upload = uploads[part.id], part.offset == UInt64(upload.bytes.count) else { return }
        uploads[part.id]?.bytes += part.bytes
        uploads[part.id]?.route = route
        let keys = submitting.filter { uses($0.value.submission, part.id) }.map(\.key)
        guard let key = keys.first, case .content(_, let total, _) = submitting[key]!.submission.source else { return }
        let bytes = uploads[part.id]?.bytes ?? []
        guard UInt64(bytes.count) >= total else { return request(part.id, now) }
        uploads[part.id] = nil
        guard SHA256.digest(bytes) == part.id.digest else { return fail(part.id, "another SHA-256") }
        contents[part.id] = bytes
        for key in keys.sorted(by: { "\($0)" < "\($1)" }) { accept(key, now) }
    }

    private mutating func fail(_ id: ContentID, _ reason: String) {
        uploads[id] = nil
        for (key, entry) in submitting.sorted(by: { "\($0.key)" < "\($1.key)" }) where uses(entry.submission, id) {
            submitting[key] = nil
            send(.rejected(key, Rejection(code: .content, text: reason)), entry.route)
        }
    }

    // MARK: Jobs

    private mutating func end(_ number: JobNumber, _ now: Int64) {
        guard var bytes = jobs[number]?.picture else { return }
        let picture = ClientSamples.picture(of: bytes)
        if damagesPictures { bytes[bytes.count / 2] ^= 1 }
        pictures[number] = bytes
        lastNotice += 1
        jobs[number]?.notice = lastNotice
        jobs[number]?.ending = .finished(picture)
        for route in sessions.keys.sorted() where sessions[route]?.watched.contains(number) ?? false {
            tell(number, route, now)
        }
    }

    private mutating func watch(_ number: JobNumber, _ route: Int, _ now: Int64) {
        guard let job = jobs[number] else {
            return send(.notice(Notice(id: 0, job: number, ending: .unknown)), route)
        }
        if job.ending != nil { return tell(number, route, now) }
        sessions[route]?.watched.insert(number)
        send(.progress(number, done: 1, total: 2), route)
    }

    private mutating func tell(_ number: JobNumber, _ route: Int, _ now: Int64) {
        guard let job = jobs[number], let ending = job.ending else { return }
        sessions[route]?.watched.remove(number)
        guard sessions[route]?.notices[job.notice] == nil else { return }
        let notice = Notice(
            id: job.notice, job: number, submission: job.submission.digest, ending: ending)
        sessions[route]?.notices[job.notice] = (notice, now)
        send(.notice(notice), route)
    }

    mutating func forgetPicture(_ job: JobNumber) { pictures[job] = nil }

    private mutating func sendPicture(_ job: JobNumber, _ offset: UInt64, _ route: Int, _ now: Int64) {
        let range = Int(offset)..<Int(offset + ProtocolLimits.transferWindowBytes)
        if let running = jobs[job], running.ending == nil {
            jobs[job]?.followers[route] = range
            return continuePicture(job, route, now)
        }
        guard let bytes = pictures[job], range.lowerBound < bytes.count else {
            return send(.pictureMissing(job, reason: "purged"), route)
        }
        send(bytes, range.clamped(to: 0..<bytes.count), of: job, route)
    }

    /// Sends what there is of what was asked for.
    private mutating func continuePicture(_ number: JobNumber, _ route: Int, _ now: Int64) {
        guard let job = jobs[number], let range = job.followers[route] else { return }
        var there: ArraySlice<UInt8>
        if job.ending == nil {
            // The first try goes on for half of the time.
            let half = (job.endsAt - job.startedAt) / 2
            let isFirst = job.firstTry != nil && now < job.startedAt + half
            let start = job.firstTry == nil || isFirst ? job.startedAt : job.startedAt + half
            let end = isFirst ? job.startedAt + half : job.endsAt
            let bytes = isFirst ? job.firstTry ?? [] : job.picture
            there = bytes.prefix(Int(Int64(bytes.count) * (now - start) / max(1, end - start)))
        } else {
            there = (pictures[number] ?? [])[...]
        }
        there = there.prefix(range.upperBound)
        let isOver = job.ending != nil || there.count == range.upperBound
        jobs[number]?.followers[route] = isOver ? nil : max(range.lowerBound, there.count)..<range.upperBound
        guard range.lowerBound < there.count else { return }
        send(Array(there), range.lowerBound..<there.count, of: number, route)
    }

    private mutating func send(_ bytes: [UInt8], _ range: Range<Int>, of job: JobNumber, _ route: Int) {
        let total = pictures[job].map { UInt64($0.count) }
        for range in cut(range) {
            if total == nil { earlyParts += 1 }
            send(
                .picturePart(
                    PicturePart(
                        job: job, offset: UInt64(range.lowerBound), totalBytes: total, bytes: Array(bytes[range]))),
                route)
        }
    }
}
