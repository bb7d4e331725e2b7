import Foundation
import InkTestSupport
import Testing

/// Paths that cannot be read or written, disks that are full, names that clash.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UnfitPathTests {
    private func fails(
        _ arguments: [String], code: Int32, _ words: String, limits: ProcessLimits = ProcessLimits(),
        location: SourceLocation = #_sourceLocation
    ) throws {
        let result = try InkProcess.run(arguments + ["--quiet"], limits: limits)
        #expect(result.code == code, "\(result.error)", sourceLocation: location)
        #expect(result.error.hasPrefix("ink: error: "), sourceLocation: location)
        #expect(result.error.contains(words), "\(result.error)", sourceLocation: location)
        #expect(result.error.count { $0 == "\n" } == 1, "\(result.error)", sourceLocation: location)
    }

    // MARK: Input

    @Test func inputsThatAreNoFilesAreRefused() throws {
        let folder = try EndToEndFolder()
        let missing = folder("missing.ink")
        try fails(["export", missing], code: 74, "\(missing): cannot open: No such file or directory")
        try FileManager.default.createDirectory(atPath: folder("folder.ink"), withIntermediateDirectories: true)
        try fails(
            ["export", folder("folder.ink")], code: 65, "\(folder("folder.ink")): the folder contains no project")
        #expect(mkfifo(folder("pipe.ink"), 0o600) == 0)
        try fails(["export", folder("pipe.ink")], code: 65, "is a named pipe, not a regular file")
        #expect(symlink("loop.ink", folder("loop.ink")) == 0)
        try fails(["export", folder("loop.ink")], code: 74, "Too many levels of symbolic links")
        try fails(["export", "/dev/zero"], code: 65, "/dev/zero: is a device, not a regular file")
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func anUnreadableInputIsNamed() throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("p.ink", GoodProject.small)
        #expect(chmod(path, 0) == 0)
        try fails(["export", path], code: 74, "\(path): cannot open: Permission denied")
    }

    @Test func theOthersAreExportedWhenOneIsMissing() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        try fails(["export", folder("missing.ink"), good, "-o", folder("out")], code: 74, "missing.ink")
        #expect(folder.files(in: "out") == ["good-2k.png"])
        let bad = try folder.file("bad.ink", "{}")
        let mixed = try InkProcess.run(["export", folder("missing.ink"), bad, good, "-o", folder("out"), "--quiet"])
        // Failures of two kinds.
        #expect(mixed.code == 1)
        let fast = try InkProcess.run(["export", bad, good, "-o", folder("fast"), "--fail-fast", "--quiet"])
        #expect(fast.code == 65)
        #expect(folder.files(in: "fast").isEmpty)
    }

    @Test("A folder that cannot be looked at is a failure of the run, and the other projects are exported")
    func anUnreachableFolderIsAFailure() throws {
        let folder = try EndToEndFolder()
        try folder.file("in/good.ink", GoodProject.small)
        #expect(symlink("album", folder("in/album")) == 0)
        let report = folder("r.json")
        try fails(
            ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--report", report], code: 74,
            "\(folder("in/album")): cannot look at: Too many levels of symbolic links")
        #expect(folder.files(in: "out") == ["good-1x.png"])
        let text = String(decoding: try folder.read("r.json"), as: UTF8.self)
        #expect(text.contains("\"input\": \"\(folder("in/album"))\""), "\(text)")
    }

    @Test(
        "Without /proc the environment counts, and what is named by its descriptor is read and written",
        .enabled(if: SmallDisk.isAvailable, "mounting a file system takes root"))
    func withoutProc() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        let hidden = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" \"$@\""]
        let list = Pipe()
        list.fileHandleForWriting.write(Data((good + "\n").utf8))
        try list.fileHandleForWriting.close()
        let result = try InkProcess(
            ["export", "@/dev/stdin", "-o", folder("out"), "--size", "1x", "--quiet", "--report", "/dev/stdout"],
            prefix: hidden, input: list
        ).wait()
        #expect(result.code == 0 && result.error.isEmpty, "\(result.error)")
        #expect(result.output.hasPrefix("{") && result.output.hasSuffix("}\n"), "\(result.output)")
        #expect(folder.files(in: "out") == ["good-1x.png"])
        let settings = try InkProcess(
            ["worker", "--check-config"], prefix: hidden, environment: ["INK_NAME": "by-the-environment"]
        ).wait()
        #expect(settings.output.contains("by-the-environment"), "\(settings)")
    }

    // MARK: Output

    @Test(
        "A picture goes where a link leads, whether a file is there or not", arguments: ["overwrite", "suffix", "fail"])
    func aLinkToNothingIsFollowed(policy: String) throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        try folder.file("store/other", "x")
        #expect(symlink("store/new.png", folder("new.png")) == 0)
        let result = try InkProcess.run(
            ["export", good, "-o", folder("new.png"), "--size", "1x", "--if-exists", policy, "--quiet"])
        #expect(result.code == 0, "\(result.error)")
        #expect(folder.files == ["good.ink", "new.png", "store"] && folder.files(in: "store") == ["new.png", "other"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("new.png")) == "store/new.png")
        #expect(symlink("drive/far.png", folder("far.png")) == 0)
        try fails(
            ["export", good, "-o", folder("far.png"), "--if-exists", policy], code: 74,
            "far.png: cannot create \(folder("drive/far.png")): No such file or directory")
    }

    @Test func twoLinksToOnePlaceAreRefused() throws {
        let folder = try EndToEndFolder()
        let inputs = try ["a", "b"].map { try folder.file("\($0).ink", GoodProject.small) }
        for name in ["a", "b"] { #expect(symlink("store.png", folder("\(name)-1x.png")) == 0) }
        try fails(
            ["export"] + inputs + ["--size", "1x"], code: 64, "would be the name of \(inputs[0]) and \(inputs[1])")
    }

    @Test func targetsThatCannotBeWrittenAreNamed() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        let file = try folder.file("file", "x")
        try fails(["export", good, "-o", file + "/out"], code: 74, "\(file)/out/good-2k.png: ")
        try fails(["export", good, "-o", "/proc/ink"], code: 74, "/proc/ink/good-2k.png: cannot make the folder: ")
        try FileManager.default.createDirectory(atPath: folder("f.png"), withIntermediateDirectories: true)
        // A folder is a folder, whatever its name.
        #expect(try InkProcess.run(["export", good, "-o", folder("f.png"), "--size", "1x"]).code == 0)
        #expect(folder.files(in: "f.png") == ["good-1x.png"])
        #expect(mkfifo(folder("p.png"), 0o600) == 0)
        try fails(
            ["export", good, "-o", folder("p.png")], code: 74, "\(folder("p.png")): exists and is not a regular file")
        #expect(folder.files == ["f.png", "file", "good.ink", "p.png"])
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func aFolderWithoutWritePermissionIsNamed() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: true)
        #expect(chmod(folder("out"), 0o500) == 0)
        try fails(
            ["export", good, "-o", folder("out")], code: 74, "\(folder("out")): cannot create: Permission denied")
    }

    @Test func aFileSizeLimitLeavesNothingBehindAndKeepsTheOldPicture() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        let target = try folder.file("out/good-4k.png", "the old one")
        try fails(
            ["export", good, "-o", folder("out"), "--size", "4k"], code: 74,
            "\(target): cannot write: File too large", limits: ProcessLimits(fileBytes: 8192))
        #expect(folder.files(in: "out") == ["good-4k.png"])
        #expect(try folder.read("out/good-4k.png") == Array("the old one".utf8))
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a file system takes root"))
    func aFullDiskIsNamedAndLeavesNothingBehind() throws {
        let disk = try #require(try SmallDisk(byteCount: 64 << 10))
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        let tiny = try folder.file(
            "tiny.ink", #"{"version": "1.1", "canvasSize": {"width": 16, "height": 16}}"#)
        let out = disk.path + "/out"
        let result = try InkProcess.run(["export", good, tiny, "-o", out, "--size", "8k", "--quiet"])
        #expect(result.code == 74)
        #expect(result.error.contains("\(out)/good-8k.png: cannot "), "\(result.error)")
        #expect(result.error.contains("No space left on device"), "\(result.error)")
        let left = try FileManager.default.contentsOfDirectory(atPath: disk.path)
        #expect(left.isEmpty || left == ["out"])
        let pictures = (try? FileManager.default.contentsOfDirectory(atPath: out)) ?? []
        #expect(pictures.allSatisfy { $0 == "tiny-8k.png" }, "\(pictures)")
    }

    @Test func aReportGoesIntoADeviceAndDoesNotReplaceIt() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        // Through a link, so that a mistake replaces that and not the system's device.
        #expect(symlink("/dev/full", folder("report")) == 0)
        try fails(
            ["export", good, "-o", folder("out"), "--size", "1x", "--report", folder("report")], code: 74,
            "\(folder("report")): cannot write: No space left on device")
        #expect(folder.files == ["good.ink", "out", "report"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder("report")) == "/dev/full")
        #expect(folder.files(in: "out") == ["good-1x.png"])
        let printed = try InkProcess.run(
            ["export", good, "-o", folder("out"), "--size", "1x", "--quiet", "--report", "/dev/stdout"])
        #expect(printed.code == 0)
        #expect(printed.output.hasPrefix("{") && printed.output.hasSuffix("}\n"), "\(printed.output)")
    }

    @Test func aReportThroughALinkReplacesTheFileAndKeepsTheLink() throws {
        let folder = try EndToEndFolder()
        let good = try folder.file("good.ink", GoodProject.small)
        try folder.file("reports/real.json", "old")
        #expect(symlink("reports/real.json", folder("link.json")) == 0)
        let result = try InkProcess.run(
            ["export", good, "-o", folder("out"), "--size", "1x", "--quiet", "--report", folder("link.json")])
        #expect(result.code == 0, "\(result.error)")
        #expect(try folder.read("reports/real.json").first == UInt8(ascii: "{"))
        #expect(folder.files(in: "reports") == ["real.json"])
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: folder("link.json"))) != nil)
    }

    // MARK: Clashes

    @Test func outputsOfOneNameAreRefusedBeforeAnythingIsMade() throws {
        let folder = try EndToEndFolder()
        let first = try folder.file("a/p.ink", GoodProject.small)
        let second = try folder.file("b/p.ink", GoodProject.small)
        try fails(
            ["export", first, second, "-o", folder("out")], code: 64,
            "\(folder("out/p-2k.png")) would be the name of \(first) and \(second)")
        try fails(["export", first, "--size", "2k,4k", "--name", "x.png"], code: 64, "x.png would be the name of two")
        try fails(
            ["export", first, second, "-o", folder("one.png")], code: 64, "is one file, but there are 2 pictures")
        #expect(folder.files == ["a", "b"])
        #expect(folder.files(in: "a") == ["p.ink"])
        // In a mirrored tree they are two.
        let result = try InkProcess.run(["export", folder.path, "-o", folder("out"), "--size", "1x", "--quiet"])
        #expect(result.code == 0, "\(result.error)")
        #expect(folder.files(in: "out/a") == ["p-1x.png"] && folder.files(in: "out/b") == ["p-1x.png"])
    }

    @Test func aPictureNeverReplacesAnInput() throws {
        let folder = try EndToEndFolder()
        let input = try folder.file("p.png", GoodProject.small)
        #expect(symlink(folder.path, folder("link")) == 0)
        for target in [input, folder("./p.png"), folder("link/p.png")] {
            try fails(["export", input, "-o", target], code: 64, "would replace the input")
        }
        #expect(try folder.read("p.png") == Array(GoodProject.small.utf8))
        let template = folder("t.inktemplate")
        try folder.file("t.inktemplate/manifest.json", #"{"canvasSize": {"width": 20, "height": 20}}"#)
        try fails(["export", template, "-o", template + "/base.png"], code: 64, "lies inside the input")
        let preview = try InkProcess.run(["export", template, "-o", template + "/preview.png", "--quiet"])
        #expect(preview.code == 0, "\(preview.error)")
    }
}
