import InkProtocol
package import InkSystem
import Synchronization

/// Writes changes to disk on a separate thread. Changes that arrive meanwhile share the next commit.
public final class Journal: Sendable {
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

    /// - Parameter maxBatch: callers that share one commit at most.
    /// - Throws: `SystemFailure` when its thread cannot be started.
    package init(store: JobStore, maxBatch: Int = 512) throws(SystemFailure) {
        lane = try Lane()
        self.store = store
        self.maxBatch = max(1, maxBatch)
    }

    /// Brings entries to the disk, all or none; `done` is called on the journal's thread when that is settled.
    ///
    /// Calls are carried out in order.
    public func append(_ entries: [JournalEntry], _ done: @escaping Done) {
        state.withLock { state in
            state.items.append(Item(entries: entries, done: done))
            guard !state.isRunning else { return }
            state.isRunning = true
            // Under the lock: who appends next and then flushes waits for this.
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
            // One that cannot be done must not take the others with it.
            guard batch.count > 1 else { return batch[0].done(.failure(error)) }
            for item in batch { commit([item]) }
        }
    }

    /// Waits until everything that was appended before is settled.
    public func flush() { lane.wait() }

    /// The same, at the end.
    public func stop() { flush() }

    public var statistics: JournalStatistics { state.withLock(\.statistics) }
}

/// What a journal has done.
public struct JournalStatistics: Hashable, Sendable {
    public var commits = 0
    public var entries = 0
}
