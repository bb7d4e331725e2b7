import Glibc
import InkBroker
import InkSystem
import InkProtocol
import InkStore

/// What came of a purge.
struct PurgeOutcome: Sendable {
    var count = 0
    /// Jobs that were named and have not ended, or that there never were.
    var left: [JobNumber] = []
    /// Why it did not get further.
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

/// Forgetting jobs that have ended.
extension ServiceLoop {
    /// Jobs that are forgotten in one commit.
    private static let purgedAtOnce = 500

    /// Forgets jobs that ended before a time (milliseconds since 1970). `then` is called on a lane.
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
                // Forgotten already: an order may come twice.
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

    /// - Parameter body: hands out jobs that have ended to be forgotten; returns those that have not.
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

    /// Removes contents that no job needs and that have not been used lately; where hardly anything more fits, sooner.
    func removeUnusedContents() {
        let parts = parts
        let inUse = state.contentsInUse
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

    /// Returns how many were forgotten.
    private static func forget(_ jobs: [JobNumber], _ parts: ServiceParts) throws(StoreError) -> Int {
        func removePictures(of jobs: [JobNumber]) {
            for job in jobs { PictureFolder.remove(job, from: parts.data, parts.contents) }
        }
        let outcomes: [JournalOutcome]
        do throws(StoreError) {
            outcomes = try parts.store.apply(jobs.map { .purged($0) })
        } catch {
            // Where even that finds no room, the pictures make some. Should this fail again, clients that ask for them are
            // told that the broker keeps none.
            guard error.isOutOfSpace else { throw error }
            removePictures(of: jobs)
            outcomes = try parts.store.apply(jobs.map { .purged($0) })
        }
        // One that has been queued again keeps its own.
        let forgotten = zip(jobs, outcomes).filter { $0.1 == .done }.map(\.0)
        removePictures(of: forgotten)
        return forgotten.count
    }

    /// Removes what an earlier life left of pictures that were being made, but for those that are complete.
    func removeUnfinishedPictures(except sealed: Set<String>) {
        for name in parts.data.pictureNames where name.hasPrefix(".") && name.hasSuffix(".part") {
            let path = parts.data.picturesFolder.appendingPath(name)
            // What cannot be removed still takes its room.
            guard !sealed.contains(path), let status = try? FileSystem.status(of: path, followingLink: false),
                unlink(path) == 0
            else { continue }
            parts.contents.release(bytes: status.byteCount)
        }
    }

    /// Removes the pictures of jobs that were forgotten when an earlier life ended in the middle of a purge.
    func removeForgottenPictures() {
        let parts = parts
        // A number that this store has not given is not its to judge.
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
