import Foundation
import InkBroker
import InkClient
import InkCodecs
import InkDocuments
import InkEngine
import InkJSON
import InkProtocol
import InkReading
import InkService
import InkTestSupport
import InkWorker
import Testing

@Suite("Documents of jobs", .serialized, .waits)
struct DocumentJobTests {
    /// What a worker is given to read ends it.
    private struct BrokenReader: TaskRunner {
        private let honest = EngineTaskRunner(threads: 1, documents: TaskDocuments())

        func run(_ task: WorkerTask, in context: TaskContext) throws(EngineError) -> PhaseTimes {
            if case .read = task { throw .internalError("the reader broke") }
            return try honest.run(task, in: context)
        }
    }

    private func end(
        _ client: Client, _ source: ProjectSource, name: String = "a.ink", content: [UInt8]? = nil,
        options: PictureOptions = PictureOptions()
    ) throws -> (job: JobNumber, ending: JobEnding?) {
        let submission = Submission(
            key: .random(), name: name, source: source,
            picture: PictureSpec(size: .named("1x"), options: options), delivery: .fetch)
        client.client.submit(submission, content: content.map { .bytes($0) })
        let job = try #require(client.job(of: submission.key))
        client.client.watch([job])
        return (job, client.ending(of: job))
    }

    private func content(_ bytes: [UInt8], _ encoding: ContentEncoding = .plain) -> ProjectSource {
        .content(ContentID(hashing: bytes), byteCount: UInt64(bytes.count), encoding)
    }

    private func text(_ layers: String) -> String {
        #"{"version":"1.2","canvasSize":{"width":9,"height":9},"layers":[\#(layers)]}"#
    }

    private func error(_ read: () throws -> Void) -> String {
        do { try read() } catch { return "\(error)" }
        return "none"
    }

    private func finished(_ ending: JobEnding?) -> PictureReport? {
        if case .finished(let picture)? = ending { return picture }
        Issue.record("\(String(describing: ending))")
        return nil
    }

    @Test("What lies beside a project is found for its job, and what is missing is the error that it is here")
    func byPath() throws {
        let folder = try TemporaryFolder(prefix: "ink-documents")
        let inputs = try folder.makeFolder("in")
        let png = MinimalPNGWriter.png(gray: [7, 9], size: PixelSize(width: 2, height: 1))
        try folder.write(png, to: "in/art/a.png")
        try folder.write(png, to: "in/t.inktemplate/base.png")
        try folder.write(#"{"layers":[{"id":"a","name":"A"}]}"#, to: "in/t.inktemplate/manifest.json")
        try folder.write(png, to: "in/t.inktemplate/layers/a_mask.png")
        try folder.write(#"{"id":"x","type":"dots"}"#, to: "in/brushes/x.json")
        try folder.write(#"{"id":"y","type":"waves"}"#, to: "presets/y.json")
        let strokes = ["x", "y"].map { #"{"brush":{"preset":"\#($0)"},"points":[[1,2]]}"# }.joined(separator: ",")
        try folder.write(text(#"{"contentFile":"art/a.png","strokes":[\#(strokes)]}"#), to: "in/good.ink")
        try folder.write(text(#"{"contentFile":"art/none.png"}"#), to: "in/missing.ink")
        try folder.write(text(#"{"strokes":[{"brush":{"preset":"gone"},"points":[[1,2]]}]}"#), to: "in/preset.ink")
        try folder.write(text(#"{"contentFile":"../presets/y.json"}"#), to: "in/outside.ink")
        try folder.write(text(#"{"opacity":7}"#), to: "in/bad.ink")
        let farm = try Farm {
            $0.inputRoots = [inputs]
            $0.presetFolders = [folder.path(of: "presets")]
        }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        #expect(finished(try end(client, .path(inputs + "/good.ink")).ending) != nil)
        #expect(finished(try end(client, .path(inputs + "/t.inktemplate")).ending) != nil)
        for name in ["missing", "preset", "outside", "bad"] {
            let path = "\(inputs)/\(name).ink"
            let here = error {
                _ = try ProjectLoader.load(path: path, presetFolders: [folder.path(of: "presets")])
            }
            // The job has a name of its own, and its messages the path.
            let (job, ending) = try end(client, .path(path), name: "job.ink")
            #expect(ending == .failed(.badInput, text: here), "\(name): \(String(describing: ending))")
            #expect(here.hasPrefix(path) && job > 0)
        }
        // A file that is known by nothing but the ending of its path.
        try folder.write("no project", to: "in/x.ink")
        let known = error { _ = try ProjectLoader.load(path: inputs + "/x.ink") }
        #expect(try end(client, .path(inputs + "/x.ink"), name: "x.svg").ending == .failed(.badInput, text: known))
    }

    @Test("A preset folder that cannot be read is an error of the system")
    func unreadablePresets() throws {
        let folder = try TemporaryFolder(prefix: "ink-documents")
        let none = folder.path(of: "none")
        let farm = try Farm(workers: 1) { $0.presetFolders = [none] }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bytes = Array(text(#"{"strokes":[{"brush":{"preset":"x"},"points":[[1,2]]}]}"#).utf8)
        let here = error { _ = try ProjectLoader.load(bytes: bytes, name: "a.ink", presetFolders: [none]) }
        let (job, ending) = try end(client, content(bytes), content: bytes)
        #expect(ending == .failed(.inputOutput, text: here))
        // It was tried once.
        let failed = farm.log.events.filter { $0.job == job && $0.name == "task.failed" }
        #expect(failed.isEmpty, "\(failed)")
        let plain = Array(text(#"{"name":"A"}"#).utf8)
        #expect(finished(try end(client, content(plain), content: plain).ending) != nil)
    }

    @Test func byContent() throws {
        let farm = try Farm { $0.projectLimits.fileBytes = 100_000 }
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let plain = Array(text(#"{"name":"A"}"#).utf8)
        let packed = try Zstandard.compress(plain)
        let first = finished(try end(client, content(plain), content: plain).ending)
        let second = finished(try end(client, content(packed, .zstd), content: packed).ending)
        #expect(first != nil && first?.digest == second?.digest)
        let large = try Zstandard.compress(plain + [UInt8](repeating: 32, count: 100_000))
        for bytes in [plain, Array(packed.dropLast(2)), large] {
            guard case .failed(.badInput, let text)? = try end(client, content(bytes, .zstd), content: bytes).ending
            else {
                Issue.record("damaged content is read")
                return
            }
            #expect(text.hasPrefix("a.ink: the content is not a project: "), "\(text)")
        }
        let asking = Array(text(#"{"contentFile":"a.png"}"#).utf8)
        let here = error { _ = try ProjectLoader.load(bytes: asking, name: "a.ink") }
        #expect(try end(client, content(asking), content: asking).ending == .failed(.badInput, text: here))
        #expect(here.contains("the project has no folder here"))
    }

    @Test("What was said of a project counts also where its picture is refused")
    func warningsOfARefusedPicture() throws {
        let farm = try Farm(workers: 1)
        defer { farm.stop() }
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bytes = Array(text(#"{"blendmode":"plus"}"#).utf8)
        var options = PictureOptions()
        options.layers = [7]
        let (job, ending) = try end(client, content(bytes), content: bytes, options: options)
        #expect(ending == .failed(.badInput, text: "a.ink: there is no layer 8, the project has 1"))
        let answer = try JSONReader.read(try client.client.ask(.job(job), timeoutMilliseconds: 20_000))
        #expect(
            (answer["warnings"]?.array ?? []).compactMap(\.string) == [
                "layers[0].blendmode: unknown key, ignored (did you mean blendMode?)"
            ])
    }

    @Test("A document that breaks its readers fails its job with the story, and is kept; other jobs go on")
    func brokenReaders() throws {
        let farm = try Farm(workers: 0)
        defer { farm.stop() }
        try farm.addWorker("w", runner: BrokenReader())
        let client = try Client(farm.service.clientsEndpoint)
        defer { client.client.stop() }
        let bytes = Array(text(#"{"name":"A"}"#).utf8)
        let (job, ending) = try end(client, content(bytes), content: bytes)
        guard case .failed(.internalError, let text)? = ending else {
            Issue.record("\(String(describing: ending))")
            return
        }
        #expect(text.contains("reading the project failed") && text.contains("the reader broke"), "\(text)")
        let path = farm.folder.path(of: "data/replays/job-\(job)-reading-the-project.replay")
        #expect(text.contains("ink worker --replay \(path)"), "\(text)")
        let story = try JSONReader.read(try client.client.ask(.story(job), timeoutMilliseconds: 20_000))
        #expect(story["events"]?.array?.isEmpty == false)
        // With a reader that does not break, what was kept is read.
        #expect(client.until { FileManager.default.fileExists(atPath: path) })
        let report = try TaskReplay.run(path: path, documents: TaskDocuments())
        #expect(report.resultBytes > 0 && report.title.contains("the reader broke"))
        farm.stopWorkers()
        try farm.addWorker("good")
        #expect(finished(try end(client, content(bytes), content: bytes).ending) != nil)
    }
}
