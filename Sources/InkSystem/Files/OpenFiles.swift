import Glibc

/// The process's file descriptors, all together.
package enum OpenFiles {
    /// Opens /dev/null in place of standard streams that are closed: the next file that is opened would become one of them, and
    /// what is meant for people would be written into it.
    package static func fillStandardStreams() {
        for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free: this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Allows as many as the system lets this user have. What shells allow, mostly 1,024, is for programs that use `select`.
    package static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
