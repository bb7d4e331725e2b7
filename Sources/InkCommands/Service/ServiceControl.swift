import Dispatch
import Glibc
import InkService
import Synchronization

/// Passes signals to a service. The first one drains it, and stops it if that takes too long. A signal during the start
/// takes effect when the service runs, or ends the process if starting takes long.
final class ServiceControl: Sendable {
    private struct State {
        var service: FarmService?
        var log: Log?
        var drainMilliseconds = 0
        var isStopRequested = false
        /// A second signal came: end the process.
        var isHalted = false
        var hasEnded = false
    }

    private let ended = DispatchSemaphore(value: 0)

    private let state = Mutex(State())

    /// Whether the service was asked to stop.
    var isStopRequested: Bool { state.withLock(\.isStopRequested) }

    /// The service is running; applies a signal that arrived earlier.
    ///
    /// - Parameter drainMilliseconds: how long draining may take; what is not done by then begins again in the next
    ///   life.
    func began(_ service: FarmService, _ log: Log, drainMilliseconds: Int) {
        let isStopRequested = state.withLock { state in
            state.service = service
            state.log = log
            state.drainMilliseconds = drainMilliseconds
            return state.isStopRequested
        }
        if isStopRequested { drain() }
    }

    func requestStop() {
        state.withLock { $0.isStopRequested = true }
        drain()
    }

    private func drain() {
        let (service, log, milliseconds) = state.withLock { ($0.service, $0.log, $0.drainMilliseconds) }
        guard let service else { return }
        Interrupts.heed()
        log?.record(LogRecord(.info, "broker.draining", ["ms": .integer(milliseconds)]))
        service.drain(withinMilliseconds: milliseconds)
    }

    /// Stops the service and returns when its end has been logged, or after that time.
    func halt(waitingAtMost milliseconds: Int) {
        let (service, log, hasEnded) = state.withLock { state in
            state.isHalted = true
            return (state.service, state.log, state.hasEnded)
        }
        guard let service else { return }
        // The process is ending with the code of a service that has drained.
        if hasEnded {
            sleep(1)
            return
        }
        service.stop()
        _ = ended.wait(timeout: .now() + .milliseconds(milliseconds))
        log?.close()
    }

    /// Call this when the service has ended and that has been logged. Does not return after a second signal.
    func noteEnd() {
        let isHalted = state.withLock { state in
            state.hasEnded = true
            return state.isHalted
        }
        ended.signal()
        while isHalted { pause() }
    }
}
