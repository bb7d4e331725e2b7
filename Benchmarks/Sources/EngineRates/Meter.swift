import Foundation

/// Runs measurements and writes what they gave.
final class Meter {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Whether a measurement is asked for by name or by folder, or any of a folder, which ends with `/`: nothing need be
    /// made ready for others.
    func wants(_ name: String) -> Bool {
        options.only.isEmpty
            || options.only.contains { asked in
                asked == name || asked.hasSuffix("/") && name.hasPrefix(asked)
                    || name.hasSuffix("/") && asked.hasPrefix(name)
            }
    }

    /// - Parameters:
    ///   - scale: what a nanosecond is in `unit`.
    ///   - body: returns nanoseconds of processor time.
    func measure(_ name: String, _ unit: String = "ms", scale: Double = 1e-6, _ body: () throws -> UInt64) rethrows {
        guard wants(name) else { return }
        var spent: UInt64 = 0
        if options.runs > 1 {
            let first = try body()
            // A run of seconds needs no warming up, and no second one to be believed.
            if first > 4_000_000_000 {
                write(name, unit, first, scale)
                return
            }
        }
        for run in 1...options.runs {
            _ = beginCounting(run)
            let nanoseconds = try body()
            _ = endCounting(run)
            write(name, unit, nanoseconds, scale)
            spent += nanoseconds
            if run >= 2, Double(spent) > options.seconds * 1e9 { break }
        }
    }

    /// Writes a figure that is the same in every run.
    func note(_ name: String, _ unit: String, _ value: Int) {
        write("\(name) \(unit) \(value)")
    }

    private func write(_ name: String, _ unit: String, _ nanoseconds: UInt64, _ scale: Double) {
        write("\(name) \(unit) \(Double(nanoseconds) * scale)")
    }

    private func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Nanoseconds of processor time that `body` takes in this thread: what else the machine does hardly shows.
    static func time(_ body: () throws -> Void) rethrows -> UInt64 {
        let start = threadTime()
        try body()
        return threadTime() - start
    }

    private static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Programs that count instructions count from here ...
///
/// What it returns is there so that no other function is the same and is merged with it.
@inline(never)
@_optimize(none)
func beginCounting(_ run: Int) -> Int { run &* 0x5851_F42D &+ 0x4C95_7F2D }

/// ... to here.
@inline(never)
@_optimize(none)
func endCounting(_ run: Int) -> Int { run &* 0x1405_7B7E &+ 0xF767_814F }
