public import InkProtocol
import Synchronization

/// Which jobs have changed, for those that watch. Any thread may use it.
public final class ChangeBoard: Sendable {
    private static let recentMax = 4096

    private struct State {
        var version: UInt64 = 0
        /// The watched jobs: how many watch each, and the version of its last change.
        var watched: [JobNumber: (watchers: Int, version: UInt64)] = [:]
        /// The last changes, oldest first.
        var recent: [(version: UInt64, job: JobNumber)] = []
        /// Up to which changes are no longer remembered.
        var forgotten: UInt64 = 0
    }

    private let state = Mutex(State())

    func note(_ jobs: some Sequence<JobNumber>) {
        state.withLock { state in
            for job in jobs {
                state.version += 1
                state.watched[job]?.version = state.version
                state.recent.append((state.version, job))
            }
            if state.recent.count > 2 * Self.recentMax {
                state.recent.removeFirst(state.recent.count - Self.recentMax)
                state.forgotten = state.recent[0].version - 1
            }
        }
    }

    public var version: UInt64 { state.withLock { $0.version } }

    /// Remembers changes of the job until `leave`. Calls nest.
    public func watch(_ job: JobNumber) {
        state.withLock { state in
            let entry = state.watched[job] ?? (0, state.version)
            state.watched[job] = (entry.watchers + 1, entry.version)
        }
    }

    /// Ends a `watch` of the job.
    public func leave(_ job: JobNumber) {
        state.withLock { state in
            guard let entry = state.watched[job] else { return }
            state.watched[job] = entry.watchers > 1 ? (entry.watchers - 1, entry.version) : nil
        }
    }

    /// The version of the last change of a watched job.
    public func version(of job: JobNumber) -> UInt64 { state.withLock { $0.watched[job]?.version ?? 0 } }

    /// The jobs that have changed after a version, each once, and the version now. Not whole if some of these changes are
    /// no longer remembered.
    public func changes(after version: UInt64) -> (jobs: [JobNumber], isWhole: Bool, version: UInt64) {
        state.withLock { state in
            var seen: Set<JobNumber> = []
            var jobs: [JobNumber] = []
            for entry in state.recent.reversed() {
                guard entry.version > version else { break }
                if seen.insert(entry.job).inserted { jobs.append(entry.job) }
            }
            return (jobs, version >= state.forgotten, state.version)
        }
    }
}
