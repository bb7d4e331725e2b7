import Glibc
import InkBroker
import InkSystem
import InkProtocol
import InkStore

/// The outcome of a purge.
struct PurgeOutcome: Sendable {
    var count = 0
    /// Requested jobs that have not ended or never existed.
    var left: [JobNumber] = []
    /// Why it stopped early.
    var problem: StoreError?

    func result(_ number: UInt32) -> OrderResult {
        var reasons: [String] = []
        if !left.isEmpty { reasons.append("not ended, or unknown: \(left.shownText)") }
        if let problem { reasons.append("\(problem)") }
        return OrderResult(
            number: number, code: reasons.isEmpty ? .done : count > 0 ? .partly : .refused, count: UInt64(count),
            text: reasons.joined(separator: "; "))
    }
}

/// Purging of jobs that have ended.
extension ServiceLoop {
    /// Number of jobs that are purged in one commit.
    private static let purgedAtOnce = 500

    /// Purges jobs that ended before a time (milliseconds since 1970). `then` is called on a lane.
    func purge(endedBefore time: Int64, then: @escaping @Sendable (PurgeOutcome) -> Void) {
        purge(then) { (parts, forget) throws(StoreError) in
            while true {
                let jobs = try parts.store.ended(before: time, limit: Self.purgedAtOnce)
                guard !jobs.isEmpty else { return [] }
                try forget(jobs)
            }
        }
    }

    func purge(_ jobs: [JobNumber], then: @escaping @Sendable (PurgeOutcome) -> Void) {
        let running = Set(jobs.filter { state.jobs[$0] != nil })
        let next = state.nextJob
        purge(then) { (parts, forget) throws(StoreError) in
            var ended: [JobNumber] = []
            var others: [JobNumber] = []
            for job in jobs.withoutRepetitions {
                if running.contains(job) {
                    others.append(job)
                    continue
                }
                switch try parts.store.record(job)?.state {
                case .ended: ended.append(job)
                // Already purged: an order may arrive twice.
                case nil where job < next: break
                default: others.append(job)
                }
            }
            for start in stride(from: 0, to: ended.count, by: Self.purgedAtOnce) {
                try forget(Array(ended[start..<min(ended.count, start + Self.purgedAtOnce)]))
            }
            return others
        }
    }

    /// - Parameter body: passes on ended jobs to be purged; returns those that have not ended.
    private func purge(
        _ then: @escaping @Sendable (PurgeOutcome) -> Void,
        _ body:
            @escaping @Sendable (ServiceParts, ([JobNumber]) throws(StoreError) -> Void) throws(StoreError)
            -> [JobNumber]
    ) {
        let (parts, mailbox) = (parts, mailbox)
        fetching.run {
            var outcome = PurgeOutcome()
            do throws(StoreError) {
                outcome.left = try body(parts) { (jobs) throws(StoreError) in
                    outcome.count += try Self.forget(jobs, parts)
                }
            } catch {
                outcome.problem = error
                parts.onEvent(FarmNote(.warning, "store.purge", reason: "\(error)"))
            }
            if outcome.count > 0 {
                parts.onEvent(FarmNote(.info, "jobs.purged", details: [("jobs", .number(outcome.count))]))
            }
            mailbox.post(.purged)
            then(outcome)
        }
    }

    /// Removes contents that no job needs and that have not been used lately; earlier if the quota is almost used up.
    func removeUnusedContents() {
        let parts = parts
        let inUse = state.contentsInUse.union(parts.contents.held)
        let isUrgent = lacksRoom || parts.contents.isNearlyFull
        lacksRoom = false
        fetching.run {
            do throws(StoreError) {
                let needed = try parts.store.contentReferences()
                _ = parts.contents.collectGarbage(
                    keeping: needed.union(inUse), unusedSeconds: isUrgent ? 10 : ContentFolder.graceSeconds)
            } catch {
                parts.onEvent(FarmNote(.error, "store.unreadable", reason: "\(error)"))
            }
        }
    }

    /// Returns the number of purged jobs.
    private static func forget(_ jobs: [JobNumber], _ parts: ServiceParts) throws(StoreError) -> Int {
        func removePictures(of jobs: [JobNumber]) {
            for job in jobs { PictureFolder.remove(job, from: parts.data, parts.contents) }
        }
        let outcomes: [JournalOutcome]
        do throws(StoreError) {
            outcomes = try parts.store.apply(jobs.map { .purged($0) })
        } catch {
            // If even this finds no room, removing the pictures frees some. If it then fails again, clients that
            // request these pictures learn that the broker does not have them.
            guard error.isOutOfSpace else { throw error }
            removePictures(of: jobs)
            outcomes = try parts.store.apply(jobs.map { .purged($0) })
        }
        // A job that has been queued again keeps its picture.
        let forgotten = zip(jobs, outcomes).filter { $0.1 == .done }.map(\.0)
        removePictures(of: forgotten)
        // Whoever watches finds that they are no more.
        parts.board.note(forgotten)
        return forgotten.count
    }

    /// Removes unfinished pictures of an earlier life, except complete ones.
    func removeUnfinishedPictures(except sealed: Set<String>) {
        for name in parts.data.pictureNames where name.hasPrefix(".") && name.hasSuffix(".part") {
            let path = parts.data.picturesFolder.appendingPath(name)
            // A file that cannot be removed still takes its space.
            // One that cannot be examined stays, because its size is not known.
            guard !sealed.contains(path), let status = try? FileSystem.status(of: path, followingLink: false),
                unlink(path) == 0
            else { continue }
            parts.contents.release(bytes: status.byteCount)
        }
    }

    /// Removes the pictures of jobs that were purged when an earlier life ended in the middle of a purge.
    func removeForgottenPictures() {
        let parts = parts
        // A number that this store has not assigned does not belong to it.
        let next = state.nextJob
        fetching.run {
            var count = 0
            do throws(StoreError) {
                for job in PictureFolder.jobs(in: parts.data) where job < next {
                    guard try parts.store.record(job) == nil else { continue }
                    PictureFolder.remove(job, from: parts.data, parts.contents)
                    count += 1
                }
            } catch {
                parts.onEvent(FarmNote(.error, "store.unreadable", reason: "\(error)"))
            }
            if count > 0 {
                parts.onEvent(FarmNote(.info, "pictures.removed", details: [("pictures", .number(count))]))
            }
        }
    }
}
