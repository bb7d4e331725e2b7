import Glibc
import InkTestSupport
import Testing

@testable import InkStore

@Suite("The data folder")
struct DataFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("It is made for its owner alone, with the folders above and below")
    func made() throws {
        let path = folder.path(of: "a/b/data")
        let data = try DataFolder(path: path)
        #expect(data.path == path)
        #expect(
            try folder.contents() == ["a", "a/b", "a/b/data"]
                + ["lock", "pictures", "replays"].map { "a/b/data/" + $0 })
        for name in ["a", "a/b", "a/b/data", "a/b/data/pictures", "a/b/data/replays"] {
            #expect(Files.mode(folder.path(of: name)) == 0o700, "\(name)")
        }
        #expect(Files.mode(path + "/lock") == 0o600)
        #expect(data.jobsPath == path + "/jobs.sqlite")
        #expect(data.picturesFolder == path + "/pictures" && data.replaysFolder == path + "/replays")
    }

    @Test("Slashes and dots at the end of its name do no harm", arguments: ["x/y/", "x/y//", "x/y/.", "x//y"])
    func slashes(name: String) throws {
        _ = try DataFolder(path: folder.path(of: name))
        #expect(try folder.contents().contains("x/y/lock"))
        _ = try DataFolder(path: folder.path(of: name))
    }

    @Test("One that others can write in is refused", arguments: [0o777, 0o770, 0o702, 0o1777])
    func unsafe(mode: mode_t) throws {
        let path = try folder.makeFolder("data")
        chmod(path, mode)
        let error = #expect(throws: StoreError.self) { try DataFolder(path: path) }
        guard case .unsafeFolder(path, _)? = error else { throw try #require(error) }
        #expect(error?.description.contains("chmod 700") == true)
        #expect(try folder.contents() == ["data"])
        chmod(path, 0o755)
        _ = try DataFolder(path: path)
        #expect(Files.mode(path) == 0o755)
    }

    @Test("Looking whether one can be used changes nothing, and says what making it would")
    func check() throws {
        let path = try folder.makeFolder("data")
        for name in ["data", "data/below", "a/b/c", "x/"] { try DataFolder.check(path: folder.path(of: name)) }
        chmod(path, 0o777)
        let error = #expect(throws: StoreError.self) { try DataFolder.check(path: path) }
        guard case .unsafeFolder(path, _)? = error else { throw try #require(error) }
        for place in ["/dev/null", "/dev/null/data"] {
            #expect(throws: StoreError.self) { try DataFolder.check(path: place) }
        }
        #expect(try folder.contents() == ["data"])
        let held = try DataFolder(path: folder.path(of: "held"))
        try DataFolder.check(path: held.path)
    }

    @Test("One of another user is refused", .enabled(if: geteuid() == 0, "giving a folder away takes root"))
    func foreign() throws {
        let path = try folder.makeFolder("data")
        chmod(path, 0o700)
        try #require(chown(path, 1, 1) == 0)
        let error = #expect(throws: StoreError.self) { try DataFolder(path: path) }
        #expect(error?.description.contains("belongs to another user") == true)
    }

    @Test("It is locked until it is released or gone")
    func lock() throws {
        let path = folder.path(of: "data")
        let first = try DataFolder(path: path)
        #expect(throws: StoreError.locked(path: path)) { try DataFolder(path: path) }
        first.release()
        first.release()
        do {
            let second = try DataFolder(path: path)
            #expect(throws: StoreError.locked(path: path)) { try DataFolder(path: path) }
            #expect(second.path == path)
        }
        _ = try DataFolder(path: path)
    }

    @Test("A file in its place, or on the way to it, is named in the error")
    func fileInTheWay() throws {
        let file = try folder.write("x", to: "file")
        #expect(throws: StoreError.file(path: file, operation: "make the folder", errno: ENOTDIR)) {
            try DataFolder(path: file)
        }
        #expect(throws: StoreError.file(path: file + "/data", operation: "make the folder", errno: ENOTDIR)) {
            try DataFolder(path: file + "/data")
        }
    }

    @Test("A lock that leads elsewhere is not followed")
    func linkedLock() throws {
        let path = try folder.makeFolder("data")
        chmod(path, 0o700)
        try #require(symlink(folder.path(of: "elsewhere"), path + "/lock") == 0)
        #expect(throws: StoreError.file(path: path + "/lock", operation: "open", errno: ELOOP)) {
            try DataFolder(path: path)
        }
        #expect(try folder.contents() == ["data", "data/lock"])
    }
}
