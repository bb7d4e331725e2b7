import Dispatch
import Foundation
import Glibc
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkStore

@Suite("Contents")
struct ContentFolderTests {
    private let folder: TemporaryFolder
    private let contents: ContentFolder

    init() throws {
        folder = try TemporaryFolder()
        contents = try ContentFolder(folder: folder.path, quotaBytes: 1_000)
    }

    private static func bytes(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count)
    }

    private static func id(_ bytes: [UInt8]) -> ContentID { ContentID(digest: SHA256.digest(bytes)) }

    /// Brings a content in, in pieces of at most `step` bytes.
    @discardableResult
    private func bring(_ bytes: [UInt8], step: Int = .max, to other: ContentFolder? = nil) throws -> ContentID {
        let id = Self.id(bytes)
        let incoming = try (other ?? contents).begin(id, byteCount: UInt64(bytes.count))
        var offset = 0
        while offset < bytes.count {
            let end = offset + min(step, bytes.count - offset)
            try incoming.write(Array(bytes[offset..<end]), at: UInt64(offset))
            offset = end
        }
        try incoming.finish()
        return id
    }

    private var incomingNames: [String] {
        get throws { try folder.contents().filter { $0.hasPrefix("incoming/") } }
    }

    @Test("A content gets its name when it is whole", arguments: [0, 1, 100, 1_000])
    func whole(count: Int) throws {
        let bytes = Self.bytes(count)
        let id = try bring(bytes, step: 17)
        let name = id.description
        #expect(contents.path(of: id) == folder.path(of: "contents/\(name.prefix(2))/\(name)"))
        #expect(try folder.read("contents/\(name.prefix(2))/\(name)") == bytes)
        #expect(Files.mode(contents.path(of: id)) == 0o600)
        for name in ["contents", "incoming", "contents/\(name.prefix(2))"] {
            #expect(Files.mode(folder.path(of: name)) == 0o700, "\(name)")
        }
        #expect(try contents.read(id) == bytes)
        #expect(contents.has(id, byteCount: UInt64(count)))
        #expect(contents.usedBytes == count)
        #expect(try incomingNames == [])
    }

    @Test func unfinishedContentsAreNotThere() throws {
        let bytes = Self.bytes(100)
        let id = Self.id(bytes)
        let incoming = try contents.begin(id, byteCount: 100)
        try incoming.write(bytes, at: 0)
        #expect(!contents.has(id, byteCount: 100))
        #expect(throws: StoreError.file(path: contents.path(of: id), operation: "open", errno: ENOENT)) {
            try contents.read(id)
        }
        #expect(try incomingNames.map { Files.mode(folder.path(of: $0)) } == [0o600])
    }

    @Test("A content that was damaged on the disk is not handed out, goes, and is whole when it has come again")
    func damaged() throws {
        var bytes = Self.bytes(100)
        let id = try bring(bytes)
        bytes[50] ^= 1
        let file = open(contents.path(of: id), O_WRONLY)
        #expect(pwrite(file, bytes, bytes.count, 0) == bytes.count)
        close(file)
        #expect(throws: StoreError.damaged(path: contents.path(of: id))) { try contents.read(id) }
        #expect(!contents.has(id, byteCount: 100) && contents.usedBytes == 0)
        bytes[50] ^= 1
        #expect(try bring(bytes) == id)
        #expect(try contents.read(id) == bytes && contents.usedBytes == 100)
    }

    @Test("A pipe or a folder in the place of a content holds nobody up", arguments: [false, true], [false, true])
    func noFile(isFolder: Bool, isRead: Bool) throws {
        let bytes = Self.bytes(100)
        let id = try bring(bytes)
        let path = contents.path(of: id)
        #expect(unlink(path) == 0 && (isFolder ? mkdir(path, 0o700) : mkfifo(path, 0o600)) == 0)
        if isRead { #expect(throws: StoreError.damaged(path: path)) { try contents.read(id) } }
        #expect(try bring(bytes) == id)
        #expect(try contents.read(id) == bytes)
    }

    @Test func otherBytesAreRefused() throws {
        let (bytes, others) = (Self.bytes(100), Self.bytes(100, 2))
        let incoming = try contents.begin(Self.id(bytes), byteCount: 100)
        try incoming.write(others, at: 0)
        let error = #expect(throws: StoreError.self) { try incoming.finish() }
        #expect(error == .wrongContent(found: Self.id(others), expected: Self.id(bytes)))
        #expect(error?.isTemporary == false)
        #expect(contents.usedBytes == 0)
        #expect(try incomingNames == [])
        #expect(!contents.has(Self.id(bytes), byteCount: 100))
    }

    @Test("A content that ends early, or has another length, is refused")
    func wrongLength() throws {
        let bytes = Self.bytes(100)
        let early = try contents.begin(Self.id(bytes), byteCount: 100)
        try early.write(Array(bytes[..<99]), at: 0)
        #expect(throws: StoreError.self) { try early.finish() }
        // All its bytes, but more were promised.
        let short = try contents.begin(Self.id(bytes), byteCount: 101)
        try short.write(bytes, at: 0)
        #expect(throws: StoreError.wrongContent(found: Self.id(bytes), expected: Self.id(bytes))) {
            try short.finish()
        }
        let long = try contents.begin(Self.id(bytes), byteCount: 99)
        #expect(throws: StoreError.self) { try long.write(bytes, at: 0) }
        long.discard()
        #expect(contents.usedBytes == 0)
        #expect(try incomingNames == [])
    }

    @Test func bytesMustFollowThoseBefore() throws {
        let bytes = Self.bytes(100)
        let incoming = try contents.begin(Self.id(bytes), byteCount: 100)
        try incoming.write(Array(bytes[..<50]), at: 0)
        for offset: UInt64 in [0, 49, 51, .max] {
            #expect(throws: StoreError.self, "\(offset)") { try incoming.write([bytes[50]], at: offset) }
        }
        try incoming.write([], at: 50)
        try incoming.write(Array(bytes[50...]), at: 50)
        try incoming.finish()
        #expect(try contents.read(Self.id(bytes)) == bytes)
    }

    @Test("What is given up gives its bytes back, once")
    func discard() throws {
        let bytes = Self.bytes(100)
        try bring(Self.bytes(10, 2))
        let incoming = try contents.begin(Self.id(bytes), byteCount: 100)
        try incoming.write(bytes, at: 0)
        #expect(contents.usedBytes == 110)
        incoming.discard()
        incoming.discard()
        #expect(throws: StoreError.self) { try incoming.finish() }
        #expect(throws: StoreError.self) { try incoming.write([1], at: 100) }
        #expect(contents.usedBytes == 10)
        do { _ = try contents.begin(Self.id(bytes), byteCount: 100) }
        #expect(contents.usedBytes == 10)
        #expect(try incomingNames == [])
    }

    @Test func whatIsFinishedStays() throws {
        let bytes = Self.bytes(100)
        let incoming = try contents.begin(Self.id(bytes), byteCount: 100)
        try incoming.write(bytes, at: 0)
        try incoming.finish()
        incoming.discard()
        #expect(throws: StoreError.self) { try incoming.finish() }
        #expect(contents.usedBytes == 100)
        #expect(try contents.read(Self.id(bytes)) == bytes)
    }

    @Test func contentBroughtTwiceCountsOnce() throws {
        let bytes = Self.bytes(100)
        let id = Self.id(bytes)
        let (first, second) = (try contents.begin(id, byteCount: 100), try contents.begin(id, byteCount: 100))
        #expect(contents.usedBytes == 200)
        for incoming in [first, second] {
            try incoming.write(bytes, at: 0)
            try incoming.finish()
        }
        #expect(contents.usedBytes == 100)
        #expect(try ContentFolder(folder: folder.path, quotaBytes: 1_000).usedBytes == 100)
        // One that was damaged is replaced.
        try folder.write("short", to: "contents/\(id.description.prefix(2))/\(id)")
        let repaired = try ContentFolder(folder: folder.path, quotaBytes: 1_000)
        #expect(repaired.usedBytes == 5 && !repaired.has(id, byteCount: 100))
        try bring(bytes, to: repaired)
        #expect(repaired.usedBytes == 100 && repaired.has(id, byteCount: 100))
        #expect(try repaired.read(id) == bytes)
    }

    @Test func theQuotaHoldsAndIsGivenBack() throws {
        let id = Self.id([])
        let large = try contents.begin(id, byteCount: 900)
        let error = #expect(throws: StoreError.self) { try contents.begin(id, byteCount: 101) }
        #expect(error == .quota(neededBytes: 101, limitBytes: 1_000))
        #expect(error?.isTemporary == true)
        #expect(throws: StoreError.quota(neededBytes: 1_001, limitBytes: 1_000)) { try contents.reserve(bytes: 1_001) }
        #expect(throws: StoreError.quota(neededBytes: .max, limitBytes: 1_000)) { try contents.reserve(bytes: .max) }
        #expect(throws: StoreError.self) { try contents.begin(id, byteCount: .max) }
        try contents.reserve(bytes: 100)
        #expect(contents.usedBytes == 1_000)
        #expect(throws: StoreError.self) { try contents.reserve(bytes: 1) }
        contents.release(bytes: 100)
        large.discard()
        #expect(contents.usedBytes == 0)
        try contents.reserve(bytes: 1_000)
    }

    @Test func contentThatCannotBeBegunTakesNothing() throws {
        // A folder that is gone is made again; a file in its place is not removed.
        try #require(rmdir(folder.path(of: "incoming")) == 0)
        try contents.begin(Self.id([]), byteCount: 10).discard()
        try #require(rmdir(folder.path(of: "incoming")) == 0)
        try Data().write(to: URL(filePath: folder.path(of: "incoming")))
        let error = #expect(throws: StoreError.self) { try contents.begin(Self.id([]), byteCount: 10) }
        guard case .file(_, _, ENOTDIR)? = error else { throw try #require(error) }
        #expect(contents.usedBytes == 0)
    }

    @Test func askingForContentKeepsIt() throws {
        let id = try bring(Self.bytes(100))
        #expect(!contents.has(id, byteCount: 99))
        #expect(!contents.has(Self.id([]), byteCount: 0))
        Files.age(contents.path(of: id), seconds: 10_000)
        #expect(contents.has(id, byteCount: 100))
        #expect(contents.collectGarbage(keeping: []) == 0)
        Files.age(contents.path(of: id), seconds: 10_000)
        #expect(!contents.has(id, byteCount: 99))
        #expect(contents.collectGarbage(keeping: []) == 1)
        #expect(!contents.has(id, byteCount: 100))
    }

    @Test func contentsLeaveRoomForPictures() throws {
        func begin(_ bytes: Int) throws -> IncomingContent {
            try contents.begin(Self.id(Self.bytes(bytes)), byteCount: UInt64(bytes))
        }
        let large = try begin(900)
        large.discard()
        #expect(contents.usedBytes == 0)
        let some = try begin(300)
        let more = try begin(440)
        #expect(throws: StoreError.self) { try begin(20) }
        try contents.reserve(bytes: 260)
        for content in [some, more] { content.discard() }
        #expect(contents.usedBytes == 260)
        #expect(throws: StoreError.self) { try begin(491) }
        try begin(490).discard()
    }

    @Test func garbageGoesSoonerWhereItIsAskedTo() throws {
        let id = try bring(Self.bytes(100))
        Files.age(contents.path(of: id), seconds: 30)
        #expect(contents.collectGarbage(keeping: []) == 0)
        #expect(contents.collectGarbage(keeping: [id], unusedSeconds: 10) == 0)
        #expect(contents.collectGarbage(keeping: [], unusedSeconds: 10) == 1)
        #expect(contents.usedBytes == 0)
    }

    @Test func garbageIsWhatIsNeitherNeededNorRecent() throws {
        let ids = try (0..<8).map { try bring(Self.bytes(10 + $0, UInt64($0))) }
        for (index, id) in ids.enumerated() where index % 2 == 0 { Files.age(contents.path(of: id), seconds: 700) }
        let (needed, unneeded) = (Set(ids[..<4]), [4, 6])
        #expect(contents.usedBytes == (10...17).reduce(0, +))
        #expect(contents.collectGarbage(keeping: needed.union([Self.id([])])) == 2)
        for (index, id) in ids.enumerated() {
            #expect(contents.has(id, byteCount: UInt64(10 + index)) != unneeded.contains(index), "\(index)")
        }
        #expect(contents.usedBytes == (10...17).reduce(0, +) - 14 - 16)
        #expect(contents.collectGarbage(keeping: needed) == 0)
    }

    @Test func startCountsWhatIsThereAndRemovesWhatNeverArrived() throws {
        try bring(Self.bytes(100))
        try bring(Self.bytes(50, 2))
        try folder.write([UInt8](repeating: 0, count: 30), to: "incoming/left.over")
        try folder.write([UInt8](repeating: 0, count: 7), to: "pictures/1.png")
        let again = try ContentFolder(folder: folder.path, quotaBytes: 157)
        #expect(again.usedBytes == 157)
        #expect(try incomingNames == [])
        #expect(throws: StoreError.self) { try again.reserve(bytes: 1) }
        // A smaller quota than before takes nothing away.
        let smaller = try ContentFolder(folder: folder.path, quotaBytes: 10)
        #expect(smaller.usedBytes == 157)
        #expect(throws: StoreError.self) { try smaller.begin(Self.id([]), byteCount: 1) }
    }

    @Test func manyThreadsBringContents() throws {
        let contents = try ContentFolder(folder: folder.path, quotaBytes: 1 << 20)
        DispatchQueue.concurrentPerform(iterations: 60) { index in
            let bytes = Self.bytes(100 + index, UInt64(index))
            do {
                let incoming = try contents.begin(Self.id(bytes), byteCount: UInt64(bytes.count))
                try incoming.write(bytes, at: 0)
                if index % 3 == 0 { incoming.discard() } else { try incoming.finish() }
            } catch {
                Issue.record(error)
            }
        }
        let kept = (0..<60).filter { $0 % 3 != 0 }.map { 100 + $0 }
        #expect(contents.usedBytes == kept.reduce(0, +))
        #expect(try ContentFolder(folder: folder.path, quotaBytes: 0).usedBytes == contents.usedBytes)
    }

    @Test(
        "Bytes that did not fit on the disk can be written again",
        .enabled(if: SmallDisk.isAvailable, "mounting takes root"))
    func fullDisk() throws {
        let disk = try #require(try SmallDisk(byteCount: 1 << 17))
        let contents = try ContentFolder(folder: disk.path, quotaBytes: 1 << 20)
        let bytes = Self.bytes(60_000)
        let id = Self.id(bytes)
        let incoming = try contents.begin(id, byteCount: 60_000)
        try incoming.write(Array(bytes[..<20_000]), at: 0)
        disk.fill()
        let error = #expect(throws: StoreError.self) { try incoming.write(Array(bytes[20_000...]), at: 20_000) }
        guard case .file(_, "write", ENOSPC)? = error else { throw try #require(error) }
        #expect(error?.isTemporary == true)
        disk.makeRoom()
        try incoming.write(Array(bytes[20_000...]), at: 20_000)
        try incoming.finish()
        #expect(try contents.read(id) == bytes)
    }
}
