import Foundation
import InkCodecs
import InkEngine
import InkSystem
import InkTestSupport
import Testing

@testable import InkExports

struct InputFinderTests {
    private func find(_ paths: [String], in folder: ScratchFolder) throws -> (inputs: [String], failures: [String]) {
        var inputs: [String] = []
        var failures: [String] = []
        for item in try InputFinder.find(paths) {
            switch item {
            case .input(let input):
                let name = input.path.replacingOccurrences(of: folder.path + "/", with: "")
                inputs.append(input.tree.isEmpty ? name : name + " in " + input.tree.joined(separator: "/"))
            case .failure(_, let error): failures.append(error.description)
            }
        }
        return (inputs, failures)
    }

    @Test func searchesFoldersInOrder() throws {
        let folder = ScratchFolder()
        for name in ["b.ink", "a.INK", "z.txt", "t.inktemplate/inner.ink", "sub/c.zip", ".hidden/d.ink", ".e.ink"] {
            folder.file(name)
        }
        let (inputs, failures) = try find([folder.path], in: folder)
        #expect(inputs == ["a.INK", "b.ink", "sub/c.zip in sub", "t.inktemplate"])
        #expect(failures.isEmpty)
    }

    @Test("Skipped files of a search are told apart, with the reason of each")
    func skippedFiles() throws {
        func skipped(_ folder: ScratchFolder, documents: Bool = false, photos: Bool = false) throws -> SkippedFiles {
            var search = PhotoSearch()
            search.isWanted = photos
            search.needsOutput = false
            var found = SkippedFiles()
            _ = try InputFinder.find(
                [folder.path], photos: search, takesDocuments: documents, onSkipped: { found = $0 })
            return found
        }
        let folder = ScratchFolder()
        for name in ["b.ink", "z.txt", "sub/c.png", ".hidden/d.txt", ".e"] { folder.file(name) }
        folder.file("sub/pen.svc", "1\n1 2 3 1 5 6 7\n")
        folder.file("pen.csv", "idx,SPLINE_X,SPLINE_Y\n")
        folder.file("other.csv", "a,b\n")
        folder.file("old.bin", "gimp xcf file")
        let all = try skipped(folder)
        #expect(
            all.listed.map { "\($0.path.dropFirst(folder.path.count + 1)) \($0.kind)" } == [
                "old.bin other", "other.csv other", "pen.csv document", "sub/pen.svc document", "z.txt other",
                "sub/c.png photo",
            ])
        #expect(all.listed[0].reason == "a GIMP picture (XCF), which ink does not read")
        #expect(
            all.summary == [
                "2 documents of other programs were skipped: name them, or give --documents",
                "1 picture was skipped, which may belong to the projects: name it, or give --photos",
                "3 other files were skipped: they are neither projects nor documents that ink reads",
            ])
        let taken = try skipped(folder, documents: true, photos: true)
        #expect(taken.summary == [all.summary[2]])
        let withTemplate = ScratchFolder()
        for name in ["z.txt", "t.inktemplate/base.png", "t.inktemplate/notes.txt"] { withTemplate.file(name) }
        #expect(try skipped(withTemplate).count == 1)
    }

    @Test("A folder of documents whose names do not say so asks for --documents")
    func folderOfDocuments() throws {
        let folder = ScratchFolder()
        folder.file("pen.svc", "1\n1 2 3 1 5 6 7\n")
        let found = try InputFinder.find([folder.path])
        guard case .failure(_, let error)? = found.first else {
            Issue.record("\(found)")
            return
        }
        #expect(
            error.description.hasSuffix("but 1 document of other programs; give --documents to export it"), "\(error)")
        #expect(try InputFinder.find([folder.path], takesDocuments: true).count == 1)
    }

    @Test func linksInCirclesEnd() throws {
        let folder = ScratchFolder()
        folder.file("a/x.ink")
        folder.link("a/loop", to: folder.path)
        folder.link("a/self", to: ".")
        folder.link("b", to: "a")
        folder.link("dead.ink", to: "nowhere")
        let (inputs, _) = try find([folder.path], in: folder)
        #expect(inputs == ["a/x.ink in a", "dead.ink"])
    }

    @Test func listsNamePaths() throws {
        let folder = ScratchFolder()
        folder.file("d/x.ink")
        for mark in ["", "\u{FEFF}"] {
            let list = folder.file("list.txt", mark + "# comment\n\n\(folder("d"))\r\n\(folder("missing.ink"))\n")
            let (inputs, _) = try find(["@" + list], in: folder)
            #expect(inputs == ["d/x.ink", "missing.ink"])
        }
        #expect(throws: ExportError.self) { try InputFinder.find(["@"]) }
    }

    @Test(arguments: ["", "# only a comment\n", "a.ink\n-\n", "@other\n", "a\u{0}b\n"])
    func badListsAreRefused(text: String) {
        let folder = ScratchFolder()
        let list = folder.file("list.txt", text)
        #expect(throws: ExportError.self) { try InputFinder.find(["@" + list]) }
    }

    @Test("A list comes from a pipe as well, by descriptor or by name")
    func listsFromPipes() throws {
        let folder = ScratchFolder()
        folder.file("x.ink")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let text = Array("\(folder("x.ink"))\n".utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        defer { close(ends[0]) }
        #expect(try find(["@/dev/fd/\(ends[0])"], in: folder).inputs == ["x.ink"])
        let fifo = folder("fifo")
        try #require(mkfifo(fifo, 0o600) == 0)
        let writer = Thread {
            let file = open(fifo, O_WRONLY)
            _ = write(file, text, text.count)
            close(file)
        }
        writer.start()
        #expect(try find(["@" + fifo], in: folder).inputs == ["x.ink"])
    }

    @Test("A list in another encoding is called what it is")
    func listsInOtherEncodings() {
        let folder = ScratchFolder()
        let list = folder.file("list.txt", "a\u{0}.\u{0}i\u{0}n\u{0}k\u{0}")
        #expect(
            throws: ExportError.engine(
                .badInput(Place(file: list), reason: "a list of paths must be UTF-8 text, this is UTF-16"))
        ) { try InputFinder.find(["@" + list]) }
    }

    @Test("What cannot be looked at in a search is a failure, and the search goes on")
    func unreachableNames() throws {
        let folder = ScratchFolder()
        folder.file("a.ink")
        folder.file("z/b.ink")
        folder.link("circle", to: "circle")
        folder.link("dead", to: "nowhere")
        // A folder whose name is no text cannot be searched either.
        let name = Array(folder("").utf8) + [0xFF, 0]
        #expect(
            name.withUnsafeBufferPointer { $0.withMemoryRebound(to: CChar.self) { mkdir($0.baseAddress!, 0o700) } } == 0
        )
        let (inputs, failures) = try find([folder.path], in: folder)
        #expect(inputs == ["a.ink", "z/b.ink in z"])
        #expect(
            failures == [
                "\(folder("circle")): cannot look at: Too many levels of symbolic links",
                "\(folder("\u{FFFD}")): the name is not UTF-8",
            ])
    }

    @Test("A folder beyond the longest path is a failure")
    func deepFolders() throws {
        let folder = ScratchFolder()
        folder.file("a.ink")
        let name = String(repeating: "d", count: 200)
        var place = open(folder.path, O_RDONLY)
        for _ in 0..<21 {
            try #require(mkdirat(place, name, 0o700) == 0)
            let next = openat(place, name, O_RDONLY)
            close(place)
            place = next
        }
        close(place)
        let (inputs, failures) = try find([folder.path], in: folder)
        #expect(inputs == ["a.ink"])
        #expect(failures.count == 1 && failures[0].hasSuffix("/\(name): cannot look at: File name too long"))
    }

    @Test func emptyFoldersAreSaid() throws {
        let folder = ScratchFolder()
        folder.folder("empty")
        let (inputs, failures) = try find([folder("empty")], in: folder)
        #expect(inputs.isEmpty)
        #expect(failures.count == 1 && failures[0].contains("contains no project"))
    }

    @Test func pathsResolveBeyondWhatExists() {
        let folder = ScratchFolder()
        folder.folder("real")
        folder.link("alias", to: "real")
        #expect(FileSystem.resolved(folder("alias/x/y.png")) == folder("real/x/y.png"))
        #expect(FileSystem.resolved(folder("real/../alias/z.png")) == folder("real/z.png"))
    }
}
