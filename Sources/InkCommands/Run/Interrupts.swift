import CSystem
import Glibc
import InkEngine
import InkExports
import InkSystem
import Synchronization

extension StopSignal {
    init?(number: Int32) {
        switch number {
        case SIGHUP: self = .hangUp
        case SIGINT: self = .interrupt
        case SIGTERM: self = .terminate
        default: return nil
        }
    }
}

/// Turns SIGHUP, SIGINT and SIGTERM into calls on a separate thread, where the restrictions of signal handlers do not
/// apply.
enum Interrupts {
    /// The time within which the first signal must be handled. A command may be blocked by standard input or a full
    /// pipe.
    private static let patience = Duration.seconds(1)
    /// A repetition of the signal within this time is a duplicate of the first one.
    private static let repetition = Duration.milliseconds(100)
    /// The time that removing unfinished files may take at the end.
    private static let removalSeconds: UInt32 = 1

    /// Sent by the system when the process that started this one has ended.
    private static let parentSignal = SIGUSR2

    private static let isHeeded = Atomic<Bool>(false)

    /// Calls `onFirst` at the first signal. Exits, after `beforeExit`, if that is not handled in time, or at a second
    /// signal other than SIGHUP.
    ///
    /// - Parameter exitsWithParent: whether the end of the process that started this one is as a SIGTERM.
    /// - Precondition: called on the main thread before any other is started, since threads inherit the signal mask.
    static func watch(
        exitsWithParent: Bool = false, onFirst: @escaping @Sendable (StopSignal) -> Void,
        beforeExit: @escaping @Sendable () -> Void = {}
    ) throws(CommandError) {
        // A closed pipe is reported by write(2).
        signal(SIGPIPE, SIG_IGN)
        // So is a file that may not grow further (ulimit -f), and is then removed.
        signal(SIGXFSZ, SIG_IGN)
        // Signals that are ignored on purpose stay ignored (nohup, background jobs of a script).
        let parent = exitsWithParent ? getppid() : nil
        let watched =
            [SIGHUP, SIGINT, SIGTERM].filter { !isIgnored($0) } + (exitsWithParent ? [parentSignal] : [])
        guard !watched.isEmpty else { return }
        let signals = signalSet(watched)
        withUnsafePointer(to: signals) { _ = pthread_sigmask(SIG_BLOCK, $0, nil) }
        if let parent {
            _ = ink_signal_with_parent(parentSignal)
            if getppid() != parent || isAdopter(parent) { leave(.terminate) }
        }
        let watcher = Watcher(signals: signals, parent: parent, onFirst: onFirst, beforeExit: beforeExit)
        try rethrowing(try PosixThread("signals") { watcher.run() }.detach()) { CommandError.noThread("signals", $0) }
    }

    /// Lets a service outlive its terminal.
    static func ignoreHangUp() { signal(SIGHUP, SIG_IGN) }

    /// Lets the first signal end the process at once, removing unfinished files; otherwise like `watch`.
    static func leaveClean(_ environment: CommandEnvironment) throws(CommandError) {
        if environment.handlesSignals { try watch { leave($0) } }
    }

    /// Call this when the first signal has been handled.
    static func heed() { isHeeded.store(true, ordering: .releasing) }

    /// Exits at once with the signal's code, removing unfinished files.
    static func leave(_ signal: StopSignal) -> Never {
        // Does not wait for a hanging disk or terminal. Uses no thread as a timer, because starting one might fail.
        lastExitCode.store(signal.exitCode.rawValue, ordering: .releasing)
        Glibc.signal(SIGALRM) { _ in _exit(Interrupts.lastExitCode.load(ordering: .acquiring)) }
        let alarms = signalSet([SIGALRM])
        withUnsafePointer(to: alarms) { _ = pthread_sigmask(SIG_UNBLOCK, $0, nil) }
        alarm(removalSeconds)
        Leftovers.removeAll()
        Console.process.leaveTerminal(hasEcho: signal == .interrupt)
        _exit(signal.exitCode.rawValue)
    }

    /// The exit code if removing unfinished files takes too long.
    private static let lastExitCode = Atomic<Int32>(0)

    /// Whether a parent is not what started this process: it is the system's first process, in a session that is neither
    /// this one nor left by this process itself. Others that adopt, such as a user's systemd, are not told from parents.
    private static func isAdopter(_ parent: pid_t) -> Bool {
        parent == 1 && getsid(0) != getsid(1) && getsid(0) != getpid()
    }

    private static func signalSet(_ numbers: [Int32]) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in numbers { sigaddset(&signals, number) }
        return signals
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private final class Watcher: Sendable {
        let signals: sigset_t
        /// The process that this one ends with; nil for none.
        let parent: pid_t?
        let onFirst: @Sendable (StopSignal) -> Void
        let beforeExit: @Sendable () -> Void

        init(
            signals: sigset_t, parent: pid_t?, onFirst: @escaping @Sendable (StopSignal) -> Void,
            beforeExit: @escaping @Sendable () -> Void
        ) {
            self.signals = signals
            self.parent = parent
            self.onFirst = onFirst
            self.beforeExit = beforeExit
        }

        func run() {
            let first = wait()
            if first == .interrupt { Console.process.eraseEcho() }
            onFirst(first)
            // Programs that stop a whole process group signal this one twice, as `timeout` does.
            let second = next(within: Interrupts.repetition, besides: [.hangUp, first]) ?? second()
            beforeExit()
            Interrupts.leave(second ?? first)
        }

        /// The next signal; nil if the first one was not handled in time. A closing terminal sends one from the shell
        /// and one from the system.
        private func second() -> StopSignal? {
            let early = next(within: Interrupts.patience, besides: [.hangUp]) {
                !Interrupts.isHeeded.load(ordering: .acquiring)
            }
            if let early { return early }
            guard Interrupts.isHeeded.load(ordering: .acquiring) else { return nil }
            while true {
                let signal = wait()
                if signal != .hangUp { return signal }
            }
        }

        /// A signal that arrives within a time and while `isWaiting` holds; nil for none.
        private func next(
            within time: Duration, besides ignored: Set<StopSignal>, while isWaiting: () -> Bool = { true }
        ) -> StopSignal? {
            let end = ContinuousClock.now + time
            while isWaiting(), ContinuousClock.now < end {
                var step = timespec(tv_sec: 0, tv_nsec: 20_000_000)
                let number = withUnsafePointer(to: signals) { sigtimedwait($0, nil, &step) }
                if let signal = stopSignal(number), !ignored.contains(signal) { return signal }
            }
            return nil
        }

        private func wait() -> StopSignal {
            var number: Int32 = 0
            while true {
                let failure = withUnsafePointer(to: signals) { sigwait($0, &number) }
                if failure == 0, let signal = stopSignal(number) { return signal }
            }
        }

        /// A thread of the parent ends without its process, as one of a pool: then nothing is to be done.
        private func stopSignal(_ number: Int32) -> StopSignal? {
            guard number == Interrupts.parentSignal else { return StopSignal(number: number) }
            return getppid() == parent ? nil : .terminate
        }
    }
}
