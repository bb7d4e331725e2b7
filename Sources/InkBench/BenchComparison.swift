import InkExports
import InkJSON

/// A benchmark compared with an earlier one.
package struct BenchComparison: Sendable {
    enum Verdict: String, Hashable, Sendable {
        case faster, slower
        case noDifference = "no difference beyond the noise"
        case tooFewRuns = "too few runs to tell"
        case busyMachine = "busy machine: cannot tell"
        case otherContent = "the project is not the same"
        case notMeasured = "not in the earlier run"
    }

    /// A case compared with the earlier run.
    struct Row: Hashable, Sendable {
        var subject: BenchCase
        /// The time of the commands in the earlier run, milliseconds; nil without an earlier run.
        var earlier: Double?
        /// The earlier p50, of each picture's own time where a command makes many.
        var earlierPicture: Double?
        var now: Double
        /// Now over earlier.
        var ratio: BenchStatistics.Ratio?
        var verdict: Verdict

        /// The new median divided by the earlier one.
        var medianRatio: Double? { earlier.map { now / $0 } }
    }

    /// A difference that is certain but smaller than this is none: so much a machine drifts between two runs.
    static let differenceMin = 0.03

    /// What differs: program, machine, settings; one line each.
    var differences: [String]
    /// The earlier run's date.
    var date: String
    var rows: [Row]

    package init(_ now: BenchReport, with earlier: BenchReport) {
        date = earlier.date
        differences = []
        if now.program != earlier.program || now.rendererVersion != earlier.rendererVersion {
            differences.append(
                "another version: ink \(earlier.program) (renderer \(earlier.rendererVersion)), "
                    + "now ink \(now.program) (renderer \(now.rendererVersion))")
        }
        let machine = now.machine.differences(from: earlier.machine)
        if !machine.isEmpty { differences.append("another machine: " + machine.joined(separator: "; ")) }
        var settings: [String] = []
        if now.workers != earlier.workers { settings.append("workers \(earlier.workers), now \(now.workers)") }
        if now.machine.kernels != earlier.machine.kernels {
            settings.append("kernels \(earlier.machine.kernels), now \(now.machine.kernels)")
        }
        if !settings.isEmpty { differences.append("other settings: " + settings.joined(separator: "; ")) }
        for (name, report) in [("the earlier run", earlier), ("this run", now)] where report.isOfBusyMachine {
            differences.append(
                "during \(name) others took \(Shown.decimal((report.othersShare ?? 0) * 100, places: 0))% of the cores")
        }
        let isBusy = now.isOfBusyMachine || earlier.isOfBusyMachine
        rows = now.results.map { result in
            let same = earlier.results.first { $0.subject == result.subject }
            let alike = earlier.results.first {
                $0.subject.scene == result.subject.scene && $0.subject.size == result.subject.size
            }
            var row = Self.row(result, same ?? alike)
            if isBusy, row.verdict == .slower || row.verdict == .faster { row.verdict = .busyMachine }
            return row
        }
    }

    private static func row(_ now: BenchResult, _ earlier: BenchResult?) -> Row {
        let median = BenchStatistics.median(now.times) ?? 0
        guard let earlier else { return Row(subject: now.subject, now: median, verdict: .notMeasured) }
        guard now.subject == earlier.subject else {
            return Row(subject: now.subject, now: median, verdict: .otherContent)
        }
        var row = Row(
            subject: now.subject, earlier: BenchStatistics.median(earlier.times), earlierPicture: earlier.median,
            now: median, verdict: .noDifference)
        row.ratio = BenchStatistics.ratio(now.times, to: earlier.times)
        row.verdict = verdict(row.ratio)
        return row
    }

    static func verdict(_ ratio: BenchStatistics.Ratio?) -> Verdict {
        guard let ratio else { return .tooFewRuns }
        if ratio.low > 1, ratio.estimate >= 1 + differenceMin { return .slower }
        if ratio.high < 1, ratio.estimate <= 1 / (1 + differenceMin) { return .faster }
        return .noDifference
    }

    var json: JSONValue {
        [
            "date": .string(date),
            "differences": .array(differences.map { .string($0) }),
            "results": .array(
                rows.map { row in
                    [
                        "scene": .string(row.subject.scene), "size": .string(row.subject.size),
                        "earlierMs": .milliseconds(row.earlier), "nowMs": .milliseconds(row.now),
                        "ratio": row.medianRatio.map { .number($0) } ?? .null,
                        "estimate": row.ratio.map { .number($0.estimate) } ?? .null,
                        "interval99": row.ratio.map { .array([.number($0.low), .number($0.high)]) } ?? .null,
                        "verdict": .string(row.verdict.rawValue),
                    ]
                }),
        ]
    }
}
