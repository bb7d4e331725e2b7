import Glibc
import Synchronization

/// Runs programs one after the other, each to its end or until `stop`.
final class ChildProcess: Sendable {
    private struct State {
        var running: pid_t?
        var isStopped = false
    }

    private let state = Mutex(State())

    /// What the program prints goes nowhere.
    ///
    /// - Returns: whether it ran and ended with 0.
    func run(_ program: String, _ arguments: [String]) -> Bool {
        var files = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&files) == 0 else { return false }
        defer { posix_spawn_file_actions_destroy(&files) }
        guard posix_spawnattr_init(&attributes) == 0 else { return false }
        defer { posix_spawnattr_destroy(&attributes) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0)
        }
        // Signals that this process waits for on a thread are blocked in it.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { words.forEach { free($0) } }
        words.append(nil)
        let started = state.withLock { state -> pid_t? in
            var child = pid_t()
            guard !state.isStopped, posix_spawn(&child, program, &files, &attributes, words, environ) == 0 else {
                return nil
            }
            state.running = child
            return child
        }
        guard let child = started else { return false }
        // Not waited for yet, so that its number stays its own for `stop`.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { $0.running = nil }
        var status: Int32 = 0
        while waitpid(child, &status, 0) != child, errno == EINTR {}
        return status == 0
    }

    /// Ends what runs; nothing runs from now on.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            if let child = state.running { kill(child, SIGKILL) }
        }
    }
}
