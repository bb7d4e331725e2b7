import Foundation
import InkSystem
import InkTestSupport
import Testing

@testable import InkExports

struct TemporaryFolderTests {
    @Test func isMadeAnewAndRemovedWithAllInIt() throws {
        let outside = ScratchFolder()
        outside.file("kept", "text")
        let folder = try InkExports.TemporaryFolder.make("ink-test")
        let other = try InkExports.TemporaryFolder.make("ink-test")
        #expect(folder != other)
        try FileSystem.makeFolder(folder.appendingPath("a/b"))
        try FileSystem.writeAtomically([1], to: folder.appendingPath("a/b/.hidden"))
        try FileSystem.writeAtomically([1], to: folder.appendingPath("c"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPath("a/link"), withDestinationPath: outside.path)
        InkExports.TemporaryFolder.remove(folder)
        InkExports.TemporaryFolder.remove(other)
        #expect(try FileSystem.status(folder) == nil)
        #expect(try FileSystem.status(other) == nil)
        #expect(outside.text("kept") == "text")
    }

    @Test func whetherAFileCanBeWrittenIsFoundOutWithoutATrace() throws {
        let folder = ScratchFolder()
        folder.file("old", "text")
        folder.link("link", to: folder("target"))
        for name in ["new", "old", "link", "none/x"] { try FileSystem.checkWritable(folder(name)) }
        try FileSystem.checkWritable("/dev/null")
        #expect(folder.files == ["old"] || folder.files == ["link", "old"])
        #expect(folder.text("old") == "text")
        for path in [folder.path, folder("old/x")] {
            #expect(throws: (any Error).self, "\(path)") { try FileSystem.checkWritable(path) }
        }
    }
}
