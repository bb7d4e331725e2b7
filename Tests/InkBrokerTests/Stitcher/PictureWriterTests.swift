import Foundation
import InkProtocol
import InkSystem
import InkTestSupport
import Testing

@testable import InkBroker

@Suite struct PictureWriterTests {
    private let temporary: TemporaryFolder
    private let folder: String

    init() throws {
        temporary = try TemporaryFolder(prefix: "ink-writer")
        folder = temporary.path
    }

    private func names(_ path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + path).sorted()
    }

    @Test func theTargetAppearsWholeOrNotAtAll() throws {
        let target = folder + "/a.png"
        let writer = try PictureWriter(target: target)
        try writer.write([1, 2])
        let before = try names()
        #expect(before.count == 1 && before[0].hasPrefix(".a.png.") && before[0].hasSuffix(".part"))
        try writer.write([3])
        let written = try writer.finish()
        #expect(written.byteCount == 3)
        // SHA-256 of 01 02 03.
        #expect(
            written.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        #expect(try names() == ["a.png"])
        #expect(FileManager.default.contents(atPath: target) == Data([1, 2, 3]))
    }

    @Test func aDigestNobodyWantsIsNotMade() throws {
        let writer = try PictureWriter(target: folder + "/a.png", wantsDigest: false)
        try writer.write([1, 2])
        #expect(try writer.finish() == WrittenFile(byteCount: 2, digest: []))
    }

    @Test func anOlderPictureStaysUntilTheNewOneIsWhole() throws {
        let target = folder + "/a.png"
        try Data([9]).write(to: URL(fileURLWithPath: target))
        do {
            let writer = try PictureWriter(target: target)
            try writer.write([1])
            writer.discard()
        }
        #expect(FileManager.default.contents(atPath: target) == Data([9]))
        #expect(try names() == ["a.png"])
    }

    @Test func missingFoldersAreMadeAndGoAgainWithAFailure() throws {
        let failed = try PictureWriter(target: folder + "/x/y/a.png")
        #expect(try names("/x") == ["y"])
        failed.discard()
        #expect(try names().isEmpty)
        let done = try PictureWriter(target: folder + "/x/y/b.png")
        _ = try done.finish()
        #expect(try names("/x/y") == ["b.png"])
    }

    @Test func targetsThatAreNoFilesAreRefused() throws {
        #expect(throws: BrokerError.targetNotAFile(path: folder)) { try PictureWriter(target: folder) }
        #expect(throws: BrokerError.targetNotAFile(path: "/dev/null")) { try PictureWriter(target: "/dev/null") }
        try Data().write(to: URL(fileURLWithPath: folder + "/file"))
        #expect(throws: BrokerError.self) { try PictureWriter(target: folder + "/file/a.png") }
        #expect(throws: BrokerError.self) { try PictureWriter(target: folder + "/file/x/a.png") }
        #expect(try names() == ["file"])
    }

    @Test func longNamesStillFit() throws {
        let name = String(repeating: "é", count: 125) + ".png"
        _ = try PictureWriter(target: folder + "/" + name).finish()
        #expect(try names() == [name])
    }

    @Test func aLinkKeepsPointingAtItsFile() throws {
        try Data([9]).write(to: URL(fileURLWithPath: folder + "/real.png"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/a.png", withDestinationPath: folder + "/real.png")
        let writer = try PictureWriter(target: folder + "/a.png")
        try writer.write([5])
        _ = try writer.finish()
        #expect(FileManager.default.contents(atPath: folder + "/real.png") == Data([5]))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/a.png") == folder + "/real.png")
    }

    /// A limit on the size of files stands in for a full disk.
    @Test func aDiskThatIsFullLeavesNothingBehind() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let folder = NSTemporaryDirectory() + "ink-full-\(UUID().uuidString)"
            let writer = try PictureWriter(target: folder + "/a.png")
            try writer.write([UInt8](repeating: 1, count: 900))
            do {
                try writer.write([UInt8](repeating: 1, count: 900))
            } catch BrokerError.output(let path, "write", EFBIG) where path == folder + "/a.png" {
                writer.discard()
                exit(FileManager.default.fileExists(atPath: folder) ? 2 : 42)
            }
            exit(1)
        }
    }

    @Test func cleaningUpRemovesUnfinishedFilesAndStopsNewOnes() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let folder = NSTemporaryDirectory() + "ink-cleanup-\(UUID().uuidString)"
            let writer = try PictureWriter(target: folder + "/a.png")
            try writer.write([1])
            Leftovers.removeAll()
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            let isClosed = (try? PictureWriter(target: folder + "/b.png")) == nil
            let isUnfinished = (try? writer.finish()) == nil
            let leftInTheEnd = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            exit(left.isEmpty && isClosed && isUnfinished && leftInTheEnd.isEmpty ? 42 : 1)
        }
    }
}
