import CSystem
import Glibc

/// The system's clocks.
package enum SystemClock {
    /// Monotonic.
    package static var nanoseconds: UInt64 {
        let time = read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Monotonic.
    package static var milliseconds: UInt64 { nanoseconds / 1_000_000 }

    /// Since 1970.
    package static var unixMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Processor time of the calling thread.
    package static var threadNanoseconds: UInt64 {
        let time = read(CLOCK_THREAD_CPUTIME_ID)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
