import Glibc
import InkJSON
import InkProtocol
package import InkService
import InkSystem
import Synchronization

/// Tells others when jobs and batches have ended.
///
/// A notice is a file in the data folder until it has been delivered, so that it outlives the broker.
package final class Notifier: Sendable {
    private let targets: [NoticeTarget]
    private let service: FarmService
    private let folder: String
    private let log: @Sendable (FarmNote) -> Void
    private let ended = Mutex<[JobNumber]>([])
    private let pause = InterruptiblePause()

    /// The pause after the first failure, which doubles up to the longest; after so many tries it is given up.
    static let firstPauseSeconds: Int64 = 1
    static let longestPauseSeconds: Int64 = 300
    static let triesMax = 20
    private static let kept = 10_000

    package init(
        _ targets: [NoticeTarget], service: FarmService, log: @escaping @Sendable (FarmNote) -> Void
    ) {
        self.targets = targets
        self.service = service
        self.log = log
        folder = "\(service.folder)/notices"
    }

    /// - Throws: `system`.
    package func start() throws(GatewayError) {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .system(SystemFailure(operation: "make the folder \(folder)", errno: errno))
        }
        // A program that does not read its notice must not end this one.
        signal(SIGPIPE, SIG_IGN)
        service.onEnd { [weak self] job in self?.ended.withLock { $0.append(job) } }
        do throws(SystemFailure) {
            try PosixThread { [self] in run() }.detach()
        } catch {
            throw .system(error)
        }
    }

    package func stop() { pause.close() }

    // MARK: - The thread

    /// A notice on its way to one target.
    private struct Delivery {
        var path: String
        var target: Int
        var event: String
        var id: String
        var tries = 0
        /// Seconds since 1970.
        var next: Int64 = 0
    }

    private func run() {
        var deliveries = left()
        var batches: [[UInt8]] = []
        while !pause.isClosed {
            for job in ended.withLock({ jobs in
                defer { jobs = [] }
                return jobs
            }) { deliveries += notices(of: job, &batches) }
            let now = SystemClock.unixMilliseconds / 1000
            var open: [Delivery] = []
            for delivery in deliveries {
                guard delivery.next <= now, !pause.isClosed else {
                    open.append(delivery)
                    continue
                }
                if let again = attempt(delivery, now) { open.append(again) }
            }
            deliveries = open
            pause.wait(milliseconds: deliveries.isEmpty ? 200 : 100)
        }
    }

    /// Those that an earlier life has left.
    private func left() -> [Delivery] {
        let names = ((try? FileSystem.names(in: folder)) ?? []).map { String(decoding: $0, as: UTF8.self) }.sorted()
        return names.compactMap { name in
            let parts = name.split(separator: "_")
            guard parts.count == 3, let target = Int(parts[1]), targets.indices.contains(target) else {
                unlink("\(folder)/\(name)")
                return nil
            }
            return Delivery(path: "\(folder)/\(name)", target: target, event: String(parts[2]), id: String(parts[0]))
        }
    }

    private func notices(of job: JobNumber, _ batches: inout [[UInt8]]) -> [Delivery] {
        // One that is queued again by now has not ended.
        guard let facts = try? service.job(job), facts.state.hasEnded else { return [] }
        var made = store(
            "job.ended", .object([("event", .string("job.ended")), ("job", JobJSON.value(facts))]))
        if !batches.contains(facts.batch), let batch = try? service.batch(facts.batch), batch.jobs.count > 1,
            batch.endedAt != nil
        {
            batches.append(facts.batch)
            if batches.count > Self.kept { batches.removeFirst() }
            made += store(
                "batch.ended", .object([("event", .string("batch.ended")), ("batch", JobJSON.value(batch))]))
        }
        return made
    }

    private func store(_ event: String, _ value: JSONValue) -> [Delivery] {
        let id = SubmissionKey.random().description
        return targets.indices.compactMap { target in
            let path = "\(folder)/\(id)_\(target)_\(event)"
            do throws(SystemFailure) {
                try PendingFile.write(Array(value.line.utf8), to: path, mode: 0o600)
            } catch {
                log(FarmNote(.error, "notice.lost", reason: "\(path): \(SystemFailure.text(of: error.errno))"))
                return nil
            }
            return Delivery(path: path, target: target, event: event, id: id)
        }
    }

    /// nil when there is nothing left to do.
    private func attempt(_ delivery: Delivery, _ now: Int64) -> Delivery? {
        guard let file = try? FileDescriptor(opening: delivery.path, flags: O_RDONLY | O_NOFOLLOW, operation: "open"),
            let count = try? file.status().byteCount, let notice = try? file.read(count, at: 0)
        else { return nil }
        var delivery = delivery
        delivery.tries += 1
        let outcome = targets[delivery.target].deliver(notice, event: delivery.event, id: delivery.id, time: now)
        switch outcome {
        case .delivered:
            unlink(delivery.path)
            return nil
        case .refused(let reason):
            unlink(delivery.path)
            log(FarmNote(.warning, "notice.refused", reason: reason))
            return nil
        case .failed(let reason):
            guard delivery.tries < Self.triesMax else {
                unlink(delivery.path)
                log(FarmNote(.error, "notice.lost", reason: "\(reason); given up after \(delivery.tries) tries"))
                return nil
            }
            if delivery.tries == 1 { log(FarmNote(.warning, "notice.failed", reason: "\(reason); it is tried again")) }
            let pause = min(Self.longestPauseSeconds, Self.firstPauseSeconds << Int64(min(20, delivery.tries - 1)))
            delivery.next = now + pause
            return delivery
        }
    }
}
