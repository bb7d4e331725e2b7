import Foundation
import Glibc
import InkTestSupport
import Testing

/// `ink export --watch` with the real executable on a real disk.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WatchTests {
    private let folder: EndToEndFolder

    private static let template = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("examples/cat.inktemplate").path

    init() throws {
        folder = try EndToEndFolder()
        try FileManager.default.createDirectory(atPath: folder("in"), withIntermediateDirectories: true)
    }

    /// A running watch of `in`, which writes into `out`. What it prints goes to files, so that no pipe fills up.
    private func watch(_ arguments: [String] = []) throws -> InkProcess {
        try Data().write(to: URL(fileURLWithPath: folder("printed")))
        let handle = try #require(FileHandle(forWritingAtPath: folder("printed")))
        let output = arguments.contains("-o") ? [] : ["-o", folder("out")]
        let name = arguments.contains("--name") ? [] : ["--name", "{name}.png"]
        let effort = arguments.contains("svg") ? [] : ["--effort", "fast"]
        return try InkProcess(
            ["export", "--watch", folder("in")] + output
                + name + ["--size", "16x16", "--workers", "2"] + effort + arguments,
            output: handle)
    }

    private var printed: [String] {
        let text = (try? String(contentsOfFile: folder("printed"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.contains(" -> ") }.map(String.init)
    }

    /// Waits until a condition holds.
    private func until(
        _ what: String, seconds: Double = 120, _ holds: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !holds() {
            try #require(
                ContinuousClock.now < deadline, "\(what): \(folder.files(in: "out")) \(printed)",
                sourceLocation: sourceLocation)
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    /// Ends the watch as Ctrl-C does.
    private func end(_ process: InkProcess, sourceLocation: SourceLocation = #_sourceLocation) -> InkProcess.Result {
        process.send(SIGINT)
        let result = process.wait()
        #expect(result.code == 130, "\(result.error)", sourceLocation: sourceLocation)
        return result
    }

    private func count(_ ending: String, in name: String = "out") -> Int {
        folder.files(in: name).count { $0.hasSuffix(ending) }
    }

    @Test func whatIsThereIsExportedOnceAndNotAgainByTheNextWatch() throws {
        try folder.file("in/a.ink", GoodProject.small)
        try folder.file("in/deep/er/b.ink", GoodProject.small)
        let process = try watch()
        try until("both") { count(".png") == 1 && count(".png", in: "out/deep/er") == 1 }
        _ = end(process)
        #expect(printed.count == 2)
        let again = try watch()
        try folder.file("in/c.ink", GoodProject.small)
        try until("the new one") { printed.count == 1 }
        _ = end(again)
        #expect(printed[0].contains("c.ink"))
        let summary = try String(contentsOfFile: folder("printed"), encoding: .utf8)
        #expect(summary.contains("1 exported, 2 unchanged"), "\(summary)")
    }

    @Test func aBurstOfAThousandFilesIsExportedOnceEach() throws {
        let process = try watch()
        for number in 0..<1000 {
            // Half of them as editors write: under another name first.
            let name = "in/\(number % 7)/\(number).ink"
            if number % 2 == 0 {
                try folder.file(name, GoodProject.small)
            } else {
                try folder.file(name + ".new", GoodProject.small)
                #expect(rename(folder(name + ".new"), folder(name)) == 0)
            }
        }
        try until("all", seconds: 300) {
            (0..<7).reduce(0) { $0 + count(".png", in: "out/\($1)") } == 1000 && printed.count >= 1000
        }
        Thread.sleep(forTimeInterval: 1)
        let result = end(process)
        #expect(printed.count == 1000 && Set(printed).count == 1000)
        #expect(!result.error.contains("error"), "\(result.error.prefix(2000))")
    }

    @Test func aFileThatIsStillWrittenWaitsForItsWriter() throws {
        let process = try watch()
        let bytes = Array(GoodProject.small.utf8)
        let file = open(folder("in/slow.ink"), O_CREAT | O_WRONLY, 0o644)
        try #require(file >= 0)
        for part in 0..<4 {
            let piece = bytes[(part * bytes.count / 4)..<((part + 1) * bytes.count / 4)]
            #expect(piece.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == piece.count)
            // Longer than a closed file is left alone.
            Thread.sleep(forTimeInterval: 0.7)
        }
        #expect(folder.files(in: "out").isEmpty)
        close(file)
        try until("the complete file") { printed.count == 1 }
        let result = end(process)
        #expect(!result.error.contains("error"), "\(result.error)")
    }

    @Test func aFileThatIsWrittenWhenTheWatchBeginsWaitsToo() throws {
        let bytes = Array(GoodProject.small.utf8)
        let file = open(folder("in/slow.ink"), O_CREAT | O_WRONLY, 0o644)
        try #require(file >= 0)
        #expect(bytes.prefix(40).withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == 40)
        try folder.file("in/ready.ink", GoodProject.small)
        let process = try watch()
        try until("the other") { printed.count == 1 }
        Thread.sleep(forTimeInterval: 1.5)
        #expect(bytes.dropFirst(40).withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count - 40)
        close(file)
        try until("the complete file") { printed.count == 2 }
        let result = end(process)
        #expect(!result.error.contains("error"), "\(result.error)")
    }

    @Test func aFileThatIsAppendedToInPiecesIsExportedWhenItRests() throws {
        let process = try watch()
        let bytes = Array(GoodProject.small.utf8)
        for byte in stride(from: 0, to: bytes.count, by: 64) {
            let file = open(folder("in/pieces.ink"), O_CREAT | O_WRONLY | O_APPEND, 0o644)
            let piece = bytes[byte..<min(byte + 64, bytes.count)]
            #expect(piece.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == piece.count)
            close(file)
            Thread.sleep(forTimeInterval: 0.02)
        }
        try until("the complete file") { printed.count == 1 }
        _ = end(process)
    }

    @Test func aFileThatIsRenamedOrReplacedIsExported() throws {
        try folder.file("in/a.ink", GoodProject.small)
        let process = try watch()
        try until("the first") { printed.count == 1 }
        #expect(rename(folder("in/a.ink"), folder("in/b.ink")) == 0)
        try until("its new name") { count(".png") == 2 && printed.count == 2 }
        let before = try folder.read("out/b.png")
        try folder.file("other.ink", GoodProject.small.replacingOccurrences(of: "#3355aa", with: "#ff0000"))
        #expect(rename(folder("other.ink"), folder("in/b.ink")) == 0)
        try until("its new content") { printed.count == 3 }
        #expect(try folder.read("out/b.png") != before)
        // What is only touched shows the same.
        #expect(utimes(folder("in/b.ink"), nil) == 0)
        try folder.file("in/c.ink", GoodProject.small)
        try until("another") { printed.count == 4 }
        _ = end(process)
        #expect(printed[3].contains("c.ink"))
    }

    @Test func aFolderMayDisappearAndComeBack() throws {
        try folder.file("in/a.ink", GoodProject.small)
        let process = try watch()
        try until("the first") { printed.count == 1 }
        #expect(rename(folder("in"), folder("away")) == 0)
        Thread.sleep(forTimeInterval: 1.5)
        #expect(process.isRunning)
        try folder.file("away/b.ink", GoodProject.small)
        #expect(rename(folder("away"), folder("in")) == 0)
        try until("the new one") { printed.count == 2 }
        try folder.file("in/c.ink", GoodProject.small)
        try until("one after that") { printed.count == 3 }
        let result = end(process)
        #expect(result.error.contains("in is gone") && result.error.contains("in is back"), "\(result.error)")
        #expect(!result.error.contains("error"), "\(result.error)")
    }

    @Test func aDocumentThatFailsIsTriedAgainWhenItChanges() throws {
        try folder.file("in/bad.ink", "{")
        // One so old is exported no later than what the watch finds.
        Thread.sleep(forTimeInterval: 0.2)
        let process = try watch()
        try folder.file("in/good.ink", GoodProject.small)
        try until("the good one") { printed.count == 1 }
        try folder.file("in/bad.ink", GoodProject.small)
        try until("the other") { printed.count == 2 }
        let result = end(process)
        #expect(result.error.components(separatedBy: "bad.ink").count == 2, "\(result.error)")
        #expect(try String(contentsOfFile: folder("printed"), encoding: .utf8).contains("2 exported in"))
    }

    @Test func aPictureThatAProjectNamesMayComeLater() throws {
        let project = GoodProject.small.replacingOccurrences(
            of: "\"layers\": [", with: "\"baseFile\": \"pictures/base.png\", \"layers\": [")
        try folder.file("in/a.ink", project)
        let process = try watch()
        Thread.sleep(forTimeInterval: 1)
        try folder.file("source.ink", GoodProject.small)
        #expect(try InkProcess.run(["export", folder("source.ink"), "-o", folder("base.png"), "-q"]).code == 0)
        try folder.file("in/pictures/base.png", try folder.read("base.png"))
        try until("the project") { printed.count == 1 }
        let before = try folder.read("out/a.png")
        #expect(
            try InkProcess.run(
                ["export", folder("source.ink"), "-o", folder("base.png"), "-q", "--background", "#00ff00"]
            ).code == 0)
        try folder.file("in/pictures/base.png", try folder.read("base.png"))
        try until("its new picture") { printed.count == 2 }
        #expect(try folder.read("out/a.png") != before)
        _ = end(process)
    }

    /// Pictures beside the documents and in a folder inside, of formats that are documents too.
    @Test(arguments: [["--format", "psd,png"], ["--format", "svg"]])
    func itsOwnPicturesAreNoDocuments(format: [String]) throws {
        let process = try watch(format + ["--name", "{name}-out.{ext}", "-o", folder("in")])
        for round in 1...3 {
            try folder.file("in/\(round).ink", GoodProject.small)
            try until("round \(round)") { printed.count == round * (format[1] == "svg" ? 1 : 2) }
            Thread.sleep(forTimeInterval: 0.5)
        }
        Thread.sleep(forTimeInterval: 1)
        _ = end(process)
        #expect(folder.files(in: "in").allSatisfy { !$0.contains("out-out") }, "\(folder.files(in: "in"))")
    }

    @Test func twoDocumentsDoNotShareAName() throws {
        try folder.file("in/a.ink", GoodProject.small)
        let process = try watch()
        try until("the first") { printed.count == 1 }
        let before = try folder.read("out/a.png")
        try FileManager.default.copyItem(atPath: Self.template, toPath: folder("in/a.inktemplate"))
        try folder.file("in/b.ink", GoodProject.small)
        try until("another") { printed.count == 2 }
        Thread.sleep(forTimeInterval: 1)
        let result = end(process)
        #expect(result.error.contains("a.png would be the name of"), "\(result.error)")
        #expect(try folder.read("out/a.png") == before)
    }

    @Test func aTemplateFolderIsOneDocument() throws {
        let process = try watch(["--fill", "suggested"])
        try FileManager.default.copyItem(atPath: Self.template, toPath: folder("in/cat.inktemplate"))
        try until("the template") { printed.count == 1 }
        let before = try folder.read("out/cat.png")
        let mask = try folder.read("in/cat.inktemplate/layers/face_mask.png")
        try folder.file("in/cat.inktemplate/layers/ears_mask.png", mask)
        try until("its new mask") { printed.count == 2 }
        #expect(try folder.read("out/cat.png") != before)
        _ = end(process)
    }

    @Test func aSingleFileIsWatchedToo() throws {
        let path = try folder.file("in/a.ink", GoodProject.small)
        try folder.file("in/b.ink", GoodProject.small)
        let process = try InkProcess(
            ["export", "--watch", path, "-o", folder("a.png"), "--size", "16x16", "--report", folder("report.json")])
        try until("the picture") { folder.files.contains("a.png") }
        let before = try folder.read("a.png")
        try folder.file("in/a.ink", GoodProject.small.replacingOccurrences(of: "#3355aa", with: "#ff0000"))
        try until("its new content") { (try? folder.read("a.png") != before) == true }
        let result = end(process)
        #expect(result.output.contains("1 exported"), "\(result.output)")
        #expect(try String(decoding: folder.read("report.json"), as: UTF8.self).contains("ink-export-report"))
    }

    @Test func aFarmBehindABrokerWorksToo() throws {
        let farm = try FarmProcesses(workers: 1)
        try folder.file("in/a.ink", GoodProject.small)
        let process = try farm.client(
            [
                "export", "--watch", folder("in"), "-o", folder("out"), "--size", "16x16", "--name", "{name}.png",
                "--timeout", "2",
            ])
        try until("the first") { count(".png") == 1 }
        // What the farm cannot do now, it does later.
        farm.broker?.kill9()
        try folder.file("in/b.ink", GoodProject.small)
        Thread.sleep(forTimeInterval: 4)
        #expect(process.isRunning && count(".png") == 1)
        try farm.startBroker()
        try until("the second") { count(".png") == 2 }
        // A summary comes even while it waits for a broker.
        farm.broker?.kill9()
        try folder.file("in/c.ink", GoodProject.small)
        Thread.sleep(forTimeInterval: 1.5)
        let result = end(process)
        #expect(result.output.contains("2 exported"), "\(result.output) \(result.error)")
    }

    @Test(arguments: [
        ["--dry-run"], ["--fail-fast"], ["--pdf-book", "x.pdf"], ["--contact-sheet", "x.png"], ["--name", "{n}.png"],
        ["-o", "x.png"], ["--photos"], ["-"], ["@list.txt"],
    ])
    func whatDoesNotGoWithAWatchIsRefused(arguments: [String]) throws {
        let result = try InkProcess.run(["export", "--watch", folder("in")] + arguments)
        #expect(result.code == 64 && result.error.contains("--watch"), "\(result.error)")
    }

    @Test func aFolderThatIsNotThereIsRefused() throws {
        let result = try InkProcess.run(["export", "--watch", folder("missing"), "-o", folder("out")])
        #expect(result.code == 74 && result.error.contains("missing"), "\(result.error)")
    }
}
