import InkBroker
import InkCodecs
import InkEngine
import InkJSON
import InkProtocol
import InkTestSupport
import Synchronization
import Testing

@testable import InkExports
@testable import InkPlanning

/// Exports as a front that is no command line runs them.
@Suite struct ExportsTests {
    /// Keeps what it hears.
    private final class Log: ExportObserver {
        func estimated(_ id: Int, _ timeLeft: TimeLeft) {}
        private let kept = Mutex<[String]>([])
        var lines: [String] { kept.withLock { $0 } }

        private func keep(_ line: String) { kept.withLock { $0.append(line) } }

        func error(_ text: String) { keep("error: \(text)") }
        func warning(_ text: String) { keep("warning: \(text)") }
        func remark(_ text: String) { keep("remark: \(text)") }
        func skipped(_ files: SkippedFiles) { keep("skipped \(files.count)") }
        func began(pictures: Int) { keep("began \(pictures)") }
        func hasRead(_ name: String, _ warnings: [ReadingWarning]) { keep("read with \(warnings.count) warnings") }
        func planned(_ picture: PictureRequest) throws(ExportError) { keep("planned \(picture.size)") }
        func started(_ id: Int, output: String, files: Int) { keep("started \(id)") }
        func progressed(_ id: Int, done: Int, total: Int) {}
        func ended(_ id: Int, pixels: Int) { keep("ended \(id) \(pixels)") }
        func passed(milliseconds: Double) {}
        func stopping() { keep("stopping") }
        func ended() { keep("ended") }
    }

    private static let project = """
        {"version": "1.1", "canvasSize": {"width": 40, "height": 30},
         "layers": [{"id": "a", "strokes": [{"brush": {"type": "dots"}, "points": [[1, 2, 1.0], [9, 8, 1.0]]}]}]}
        """

    private let folder = ScratchFolder()
    private let log = Log()
    private let control = ExportControl()

    private func exports(
        _ paths: [String], isDryRun: Bool = false, format: PictureFormat = .png, size: String = "1x",
        background: RGBA8? = nil
    ) throws -> Exports {
        var run = RunArguments(workers: 1)
        run.isDryRun = isDryRun
        let arguments = ExportArguments(
            paths: paths, output: folder("out"), sizes: [try #require(ExportSize(size))],
            name: try NameTemplate("{name}.{ext}"),
            options: PictureOptions(background: background, encoding: PictureEncoding(format: format)),
            layers: .visible, ifExists: nil, run: run)
        return try Exports(
            arguments, limits: Limits(), environment: .process, observer: log, control: control)
    }

    @Test("Planning writes nothing, running makes the pictures, and the report is of them")
    func planRunReport() throws {
        let path = folder.file("a.ink", Self.project)
        let exports = try exports([path])
        let planned = try exports.plan()
        #expect(planned.plan.pictures.map(\.output) == [folder("out/a.png")])
        #expect(planned.policy == .overwrite)
        #expect(folder.files == ["a.ink"])
        #expect(control.isPlanning)
        let finished = try exports.run(planned)
        #expect(!control.isPlanning)
        #expect(finished.exitCode == .done, "\(log.lines)")
        #expect(folder.files == ["a.ink", "out/a.png"])
        #expect(log.lines == ["began 1", "started 0", "ended 0 1200", "ended"])
        let report = ExportReport(finished, options: ["size": ["1x"], "if-exists": ["fail"]])
        #expect(report.options.map(\.name) == ["if-exists", "size"])
        #expect(report.json["summary"]?["done"]?.integer == 1)
        #expect(report.json["exports"]?.array?.first?["width"]?.integer == 40)
    }

    @Test("What cannot be read is said, and the others go on")
    func others() throws {
        folder.file("in/a.ink", Self.project)
        folder.file("in/b.ink", "broken")
        folder.file("in/c.txt", "")
        let finished = try exports([folder("in")]).execute()
        #expect(finished.exitCode == .badInput)
        #expect(finished.records.map(\.state) == [.done, .failed])
        #expect(log.lines.first == "skipped 1")
        #expect(log.lines.count { $0.hasPrefix("error: \(folder("in/b.ink"))") } == 1, "\(log.lines)")
        #expect(log.lines.last == "ended")
    }

    @Test("A dry run tells the pictures and makes none")
    func dryRun() throws {
        let path = folder.file("a.ink", Self.project)
        let finished = try exports([path], isDryRun: true).execute()
        #expect(finished.records.map(\.state) == [.planned])
        #expect(log.lines == ["began 1", "planned 40x30", "ended 0 0", "ended"])
        #expect(folder.files == ["a.ink"])
    }

    @Test("A dry run knows the limits of a format")
    func dryRunLimits() throws {
        let path = folder.file("a.ink", Self.project)
        let finished = try exports([path], isDryRun: true, format: .webp, size: "17000x17000").execute()
        #expect(finished.exitCode == .badInput)
        #expect(log.lines.contains { $0.hasPrefix("error: ") && $0.contains("16383 pixels in webp") }, "\(log.lines)")
    }

    @Test("That a format has no transparency is said once a run, and not where nothing is transparent")
    func flattened() throws {
        let paths = ["a", "b"].map { folder.file("\($0).ink", Self.project) }
        let said = "remark: jpeg has no transparency; what is transparent becomes white"
        #expect(try exports(paths, format: .jpeg, background: .transparent).execute().exitCode == .done)
        #expect(log.lines.count { $0 == said } == 1, "\(log.lines)")
        #expect(try exports(paths, format: .jpeg).execute().exitCode == .done)
        #expect(try exports(paths, format: .png, background: .transparent).execute().exitCode == .done)
        #expect(log.lines.count { $0 == said } == 1, "\(log.lines)")
    }

    @Test("That a format has no place for what photos say is said once a run, and only where something would be lost")
    func photoMetadata() throws {
        // An empty packet.
        let xmp = "PHg6eG1wbWV0YSB4bWxuczp4PSJhZG9iZTpuczptZXRhLyIvPg=="
        let carrying = "{\"metadata\": {\"xmp\": \"\(xmp)\"}, " + Self.project.dropFirst()
        let paths = ["a", "b"].map { folder.file("\($0).ink", carrying) }
        let said = "remark: svg has no place for EXIF and XMP; what photos say about themselves stays behind"
        #expect(try exports([folder.file("plain.ink", Self.project)], format: .svg).execute().exitCode == .done)
        #expect(try exports(paths, format: .png).execute().exitCode == .done)
        #expect(!log.lines.contains(said), "\(log.lines)")
        #expect(try exports(paths, format: .svg).execute().exitCode == .done)
        #expect(log.lines.count { $0 == said } == 1, "\(log.lines)")
    }

    @Test("A run that is stopped leaves nothing")
    func stop() throws {
        for name in ["a", "b", "c"] { folder.file("in/\(name).ink", Self.project) }
        control.stop(.terminate)
        let finished = try exports([folder("in")]).execute()
        #expect(finished.stoppedBy == .terminate && finished.exitCode == .terminated)
        #expect(finished.records.allSatisfy { $0.state == .cancelled })
        #expect(log.lines.contains("stopping"))
        #expect(folder.files == ["in/a.ink", "in/b.ink", "in/c.ink"])
    }
}
