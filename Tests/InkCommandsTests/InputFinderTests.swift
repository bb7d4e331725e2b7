import Foundation
import InkEngine
import InkSystem
import Testing

@testable import InkCommands

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
        #expect(throws: CommandError.self) { try InputFinder.find(["@"]) }
    }

    @Test(arguments: ["", "# only a comment\n", "a.ink\n-\n", "@other\n", "a\u{0}b\n"])
    func badListsAreRefused(text: String) {
        let folder = ScratchFolder()
        let list = folder.file("list.txt", text)
        #expect(throws: CommandError.self) { try InputFinder.find(["@" + list]) }
    }

    @Test func emptyFoldersAreSaid() throws {
        let folder = ScratchFolder()
        folder.folder("empty")
        let (inputs, failures) = try find([folder("empty")], in: folder)
        #expect(inputs.isEmpty)
        #expect(failures.count == 1 && failures[0].contains("holds no project"))
    }

    @Test func pathsResolveBeyondWhatExists() {
        let folder = ScratchFolder()
        folder.folder("real")
        folder.link("alias", to: "real")
        #expect(FileSystem.resolved(folder("alias/x/y.png")) == folder("real/x/y.png"))
        #expect(FileSystem.resolved(folder("real/../alias/z.png")) == folder("real/z.png"))
    }
}
