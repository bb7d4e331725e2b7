import Foundation
import Testing

/// Exit codes, streams and signals of the real executable, without rendering.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CommandEndToEndTests {
    private static let project = #"{"version": "1.1", "name": "T", "canvasSize": {"width": 40, "height": 30}}"#

    @Test func versionAndHelp() throws {
        let version = try InkProcess.run(["--version"])
        #expect(version.code == 0)
        #expect(version.output.hasPrefix("ink ") && version.error.isEmpty)
        let help = try InkProcess.run(["help", "export"])
        #expect(help.code == 0 && help.output.contains("--if-exists"))
        let alone = try InkProcess.run([])
        #expect(alone.code == 0 && alone.error.isEmpty)
        for command in ["export", "broker", "submit", "doctor"] { #expect(alone.output.contains("\n  \(command) ")) }
    }

    private static let failures: [([String], Int32)] = [
        (["frobnicate"], 64), (["export"], 64), (["export", "x.ink", "--size", "huge"], 64),
        (["export", "/nonexistent/x.ink", "--dry-run"], 74), (["export", "x.ink", "--limits", "/nonexistent"], 74),
        (["export", "x.ink", "--presets", "/nonexistent"], 78), (["inspect", "/dev/null"], 65),
        (["export", "--from-report", "/dev/null"], 78),
    ]

    @Test(arguments: failures)
    func failuresHaveTheirCodes(arguments: [String], code: Int32) throws {
        let result = try InkProcess.run(arguments)
        #expect(result.code == code, "\(result.error)")
        #expect(result.error.hasPrefix("ink: error: "))
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(result.output.isEmpty || !result.output.contains("error"))
    }

    @Test func argumentsHaveToBeUTF8() throws {
        let shell = ["sh", "-c", #"exec "$0" "$@" "$(printf 'a\377.ink')""#]
        let result = try InkProcess(["export", "--dry-run"], prefix: shell).wait()
        #expect(result.code == 64)
        #expect(result.error.hasPrefix("ink: error: the argument \"a\u{FFFD}.ink\" is not UTF-8"), "\(result.error)")
    }

    @Test func badProjectsAreNamed() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("a\u{1b}b.ink", #"{"version": "1.1", "canvasSize": {"width": 40}}"#)
        let result = try InkProcess.run(["export", path, "--dry-run"])
        #expect(result.code == 65)
        #expect(result.error.hasPrefix("ink: error: \(folder.path)/a\\u{1b}b.ink: canvasSize"), "\(result.error)")
    }

    @Test func standardInputIsRead() throws {
        let result = try InkProcess.run(
            ["export", "-", "--dry-run", "--name", "{title}.png", "-o", "out"], input: Self.project)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.hasPrefix("standard input -> out/T.png (2048x1536)\n"), "\(result.output)")
    }

    @Test func aClosedStandardOutputIsAnError() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let result = try InkProcess(["--version"], output: full).wait()
        #expect(result.code == 74)
        #expect(
            result.error
                == "ink: error: standard output: cannot write: No space left on device; make room there, or choose another place\n"
        )
    }

    private static let signals: [(Int32, Int32)] = [(SIGHUP, 129), (SIGINT, 130), (SIGTERM, 143)]

    @Test(arguments: signals, [[], ["--name", "{title}.png"]] as [[String]])
    func signalsEndARunThatWaits(signal: (Int32, Int32), options: [String]) throws {
        let folder = try EndToEndFolder()
        let input = Pipe()
        // Nothing comes on standard input, so it waits there, before or after planning.
        let process = try InkProcess(["export", "-", "--dry-run", "-o", folder.path] + options, input: input)
        Thread.sleep(forTimeInterval: 0.4)
        process.send(signal.0)
        let result = process.wait()
        #expect(result.code == signal.1, "\(result.error)")
        #expect(folder.files.isEmpty)
        try input.fileHandleForWriting.close()
    }

    @Test func drawingsAreImportedAndPlanned() throws {
        let folder = try EndToEndFolder()
        let drawings = (1...3).map { #"{"word":"cat","key_id":"\#($0)","drawing":[[[0,9],[0,9],[0,9]]]}"# }
        let file = try folder.file("cats.ndjson", drawings.joined(separator: "\n"))
        #expect(try InkProcess.run(["import", file, "-o", folder("cats"), "--quiet"]).code == 0)
        let result = try InkProcess.run(["export", folder("cats"), "--dry-run", "--size", "1080p,4k", "--json"])
        #expect(result.code == 0, "\(result.error)")
        let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect((report?["exports"] as? [Any])?.count == 6)
        #expect((report?["summary"] as? [String: Any])?["planned"] as? Int == 6)
    }
}
