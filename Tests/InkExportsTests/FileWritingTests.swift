import CSystem
import Glibc
import InkEngine
import InkSystem
import InkTestSupport
import Testing

@testable import InkExports

@Suite("Writing files in one step")
struct FileWritingTests {
    @Test("A pipe stays a pipe and gets the bytes")
    func pipe() throws {
        let folder = ScratchFolder()
        let path = folder("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        try FileSystem.writeAtomically([1, 2, 3], to: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 3 && Array(bytes.prefix(3)) == [1, 2, 3])
        #expect(folder.files.allSatisfy { !$0.hasSuffix(".part") })
    }

    @Test("What a run of the same process number left in the middle does not stand in the way")
    func leftover() throws {
        let folder = ScratchFolder()
        folder.file(".a.json.\(getpid()).part", "half")
        try FileSystem.writeAtomically([1], to: folder("a.json"))
        #expect(folder.text("a.json") == "\u{1}")
    }

    @Test("A link stays a link, and what it points to is replaced")
    func link() throws {
        let folder = ScratchFolder()
        folder.file("real", "old")
        try #require(symlink("real", folder("link")) == 0)
        try FileSystem.writeAtomically(Array("new".utf8), to: folder("link"))
        var status = stat()
        #expect(lstat(folder("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(folder.text("real") == "new")
    }

    @Test("What is written to by the name of a descriptor keeps what stands in it")
    func descriptors() throws {
        let folder = ScratchFolder()
        let path = folder.file("log.txt", "before\n")
        let file = try FileDescriptor(opening: path, flags: O_WRONLY | O_APPEND, operation: "open")
        let name = "/proc/self/fd/\(file.rawValue)"
        try FileSystem.checkWritable(name)
        try FileSystem.writeAtomically(Array("report\n".utf8), to: name)
        #expect(folder.text("log.txt") == "before\nreport\n")
    }

    @Test("A descriptor that cannot be written to is refused before anything is made")
    func descriptorsForReading() throws {
        let folder = ScratchFolder()
        let file = try FileDescriptor(opening: folder.file("log.txt", "x"), flags: O_RDONLY, operation: "open")
        let name = "/dev/fd/\(file.rawValue)"
        #expect(throws: EngineError.io(path: name, operation: "write", errno: EBADF)) {
            try FileSystem.checkWritable(name)
        }
        #expect(throws: EngineError.io(path: "/dev/fd/1000000", operation: "write", errno: EBADF)) {
            try FileSystem.checkWritable("/dev/fd/1000000")
        }
    }

    @Test("A folder is refused, and a name of the greatest length is not")
    func folderAndLongName() throws {
        let folder = ScratchFolder()
        #expect(throws: EngineError.io(path: folder(""), operation: "replace", errno: EISDIR)) {
            try FileSystem.writeAtomically([1], to: folder(""))
        }
        let name = String(repeating: "n", count: 255)
        try FileSystem.writeAtomically(Array("x".utf8), to: folder(name))
        #expect(folder.text(name) == "x")
    }

    @Test("A failure of the system names its file, or the one that the user knows")
    func failures() throws {
        let folder = ScratchFolder()
        let missing = folder("missing/a.txt")
        #expect(throws: EngineError.io(path: missing, operation: "open", errno: ENOENT)) {
            try EngineError.wrapping { () throws(SystemFailure) in
                _ = try FileDescriptor(opening: missing, flags: O_RDONLY, operation: "open")
            }
        }
        #expect(throws: EngineError.io(path: "a.txt", operation: "open", errno: ENOENT)) {
            try EngineError.wrapping("a.txt") { () throws(SystemFailure) in
                _ = try FileDescriptor(opening: missing, flags: O_RDONLY, operation: "open")
            }
        }
        let unnamed = EngineError(SystemFailure(operation: "read", errno: EIO))
        #expect(unnamed == .io(path: "a file without a name", operation: "read", errno: EIO))
    }
}
