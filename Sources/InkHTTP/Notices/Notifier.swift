import Dispatch
import Glibc
import InkJSON
package import InkService
import InkStore
import InkSystem
import Synchronization

/// Tells others when jobs and batches have ended, each receiver in its own time.
///
/// A notice is written to the store with the end itself, and stays there until the receiver has taken it.
package final class Notifier: Sendable {
    private let lines: [NoticeLine]
    private let service: FarmService
    private let log: @Sendable (FarmNote) -> Void

    /// How long deliveries may take when the broker stops, milliseconds. The rest follows in the next life.
    private static let stopMilliseconds = 3_000

    package init(
        _ targets: [NoticeTarget], service: FarmService, log: @escaping @Sendable (FarmNote) -> Void
    ) {
        self.service = service
        self.log = log
        lines = targets.map { NoticeLine($0, service, log) }
    }

    /// To be called before the service starts: jobs may end at once.
    ///
    /// - Throws: `service` if the store does not take it, `system`.
    package func start() throws(GatewayError) {
        let removed: Int
        do throws(ServiceError) {
            removed = try service.announce(
                to: lines.map(\.target.name),
                job: { Self.text("job", OutboxRules.jobEnded, JobJSON.value($0)) },
                batch: { Self.text("batch", OutboxRules.batchEnded, JobJSON.value($0)) })
        } catch {
            throw .service(error)
        }
        if removed > 0 {
            let reason = "its receiver is not configured any more"
            log(FarmNote(.warning, "notice.lost", reason: reason, details: [("notices", .number(removed))]))
        }
        if lines.isEmpty { return }
        // A program that does not read its notice must not end this one.
        signal(SIGPIPE, SIG_IGN)
        service.onEnd { [lines] _ in for line in lines { line.hasNews() } }
        for line in lines {
            do throws(SystemFailure) {
                try PosixThread("notices") { line.run() }.detach()
            } catch {
                throw .system(error)
            }
        }
    }

    private static func text(_ name: String, _ event: String, _ value: JSONValue) -> [UInt8] {
        Array((["event": .string(event), name: value] as JSONValue).line.utf8)
    }

    /// Returns when nothing is delivered any more. The store is not used afterwards.
    package func stop() {
        let end = DispatchTime.now() + .milliseconds(Self.stopMilliseconds)
        for line in lines { line.close() }
        for line in lines { line.waitForEnd(until: end) }
    }
}

/// Delivers the notices of one receiver, on a thread of its own.
private final class NoticeLine: Sendable {
    let target: NoticeTarget
    private let service: FarmService
    private let log: @Sendable (FarmNote) -> Void
    private let news = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    private struct State {
        var hasNews = true
        var isClosed = false
        /// Nothing more is written to the store.
        var isAbandoned = false
        var hasEnded = false
    }

    /// The pause after the first failure, which doubles up to the longest; after so many tries it is given up.
    private static let firstPauseSeconds: Int64 = 1
    private static let longestPauseSeconds: Int64 = 300
    private static let triesMax = 20
    /// How many are taken from the store at a time.
    private static let takenMax = 64
    /// What has been done goes to the store at least so often.
    private static let settledMilliseconds: UInt64 = 200
    /// How often it is looked for what is due again.
    private static let lookMilliseconds = 500
    private static let storePauseMilliseconds = 5_000

    init(_ target: NoticeTarget, _ service: FarmService, _ log: @escaping @Sendable (FarmNote) -> Void) {
        self.target = target
        self.service = service
        self.log = log
    }

    func hasNews() {
        let isFirst = state.withLock { state in
            defer { state.hasNews = true }
            return !state.hasNews
        }
        if isFirst { news.signal() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        news.signal()
    }

    func waitForEnd(until end: DispatchTime) {
        let isOver = state.withLock(\.hasEnded)
        if !isOver { _ = ended.wait(timeout: end) }
        state.withLock { $0.isAbandoned = true }
    }

    private var isClosed: Bool { state.withLock(\.isClosed) }
    private var isAbandoned: Bool { state.withLock(\.isAbandoned) }

    // MARK: - The thread

    /// Deliveries that the store does not know to be over.
    private struct Settlement {
        var done: [Int64] = []
        var putOff: [(number: Int64, tries: Int, due: Int64)] = []

        var isEmpty: Bool { done.isEmpty && putOff.isEmpty }
        func contains(_ number: Int64) -> Bool {
            done.contains(number) || putOff.contains { $0.number == number }
        }
    }

    func run() {
        var settlement = Settlement()
        var isUnwell = false
        while !isAbandoned {
            let isLast = isClosed
            state.withLock { $0.hasNews = false }
            var items: [OutboxItem] = []
            do throws(ServiceError) {
                try settle(&settlement)
                items = try service.undelivered(
                    to: target.name, now: SystemClock.unixMilliseconds / 1000, limit: Self.takenMax)
                isUnwell = false
            } catch {
                if !isUnwell { log(FarmNote(.error, "store.unreadable", reason: "\(error)")) }
                isUnwell = true
            }
            // At the end only what has never been tried.
            if isLast { items.removeAll { $0.tries > 0 } }
            items.removeAll { settlement.contains($0.number) }
            var settledAt = SystemClock.milliseconds
            for item in items where !isAbandoned && isLast == isClosed {
                attempt(item, &settlement)
                guard SystemClock.milliseconds - settledAt >= Self.settledMilliseconds else { continue }
                // What the store does not take now is tried again in the next round.
                try? settle(&settlement)
                settledAt = SystemClock.milliseconds
            }
            if isLast, items.isEmpty || isUnwell { break }
            if items.isEmpty { wait(isUnwell ? Self.storePauseMilliseconds : Self.lookMilliseconds) }
        }
        state.withLock { $0.hasEnded = true }
        ended.signal()
    }

    private func wait(_ milliseconds: Int) {
        if state.withLock({ $0.hasNews || $0.isClosed }) { return }
        _ = news.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func settle(_ settlement: inout Settlement) throws(ServiceError) {
        if settlement.isEmpty || isAbandoned { return }
        try service.settle(done: settlement.done, putOff: settlement.putOff)
        settlement = Settlement()
    }

    private func attempt(_ item: OutboxItem, _ settlement: inout Settlement) {
        let now = SystemClock.unixMilliseconds / 1000
        let outcome = target.deliver(item.body, event: item.event, id: item.id, time: now) { isAbandoned }
        switch outcome {
        case .delivered: settlement.done.append(item.number)
        case .refused(let reason):
            settlement.done.append(item.number)
            log(FarmNote(.warning, "notice.refused", reason: reason))
        case .failed(let reason):
            let tries = item.tries + 1
            guard tries < Self.triesMax else {
                settlement.done.append(item.number)
                log(FarmNote(.error, "notice.lost", reason: "\(reason); given up after \(tries) tries"))
                return
            }
            if tries == 1 { log(FarmNote(.warning, "notice.failed", reason: "\(reason); it is tried again")) }
            let pause = min(Self.longestPauseSeconds, Self.firstPauseSeconds << Int64(min(20, tries - 1)))
            settlement.putOff.append((item.number, tries, SystemClock.unixMilliseconds / 1000 + pause))
        }
    }
}
