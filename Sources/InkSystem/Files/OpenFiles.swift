import Glibc

/// The process's file descriptors as a whole.
package enum OpenFiles {
    /// Opens /dev/null for each standard stream that is closed. Otherwise the next opened file would take its number,
    /// and messages would be written into that file.
    package static func fillStandardStreams() {
        for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Raises the limit to the maximum for this user. The usual default of shells, 1,024, is for programs that use
    /// `select`.
    package static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
