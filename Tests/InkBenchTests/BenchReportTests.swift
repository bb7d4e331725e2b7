import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Testing

@testable import InkBench
@testable import InkExports

struct BenchReportTests {
    @Test func isReadAsItWasWritten() throws {
        let folder = ScratchFolder()
        var batch = BenchResult.sample("14 projects", times: [100, 90])
        batch.subject.pictureCount = 2
        for index in batch.samples.indices {
            batch.samples[index].pictures = [
                BenchSample.Picture(milliseconds: 7.25, edge: 2048), BenchSample.Picture(milliseconds: 9.5, edge: 512),
            ]
        }
        batch.peakBytes = nil
        let report = BenchReport.sample([.sample("a \"b\"\n\u{1}", times: [812.125, 799.5, 1203]), batch])
        let comparison = BenchComparison(report, with: report)
        let path = folder.file("r.json", report.json(comparison).text())
        #expect(try BenchReport.read(path) == report)
    }

    private static let wrong: [(text: String, code: ExitCode, words: String)] = [
        ("{", .configuration, "byte 1"), ("{}", .configuration, "not a report of ink bench"),
        (#"{"format": "ink-export-report", "version": 1}"#, .configuration, "not a report of ink bench"),
        (#"{"format": "ink-bench", "version": 2}"#, .configuration, "of version 2"),
        (#"{"format": "ink-bench", "version": 1, "results": []}"#, .configuration, "incomplete"),
    ]

    @Test(arguments: wrong)
    func whatIsNoReportIsRefused(text: String, code: ExitCode, words: String) {
        let folder = ScratchFolder()
        let path = folder.file("r.json", text)
        let error = #expect(throws: ExportError.self) { try BenchReport.read(path) }
        #expect(error?.exitCode == code)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func whatIsNoJSONKeepsItsCause() throws {
        let folder = ScratchFolder()
        let path = folder.file("r.json", "{")
        let cause = try #require(#expect(throws: JSONReader.Failure.self) { try JSONReader.read([UInt8(ascii: "{")]) })
        let error = #expect(throws: ExportError.self) { try BenchReport.read(path) }
        #expect(error == .refused(.configuration, place: path, Cause(cause)))
        #expect(error?.description == "\(path): byte \(cause.offset): \(cause.reason)")
    }

    @Test(arguments: ["commandMs", "exportsMs", "edges", "phasesMs", "scene", "content", "width"])
    func aResultThatLacksSomethingIsNamed(key: String) {
        let folder = ScratchFolder()
        let report = BenchReport.sample([.sample("a", times: [1]), .sample("b", times: [2])])
        var text = report.json.text()
        // The last one is that of the second result, or of its run.
        let name = text.ranges(of: "\"\(key)\"").last
        guard let name else {
            Issue.record("no \(key)")
            return
        }
        text.replaceSubrange(name, with: "\"other\"")
        let path = folder.file("r.json", text)
        let error = #expect(throws: ExportError.self) { try BenchReport.read(path) }
        #expect(error?.description == "\(path): results[1] is not a result")
    }

    @Test func figuresComeFromTheRuns() {
        let result = BenchResult.sample(times: [100, 400, 200, 300])
        #expect(result.median == 250)
        #expect(result.percentile95 == 400)
        #expect(result.picturesPerSecond == 4)
        #expect(abs(result.megapixelsPerSecond - 2048 * 1024 / 1e6 * 4) < 1e-9)
        #expect(result.peakBytes == 96 << 20)
        #expect(result.phases.read == 1_250_000)
    }

    @Test func ofManyPicturesEachOnesTimeCounts() {
        var batch = BenchResult.sample(times: [1000])
        batch.subject.pictureCount = 3
        batch.samples[0].pictures = [10, 30, 20].map { BenchSample.Picture(milliseconds: $0, edge: 2048) }
        #expect(batch.median == 20)
        #expect(batch.percentile95 == 30)
        #expect(batch.picturesPerSecond == 3)
    }

    private static let tiers: [(edge: Int, times: [Double], keeps: [Bool])] = [
        (2048, [2900, 3000], [true, true, true]), (2048, [2900, 3001], [false, true, true]),
        (2048, [7001], [false, false, false]), (4096, [12_000], [true, true, true]),
        (4096, [12_001], [false, true, true]), (1024, [751, 3001], [false, true, true]),
        // One of twenty may be late.
        (2048, [Double](repeating: 10, count: 19) + [9000], [true, true, true]),
        (2048, [Double](repeating: 10, count: 18) + [9000, 9000], [false, false, false]),
    ]

    @Test(arguments: tiers)
    func tiersGrowWithThePixels(edge: Int, times: [Double], keeps: [Bool]) {
        #expect(BenchResult.sample(edge: edge, times: times).keepsTiers == keeps)
    }

    @Test func machinesAreReadFromTheSystemsFiles() {
        let text = "processor\t: 0\nmodel name\t: Example(R) CPU\nmodel name\t: Other\nMHz:\n"
        #expect(BenchMachine.value(of: "model name", in: text, separator: ":") == "Example(R) CPU")
        #expect(BenchMachine.value(of: "MHz", in: text, separator: ":") == nil)
        #expect(BenchMachine.value(of: "PRETTY_NAME", in: "A=b\nPRETTY_NAME=\"X 1\"\n", separator: "=") == "X 1")
        let machine = BenchMachine.read()
        #expect(machine.cores >= 1 && !machine.release.isEmpty)
        #expect(KernelLevel.available.map(\.name).contains(machine.kernels))
        #expect(machine.differences(from: machine).isEmpty)
    }
}
