import Foundation
import InkTestSupport
import Testing

/// Exports that are stopped in the middle: no half file, the right exit code.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct InterruptionTests {
    /// An export that is writing: its temporary file is there.
    private func underWay(
        _ folder: EndToEndFolder, _ arguments: [String], output: FileHandle? = nil
    ) throws -> InkProcess {
        let path = try folder.file("long.ink", GoodProject.long)
        let process = try InkProcess(
            ["export"] + arguments + [path, "-o", folder("out"), "--size", "8k", "--workers", "2"], output: output)
        let deadline = ContinuousClock.now + .seconds(60)
        while !folder.files(in: "out").contains(where: { $0.hasSuffix(".part") }) {
            try #require(process.isRunning && ContinuousClock.now < deadline, "\(folder.files(in: "out"))")
            Thread.sleep(forTimeInterval: 0.01)
        }
        return process
    }

    private static let signals: [(signal: Int32, code: Int32)] = [(SIGINT, 130), (SIGTERM, 143)]

    @Test(arguments: signals)
    func aSignalInTheMiddleLeavesNoFile(signal: Int32, code: Int32) throws {
        let folder = try EndToEndFolder()
        let process = try underWay(folder, [])
        let start = ContinuousClock.now
        process.send(signal)
        let result = process.wait()
        #expect(result.code == code, "\(result.error)")
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(folder.files(in: "out").isEmpty)
    }

    @Test func picturesThatAreDoneStayWhenTheRestIsInterrupted() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        #expect(try InkProcess.run(["export", good, "-o", folder("out"), "--size", "8k", "--quiet"]).code == 0)
        let whole = try folder.read("out/good-8k.png")
        let report = folder("report.json")
        let process = try underWay(folder, [good, "--report", report])
        process.send(SIGINT)
        let result = process.wait()
        #expect(result.code == 130, "\(result.error)")
        #expect(folder.files(in: "out") == ["good-8k.png"])
        #expect(try folder.read("out/good-8k.png") == whole)
        // What was not reached can be made up for.
        let again = try InkProcess.run(["export", "--from-report", report, "--failed", "--dry-run"])
        #expect(again.code == 0, "\(again.error)")
        #expect(again.output.contains("long-8k.png") && !again.output.contains("good-8k.png"), "\(again.output)")
    }

    @Test func aSecondSignalEndsItAtOnce() throws {
        let folder = try EndToEndFolder()
        let process = try underWay(folder, [])
        process.send(SIGINT)
        process.send(SIGTERM)
        let result = process.wait()
        #expect(result.code == 130 || result.code == 143)
        #expect(folder.files(in: "out").isEmpty)
    }

    /// As `timeout` does, which stops the program and then its group.
    @Test func theSameSignalAtOnceIsNoSecondOne() throws {
        for _ in 0..<5 {
            let folder = try EndToEndFolder()
            let report = folder("report.json")
            let process = try underWay(folder, ["--report", report])
            for _ in 0..<3 {
                process.send(SIGTERM)
                Thread.sleep(forTimeInterval: 0.005)
            }
            let result = process.wait()
            #expect(result.code == 143, "\(result.error)")
            #expect(folder.files.contains("report.json") && folder.files(in: "out").isEmpty)
        }
    }

    /// It waits for something else than the signal: one of the two would have to come.
    @Test(arguments: ["standard input", "the report's pipe"])
    func aSignalEndsACommandThatWaits(for what: String) throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        let fifo = folder("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let isReport = what != "standard input"
        // A reader that never reads: what fits into the pipe is taken, more is not.
        let reader = open(fifo, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let filler = [UInt8](repeating: 0, count: 1 << 16)
        while isReport, write(reader, filler, filler.count) > 0 {}
        let input = Pipe()
        let process = try InkProcess(
            ["export", isReport ? good : "-", "-o", folder("out/x.png"), "--size", "64x64", "--quiet"]
                + (isReport ? ["--report", fifo] : []), input: input)
        let deadline = ContinuousClock.now + .seconds(20)
        while isReport, folder.files(in: "out") != ["x.png"], ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.01)
        }
        Thread.sleep(forTimeInterval: 0.3)
        #expect(process.isRunning)
        let start = ContinuousClock.now
        process.send(SIGTERM)
        let result = process.wait()
        #expect(result.code == 143, "\(result.error)")
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(folder.files(in: "out") == (isReport ? ["x.png"] : []))
    }

    /// Nothing can be said there any more; that is no other failure.
    @Test func aTerminalThatClosesInTheMiddleIsWhatTheExportLeavesWith() throws {
        let folder = try EndToEndFolder()
        let closed = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = try underWay(folder, [], output: closed)
        process.send(SIGHUP)
        let result = process.wait()
        #expect(result.code == 129, "\(result.error)")
        #expect(folder.files(in: "out").isEmpty)
    }

    /// The shell says so and the system again, before the command has looked.
    @Test func aTerminalThatClosesEndsACommandThatWaits() throws {
        let folder = try EndToEndFolder()
        let input = Pipe()
        let process = try InkProcess(["export", "-", "-o", folder("x.png"), "--size", "64x64"], input: input)
        Thread.sleep(forTimeInterval: 0.3)
        let start = ContinuousClock.now
        process.send(SIGHUP)
        Thread.sleep(forTimeInterval: 0.1)
        process.send(SIGHUP)
        let result = process.wait()
        #expect(result.code == 129, "\(result.error)")
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(folder.files.isEmpty)
    }

    @Test func anInterruptedImportLeavesNothingUnfinished() throws {
        let folder = try EndToEndFolder()
        // Longer than it takes to see a file under way.
        let stroke = Array(repeating: "[\(Array(repeating: "1", count: 3000).joined(separator: ",")),2]", count: 2)
        let drawing = "[[\(stroke.joined(separator: ","))]]"
        let lines = (0..<20_000).map { "{\"word\":\"w\",\"key_id\":\"\($0)\",\"drawing\":\(drawing)}" }
        let path = try folder.file("in.ndjson", lines.joined(separator: "\n"))
        let process = try InkProcess(["import", path, "-o", folder("out")])
        let deadline = ContinuousClock.now + .seconds(20)
        while folder.files(in: "out").count < 20 {
            try #require(process.isRunning && ContinuousClock.now < deadline)
            Thread.sleep(forTimeInterval: 0.01)
        }
        process.send(SIGINT)
        #expect(process.wait().code == 130)
        #expect(folder.files(in: "out").allSatisfy { $0.hasSuffix(".ink") && !$0.hasPrefix(".") })
    }

    @Test func aKilledExportLeavesNoFinishedFileAndTheNextOneIsWhole() throws {
        let folder = try EndToEndFolder()
        let process = try underWay(folder, [])
        process.send(SIGKILL)
        #expect(process.wait().code == 137)
        // Nobody can clean up after SIGKILL; but what is left does not look like a picture.
        #expect(folder.files(in: "out").allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".part") })
        let good = try folder.file("long.ink", GoodProject.small)
        #expect(try InkProcess.run(["export", good, "-o", folder("out"), "--size", "8k", "--quiet"]).code == 0)
        #expect(try SimplePNG.read(folder.read("out/long-8k.png")).width == 8192)
    }

    @Test func aReaderThatGoesAwayDoesNotStopTheExports() throws {
        let folder = try EndToEndFolder()
        for number in 1...3 { try folder.file("in/\(number).ink", GoodProject.small) }
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let process = try InkProcess(
            ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--json"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let result = process.wait()
        #expect(result.code == 141 && result.error.isEmpty, "\(result.error)")
        #expect(folder.files(in: "out") == ["1-1x.png", "2-1x.png", "3-1x.png"])
    }
}
