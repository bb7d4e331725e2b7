import InkExports
import InkProtocol

/// A benchmark as a picture (SVG): for each size the exports' times as bars with whiskers against the device tiers, and
/// beside each what the work went into.
///
/// It has its own background, light or dark as the viewer prefers, and needs no other file.
package struct BenchChart: Sendable {
    let report: BenchReport
    let comparison: BenchComparison?

    package init(report: BenchReport, comparison: BenchComparison?) {
        self.report = report
        self.comparison = comparison
    }

    private static let width = 980.0
    private static let margin = 28.0
    /// Where the bars' axis and the shares' begin and end.
    private static let bars = 176.0...640.0
    private static let shares = 690.0...952.0
    private static let rowHeight = 30.0
    private static let barHeight = 16.0
    private static let groupHeight = 34.0

    package var svg: String {
        var svg = SVGText()
        let height = self.height
        svg.rect(0.5, 0.5, Self.width - 1, height - 1, radius: 10, kind: "card")
        var y = heading(&svg)
        y = legend(&svg, y)
        let scale = scale
        axis(&svg, scale, from: y, to: height - 40 - Double(notes.count) * 16)
        for group in groups { y = draw(group, scale, &svg, y) }
        y += 42
        for note in notes {
            svg.text(Self.margin, y, note, kind: "small")
            y += 16
        }
        return svg.document(width: Self.width, height: height, title: title, style: BenchChartStyle.css)
    }

    private var title: String { "Export times of ink \(report.program)" }

    private var subtitles: [String] {
        BenchText.wrapped(report.machine.text, columns: 140)
            + [
                "\(report.workers) \(report.workers == 1 ? "worker" : "workers"), renderer "
                    + "\(report.rendererVersion), \(report.date.prefix(16).replacing("T", with: " ")) UTC"
            ]
    }

    private var notes: [String] {
        let runs = report.results.map(\.samples.count).max() ?? 0
        var notes = [
            "Bars: median of \(runs) \(runs == 1 ? "run" : "runs") from the start of the command to the closed file"
                + (report.results.contains { $0.subject.pictureCount > 1 }
                    ? " (of many, each picture's own time), " : ", ")
                + "logarithmic; whiskers to the 95th percentile.",
            "Dashed: device tiers of 3, 5 and 7 s for a longest edge of up to 2048 pixels, above in proportion to its "
                + "square"
                + (report.results.contains { $0.limits == nil } ? "; none where pictures differ in theirs." : "."),
            "Right: shares of the work of all workers, phase by phase.",
        ]
        if report.results.contains(where: { $0.exports.count < 20 }) {
            notes.append("Of fewer than 20 exports the 95th percentile is the slowest.")
        }
        if let busy = report.busyNote { notes.append(busy) }
        if let comparison {
            notes.append("Diamonds: the median of the run of \(comparison.date.prefix(10)) that it is compared with.")
        }
        return notes
    }

    /// The results size by size, in the order of the report.
    private var groups: [[BenchResult]] {
        var sizes: [String] = []
        for result in report.results where !sizes.contains(result.subject.size) { sizes.append(result.subject.size) }
        return sizes.map { size in report.results.filter { $0.subject.size == size } }
    }

    private var scale: LogScale {
        let times = report.results.flatMap { [$0.median, $0.percentile95] + Self.limits($0) }
        return LogScale(
            holding: times + (comparison?.rows.compactMap(\.earlierPicture) ?? []), range: Self.bars)
    }

    private var height: Double {
        let rows = groups.reduce(0) { $0 + Self.groupHeight + Double($1.count) * Self.rowHeight }
        return 64 + Double(subtitles.count) * 17 + 32 + rows + 56 + Double(notes.count) * 16
    }

    /// The tiers' times for a result's pictures, milliseconds; none when these differ.
    private static func limits(_ result: BenchResult) -> [Double] { (result.limits ?? []).map { $0 * 1000 } }

    private func heading(_ svg: inout SVGText) -> Double {
        svg.text(Self.margin, 42, title, kind: "title")
        var y = 64.0
        for line in subtitles {
            svg.text(Self.margin, y, line, kind: "small")
            y += 17
        }
        return y + 4
    }

    private func legend(_ svg: inout SVGText, _ top: Double) -> Double {
        var x = Self.margin
        for phase in PhaseTimes.work {
            svg.rect(x, top, 11, 11, radius: 2, kind: phase.name)
            svg.text(x + 16, top + 10, phase.name, kind: "small")
            x += 32 + Double(phase.name.count) * 6.6
        }
        return top + 28
    }

    private func axis(_ svg: inout SVGText, _ scale: LogScale, from top: Double, to bottom: Double) {
        for tick in scale.ticks {
            let x = scale.place(tick)
            svg.line(x, top + 8, x, bottom - 20, kind: "grid")
            svg.text(x, bottom - 4, Self.duration(tick), kind: "small", anchor: "middle")
        }
    }

    private func draw(_ group: [BenchResult], _ scale: LogScale, _ svg: inout SVGText, _ top: Double) -> Double {
        guard let first = group.first else { return top }
        let rows = top + Self.groupHeight
        let bottom = rows + Double(group.count) * Self.rowHeight
        svg.text(Self.margin, top + 24, first.subject.size, kind: "group")
        svg.text(Self.shares.lowerBound, top + 24, "where the work goes", kind: "small")
        let areOfOneSize = group.allSatisfy { Self.limits($0) == Self.limits(first) }
        if areOfOneSize { tiers(first, scale, &svg, from: top + 28, to: bottom - 4, namesAt: top + 24) }
        for (index, result) in group.enumerated() {
            let middle = rows + (Double(index) + 0.5) * Self.rowHeight
            if !areOfOneSize { tiers(result, scale, &svg, from: middle - 13, to: middle + 13, namesAt: nil) }
            row(result, scale, &svg, middle)
        }
        return bottom
    }

    private func tiers(
        _ result: BenchResult, _ scale: LogScale, _ svg: inout SVGText, from top: Double, to bottom: Double,
        namesAt baseline: Double?
    ) {
        // The lines are near each other: names lean away from the middle one.
        for (limit, anchor) in zip(Self.limits(result), ["end", "middle", "start"]) {
            let x = scale.place(limit)
            svg.line(x, top, x, bottom, kind: "tier")
            if let baseline { svg.text(x, baseline, Self.seconds(limit / 1000), kind: "tierName", anchor: anchor) }
        }
    }

    private func row(_ result: BenchResult, _ scale: LogScale, _ svg: inout SVGText, _ middle: Double) {
        let top = middle - Self.barHeight / 2
        let (median, end) = (scale.place(result.median), scale.place(result.percentile95))
        svg.text(
            Self.bars.lowerBound - 12, middle + 4, result.subject.scene.shortened(toWidth: 20), kind: "name",
            anchor: "end")
        svg.rect(Self.bars.lowerBound, top, median - Self.bars.lowerBound, Self.barHeight, radius: 2, kind: "bar")
        svg.line(median, middle, end, middle, kind: "whisker")
        svg.line(end, middle - 4, end, middle + 4, kind: "whisker")
        var free = max(end, median) + 9
        if let earlier = earlier(result) {
            let x = scale.place(earlier)
            free = max(free, x + 12)
            svg.element(
                "path",
                [
                    ("class", "earlier"),
                    (
                        "d",
                        "M\(SVGText.number(x)) \(SVGText.number(middle - 6))l5 6l-5 6l-5 -6z"
                    ),
                ])
        }
        // Lines behind it end before it.
        for kind in ["ground", "value"] { svg.text(free, middle + 4, Self.duration(result.median), kind: kind) }
        shares(result.phases, &svg, top)
    }

    /// The earlier median of the same content.
    private func earlier(_ result: BenchResult) -> Double? {
        comparison?.rows.first { $0.subject == result.subject }?.earlierPicture
    }

    private func shares(_ phases: PhaseTimes, _ svg: inout SVGText, _ top: Double) {
        let sum = PhaseTimes.work.reduce(0.0) { $0 + Double(phases[keyPath: $1.path]) }
        guard sum > 0 else { return }
        var x = Self.shares.lowerBound
        for phase in PhaseTimes.work {
            let share = Double(phases[keyPath: phase.path]) / sum
            let width = share * (Self.shares.upperBound - Self.shares.lowerBound)
            svg.rect(x, top, width, Self.barHeight, kind: phase.name)
            if width >= 32 {
                svg.text(
                    x + width / 2, top + 12, Shown.decimal(share * 100, places: 0) + "%", kind: "share",
                    anchor: "middle")
            }
            x += width
        }
    }

    /// `86 ms`, `1.46 s`.
    private static func duration(_ milliseconds: Double) -> String {
        milliseconds < 1000
            ? BenchText.shown(milliseconds).droppingZeros + " ms" : seconds(milliseconds / 1000)
    }

    private static func seconds(_ seconds: Double) -> String { BenchText.shown(seconds).droppingZeros + " s" }
}

extension String {
    /// Without the zeros, and then the point, at a decimal number's end.
    fileprivate var droppingZeros: String {
        guard contains(".") else { return self }
        var text = self
        while text.hasSuffix("0") { text.removeLast() }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
