import Glibc
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// Documents that are read where no file can be opened: they ask for companions, and are read again with them.
@Suite struct CompanionTests {
    private let folder = ScratchFolder()

    /// What a reading gives, or its error.
    private enum Outcome: Equatable {
        case read(text: [UInt8], digest: [UInt8], warnings: [String], isSelfContained: Bool)
        case refused(EngineError)

        init(_ reading: () throws(EngineError) -> ProjectReading) {
            do throws(EngineError) {
                let found = try reading()
                self = .read(
                    text: try ProjectWriter.write(found.project), digest: found.contentDigest,
                    warnings: found.warnings.map(\.description), isSelfContained: found.isSelfContained)
            } catch {
                self = .refused(error)
            }
        }

        var isRead: Bool { if case .read = self { true } else { false } }
        var reason: String { if case .refused(let error) = self { error.description } else { "no error" } }
    }

    /// Reads a document in rounds with answers from a disk; `asked` gets the names of each round.
    private func inRounds(
        _ content: DocumentContent, _ name: String, _ companions: FolderCompanions, _ limits: Limits,
        asked: inout [[String]]
    ) -> Outcome {
        var answers: CompanionAnswers = [:]
        var rounds: [[String]] = []
        defer { asked = rounds }
        return Outcome { () throws(EngineError) in
            while true {
                let round = try ProjectLoader.load(content, name: name, companions: answers, limits: limits)
                guard case .needs(let names) = round else {
                    guard case .read(let reading) = round else { throw .internalError("no reading") }
                    return reading
                }
                rounds.append(names.map { "\($0.kind) " + String(decoding: $0.utf8, as: UTF8.self) })
                #expect(!names.isEmpty && Set(names).count == names.count)
                #expect(names.allSatisfy { answers[$0] == nil }, "asked twice: \(rounds)")
                for name in names { #expect(CompanionName(name.kind, utf8: name.utf8) == name) }
                guard rounds.count < ProjectLoader.roundsMax else { throw .internalError("too many rounds: \(rounds)") }
                companions.answer(names, limits: limits, into: &answers)
            }
        }
    }

    /// Reads the document at a path in both ways, which have to give the same; the names of each round.
    @discardableResult
    private func read(
        _ path: String, presetFolders: [String] = [], limits: Limits = Limits(), isRead: Bool = true,
        reason: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [[String]] {
        let expected = Outcome { () throws(EngineError) in
            try ProjectLoader.load(path: path, presetFolders: presetFolders, limits: limits)
        }
        #expect(expected.isRead == isRead, "\(expected.reason)", sourceLocation: sourceLocation)
        #expect(isRead || expected.reason.contains(reason), "\(expected.reason)", sourceLocation: sourceLocation)
        let (content, companions) = try ProjectLoader.open(path: path, presetFolders: presetFolders, limits: limits)
        var asked: [[String]] = []
        let found = inRounds(content, path, companions, limits, asked: &asked)
        #expect(found == expected, "\(found.reason)", sourceLocation: sourceLocation)
        return asked
    }

    private func text(_ layers: String, _ more: String = "") -> String {
        #"{"version":"1.2","canvasSize":{"width":64,"height":48}\#(more),"layers":[\#(layers)]}"#
    }

    private func image(_ name: String, width: Int = 5) { folder.write(name, pngHeader(width: width, height: 6)) }

    /// A picture of 433 bytes.
    private func large(_ name: String) {
        folder.write(name, pngHeader(width: 5, height: 6) + [UInt8](repeating: 0, count: 400))
    }

    // MARK: - Projects

    @Test("A project without companions asks for none")
    func alone() throws {
        #expect(try read(folder.write("p.ink", project())).isEmpty)
    }

    @Test("All pictures of a project are asked for at once, each once")
    func images() throws {
        for name in ["art/a.png", "b.png", "c.png"] { image(name) }
        let path = folder.write(
            "p.ink",
            text(
                #"{"contentFile":"art/a.png","contentPlacement":{"x":1},"maskFile":"./b.png"},{"contentFile":"b.png"}"#,
                #","baseFile":"c.png""#))
        #expect(try read(path) == [["image c.png", "image b.png", "image art/a.png"]])
    }

    @Test("Pictures and presets lie beside the path, then beside the file that a link leads to")
    func link() throws {
        image("real/a.png", width: 7)
        image("real/b.png")
        image("links/a.png")
        folder.write("real/brushes/a.json", #"{"id":"x","type":"dots"}"#)
        folder.write("links/brushes/a.json", #"{"id":"x","type":"waves"}"#)
        folder.write("links/brushes/b.json", #"{"id":"y","type":"waves"}"#)
        folder.write(
            "real/p.ink",
            text(#"{"contentFile":"a.png","maskFile":"b.png","strokes":[{"brush":{"preset":"x"},"points":[[1,2]]}]}"#))
        symlink("../real/p.ink", folder.path + "/links/p.ink")
        #expect(
            try read(folder.path + "/links/p.ink") == [
                ["image b.png", "image a.png", "presetFolders "],
                ["preset 0/a.json", "preset 0/b.json", "preset 1/a.json"],
            ])
    }

    @Test("Presets count in the order of their folders, and broken ones only where they are needed")
    func presets() throws {
        folder.write("first/a.json", #"{"id":"x","defaults":{"type":"dots","spacing":9}}"#)
        folder.write("second/a.json", #"{"id":"x","type":"solid"}"#)
        folder.write("second/b.json", #"{"id":"y","type":"waves","speed":1}"#)
        folder.write("second/torn.json", #"{"id":"torn","#)
        folder.write("second/.hidden.json", "{}")
        folder.write("brushes/y.json", #"{"id":"y","type":"crossHatch"}"#)
        folder.write("brushes/z.json", #"{"type":"crossHatch","defaults":{"spacing":-1}}"#)
        let folders = [folder.path + "/first", folder.path + "/second"]
        func path(_ brushes: String...) -> String {
            let strokes = brushes.map { #"{"brush":{\#($0)},"points":[[1,2]]}"# }.joined(separator: ",")
            return folder.write("p.ink", text(#"{"name":"Sky","strokes":[\#(strokes)]}"#))
        }
        let asked = try read(path(#""preset":"x""#, #""preset":"y","opacity":0.5"#), presetFolders: folders)
        #expect(
            asked == [
                ["presetFolders "],
                ["0/a.json", "1/a.json", "1/b.json", "1/torn.json", "2/y.json", "2/z.json"].map { "preset " + $0 },
            ])
        // The two ways agree in warnings and errors with all their places, too.
        try read(path(#""preset":"gone","type":"dots""#), presetFolders: folders)
        for (id, reason) in [
            ("gone", #"layers[0].strokes[0].brush.preset: there is no brush preset "gone" in "#),
            ("yy", "of a file there the id cannot be read: "), ("torn", "ends too early"), ("z", "must be above 0"),
            ("hatching", "ink preset show hatching"),
        ] {
            try read(path(#""preset":"\#(id)""#), presetFolders: folders, isRead: false, reason: reason)
        }
        try read(
            path(#""preset":"x""#), presetFolders: [folder.path + "/none"], isRead: false, reason: "read the folder")
        symlink("circle.json", folder.path + "/brushes/circle.json")
        try read(path(#""preset":"gone","type":"dots""#), isRead: false, reason: "brushes/circle.json")
    }

    @Test("A preset that is not found before it is known hides no picture behind it")
    func together() throws {
        folder.write("brushes/a.json", #"{"id":"x","type":"dots"}"#)
        image("b.png")
        let layer = #"{"strokes":[{"brush":{"preset":"x"},"points":[[1,2]]}]},{"contentFile":"b.png"}"#
        #expect(
            try read(folder.write("p.ink", text(layer))) == [
                ["presetFolders ", "image b.png"], ["preset 0/a.json"],
            ])
    }

    @Test("What is missing, wrong or too large is the error that it is where files are opened")
    func errors() throws {
        image("a.png")
        image("b.png")
        folder.write("text.png", "text")
        mkdir(folder.path + "/dir", 0o700)
        symlink("a.png", folder.path + "/link.png")
        func path(_ layers: String, _ more: String = "") -> String { folder.write("p.ink", text(layers, more)) }
        for (name, reason) in [
            ("none.png", #"layers[0].contentFile: there is no file "none.png""#), ("../x.png", "contains .."),
            ("text.png", "layers[0].contentFile"), ("dir", "is a folder"), ("link.png", "symbolic link"),
        ] {
            try read(path(#"{"contentFile":"\#(name)"}"#), isRead: false, reason: reason)
        }
        // The first error counts, whichever is known first.
        try read(path(#"{"contentFile":"none.png"},{"opacity":7}"#), isRead: false, reason: "there is no file")
        let asked = try read(path(#"{"opacity":7},{"contentFile":"none.png"}"#), isRead: false, reason: "opacity")
        #expect(asked.isEmpty)
        try read(
            folder.write("q.ink", #"{"version":"1.2","canvas":"infinite","baseFile":"a.png"}"#), isRead: false,
            reason: "an infinite canvas")
        var limits = Limits()
        let both = path(#"{"contentFile":"a.png","maskFile":"b.png"}"#)
        for name in ["a.png", "b.png"] { large(name) }
        limits.fileBytes = 700
        try read(both, limits: limits, isRead: false, reason: "a.png: the file is ")
        limits.fileBytes = 1000
        try read(both, limits: limits)
    }

    @Test("A project without a place has no folder, in both ways")
    func standardInput() {
        let bytes = Array(text(#"{"contentFile":"a.png"}"#).utf8)
        let expected = Outcome { () throws(EngineError) in try ProjectLoader.load(bytes: bytes) }
        #expect(expected.reason.contains("the project has no folder here"))
        var asked: [[String]] = []
        #expect(inRounds(.file(bytes), "standard input", FolderCompanions(), Limits(), asked: &asked) == expected)
        #expect(asked == [["image a.png"]])
    }

    @Test("A table that answers other questions than were asked is worth as much as none")
    func otherAnswers() throws {
        let bytes = Array(text(#"{"contentFile":"a.png"}"#).utf8)
        let name = try #require(CompanionName(.image, utf8: Array("a.png".utf8)))
        #expect(throws: EngineError.self) {
            try ProjectLoader.load(.file(bytes), name: "f", companions: [name: .success(.presetFolders([]))])
        }
        let hostile = PresetFolder(path: "f", isBeside: false, files: ["../a.json", "a/b.json", "x"])
        let stroke = Array(project(stroke: #""brush":{"preset":"x","type":"dots"}"#).utf8)
        for folders in [CompanionAnswer.missing, .presetFolders([hostile]), .file([1], path: "f")] {
            let round = try ProjectLoader.load(
                .file(stroke), name: "f", companions: [.presetFolders: .success(folders)])
            guard case .read(let reading) = round else {
                Issue.record("asks for more: \(round)")
                continue
            }
            #expect(reading.warnings.count == 1)
        }
    }

    @Test("Pictures have their limit together, whoever opened them")
    func limitOfGivenFiles() throws {
        let bytes = Array(text(#"{"contentFile":"a.png","maskFile":"b.png"}"#).utf8)
        let picture = pngHeader(width: 5, height: 6) + [UInt8](repeating: 0, count: 400)
        var answers: CompanionAnswers = [:]
        for name in ["a.png", "b.png"] {
            answers[try #require(CompanionName(.image, utf8: Array(name.utf8)))] = .success(
                .file(picture, path: "f/" + name))
        }
        var limits = Limits()
        limits.fileBytes = 700
        #expect(
            throws: EngineError.overLimit(
                Place(file: "f/a.png"), what: "the file", found: "433 bytes", limit: "267 bytes")
        ) {
            try ProjectLoader.load(.file(bytes), name: "f", companions: answers, limits: limits)
        }
    }

    // MARK: - Templates

    private func template(_ manifest: String, _ pictures: String...) -> String {
        folder.write("t.inktemplate/manifest.json", manifest)
        for picture in pictures { image("t.inktemplate/" + picture, width: 8) }
        return folder.path + "/t.inktemplate"
    }

    @Test("A template asks for its manifest, then for its pictures, then for those of second names")
    func templateFolder() throws {
        let path = template(
            #"{"layers":[{"id":"a","name":"A"},{"id":"b","name":"B"},{"mask":"m.png"},{"name":"C"}]}"#,
            "base.png", "layers/a_mask.png", "layers/B_mask.png", "m.png")
        let masks = ["a", "b"].map { "folderFile layers/\($0)_mask.png" }
        #expect(
            try read(path) == [
                ["folderFile manifest.json"],
                ["folderFile base.png"] + masks + ["folderFile m.png", "folderFile layers/C_mask.png"],
                ["folderFile layers/B_mask.png"],
            ])
    }

    @Test("A template in a folder of its folder is found, and two are an error")
    func topFolder() throws {
        folder.write("t.inktemplate/Ocean/manifest.json", #"{"layers":[{"id":"a"}]}"#)
        image("t.inktemplate/Ocean/base.png")
        image("t.inktemplate/Ocean/layers/a_mask.png")
        try read(folder.path + "/t.inktemplate")
        folder.write("t.inktemplate/Other/manifest.json", "{}")
        try read(folder.path + "/t.inktemplate", isRead: false, reason: "the folder holds 2 templates")
    }

    @Test(arguments: [
        (#"{"layers":[]}"#, "is missing, and there is no base image"),
        (#"{"canvasSize":{"width":1,"height":1},"baseImage":"none.png"}"#, #"there is no file "none.png""#),
        (#"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"none.png"},{"opacity":3}]}"#, "layers[0].mask"),
        (#"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"../x.png"}]}"#, "contains .."),
        (#"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"link.png"}]}"#, "symbolic link"),
        (#"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"text.png"}]}"#, "text.png"),
        ("{", "manifest.json"),
    ])
    func templateErrors(manifest: String, reason: String) throws {
        let path = template(manifest)
        folder.write("t.inktemplate/text.png", "text")
        symlink("text.png", folder.path + "/t.inktemplate/link.png")
        try read(path, isRead: false, reason: reason)
    }

    @Test("A folder without a manifest is no template")
    func noManifest() throws {
        folder.write("t/x", "")
        try read(folder.path + "/t", isRead: false, reason: "there is no manifest.json in it")
    }

    @Test("The pictures of a template have a limit together")
    func templateLimit() throws {
        let path = template(
            #"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"m.png"},{"mask":"n.png"}]}"#)
        for name in ["m", "n"] { large("t.inktemplate/\(name).png") }
        var limits = Limits()
        limits.fileBytes = 700
        try read(path, limits: limits, isRead: false, reason: "n.png: the file is ")
        limits.fileBytes = 1000
        try read(path, limits: limits)
    }
}
