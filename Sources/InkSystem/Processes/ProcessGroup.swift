package import Glibc

/// A program that this one has started, with everything that it starts in turn: all of it can be ended.
///
/// The program leads a process group of its own. What leaves the group, by `setsid` for example, is known by a variable of
/// its environment that it has inherited.
package struct ProcessGroup: Sendable {
    /// The program's number, and that of its group.
    package let leader: pid_t
    private let mark: String

    private static let markName = "INK_STARTED"

    /// Starts a program. It gets none of this one's blocked or ignored signals.
    ///
    /// - Parameters:
    ///   - input: its standard input; nil: this program's.
    ///   - silent: the streams that go nowhere.
    ///   - environment: variables beside those of this program.
    package init(
        running path: String, _ arguments: [String], input: Int32? = nil, silent: [Int32],
        environment: [(name: String, value: String)] = []
    ) throws(SystemFailure) {
        func check(_ code: Int32) throws(SystemFailure) {
            if code != 0 { throw SystemFailure(operation: "run \(path)", errno: code) }
        }
        var files = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        try check(posix_spawn_file_actions_init(&files))
        defer { posix_spawn_file_actions_destroy(&files) }
        try check(posix_spawnattr_init(&attributes))
        defer { posix_spawnattr_destroy(&attributes) }
        if let input { try check(posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO)) }
        for stream in silent {
            try check(posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0))
        }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        try check(posix_spawnattr_setsigmask(&attributes, &none))
        try check(posix_spawnattr_setsigdefault(&attributes, &all))
        try check(posix_spawnattr_setpgroup(&attributes, 0))
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        try check(posix_spawnattr_setflags(&attributes, Int16(flags)))
        var generator = SystemRandomNumberGenerator()
        mark = "\(Self.markName)=\(getpid())-\(String(UInt64.random(in: 0 ... .max, using: &generator), radix: 16))"
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            if !text.hasPrefix("\(Self.markName)=") { variables.append(text) }
            next += 1
        }
        variables += environment.map { "\($0.name)=\($0.value)" } + [mark]
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var child = pid_t()
        try check(posix_spawn(&child, path, &files, &attributes, &words, &settings))
        leader = child
    }

    /// Whether the program has ended. Its number stays its own until `takeStatus`.
    package var hasEnded: Bool {
        var information = siginfo_t()
        information.si_signo = 0
        let code = waitid(P_PID, id_t(leader), &information, WEXITED | WNOWAIT | WNOHANG)
        return code == 0 && information.si_signo == SIGCHLD
    }

    /// Waits until the program has ended. Its number stays its own until `takeStatus`.
    package func wait() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(leader), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Waits for the program's end: its exit code, or 128 and the signal that has ended it. To be called once.
    package func takeStatus() -> Int32 {
        var status: Int32 = 0
        while waitpid(leader, &status, 0) != leader, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Ends the program, unless it has ended, and whatever it has started. To be called before `takeStatus`.
    package func kill() {
        _ = Glibc.kill(-leader, SIGKILL)
        // What is found may have started something since the list was read.
        for _ in 0..<10 {
            let strays = strays()
            if strays.isEmpty { return }
            for process in strays { _ = Glibc.kill(process, SIGKILL) }
        }
    }

    /// Processes with the mark; those that are ending have no environment any more.
    private func strays() -> [pid_t] {
        // Without /proc there are none to be found.
        let names = (try? FileSystem.names(in: "/proc")) ?? []
        return names.compactMap { name in
            guard let process = pid_t(String(decoding: name, as: UTF8.self)), process != leader, process != getpid(),
                // A process of another user, or one that has just ended, is none of ours.
                let file = try? FileDescriptor(
                    opening: "/proc/\(process)/environ", flags: O_RDONLY, operation: "open")
            else { return nil }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            // It may end while its environment is read.
            while let count = try? file.read(into: &piece), count > 0 { bytes += piece[..<count] }
            return bytes.split(separator: 0).contains { $0.elementsEqual(mark.utf8) } ? process : nil
        }
    }
}
