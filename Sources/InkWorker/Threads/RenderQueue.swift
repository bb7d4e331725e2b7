/// The state shared by a worker's threads: runs that wait for a render thread, and events from render threads for the
/// loop.
///
/// Both directions are bounded: runs by the worker's credits, results by bytes (beyond that, a render thread waits).
final class RenderQueue: Sendable {
    private struct State {
        var waiting: [ScheduledRun] = []
        var outgoing: [WorkerEvent] = []
        var outgoingBytes = 0
        var isClosed = false
    }

    private let monitor = Monitor(State())
    private let outgoingLimitBytes: Int

    init(outgoingLimitBytes: Int) { self.outgoingLimitBytes = outgoingLimitBytes }

    /// Adds a run for a render thread.
    func add(_ run: ScheduledRun) { monitor.change { $0.waiting.append(run) } }

    /// The next run; nil if the queue has been closed.
    func next() -> ScheduledRun? {
        monitor.wait { state -> ScheduledRun?? in
            if state.isClosed { return .some(nil) }
            return state.waiting.isEmpty ? nil : .some(state.waiting.removeFirst())
        }
    }

    /// Removes a run that no thread has taken yet; false if it is too late.
    func takeBack(_ id: RunID) -> Bool {
        monitor.change { state in
            guard let index = state.waiting.firstIndex(where: { $0.run.id == id }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
    }

    /// Passes a piece of a result to the loop once there is room for it; false if the result is no longer needed.
    func put(_ id: RunID, sequence: UInt32, bytes: [UInt8], isCancelled: () -> Bool) -> Bool {
        monitor.wait { state -> Bool? in
            if state.isClosed || isCancelled() { return false }
            guard state.outgoing.isEmpty || state.outgoingBytes + bytes.count <= outgoingLimitBytes else { return nil }
            state.outgoing.append(.produced(id, sequence: sequence, bytes: bytes))
            state.outgoingBytes += bytes.count
            return true
        }
    }

    /// Notifies the loop that a run has ended.
    func finish(_ id: RunID, _ outcome: RunOutcome) { monitor.change { $0.outgoing.append(.finished(id, outcome)) } }

    /// For the loop: all events of the render threads since the last call.
    func takeOutgoing() -> [WorkerEvent] {
        monitor.change { state in
            defer {
                state.outgoing = []
                state.outgoingBytes = 0
            }
            return state.outgoing
        }
    }

    /// Wakes waiting threads so that they check for cancellation.
    func notify() { monitor.change { _ in } }

    /// Ends the threads; no more runs are executed.
    func close() {
        monitor.change { state in
            state.isClosed = true
            state.waiting = []
        }
    }
}

/// A run waiting for a thread, and its cancellation.
struct ScheduledRun: Sendable {
    let run: Run
    let cancellation: Cancellation
}
