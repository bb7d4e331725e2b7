import InkCodecs
import InkEngine
import InkProtocol
import InkTestSupport

/// A client that wants pictures and does not give up; what it must not forget survives it.
final class SimulatedClient {
    let index: Int
    private(set) var life = 0
    private var connection: Connection?
    private var isServed = false
    private var lastHeard: UInt64 = 0
    private var wanted: [Wanted] = []
    private var orders: UInt32 = 0

    static let contentBytes: UInt64 = 10

    private struct Wanted {
        var submission: Submission
        var job: JobNumber?
        var ending: JobEnding?
        var notice: UInt64 = 0
        var retries = 0
        var lastSaid: UInt64 = 0
        var notBefore: UInt64 = 0
        var isRejected = false

        var isSettled: Bool { isRejected || ending != nil }
    }

    init(index: Int, jobs: Int, _ farm: Farm) {
        self.index = index
        for _ in 0..<jobs {
            let key = SubmissionKey(bytes: (0..<16).map { _ in UInt8(truncatingIfNeeded: farm.random.next()) })
            // Some share a project.
            let content = ContentID(digest: [UInt8](repeating: UInt8(farm.pick(0...3)), count: 32))
            wanted.append(
                Wanted(
                    submission: Submission(
                        key: key, name: "p", source: .content(content, byteCount: Self.contentBytes, .plain),
                        picture: PictureSpec(size: .named("2k")), delivery: .fetch,
                        priority: Int(farm.pick(0...2)) - 1)))
        }
    }

    var isSettled: Bool { wanted.allSatisfy(\.isSettled) }
    var openEnds: [String] {
        wanted.filter { !$0.isSettled }.map {
            "client \(index) \($0.submission.key) job \($0.job.map { "\($0)" } ?? "-")"
        }
    }

    /// The process ends; its notes of keys and jobs are on its disk.
    func die(_ farm: Farm) {
        life += 1
        connection = nil
        isServed = false
        let life = life
        farm.at(farm.pick(100...2_000)) { .clientTick(index, life: life) }
    }

    func tick(_ farm: Farm) {
        if connection == nil || farm.now > lastHeard + 3_000 { hello(farm) }
        guard isServed else { return }
        send(.heartbeat, farm)
        for position in wanted.indices where !wanted[position].isSettled {
            guard farm.now >= wanted[position].lastSaid + 2_000, farm.now >= wanted[position].notBefore else {
                continue
            }
            wanted[position].lastSaid = farm.now
            if let job = wanted[position].job {
                send(.watch([job]), farm)
            } else {
                send(.submit(wanted[position].submission), farm)
            }
        }
        if !farm.isCalm, farm.chance(0.02) { giveOrder(farm) }
        // Orders may be lost, and nothing else wakes a paused job.
        if farm.isCalm, let job = paused.sorted().first(where: { _ in farm.chance(0.3) }) {
            orders += 1
            send(.order(Order(number: orders, action: .resume([job]))), farm)
        }
    }

    /// Jobs that may be paused because of this client.
    private var paused: Set<JobNumber> = []

    private func giveOrder(_ farm: Farm) {
        guard let job = wanted.compactMap(\.job).randomElement(using: &farm.random) else { return }
        orders += 1
        let action: OrderAction
        switch farm.pick(0...3) {
        case 0: action = .cancel([job])
        case 1: action = .priority([job], Int(farm.pick(0...4)) - 2)
        case 2:
            action = .pause([job])
            paused.insert(job)
        default: action = .resume([job])
        }
        farm.note("client \(index) orders \(action)")
        send(.order(Order(number: orders, action: action)), farm)
    }

    private func hello(_ farm: Farm) {
        connection = farm.connect()
        isServed = false
        lastHeard = farm.now
        send(.hello(clientName: "c\(index)"), farm)
    }

    private func send(_ message: ClientMessage, _ farm: Farm) {
        guard let connection else { return }
        farm.send(connection, .toBroker(connection, .client(index, message)))
    }

    func take(_ message: ServiceMessage, _ from: Connection, _ farm: Farm) {
        guard from == connection else { return }
        lastHeard = farm.now
        switch message {
        case .welcome:
            isServed = true
            for position in wanted.indices { wanted[position].lastSaid = 0 }
        case .unknownSession: hello(farm)
        case .accepted(let key, let job):
            for position in wanted.indices where wanted[position].submission.key == key {
                if let old = wanted[position].job, old != job { farm.problem("\(key) is job \(old) and \(job)") }
                wanted[position].job = job
                wanted[position].lastSaid = 0
            }
        case .rejected(let key, let rejection):
            for position in wanted.indices where wanted[position].submission.key == key {
                guard wanted[position].job == nil else { continue }
                // A content that did not come whole is sent again.
                wanted[position].notBefore = farm.now + UInt64(rejection.retryMilliseconds) + 100
                wanted[position].isRejected = rejection.code == .invalid || rejection.code == .forbidden
            }
        case .contentRequest(let id, let offset, let count):
            var position = offset
            while position < offset + count {
                let size = min(4, offset + count - position)
                send(
                    .contentPart(ContentPart(id: id, offset: position, bytes: [UInt8](repeating: 1, count: Int(size)))),
                    farm)
                position += size
            }
        case .notice(let notice): take(notice, farm)
        default: break
        }
    }

    private func take(_ notice: Notice, _ farm: Farm) {
        if notice.ending == .unknown { farm.problem("job \(notice.job) is forgotten") }
        for position in wanted.indices where wanted[position].job == notice.job {
            if let old = wanted[position].ending, wanted[position].notice == notice.id, old != notice.ending {
                farm.problem("notice \(notice.id) says \(old) and \(notice.ending)")
            }
            wanted[position].ending = notice.ending
            wanted[position].notice = notice.id
            // What was cancelled or failed is wanted all the same, sometimes.
            if case .finished = notice.ending { continue }
            if wanted[position].retries < 2, farm.chance(0.5) {
                wanted[position].retries += 1
                wanted[position].ending = nil
                orders += 1
                send(.order(Order(number: orders, action: .retry([notice.job]))), farm)
                guard !farm.isCalm, farm.chance(0.2) else { continue }
                orders += 1
                send(.order(Order(number: orders, action: .cancel([notice.job]))), farm)
            }
        }
        if farm.chance(0.9) { send(.noticesTaken([notice.id]), farm) }
    }
}
