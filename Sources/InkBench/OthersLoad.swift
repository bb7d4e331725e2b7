import Glibc
import InkExports
import InkSystem

/// How much of the machine's processor time other processes take during a measurement.
package struct OthersLoad: Sendable {
    /// Processor time in seconds: of all cores in all, of all that were at work, and of this process and the children that it has
    /// waited for.
    struct Times: Hashable, Sendable {
        var total: Double
        var busy: Double
        var own: Double

        /// nil if the system does not report it.
        static func read() -> Times? {
            let ticks = sysconf(Int32(_SC_CLK_TCK))
            guard let own = used(RUSAGE_SELF), let children = used(RUSAGE_CHILDREN), ticks > 0,
                // A system whose files cannot be read does not report it.
                let text = try? FileSystem.read("/proc/stat", limitBytes: 1 << 20),
                let all = all(String(decoding: text, as: UTF8.self), ticksPerSecond: Double(ticks))
            else { return nil }
            return Times(total: all.total, busy: all.busy, own: own + children)
        }

        private static func used(_ who: __rusage_who) -> Double? {
            var usage = rusage()
            guard getrusage(__rusage_who_t(who.rawValue), &usage) == 0 else { return nil }
            func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
            return seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }

        /// Adds up the first line of /proc/stat (proc(5)): user, nice, system, idle, iowait, irq, softirq, steal; what
        /// guests take is in user and nice already.
        static func all(_ text: String, ticksPerSecond: Double) -> (total: Double, busy: Double)? {
            guard let line = text.split(whereSeparator: \.isNewline).first else { return nil }
            let words = line.split(separator: " ")
            let ticks = words.dropFirst().prefix(8).compactMap { Double($0) }
            guard words.first == "cpu", ticks.count == 8 else { return nil }
            let total = ticks.reduce(0, +)
            return (total / ticksPerSecond, (total - ticks[3] - ticks[4]) / ticksPerSecond)
        }
    }

    private let start = Times.read()

    package init() {}

    /// Share of the cores used by other processes since the start, 0...1; nil if the system does not report it.
    package func share() -> Double? {
        guard let start, let now = Times.read() else { return nil }
        return Self.share(from: start, to: now)
    }

    /// nil if the time is too short to tell.
    static func share(from start: Times, to end: Times) -> Double? {
        let total = end.total - start.total
        guard total >= 0.5 else { return nil }
        return min(max((end.busy - start.busy - (end.own - start.own)) / total, 0), 1)
    }
}
