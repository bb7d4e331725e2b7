import Foundation

/// Runs measurements and writes what they gave.
final class Meter {
    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Whether any measurement whose name begins so is asked for: nothing need be made ready for others.
    func wants(_ prefix: String) -> Bool {
        options.only.isEmpty || options.only.contains { $0.hasPrefix(prefix) || prefix.hasPrefix($0) }
    }

    /// - Parameters:
    ///   - scale: what a nanosecond is in `unit`.
    ///   - body: returns nanoseconds.
    func measure(_ name: String, _ unit: String = "ms", scale: Double = 1e-6, _ body: () throws -> UInt64) rethrows {
        guard options.only.isEmpty || options.only.contains(where: { name.hasPrefix($0) }) else { return }
        if options.listsOnly {
            write(name)
            return
        }
        _ = try body()
        let start = ContinuousClock.now
        for run in 1...options.runs {
            beginCounting()
            let nanoseconds = try body()
            endCounting()
            write("\(name) \(unit) \(Double(nanoseconds) * scale)")
            if run >= 2, (ContinuousClock.now - start) / .seconds(1) > options.seconds { break }
        }
    }

    /// Writes a figure that is the same in every run.
    func note(_ name: String, _ unit: String, _ value: Int) {
        if !options.listsOnly { write("\(name) \(unit) \(value)") }
    }

    private func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Nanoseconds that `body` takes.
    static func time(_ body: () throws -> Void) rethrows -> UInt64 {
        let duration = try ContinuousClock().measure(body)
        return UInt64(duration / .nanoseconds(1))
    }
}

/// Profilers count from here ...
@inline(never)
@_optimize(none)
@_cdecl("ink_counting_begins")
public func beginCounting() {}

/// ... to here.
@inline(never)
@_optimize(none)
@_cdecl("ink_counting_ends")
public func endCounting() {}
