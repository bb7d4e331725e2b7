import Glibc
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct TemplateReaderTests {
    private let base = pngHeader(width: 100, height: 80, colorType: 2)
    private let mask = pngHeader(width: 50, height: 40)
    private let manifest = """
        {"id":"t1","name":"Ocean","author":"A","metadata":{"author":"B","license":"CC0"},"layers":[
          {"id":"sky","name":"Sky","order":2,"opacity":0.5,"blendMode":"multiply","suggestedPattern":{"type":"dots"}},
          {"id":"sea","name":"Sea","order":1,"mask":"layers/special.png"},
          {"id":"no/file","name":"Land"},
          {"name":"Bare"}]}
        """

    private var files: [(String, [UInt8])] {
        [
            ("manifest.json", Array(manifest.utf8)), ("base.png", base), ("layers/sky_mask.png", mask),
            ("layers/special.png", mask), ("layers/Land_mask.png", mask), ("guide.png", [1, 2, 3]),
        ]
    }

    private func check(_ reading: ProjectReading) {
        let project = reading.project
        #expect(project.id == "t1" && project.name == "Ocean")
        #expect(project.metadata == ProjectMetadata(author: "A", license: "CC0"))
        #expect(project.canvasSize == CanvasSize(width: 100, height: 80))
        #expect(project.baseImage?.bytes == base && project.baseImage?.place == "base.png")
        #expect(project.layers.map(\.name) == ["Sky", "Sea", "Land", "Bare"])
        #expect(
            project.layers.map { $0.maskImage?.place } == [
                "layers/sky_mask.png", "layers/special.png", "layers/Land_mask.png", nil,
            ])
        #expect(project.layers[0].opacity == 0.5 && project.layers[0].blendMode == .multiply)
        #expect(project.layers[0].suggestedPattern == SuggestedPattern(type: .dots))
        #expect(project.layers.allSatisfy { $0.contentImage == nil && $0.strokes.isEmpty })
        #expect(
            reading.warnings.map(\.description) == [
                #"manifest.json: layers[3]: layer "Bare" has no mask, there is no layers/Bare_mask.png"#
            ])
    }

    private func zip(_ files: [(String, [UInt8])]) -> [UInt8] {
        StoredZip(entries: files.map { StoredZip.Entry(name: $0.0, bytes: $0.1) }).bytes
    }

    private func message(_ body: () throws(EngineError) -> ProjectReading) -> String {
        do throws(EngineError) {
            _ = try body()
            return "no error"
        } catch {
            return error.description
        }
    }

    @Test func theDigestTellsEveryFileThatIsRead() throws {
        func digest(_ files: [(String, [UInt8])]) throws -> [UInt8] {
            try ProjectLoader.load(bytes: zip(files), name: "t.zip").contentDigest
        }
        let whole = try digest(files)
        for (index, file) in files.enumerated() {
            var changed = files
            changed[index].1 =
                file.0.hasSuffix("json")
                ? file.1 + [32]
                : file.1.count < 9 ? [4] : pngHeader(width: 60, height: 40, colorType: file.0 == "base.png" ? 2 : 0)
            #expect(try (digest(changed) == whole) == (file.0 == "guide.png"), "\(file.0)")
        }
    }

    @Test func anImageIsReadOnceAndAllTogetherHaveALimit() throws {
        let layers = (0..<999).map { #"{"name": "\#($0)", "mask": "m.png"}"# }.joined(separator: ",")
        let large = mask + [UInt8](repeating: 0, count: 100_000)
        func files(_ layers: String, _ names: [String]) -> [(String, [UInt8])] {
            [("manifest.json", Array("{\"layers\": [\(layers)]}".utf8)), ("base.png", base)] + names.map { ($0, large) }
        }
        var limits = Limits()
        limits.fileBytes = 200_000
        let folder = ScratchFolder()
        let (one, two) = (files(layers, ["m.png"]), files(layers + #", {"mask": "n.png"}"#, ["m.png", "n.png"]))
        for (name, bytes) in one { folder.write("many.inktemplate/" + name, bytes) }
        for (name, bytes) in two { folder.write("two.inktemplate/" + name, bytes) }
        for path in [folder.path + "/many.inktemplate", folder.write("many.zip", zip(one))] {
            let reading = try TemplateReader.read(path: path, limits: limits)
            #expect(reading.project.layers.count == 999)
            #expect(reading.project.layers.allSatisfy { $0.maskImage?.bytes == large })
        }
        let error = message { () throws(EngineError) in
            try TemplateReader.read(path: folder.path + "/two.inktemplate", limits: limits)
        }
        #expect(error.contains("n.png") && error.contains("limit"), "\(error)")
    }

    @Test func aFolderAndAnArchiveReadTheSame() throws {
        let folder = ScratchFolder()
        for (name, bytes) in files { folder.write("ocean.inktemplate/" + name, bytes) }
        let fromFolder = try ProjectLoader.load(path: folder.path + "/ocean.inktemplate")
        check(fromFolder)
        let fromArchive = try ProjectLoader.load(path: folder.write("ocean.zip", zip(files)))
        check(fromArchive)
        let nested = files.map { ("Ocean/" + $0.0, $0.1) } + [("__MACOSX/manifest.json", [0])]
        let fromTopFolder = try ProjectLoader.load(bytes: zip(nested))
        check(fromTopFolder)
        #expect(fromFolder.contentDigest == fromArchive.contentDigest)
        #expect(fromFolder.contentDigest == fromTopFolder.contentDigest)
    }

    /// Reads the same files as a folder and as an archive, which have to give the same.
    private func readBoth(
        _ files: [(String, [UInt8])], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ProjectReading {
        let folder = ScratchFolder()
        for (name, bytes) in files { folder.write("t.inktemplate/" + name, bytes) }
        let fromFolder = try ProjectLoader.load(path: folder.path + "/t.inktemplate")
        let fromArchive = try ProjectLoader.load(bytes: zip(files), name: "t.zip")
        #expect(fromFolder.contentDigest == fromArchive.contentDigest, sourceLocation: sourceLocation)
        #expect(fromFolder.warnings == fromArchive.warnings, sourceLocation: sourceLocation)
        return fromArchive
    }

    @Test("A name is found whether its accents are written in one piece or in two")
    func accents() throws {
        let (one, two) = ("\u{E9}t\u{E9}", "e\u{301}te\u{301}")
        for (id, name) in [(one, two), (two, one), (one, one)] {
            let manifest =
                #"{"canvasSize":{"width":9,"height":9},"layers":[{"id":"\#(id)"}],"baseImage":"\#(id)/b.png"}"#
            let reading = try readBoth([
                ("manifest.json", Array(manifest.utf8)), ("layers/\(name)_mask.png", mask), ("\(name)/b.png", base),
            ])
            #expect(reading.warnings.isEmpty && reading.project.layers[0].maskImage?.bytes == mask)
        }
        // Where both are there, they are two files.
        let other = pngHeader(width: 10, height: 10)
        let manifest = #"{"canvasSize":{"width":9,"height":9},"layers":[{"mask":"\#(one)"},{"mask":"\#(two)"}]}"#
        for files in [[(one, mask), (two, other)], [(two, other), (one, mask)]] {
            let layers = try readBoth([("manifest.json", Array(manifest.utf8))] + files).project.layers
            #expect(layers.map { $0.maskImage?.bytes } == [mask, other])
        }
    }

    @Test("Folders whose names read the same are two, in an archive too")
    func foldersThatReadTheSame() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        let manifest = #"{"canvasSize":{"width":9,"height":9},"layers":[{"id":"l"}]}"#
        // The mask lies beside the template, not in it.
        let top = try readBoth([("\(two)/manifest.json", Array(manifest.utf8)), ("\(one)/layers/l_mask.png", mask)])
        #expect(top.warnings.count == 1 && top.project.layers[0].maskImage == nil)
        // Of a name that is there nothing else is looked for, even if the folder lacks the file.
        let named = #"{"canvasSize":{"width":9,"height":9},"layers":[{"id":"\#(one)/l"}]}"#
        let inside = try readBoth([
            ("manifest.json", Array(named.utf8)), ("layers/\(two)/l_mask.png", mask), ("layers/\(one)/b.png", mask),
        ])
        #expect(inside.warnings.count == 1 && inside.project.layers[0].maskImage == nil)
    }

    @Test("Nothing lies below a file, in a folder as in an archive")
    func belowAFile() throws {
        let manifest = #"{"canvasSize":{"width":9,"height":9},"layers":[{"id":"l"}]}"#
        let reading = try readBoth([("manifest.json", Array(manifest.utf8)), ("layers", mask)])
        #expect(reading.warnings.count == 1 && reading.project.layers[0].maskImage == nil)
    }

    @Test("Of entries of one name the last counts, as where an archive is unpacked")
    func entriesTwice() throws {
        let (old, new) = (pngHeader(width: 10, height: 10), mask)
        for prefix in ["", "Ocean/"] {
            let twice = [
                ("\(prefix)manifest.json", Array(#"{"name":"Old"}"#.utf8)), ("\(prefix)layers/sky_mask.png", old),
                ("\(prefix)base.png", base), ("\(prefix)layers/special.png", mask),
                ("./\(prefix)manifest.json", Array(manifest.utf8)),
                ("\(prefix)layers/./sky_mask.png", new),
            ]
            let project = try ProjectLoader.load(bytes: zip(twice), name: "t.zip").project
            #expect(project.name == "Ocean" && project.layers[0].maskImage?.bytes == new)
        }
    }

    @Test("What archives hold beside the files changes nothing")
    func entriesBeside() throws {
        let expected = try ProjectLoader.load(bytes: zip(files), name: "t.zip").contentDigest
        let beside: [StoredZip.Entry] = [
            .init(name: "./", bytes: []), .init(name: "layers/", bytes: [], mode: 0o40755),
            .init(name: "Icon\r", bytes: [1]), .init(name: ".DS_Store", bytes: [1]),
            .init(name: "__MACOSX/._manifest.json", bytes: [1]), .init(name: "._manifest.json", bytes: [1]),
            .init(name: "latest", bytes: Array("base.png".utf8), mode: 0o120777),
        ]
        let all = StoredZip(entries: beside + files.map { .init(name: $0.0, bytes: $0.1) } + beside).bytes
        #expect(try ProjectLoader.load(bytes: all, name: "t.zip").contentDigest == expected)
    }

    @Test("A template that was unpacked into a folder in a folder is read like its archive")
    func topFolder() throws {
        let nested = files.map { ("Ocean/" + $0.0, $0.1) } + [("__MACOSX/manifest.json", [0])]
        check(try readBoth(nested))
        let folder = ScratchFolder()
        for name in ["a", "b"] { folder.write("t.inktemplate/\(name)/manifest.json", manifest) }
        #expect(
            message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t.inktemplate") }
                == folder.path + "/t.inktemplate: the folder holds 2 templates, must hold one")
    }

    @Test("A path that leads through a link or to a folder is refused in an archive as in a folder")
    func archivedLinks() {
        let manifest = StoredZip.Entry(
            name: "manifest.json", bytes: Array(#"{"canvasSize":{"width":1,"height":1},"layers":[{"id":"sky"}]}"#.utf8))
        func text(_ entries: [StoredZip.Entry]) -> String {
            message { () throws(EngineError) in
                try ProjectLoader.load(bytes: StoredZip(entries: [manifest] + entries).bytes, name: "t.zip")
            }
        }
        #expect(
            text([
                .init(name: "layers", bytes: Array("x".utf8), mode: 0o120777),
                .init(name: "x/sky_mask.png", bytes: mask),
            ])
                == "t.zip: layers/sky_mask.png: lies behind a symbolic link, which a bundle must not have")
        #expect(
            text([.init(name: "layers/sky_mask.png/x", bytes: [])])
                == "t.zip: layers/sky_mask.png: is a folder, not a regular file")
    }

    @Test func theCanvasSizeOfTheManifestCounts() throws {
        let manifest = #"{"canvasSize":{"width":7,"height":9},"baseImage":"art/b.png","layers":null}"#
        let reading = try ProjectLoader.load(
            bytes: zip([("manifest.json", Array(manifest.utf8)), ("art/b.png", base)]))
        #expect(reading.project.canvasSize == CanvasSize(width: 7, height: 9))
        #expect(reading.project.baseImage?.place == "art/b.png")
    }

    @Test(arguments: [
        ("/etc/passwd", "is absolute, must be inside the bundle"),
        ("C:/x.png", "is absolute, must be inside the bundle"),
        ("../x.png", "contains .., must be inside the bundle"),
        ("layers/../../x.png", "contains .., must be inside the bundle"),
        ("../\u{301}x.png", "contains .., must be inside the bundle"),
        ("layers\\\\x.png", "contains a backslash, folders are separated by /"),
        ("layers/x\\u0000.png", "contains a control character"),
        ("", "is empty"), ("./", "is empty"),
    ])
    func aPathThatLeavesTheBundleIsRefused(path: String, reason: String) {
        let folder = ScratchFolder()
        folder.write("t/manifest.json", #"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"\#(path)"}]}"#)
        let text = message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t") }
        #expect(text.hasPrefix(folder.path + "/t/manifest.json: layers[0].mask: the path "))
        #expect(text.hasSuffix(reason), "\(text)")
    }

    @Test(arguments: ["preview", "guide"])
    func soIsOneThatIsNotRead(key: String) {
        let folder = ScratchFolder()
        folder.write("t/manifest.json", #"{"canvasSize":{"width":1,"height":1},"\#(key)":"../../x.png"}"#)
        let text = message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t") }
        #expect(text.hasSuffix("contains .., must be inside the bundle"), "\(text)")
        folder.write("t/manifest.json", #"{"canvasSize":{"width":1,"height":1},"\#(key)":{"png":"gone.png"}}"#)
        #expect(throws: Never.self) { try ProjectLoader.load(path: folder.path + "/t") }
    }

    @Test(arguments: [false, true])
    func aLinkInTheFolderIsRefused(isFolderLink: Bool) {
        let folder = ScratchFolder()
        folder.write("outside/sky_mask.png", mask)
        folder.write("t/manifest.json", #"{"canvasSize":{"width":1,"height":1},"layers":[{"id":"sky"}]}"#)
        if isFolderLink {
            symlink("../outside", folder.path + "/t/layers")
        } else {
            mkdir(folder.path + "/t/layers", 0o700)
            symlink("../../outside/sky_mask.png", folder.path + "/t/layers/sky_mask.png")
        }
        let text = message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t") }
        #expect(
            text == folder.path
                + "/t: layers/sky_mask.png: is or lies behind a symbolic link, which a bundle must not have")
    }

    @Test func aPipeInTheFolderIsRefused() {
        let folder = ScratchFolder()
        folder.write("t/manifest.json", #"{"canvasSize":{"width":1,"height":1}}"#)
        mkfifo(folder.path + "/t/base.png", 0o600)
        let text = message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t") }
        #expect(text == folder.path + "/t/base.png: is a named pipe, not a regular file")
    }

    @Test func aFileThatIsMissingIsNamed() {
        let folder = ScratchFolder()
        let manifest = folder.write(
            "t/manifest.json", #"{"canvasSize":{"width":1,"height":1},"layers":[{"mask":"m.png"}]}"#)
        #expect(
            message { () throws(EngineError) in try ProjectLoader.load(path: folder.path + "/t") }
                == manifest + #": layers[0].mask: there is no file "m.png" in the template"#)
        #expect(
            message { () throws(EngineError) in try ProjectLoader.load(path: folder.path) }
                == folder.path + ": there is no manifest.json in it, it is not a template")
    }

    @Test func aManifestAloneIsNoProject() {
        let folder = ScratchFolder()
        let path = folder.write("a.inktemplate/manifest.json", Array(manifest.utf8))
        let text = message { () throws(EngineError) in try ProjectLoader.load(path: path) }
        #expect(text.hasSuffix("is the manifest of a template; give the whole of it, \(folder.path)/a.inktemplate"))
    }

    @Test func badArchivesAreRefused() {
        func check(_ entries: [StoredZip.Entry], _ expected: String, limits: Limits = Limits()) {
            let bytes = StoredZip(entries: entries).bytes
            let text = message { () throws(EngineError) in
                try ProjectLoader.load(bytes: bytes, name: "t.zip", limits: limits)
            }
            #expect(text == "t.zip" + expected)
        }
        let manifest = StoredZip.Entry(
            name: "manifest.json", bytes: Array(#"{"canvasSize":{"width":1,"height":1}}"#.utf8))
        check([], ": there is no manifest.json in it, it is not a template")
        check([manifest, .init(name: "../x", bytes: [])], ": ../x: the name contains .., must be inside the bundle")
        check([manifest, .init(name: "/x", bytes: [])], ": /x: the name is absolute, must be inside the bundle")
        check(
            [manifest, .init(name: "a\\x", bytes: [])],
            ": a\\x: the name contains a backslash, folders are separated by /")
        check(
            [manifest, .init(name: "base.png", bytes: Array("/etc/passwd".utf8), mode: 0o120777)],
            ": base.png: is a symbolic link, which a bundle must not have")
        check([manifest, .init(name: "base.png", bytes: mask, isEncrypted: true)], ": base.png: is encrypted")
        check(
            [manifest, .init(name: "base.png", bytes: mask, isChecksumWrong: true)],
            ": base.png: cannot be unpacked: its data are damaged")
        check(
            [.init(name: "a/manifest.json", bytes: [1]), .init(name: "b/manifest.json", bytes: [1])],
            ": the archive holds 2 templates, must hold one")
        check(
            [manifest, .init(name: "base.png", bytes: mask, claimedSize: 1 << 26)],
            ": base.png: the unpacked file is 2033601 times its packed size, the limit is 200 times")
        var limits = Limits()
        limits.archiveEntries = 1
        check(
            [manifest, .init(name: "x", bytes: [])], ": the number of files in the archive is 2, the limit is 1",
            limits: limits)
        limits = Limits()
        limits.fileBytes = 300
        check(
            [manifest, .init(name: "base.png", bytes: mask, claimedSize: 1 << 30)],
            ": base.png: the unpacked file is 1073741824 bytes, the limit is \(300 - manifest.bytes.count) bytes, what the "
                + "other files leave of 300",
            limits: limits)
    }

    @Test func randomDamageIsReadOrRefused() throws {
        let seed: UInt64 = 46
        var random = SeededGenerator(seed: seed)
        let original = zip([("manifest.json", Array(manifest.utf8)), ("base.png", base), ("layers/special.png", mask)])
        let good = try ProjectLoader.load(bytes: original, name: "t.zip").contentDigest
        var refused = 0
        for round in 0..<1_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do throws(EngineError) {
                // What is read in spite of damage is the same files or fewer: the checksums see to that.
                let reading = try ProjectLoader.load(bytes: bytes, name: "t.zip")
                #expect(reading.contentDigest == good || reading.warnings.count > 1, "seed \(seed), round \(round)")
            } catch {
                refused += 1
            }
        }
        #expect(refused > 500)
    }

    @Test func damagedArchivesNeverPass() {
        let bytes = zip([("manifest.json", Array(manifest.utf8)), ("base.png", base), ("layers/special.png", mask)])
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: EngineError.self, "\(count) of \(bytes.count) bytes") {
                try ProjectLoader.load(bytes: Array(bytes[..<count]), name: "t.zip")
            }
        }
    }
}
