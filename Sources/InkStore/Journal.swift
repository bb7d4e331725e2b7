import InkProtocol
package import InkSystem
import Synchronization

/// Writes changes to disk on a thread of its own. Changes that arrive in the meantime share the next commit.
public final class Journal: Sendable {
    /// Called with the outcome of each entry when they are durable, or with the error.
    public typealias Done = @Sendable (Result<[JournalOutcome], StoreError>) -> Void

    private struct Item: Sendable {
        var entries: [JournalEntry]
        var done: Done
    }

    private struct State {
        var items: [Item] = []
        var isRunning = false
        var statistics = JournalStatistics()
    }

    private let store: JobStore
    private let maxBatch: Int
    private let lane: Lane
    private let state = Mutex(State())

    /// - Parameter maxBatch: maximum number of calls that share one commit.
    /// - Throws: `SystemFailure` if its thread cannot be started.
    package init(store: JobStore, maxBatch: Int = 512) throws(SystemFailure) {
        lane = try Lane("journal")
        self.store = store
        self.maxBatch = max(1, maxBatch)
    }

    /// Writes entries to the disk, all or none. `done` is called on the journal's thread with the outcome.
    ///
    /// Calls are processed in order.
    public func append(_ entries: [JournalEntry], _ done: @escaping Done) {
        state.withLock { state in
            state.items.append(Item(entries: entries, done: done))
            guard !state.isRunning else { return }
            state.isRunning = true
            // Inside the lock, so that a `flush` after this call waits for it.
            lane.run { [self] in run() }
        }
    }

    private func run() {
        while true {
            let batch: [Item] = state.withLock { state in
                let batch = Array(state.items.prefix(maxBatch))
                state.items.removeFirst(batch.count)
                if batch.isEmpty { state.isRunning = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            commit(batch)
        }
    }

    private func commit(_ batch: [Item]) {
        do throws(StoreError) {
            let outcomes = try store.apply(batch.flatMap(\.entries))
            state.withLock {
                $0.statistics.commits += 1
                $0.statistics.entries += outcomes.count
            }
            var next = 0
            for item in batch {
                item.done(.success(Array(outcomes[next..<(next + item.entries.count)])))
                next += item.entries.count
            }
        } catch {
            // An entry that fails must not prevent the others.
            guard batch.count > 1 else { return batch[0].done(.failure(error)) }
            for item in batch { commit([item]) }
        }
    }

    /// Waits until all entries appended before are processed.
    public func flush() { lane.wait() }

    /// Writes what waits, at the end.
    public func stop() { flush() }

    public var statistics: JournalStatistics { state.withLock(\.statistics) }
}

/// Statistics of a journal.
public struct JournalStatistics: Hashable, Sendable {
    public var commits = 0
    public var entries = 0
}
