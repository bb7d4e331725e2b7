import InkExports
import InkProtocol

/// A benchmark for a person: tables of at most 100 columns.
package struct BenchText: Sendable {
    static let columns = 100

    let report: BenchReport
    let comparison: BenchComparison?

    package init(report: BenchReport, comparison: BenchComparison?) {
        self.report = report
        self.comparison = comparison
    }

    package var text: String {
        let sections = [heading, times, phases, comparison.map(lines) ?? []].filter { !$0.isEmpty }
        return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private var heading: [String] {
        let runs = report.results.map(\.samples.count).max() ?? 0
        return Self.wrapped(
            "ink \(report.program), renderer \(report.rendererVersion), \(report.date.prefix(16).replacing("T", with: " ")) UTC"
        )
            + Self.wrapped(report.machine.text)
            + Self.wrapped(
                "\(report.workers) \(report.workers == 1 ? "worker" : "workers"), \(runs) "
                    + "\(runs == 1 ? "run" : "runs") after one to warm up; milliseconds from the start of the command "
                    + "to the closed file")
            + busy
    }

    /// A note if the machine was busy.
    private var busy: [String] { report.busyNote.map { Self.wrapped($0) } ?? [] }

    private var times: [String] {
        let tiers = DeviceTiers.seconds.map { Shown.decimal($0, places: 0) + " s" }
        var table = TextTable(
            head: ["Scene", "Size", "p50", "p95", "Mpx/s", "Pictures/s", "Peak MB"] + tiers, leading: 2)
        for result in report.results {
            table.add(
                [
                    Self.name(result.subject.scene), Self.size(result.subject.size), Self.shown(result.median),
                    Self.shown(result.percentile95), Self.shown(result.megapixelsPerSecond),
                    Self.shown(result.picturesPerSecond),
                    result.peakBytes.map { Shown.decimal(Double($0) / 1e6, places: 0) } ?? "-",
                ] + result.keepsTiers.map { $0 ? "yes" : "no" })
        }
        return table.lines + notes
    }

    private var notes: [String] {
        var notes = Self.wrapped(
            "Device tiers: whether 95% of the exports take no longer than "
                + DeviceTiers.seconds.map { Shown.decimal($0, places: 0) + " s" }.joined(separator: ", ")
                + " up to 2K (longest edge 2048 pixels); larger ones in proportion to the edge's square" + largerTiers
                + ".")
        if report.results.contains(where: { $0.exports.count < 20 }) {
            notes += Self.wrapped("Of fewer than 20 exports the p95 is the slowest.")
        }
        if report.results.contains(where: { $0.subject.pictureCount > 1 }) {
            notes += Self.wrapped(
                "Where a command makes many pictures, p50 and p95 are of each picture's own time, others run beside it."
            )
        }
        return notes
    }

    /// The tiers' times at the sizes above 2K.
    private var largerTiers: String {
        let edges = Set(report.results.flatMap(\.edges)).filter { $0 > 2048 }.sorted()
        guard let first = edges.first, let last = edges.last else { return "" }
        func text(_ edge: Int) -> String {
            "\(edge): "
                + DeviceTiers.limits(edge: edge).map { Shown.decimal($0, places: 1) + " s" }.joined(separator: ", ")
        }
        let texts = edges.count <= 4 ? edges.map(text).joined(separator: "; ") : "\(text(first)) to \(text(last))"
        return " (\(texts))"
    }

    private var phases: [String] {
        var table = TextTable(head: ["Phases, ms", "Size"] + PhaseTimes.work.map(\.name), leading: 2)
        for result in report.results {
            table.add(
                [Self.name(result.subject.scene), Self.size(result.subject.size)]
                    + PhaseTimes.work.map { Self.shown(Double(result.phases[keyPath: $0.path]) / 1e6) })
        }
        return table.lines
            + Self.wrapped("Medians; the work of all workers adds up, and phases run beside each other.")
    }

    private func lines(_ comparison: BenchComparison) -> [String] {
        var table = TextTable(
            head: ["Compared", "Size", "Earlier", "Now", "Ratio", "99% interval", "Verdict"], leading: 2,
            trailing: 1)
        for row in comparison.rows {
            table.add(
                [
                    Self.name(row.subject.scene).shortened(to: 16), Self.size(row.subject.size),
                    row.earlier.map(Self.shown) ?? "-",
                    Self.shown(row.now), row.medianRatio.map { Shown.decimal($0, places: 3) } ?? "-",
                    row.ratio.map {
                        "\(Shown.decimal($0.low, places: 2))-\(Shown.decimal($0.high, places: 2))"
                    } ?? "-", row.verdict.rawValue,
                ])
        }
        let when = comparison.date.prefix(16).replacing("T", with: " ")
        return table.lines + Self.wrapped("Earlier run: \(when) UTC.")
            + comparison.differences.flatMap { Self.wrapped("Mind: \($0).") }
    }

    private static func name(_ scene: String) -> String { scene.escapingControls().shortened(to: 22) }
    private static func size(_ size: String) -> String { size.shortened(to: 11) }

    /// Three digits or more.
    static func shown(_ value: Double) -> String {
        Shown.decimal(value, places: value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)
    }

    /// Cut between words into lines of at most `columns`, those after the first moved in.
    static func wrapped(_ text: String, columns: Int = Self.columns) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.escapingControls().split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = "  " + word
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + (line.isEmpty ? [] : [line])
    }
}
