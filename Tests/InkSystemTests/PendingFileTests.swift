import Foundation
import InkSystem
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

    @Test("Where nothing may be replaced, a file stands that was there, and one that took the name since")
    func keepsWhatIsThere() throws {
        let target = try folder.write("old", to: "a.png")
        #expect(throws: SystemFailure(operation: "replace", errno: EEXIST)) {
            try PendingFile(target: target, replaces: false)
        }
        let new = folder.path(of: "b.png")
        var late = try PendingFile(target: new, replaces: false)
        try PendingFile.write([1], to: new, replaces: false)
        try late.write([2])
        try late.sync()
        #expect(throws: SystemFailure(operation: "rename", errno: EEXIST)) { try late.publish() }
        late.discard()
        #expect(try folder.read("b.png") == [1] && folder.read("a.png") == Array("old".utf8))
        #expect(try names() == ["a.png", "b.png"])
    }

    @Test("A file that is replaced leaves its permissions")
    func permissions() throws {
        let target = try folder.write("old", to: "a.json")
        for mode: UInt32 in [0o600, 0o664, 0o444] {
            #expect(chmod(target, mode) == 0)
            try PendingFile.write([1], to: target)
            #expect(try FileSystem.status(of: target)?.mode == mode)
        }
        // What only its owner may read is not shown to those who could read what lay there before.
        #expect(chmod(target, 0o644) == 0)
        try PendingFile.write([2], to: target, mode: 0o600)
        #expect(try FileSystem.status(of: target)?.mode == 0o600)
    }

    @Test("Who gives up a file takes no folder away from another who begins one")
    func foldersInTurns() async throws {
        let root = folder.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        var file = try PendingFile(target: "\(root)/x/y/\(writer)-\(number).png")
                        file.discard()
                    }
                }
            }
            try await group.waitForAll()
        }
        // A folder stays when another was in it while its maker left.
        #expect(try names() == [] || names("x") == [] || names("x/y") == [])
    }

    @Test("What is left goes all at once, and nothing comes after it")
    func leftovers() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let folder = try TemporaryFolder(prefix: "ink-files")
            let made = try Leftovers.add { () throws(SystemFailure) in
                var folders: [String] = []
                try FileSystem.makeFolders(folder.path(of: "t/a"), made: &folders)
                return (folder.path(of: "t"), folder.path(of: "t"))
            }
            // Not UTF-8, and a link that must not be followed.
            let name = Array(made.utf8) + [47, 0xFF, 0]
            let file = name.withUnsafeBufferPointer { bytes in
                bytes.withMemoryRebound(to: CChar.self) { open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
            }
            let kept = try folder.write("kept", to: "kept/file").splitPath().folder
            symlink(kept, made + "/link")
            var pending = try PendingFile(target: folder.path(of: "b.png"))
            let count = Leftovers.count
            Leftovers.removeAll()
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let isClosed = (try? PendingFile(target: folder.path(of: "c.png"))) == nil
            let isUnfinished = (try? pending.publish()) == nil
            let isKept = try folder.read("kept/file") == Array("kept".utf8)
            exit(file >= 0 && count == 2 && left == ["kept"] && isClosed && isUnfinished && isKept ? 42 : 1)
        }
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
