import Dispatch
import InkService
import Synchronization

/// Carries signals to a service: the first one drains it, and ends it when that takes too long.
final class ServiceControl: Sendable {
    private struct State {
        var service: FarmService?
        var log: Log?
        var drainMilliseconds = 0
        var isStopRequested = false
    }

    private let state = Mutex(State())

    /// Whether the service's end was asked for.
    var isStopRequested: Bool { state.withLock(\.isStopRequested) }

    /// The service runs; a signal that has come already is carried out now.
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
        log?.record(LogRecord(.info, "broker.draining", ["ms": .integer(milliseconds)]))
        service.drain()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { @Sendable in
            service.stop()
        }
    }

    /// Ends the service now and returns when it has ended, or after that time.
    func halt(waitingAtMost milliseconds: Int) {
        let (service, log) = state.withLock { ($0.service, $0.log) }
        guard let service else { return }
        service.stop()
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { @Sendable in
            service.waitUntilEnded()
            ended.signal()
        }
        _ = ended.wait(timeout: .now() + .milliseconds(milliseconds))
        log?.close()
    }
}
