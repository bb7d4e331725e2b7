import Foundation
import InkFiles
import InkTestSupport
import Testing

@Suite("A file that gets its name when it is whole")
struct PendingFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(prefix: "ink-files") }

    private func names(_ path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(of: path)).sorted()
    }

    @Test("The old file stands until the new one is published, and nothing lies beside it then")
    func publishes() throws {
        let target = try folder.write("old", to: "a.png")
        var file = try PendingFile(target: target)
        try file.write(Array("new ".utf8))
        try file.write(Array("text".utf8))
        #expect(file.byteCount == 8)
        try file.sync()
        #expect(try folder.read("a.png") == Array("old".utf8))
        #expect(try names().count == 2)
        try file.publish()
        file.discard()
        #expect(try folder.read("a.png") == Array("new text".utf8))
        #expect(try names() == ["a.png"])
        #expect(throws: SystemFailure(operation: "write", errno: EBADF)) { try file.write([1]) }
    }

    @Test("What is given up leaves nothing, not even the folders that were made for it")
    func discards() throws {
        var file = try PendingFile(target: folder.path(of: "a/b/c.png"))
        #expect(try names("a/b").count == 1)
        file.discard()
        #expect(try names() == [])
        // One that was there stays, and one that others have used since.
        try folder.makeFolder("a")
        var second = try PendingFile(target: folder.path(of: "a/b/c.png"))
        try folder.write("x", to: "a/b/other")
        second.discard()
        #expect(try names("a/b") == ["other"])
    }

    @Test("A link is followed, and a dangling one is replaced")
    func links() throws {
        let target = try folder.write("old", to: "real/a.png")
        try FileManager.default.createSymbolicLink(atPath: folder.path(of: "link"), withDestinationPath: target)
        try FileManager.default.createSymbolicLink(atPath: folder.path(of: "dangling"), withDestinationPath: "nothing")
        for name in ["link", "dangling"] {
            var file = try PendingFile(target: folder.path(of: name))
            try file.write(Array(name.utf8))
            try file.sync()
            try file.publish()
        }
        #expect(try folder.read("real/a.png") == Array("link".utf8))
        #expect(try folder.read("dangling") == Array("dangling".utf8))
        #expect(try names() == ["dangling", "link", "real"] && names("real") == ["a.png"])
    }

    @Test("Only files are replaced")
    func replaceable() throws {
        let fifo = folder.path(of: "fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(throws: SystemFailure(operation: "replace", errno: EEXIST)) { try PendingFile(target: fifo) }
        #expect(throws: SystemFailure(operation: "replace", errno: EISDIR)) { try PendingFile(target: folder.path) }
        let missing = folder.path(of: "missing/a.png")
        #expect(throws: SystemFailure(operation: "create", errno: ENOENT)) {
            try PendingFile(target: missing, makesFolders: false)
        }
        let below = try folder.write("", to: "file").appendingPath("a.png")
        #expect(throws: SystemFailure.self) { try PendingFile(target: below) }
        #expect(try names() == ["fifo", "file"])
    }

    @Test("A name of the greatest length has room for its temporary one, and one with a tag has that name")
    func temporaryNames() throws {
        let long = String(repeating: "ä", count: 127) + "x"
        var file = try PendingFile(target: folder.path(of: long))
        #expect(file.temporary.splitPath().name.utf8.count <= 255)
        try file.sync()
        try file.publish()
        #expect(try names().map { $0.precomposedStringWithCanonicalMapping } == [long])
        let left = try folder.write("left", to: ".b.png.7.part")
        var again = try PendingFile(target: folder.path(of: "b.png"), tag: "7")
        #expect(again.temporary == left)
        #expect(try folder.read(".b.png.7.part") == [])
        again.discard()
    }

    @Test("A slash with an accent behind it is a slash")
    func paths() {
        #expect("a/\u{301}b".splitPath() == ("a", "\u{301}b"))
        #expect("a/b//".splitPath() == ("a", "b"))
        #expect("/a".splitPath() == ("/", "a"))
        #expect("a".splitPath() == ("", "a"))
        #expect("//a".splitPath() == ("/", "a"))
        #expect("".appendingPath("a") == "a" && "/".appendingPath("a") == "/a" && "b/".appendingPath("a") == "b/a")
    }

    @Test func folders() throws {
        var made: [String] = []
        try FileSystem.makeFolders(folder.path(of: "a/b/c/"), mode: 0o700, made: &made)
        #expect(made.map { $0.splitPath().name } == ["a", "b", "c"])
        #expect(try FileSystem.status(of: folder.path(of: "a/b"))?.mode == 0o700)
        try FileSystem.makeFolders(folder.path(of: "a/b/c"), made: &made)
        #expect(made.count == 3)
        try folder.write("", to: "a/file")
        #expect(throws: SystemFailure(operation: "make the folder", errno: ENOTDIR)) {
            try FileSystem.makeFolders(folder.path(of: "a/file"), made: &made)
        }
        #expect(try FileSystem.names(in: folder.path(of: "a")) == [Array("b".utf8), Array("file".utf8)])
        #expect(throws: SystemFailure(operation: "open the folder", errno: ENOENT)) {
            try FileSystem.names(in: folder.path(of: "missing"))
        }
        try FileSystem.syncFolder(folder.path)
    }
}
