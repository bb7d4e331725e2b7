import Foundation
import FoundationXML
import InkEngine
import InkProtocol
import Testing

@testable import InkBench
@testable import InkExports

struct BenchOutputTests {
    /// Names and numbers of all kinds, with an earlier run of other ones.
    private static func reports() -> (now: BenchReport, earlier: BenchReport) {
        let names = ["light", "<b>&\"'\u{1b}[31m", String(repeating: "very/long/", count: 30), "日本語 画像", ""]
        let results = names.flatMap { name in
            [("2k", 2048, 0.4), ("16384x16384", 16_384, 123_456.7), ("0.333333333333x", 100, 8.0)].map { size in
                BenchResult.sample(name, size: size.0, edge: size.1, times: (1...6).map { size.2 * Double($0) })
            }
        }
        let earlier = results.map { result in
            var result = result
            for index in result.samples.indices { result.samples[index].milliseconds *= 1.7 }
            return result
        }
        var machine = BenchMachine.sample
        machine.processor = String(repeating: "Processor with a name ", count: 12)
        return (.sample(results, machine: machine), .sample(Array(earlier.dropLast(2))))
    }

    @Test func textFitsIntoItsColumns() {
        let (now, earlier) = Self.reports()
        for comparison in [nil, BenchComparison(now, with: earlier)] {
            let text = BenchText(report: now, comparison: comparison).text
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                #expect(line.count <= BenchText.columns, "\(line)")
            }
            #expect(!text.contains("\u{1b}"))
        }
    }

    @Test func textSaysWhatIsMeasuredAndOnWhat() {
        let report = BenchReport.sample([
            .sample("light", times: [50, 60, 70, 80, 90]), .sample("light", size: "4k", edge: 4096, times: [15_000]),
        ])
        let text = BenchText(report: report, comparison: BenchComparison(report, with: report)).text
        for words in [
            "Example 9000, 8 cores, kernels v3, 32.0 GiB, Example Linux 1", "8 workers, 5 runs", "2026-11-21 10:06 UTC",
            "in proportion to the edge's square (4096: 12.0 s, 20.0 s, 28.0 s)", "no difference beyond the noise",
            "too few runs to tell",
        ] {
            #expect(
                text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words), "\(words)\n\(text)")
        }
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines.contains(["light", "2k", "70.0", "90.0", "30.0", "14.3", "101", "yes", "yes", "yes"]), "\(text)")
        #expect(
            lines.contains(["light", "4k", "15000", "15000", "0.56", "0.07", "101", "no", "yes", "yes"]), "\(text)")
    }

    /// What an XML parser finds.
    private final class Elements: NSObject, XMLParserDelegate {
        var found: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { found.append((name, attributes)) }
    }

    private func elements(_ chart: BenchChart) throws -> [(name: String, attributes: [String: String])] {
        let parser = XMLParser(data: Data(chart.svg.utf8))
        let elements = Elements()
        parser.delegate = elements
        let isWhole = parser.parse()
        try #require(isWhole, "\(parser.parserError.map { "\($0)" } ?? "")")
        return elements.found
    }

    @Test func theChartIsWholeAndInsideItsPicture() throws {
        let (now, earlier) = Self.reports()
        for comparison in [nil, BenchComparison(now, with: earlier)] {
            let found = try elements(BenchChart(report: now, comparison: comparison))
            let picture = try #require(found.first)
            let width = try #require(picture.attributes["width"].flatMap(Double.init))
            let height = try #require(picture.attributes["height"].flatMap(Double.init))
            for (name, attributes) in found.dropFirst() {
                for (key, value) in attributes where ["x", "x1", "x2", "y", "y1", "y2"].contains(key) {
                    let place = try #require(Double(value), "\(name) \(key) \(value)")
                    #expect((0...(key.hasPrefix("x") ? width : height)).contains(place), "\(name) \(attributes)")
                }
            }
            #expect(found.count { $0.attributes["class"] == "bar" } == now.results.count)
            #expect(found.count { $0.attributes["class"] == "tier" } == 9)
            // The last two results were not in the earlier run.
            #expect(
                found.count { $0.attributes["class"] == "earlier" } == (comparison == nil ? 0 : now.results.count - 2))
        }
    }

    @Test func barsAreInTheOrderOfTheirTimes() throws {
        let report = BenchReport.sample([
            .sample("light", times: [50]), .sample("medium", times: [500]), .sample("heavy", times: [5000]),
        ])
        let found = try elements(BenchChart(report: report, comparison: nil))
        let bars = found.filter { $0.attributes["class"] == "bar" }.compactMap { Double($0.attributes["width"] ?? "") }
        #expect(bars.count == 3)
        // On a logarithmic axis equal factors are equal distances.
        #expect(abs((bars[2] - bars[1]) - (bars[1] - bars[0])) < 0.1 && bars[1] > bars[0], "\(bars)")
        let tiers = found.filter { $0.attributes["class"] == "tier" }.compactMap { Double($0.attributes["x1"] ?? "") }
        let end = 176 + bars[2]
        #expect(tiers.count == 3 && tiers[0] < end && abs(tiers[1] - end) < 0.1 && tiers[2] > end, "\(tiers) \(end)")
        let shares = found.filter { element in
            PhaseTimes.work.contains { $0.name == element.attributes["class"] } && element.attributes["rx"] == nil
        }.compactMap { Double($0.attributes["width"] ?? "") }
        #expect(abs(shares.reduce(0, +) - 3 * 262) < 1, "\(shares)")
    }

    @Test func picturesOfSeveralSizesHaveTheirOwnTiers() throws {
        let report = BenchReport.sample([
            .sample("light", size: "1x", edge: 2048, times: [50]),
            .sample("heavy", size: "1x", edge: 4096, times: [500]),
        ])
        let found = try elements(BenchChart(report: report, comparison: nil))
        let tiers = found.filter { $0.attributes["class"] == "tier" }.compactMap { Double($0.attributes["x1"] ?? "") }
        #expect(tiers.count == 6 && zip(tiers, tiers.dropFirst(3)).allSatisfy { $0 < $1 }, "\(tiers)")
        #expect(BenchText(report: report, comparison: nil).text.contains("(4096: 12.0 s, 20.0 s, 28.0 s)"))
    }

    @Test func picturesThatDifferInTheirTiersHaveNone() throws {
        var batch = BenchResult.sample("14 projects", size: "1x", times: [140])
        batch.samples[0].pictures = (0..<14).map { .init(milliseconds: 10, edge: 1000 + 250 * $0) }
        let report = BenchReport.sample([batch])
        let chart = BenchChart(report: report, comparison: nil)
        #expect(try elements(chart).allSatisfy { $0.attributes["class"] != "tier" })
        #expect(chart.svg.contains("none where pictures differ in theirs"))
        let words = BenchText(report: report, comparison: nil).text.split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").contains("(2250: 3.6 s, 6.0 s, 8.4 s to 4250: 12.9 s, 21.5 s, 30.1 s)"))
    }

    @Test func aBusyMachineIsSaidEverywhere() {
        let report = BenchReport.sample([.sample(times: [50])], othersShare: 0.31)
        let note = "Others took 31% of the cores"
        #expect(BenchText(report: report, comparison: nil).text.contains(note))
        #expect(BenchChart(report: report, comparison: nil).svg.contains(note))
        let calm = BenchReport.sample([.sample(times: [50])], othersShare: 0.03)
        #expect(!BenchChart(report: calm, comparison: nil).svg.contains("Others took"))
    }

    @Test func theEarlierPicturesAreComparedWithPictures() throws {
        var batch = BenchResult.sample("14 projects", times: [140, 140])
        batch.subject.pictureCount = 14
        for index in batch.samples.indices {
            batch.samples[index].pictures = Array(repeating: .init(milliseconds: 10, edge: 2048), count: 14)
        }
        let report = BenchReport.sample([batch])
        let found = try elements(
            BenchChart(report: report, comparison: BenchComparison(report, with: report)))
        let bar = found.first { $0.attributes["class"] == "bar" }.flatMap { Double($0.attributes["width"] ?? "") } ?? 0
        let diamond = found.first { $0.attributes["class"] == "earlier" }?.attributes["d"] ?? ""
        #expect(diamond.hasPrefix("M\(SVGText.number(176 + bar)) "), "\(diamond), \(bar)")
    }

    @Test(arguments: ["x\u{FFFE}y\u{FFFF}", "\u{202E}gnp", "<&\">"])
    func anyNameMakesADocument(name: String) throws {
        let report = BenchReport.sample([.sample(name, times: [50])])
        let svg = BenchChart(report: report, comparison: nil).svg
        #expect(!svg.unicodeScalars.contains { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" || $0 == "\u{202E}" })
        #expect(throws: Never.self) { try elements(BenchChart(report: report, comparison: nil)) }
    }

    @Test(arguments: [("short", "short"), (String(repeating: "W", count: 30), nil), ("\u{6F22}\u{5B57}-name", nil)])
    func namesFitTheirColumn(name: String, shown: String?) {
        let text = name.shortened(toWidth: 10)
        #expect(shown == nil || text == shown)
        #expect(text.count <= 10 && (name.count <= 10 || text.contains("...")), "\(text)")
    }

    @Test(arguments: [[1.0], [0.001, 0.002], [3, 3000], [1e-3, 1e7], [], [50_000]])
    func axesHoldTheirValues(values: [Double]) {
        let scale = LogScale(holding: values, range: 100...500)
        for value in values { #expect((100...500).contains(scale.place(value))) }
        #expect((1...11).contains(scale.ticks.count), "\(scale.ticks)")
        #expect(scale.place(scale.domain.lowerBound) == 100)
        #expect(scale.ticks.first == scale.domain.lowerBound)
        #expect(abs(scale.place(scale.domain.upperBound) - 500) < 1e-6)
    }
}
