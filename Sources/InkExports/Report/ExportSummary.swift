import InkEngine
import InkProtocol

/// The figures of a run.
package struct ExportSummary: Hashable, Sendable {
    package var counts: [ExportState: Int] = [:]
    /// Exports whose projects gave warnings, whatever their result.
    package var withWarnings: Int
    /// Wall clock of the run.
    package var milliseconds: Double
    /// Rendered output pixels.
    package var pixels = 0
    /// Tiles of all pictures, and those of them that were kept from earlier exports; 0 where nothing is kept.
    package var tileCount = 0
    package var foundCount = 0
    /// The times of the rendered exports; nil without any.
    package var median: Double?
    package var percentile95: Double?
    /// Index of the slowest record.
    package var slowest: Int?
    /// The number of exports within each of `DeviceTiers`, counted at the strictest; the last entry counts all others.
    package var tiers = [Int](repeating: 0, count: DeviceTiers.seconds.count + 1)

    package init(_ records: [ExportRecord], milliseconds: Double) {
        self.milliseconds = milliseconds
        withWarnings = records.count { !$0.warnings.isEmpty }
        var times: [Double] = []
        for (index, record) in records.enumerated() {
            counts[record.state, default: 0] += 1
            guard record.state == .done, !record.isFurtherFile, let size = record.pixels, let time = record.milliseconds
            else { continue }
            times.append(time)
            tileCount += record.report?.tileCount ?? 0
            foundCount += record.report?.foundCount ?? 0
            pixels += size.area
            tiers[DeviceTiers.tier(milliseconds: time, pixels: size) ?? DeviceTiers.seconds.count] += 1
            if slowest.map({ (records[$0].milliseconds ?? 0) < time }) ?? true { slowest = index }
        }
        times.sort()
        median = Self.percentile(times, 50)
        percentile95 = Self.percentile(times, 95)
    }

    var pixelsPerSecond: Double { milliseconds > 0 ? Double(pixels) / milliseconds * 1000 : 0 }

    package func count(_ state: ExportState) -> Int { counts[state] ?? 0 }

    /// The percentile: the smallest value that this share of all values does not exceed (nearest rank).
    package static func percentile(_ sorted: [Double], _ percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
    }

    /// The text for people.
    package func text(_ records: [ExportRecord]) -> String {
        var lines: [String] = []
        var parts = count(.planned) > 0 ? [] : ["\(count(.done)) exported"]
        for (state, word) in [
            (ExportState.planned, "would be exported"), (.skipped, "unchanged"), (.failed, "failed"),
            (.cancelled, "not made"),
        ] where count(state) > 0 { parts.append("\(count(state)) \(word)") }
        if withWarnings > 0 { parts.append("\(withWarnings) with warnings") }
        lines.append(parts.joined(separator: ", ") + " in \(Shown.duration(milliseconds: milliseconds))")
        if let median, let percentile95, let slowest {
            lines[0] += ", " + Shown.scaled(pixelsPerSecond, unit: "pixels/s")
            lines.append(
                "An export: median \(Shown.duration(milliseconds: median)), 95% within "
                    + "\(Shown.duration(milliseconds: percentile95)), slowest "
                    + "\(Shown.duration(milliseconds: records[slowest].milliseconds ?? 0)) "
                    + "(\((records[slowest].output ?? "").escapingControls()))")
            lines.append(tierText)
            if foundCount > 0 { lines.append("\(foundCount) of \(tileCount) tiles were kept from earlier exports") }
        }
        return lines.joined(separator: "\n")
    }

    private var tierText: String {
        let names = DeviceTiers.seconds.map { Shown.decimal($0, places: 0) + " s" }
        let rendered = tiers.reduce(0, +)
        var within = 0
        var parts: [String] = []
        for (index, name) in names.enumerated() where within < rendered {
            within += tiers[index]
            parts.append("\(within) of \(rendered) within \(name)")
        }
        if within < rendered { parts.append("\(rendered - within) slower than all") }
        return "Device tiers (\(names.joined(separator: ", ")) up to 2K, larger sizes in proportion to their pixels): "
            + parts.joined(separator: ", ")
    }
}
