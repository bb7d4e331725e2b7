import Synchronization

/// Stops a run of exports from another thread.
package final class ExportControl: Sendable {
    let queue = EventQueue<ExportRun.Event>()
    private let planning = Atomic<Bool>(true)

    package init() {}

    /// Whether the run is still planning: nothing has been written, and the program may end at once.
    package var isPlanning: Bool { planning.load(ordering: .acquiring) }

    func endPlanning() { planning.store(false, ordering: .releasing) }

    /// Ends the run: pictures that are not done are cancelled, and leave nothing on disk.
    package func stop(_ signal: StopSignal) { queue.post(.stop(signal)) }
}
