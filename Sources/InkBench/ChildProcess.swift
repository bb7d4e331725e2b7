import Glibc
import InkSystem
import Synchronization

/// Runs programs one after the other, each to its end or until `stop`.
final class ChildProcess: Sendable {
    private struct State {
        var running: ProcessGroup?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// What the program prints goes nowhere.
    ///
    /// - Returns: whether it ran and ended with 0.
    func run(_ program: String, _ arguments: [String]) -> Bool {
        let started = state.withLock { state -> ProcessGroup? in
            if state.isStopped { return nil }
            // One that cannot be started has not ended with 0 either.
            state.running = try? ProcessGroup(running: program, arguments, silent: [STDOUT_FILENO, STDERR_FILENO])
            return state.running
        }
        guard let started else { return false }
        started.wait()
        state.withLock { $0.running = nil }
        return started.takeStatus() == 0
    }

    /// Ends what runs; nothing runs from now on.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.running?.kill()
        }
    }
}
