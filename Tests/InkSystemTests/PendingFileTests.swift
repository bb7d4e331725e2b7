import CSystem
import Foundation
import Glibc
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
        #expect(throws: SystemFailure(operation: "write", errno: EBADF, path: target)) { try file.write([1]) }
    }

    /// A limit on the size of files stands in for a full disk, which has room again afterwards.
    @Test("After a write that failed nothing is written any more, and the file does not get its name")
    func keepsItsFailure() async {
        await #expect(processExitsWith: .exitCode(42)) {
            signal(SIGXFSZ, SIG_IGN)
            func setLimit(_ bytes: rlim_t) {
                var limit = rlimit(rlim_cur: bytes, rlim_max: rlim_t.max)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            }
            let folder = try TemporaryFolder(prefix: "ink-files")
            let target = try folder.write("old", to: "a.png")
            var file = try PendingFile(target: target)
            try file.write([UInt8](repeating: 1, count: 90))
            setLimit(100)
            let failure = SystemFailure(operation: "write", errno: EFBIG, path: target)
            var failures: [SystemFailure?] = []
            func note(_ body: () throws(SystemFailure) -> Void) {
                do throws(SystemFailure) {
                    try body()
                    failures.append(nil)
                } catch { failures.append(error) }
            }
            note { () throws(SystemFailure) in try file.write([UInt8](repeating: 2, count: 90)) }
            setLimit(rlim_t.max)
            note { () throws(SystemFailure) in try file.write([3]) }
            note { () throws(SystemFailure) in try file.sync() }
            note { () throws(SystemFailure) in try file.publish() }
            let isOld = try folder.read("a.png") == Array("old".utf8)
            file.discard()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            exit(failures == [failure, failure, failure, failure] && isOld && names == ["a.png"] ? 42 : 1)
        }
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

    @Test("A link is followed, whether its target is there or not", arguments: [true, false])
    func links(replaces: Bool) throws {
        if replaces { try folder.write("old", to: "real/link") } else { try folder.makeFolder("real") }
        let links = ["link": folder.path(of: "real/link"), "dangling": "real/dangling", "second": "dangling"]
        for (name, target) in links { #expect(symlink(target, folder.path(of: name)) == 0) }
        for name in ["link", "second"] {
            try PendingFile.write(Array(name.utf8), to: folder.path(of: name), replaces: replaces)
        }
        #expect(try folder.read("real/link") == Array("link".utf8))
        #expect(try folder.read("real/dangling") == Array("second".utf8))
        #expect(try names() == ["dangling", "link", "real", "second"] && names("real") == ["dangling", "link"])
        for (name, target) in links {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path(of: name)) == target)
        }
    }

    @Test("Where a link leads into a folder that is missing, nothing is made and the place is named")
    func linksBeyond() throws {
        #expect(symlink("drive/a.png", folder.path(of: "link")) == 0)
        #expect(symlink("circle", folder.path(of: "circle")) == 0)
        let place = folder.path(of: "drive/a.png")
        let (link, circle) = (folder.path(of: "link"), folder.path(of: "circle"))
        #expect(throws: SystemFailure(operation: "create \(place)", errno: ENOENT, path: link)) {
            try PendingFile(target: link)
        }
        #expect(throws: SystemFailure(operation: "look at", errno: ELOOP, path: circle)) {
            try PendingFile(target: circle)
        }
        #expect(try names() == ["circle", "link"])
    }

    @Test("A folder is made where a link to nothing leads, and none above it")
    func linkedFolders() throws {
        #expect(symlink("real", folder.path(of: "out")) == 0)
        #expect(symlink("drive/out", folder.path(of: "far")) == 0)
        var file = try PendingFile(target: folder.path(of: "out/a/b.png"))
        try file.sync()
        try file.publish()
        #expect(try names("real/a") == ["b.png"])
        let place = folder.path(of: "drive/out")
        let far = folder.path(of: "far/b.png")
        #expect(throws: SystemFailure(operation: "make the folder \(place)", errno: ENOENT, path: far)) {
            try PendingFile(target: far)
        }
        #expect(try names() == ["far", "out", "real"])
    }

    @Test("All paths to one place have one spelling, also through links to nothing")
    func resolved() throws {
        try folder.makeFolder("real")
        for (target, name) in [("real", "alias"), ("real/new.png", "a.png"), ("alias/new.png", "b.png")] {
            #expect(symlink(target, folder.path(of: name)) == 0)
        }
        #expect(symlink("gone/../../out", folder.path(of: "c")) == 0)
        for name in ["a.png", "b.png", "alias/new.png", "real/./new.png"] {
            #expect(FileSystem.resolved(folder.path(of: name)) == folder.path(of: "real/new.png"), "\(name)")
        }
        // A folder that is made later leads nowhere else.
        #expect(FileSystem.resolved(folder.path(of: "c/x")) == folder.path.splitPath().folder.appendingPath("out/x"))
        #expect(FileSystem.resolved("/\(UUID().uuidString)").splitPath().folder == "/")
    }

    @Test("A listing says what names lead to, and which of them cannot be looked at")
    func listing() throws {
        try folder.write("x", to: "a")
        try folder.makeFolder("b")
        for (name, target) in [("c", "b"), ("d", "nothing"), ("e", "e"), ("f", "a/below")] {
            #expect(symlink(target, folder.path(of: name)) == 0)
        }
        #expect(mkfifo(folder.path(of: "g"), 0o600) == 0)
        let listed = try FileSystem.listing(of: folder.path)
        #expect(listed.map { String(decoding: $0.bytes, as: UTF8.self) } == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(
            listed.map(\.kind) == [
                .success(.regular), .success(.folder), .success(.folder), .success(nil),
                .failure(SystemFailure(operation: "look at", errno: ELOOP, path: folder.path(of: "e"))), .success(nil),
                .success(.other),
            ])
    }

    @Test("Only files are replaced")
    func replaceable() throws {
        let fifo = folder.path(of: "fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        #expect(throws: SystemFailure(operation: "replace", errno: EEXIST, path: fifo)) {
            try PendingFile(target: fifo)
        }
        #expect(throws: SystemFailure(operation: "replace", errno: EISDIR, path: folder.path)) {
            try PendingFile(target: folder.path)
        }
        let missing = folder.path(of: "missing/a.png")
        #expect(throws: SystemFailure(operation: "create", errno: ENOENT, path: missing)) {
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
        #expect(throws: SystemFailure(operation: "replace", errno: EEXIST, path: target)) {
            try PendingFile(target: target, replaces: false)
        }
        let new = folder.path(of: "b.png")
        var late = try PendingFile(target: new, replaces: false)
        try PendingFile.write([1], to: new, replaces: false)
        try late.write([2])
        try late.sync()
        #expect(throws: SystemFailure(operation: "rename", errno: EEXIST, path: new)) { try late.publish() }
        late.discard()
        #expect(try folder.read("b.png") == [1] && folder.read("a.png") == Array("old".utf8))
        #expect(try names() == ["a.png", "b.png"])
    }

    @Test("A file that is replaced leaves its permissions")
    func permissions() throws {
        let target = try folder.write("old", to: "a.json")
        for mode: UInt32 in [0o600, 0o664, 0o444, 0o755] {
            #expect(chmod(target, mode) == 0)
            try PendingFile.write([1], to: target)
            #expect(try FileSystem.status(of: target)?.mode == mode)
        }
        // What only its owner may read is not shown to those who could read what lay there before.
        #expect(chmod(target, 0o644) == 0)
        try PendingFile.write([2], to: target, mode: 0o600)
        #expect(try FileSystem.status(of: target)?.mode == 0o600)
    }

    /// One that lets a user read, the group nothing, and others nothing: version 2, then tag, permissions and id of each.
    private static let accessList: [UInt8] = [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 0x39, 0x30, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255,
        16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
    ]
    private static let accessListName = "system.posix_acl_access"

    private static func attribute(_ name: String, of path: String) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 256)
        let count = getxattr(path, name, &value, value.count)
        return count < 0 ? nil : Array(value.prefix(count))
    }

    /// Whether the file system of temporary files keeps an attribute.
    private static func keeps(_ name: String, _ value: [UInt8]) -> Bool {
        guard let folder = try? TemporaryFolder(), let path = try? folder.write("", to: "a") else { return false }
        return setxattr(path, name, value, value.count, 0) == 0
    }

    @Test(
        "A file that is replaced leaves its extended attributes",
        .enabled(if: keeps("user.ink", [1]), "the file system has no attributes"))
    func extendedAttributes() throws {
        let target = try folder.write("old", to: "a.json")
        for (name, value) in [("user.colour", [1, 2, 0, 3] as [UInt8]), ("user.empty", [])] {
            try #require(setxattr(target, name, value, value.count, 0) == 0)
        }
        try PendingFile.write([1], to: target)
        #expect(try folder.read("a.json") == [1])
        #expect(Self.attribute("user.colour", of: target) == [1, 2, 0, 3])
        #expect(Self.attribute("user.empty", of: target) == [])
    }

    @Test(
        "A file that is replaced leaves its access control list, and one that its folder would add is not added",
        .enabled(if: keeps(accessListName, accessList), "the file system has no access control lists"))
    func accessLists() throws {
        let target = try folder.write("old", to: "a.json")
        try #require(setxattr(target, Self.accessListName, Self.accessList, Self.accessList.count, 0) == 0)
        try PendingFile.write([1], to: target)
        #expect(Self.attribute(Self.accessListName, of: target) == Self.accessList)
        let plain = try folder.write("old", to: "b.json")
        #expect(chmod(plain, 0o640) == 0)
        let name = "system.posix_acl_default"
        try #require(setxattr(folder.path, name, Self.accessList, Self.accessList.count, 0) == 0)
        try PendingFile.write([1], to: plain)
        #expect(Self.attribute(Self.accessListName, of: plain) == nil)
        #expect(try FileSystem.status(of: plain)?.mode == 0o640)
    }

    @Test(
        "A file that is replaced leaves its owner and group", .enabled(if: geteuid() == 0, "only root gives files away")
    )
    func owner() throws {
        let target = try folder.write("old", to: "a.png")
        #expect(chown(target, 65534, 65533) == 0 && chmod(target, 0o640) == 0)
        try PendingFile.write([1], to: target)
        let found = try #require(try FileSystem.status(of: target))
        #expect(found.owner == 65534 && found.group == 65533 && found.mode == 0o640)
    }

    @Test(
        "Where owner and group cannot be kept, nobody may do more than before",
        .enabled(if: geteuid() == 0, "only root can become another user"))
    func strangersFile() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let folder = try TemporaryFolder(prefix: "ink-files")
            // What the file had, and what is left of it for members of the old group and of the new one.
            let modes: [(old: UInt32, new: UInt32)] = [(0o664, 0o644), (0o640, 0o600), (0o604, 0o600), (0o600, 0o600)]
            for (old, _) in modes {
                let path = try folder.write("old", to: "\(old)")
                guard chmod(path, old) == 0, chown(path, 0, 0) == 0 else { exit(1) }
            }
            let shared = try folder.write("old", to: "shared")
            guard chmod(shared, 0o660) == 0, chown(shared, 0, 65533) == 0 else { exit(1) }
            var groups: [gid_t] = [65533]
            guard chmod(folder.path, 0o777) == 0, setgroups(1, &groups) == 0, setegid(65534) == 0, seteuid(65534) == 0
            else { exit(2) }
            for (old, new) in modes {
                try PendingFile.write([1], to: folder.path(of: "\(old)"))
                guard try FileSystem.status(of: folder.path(of: "\(old)"))?.mode == new else { exit(3) }
            }
            // One of the user's own groups is kept, and so are its permissions.
            try PendingFile.write([1], to: shared)
            let found = try FileSystem.status(of: shared)
            guard found?.owner == 65534, found?.group == 65533, found?.mode == 0o660 else { exit(4) }
            guard seteuid(0) == 0 else { exit(5) }
            exit(42)
        }
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
        // Named as it was asked for, whichever folder above it is the trouble.
        for (path, code) in [("a/file", ENOTDIR), ("a/file/b/c", ENOTDIR)] {
            let path = folder.path(of: path)
            #expect(throws: SystemFailure(operation: "make the folder", errno: code, path: path)) {
                try FileSystem.makeFolders(path, made: &made)
            }
        }
        #expect(try FileSystem.names(in: folder.path(of: "a")) == [Array("b".utf8), Array("file".utf8)])
        let missing = folder.path(of: "missing")
        #expect(throws: SystemFailure(operation: "open the folder", errno: ENOENT, path: missing)) {
            try FileSystem.names(in: missing)
        }
        try FileSystem.syncFolder(folder.path)
    }

    @Test("What an open file fails at names the file")
    func openFile() throws {
        let path = try folder.write("x", to: "a")
        let file = try FileDescriptor(opening: path, flags: O_RDONLY, operation: "open")
        #expect(throws: SystemFailure(operation: "read", errno: EIO, path: path)) { try file.read(2, at: 0) }
        #expect(throws: SystemFailure(operation: "write", errno: EBADF, path: path)) { try file.write([1]) }
        #expect(throws: SystemFailure(operation: "truncate", errno: EINVAL, path: path)) { try file.truncate(to: 0) }
    }
}
