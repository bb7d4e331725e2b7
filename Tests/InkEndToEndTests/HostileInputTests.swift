import Foundation
import InkTestSupport
import Testing

/// Damaged and lying input through the real executable: one line that names file and place, the right exit code, little
/// memory, nothing left behind, and the others of a bulk done.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct HostileInputTests {
    /// Files in Data/png whose pixels are sound, whatever else is odd about them.
    private static let sound: Set = [
        "png-64-good", "regression-palette-8", "small-palette-1", "small-palette-2", "small-palette-8",
        "test-palette-1", "test-palette-4", "test-palette-8", "s03i3p01",
    ]

    private static func isSound(_ path: String) -> Bool {
        sound.contains(String(path.split(separator: "/")[1].dropLast(4)))
    }

    private static let damaged = EndToEndData.pngs(in: "png").filter { !isSound($0) }
    private static let everything = EndToEndData.pngs(in: "png") + EndToEndData.pngs(in: "png-fuzz")

    @Test func theFilesAreThere() {
        #expect(Self.damaged.count == 31)
        #expect(Self.everything.count == 100)
    }

    @Test(arguments: damaged)
    func aDamagedPictureIsRefusedWithItsPlace(_ path: String) throws {
        let png = try EndToEndData.bytes(path)
        for place in ImagePlace.allCases {
            let folder = try EndToEndFolder()
            let project = try folder.file("p.ink", place.project(png))
            try refuses(["export", project, "-o", folder("out")], "\(project): \(place.path)", folder)
            guard let inside = place.templatePath else { continue }
            let template = try Self.template("t.inktemplate", inside, png, folder)
            try refuses(
                ["export", template, "-o", folder("out"), "--fill", "suggested"], "\(template): \(inside)", folder)
        }
    }

    /// One line that begins so, exit code 65, and no output.
    private func refuses(_ arguments: [String], _ beginning: String, _ folder: EndToEndFolder) throws {
        let before = folder.files
        let result = try InkProcess.run(arguments + ["--quiet"], limits: .halfGigabyte)
        #expect(result.code == 65, "\(result.error)")
        #expect(result.error.hasPrefix("ink: error: \(beginning): "), "\(result.error)")
        #expect(result.error.count { $0 == "\n" } == 1 && result.error.hasSuffix("\n"), "\(result.error)")
        #expect(result.output.isEmpty)
        #expect(folder.files == before)
    }

    /// A template folder of a base, one mask and a manifest, in which `path` holds `png`.
    private static func template(
        _ name: String, _ path: String, _ png: [UInt8], _ folder: EndToEndFolder
    ) throws -> String {
        let good = try EndToEndData.bytes("png/png-64-good.png")
        try folder.file(
            "\(name)/manifest.json",
            """
            {"canvasSize": {"width": 40, "height": 40}, "layers": [{"id": "a",
             "suggestedPattern": {"type": "dots", "rotation": 0, "spacing": 8, "color": "#336699"}}]}
            """)
        for inside in ["base.png", "layers/a_mask.png"] {
            try folder.file("\(name)/\(inside)", inside == path ? png : good)
        }
        return folder(name)
    }

    @Test func inABulkTheGoodOnesAreExportedAndEachBadOneIsNamedOnce() throws {
        let folder = try EndToEndFolder()
        var bad: [String] = []
        for path in Self.everything {
            let png = try EndToEndData.bytes(path)
            let stem = path.replacingOccurrences(of: "/", with: "-").dropLast(4)
            for place in ImagePlace.allCases {
                let name = "\(stem)-\(place.rawValue)"
                try folder.file("in/\(name).ink", place.project(png))
                if !Self.isSound(path) { bad.append("\(name).ink") }
            }
            let name = "\(stem).inktemplate"
            _ = try Self.template("in/\(name)", "base.png", png, folder)
            if !Self.isSound(path) { bad.append(name) }
        }
        for number in 1...3 { try folder.file("in/good-\(number).ink", GoodProject.small) }
        let report = folder("report.json")
        let result = try InkProcess.run(
            ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--quiet", "--report", report],
            limits: .halfGigabyte)
        #expect(result.code == 65)
        // Those of one cause are said a few times and then counted.
        let lines = result.error.split(separator: "\n")
        #expect(lines.count < folder.files(in: "in").count / 2, "\(lines.count)")
        struct Fault: Decodable { var reason: String }
        struct Entry: Decodable {
            var input: String
            var error: Fault?
        }
        struct Report: Decodable { var exports: [Entry] }
        let entries = try JSONDecoder().decode(Report.self, from: Data(try folder.read("report.json"))).exports
        // Fuzzed files may be sound by chance, but never both refused and exported, nor neither.
        var exported: Set<String> = []
        for name in folder.files(in: "in") {
            let stem = name.prefix(upTo: name.lastIndex(of: ".")!)
            let refusals = entries.filter { $0.input == folder("in/" + name) && $0.error != nil }
            let isExported = folder.files(in: "out").contains("\(stem)-1x.png")
            #expect(refusals.count == (isExported ? 0 : 1), "\(name)")
            if isExported { exported.insert(name) }
            if bad.contains(name), !name.hasPrefix("png-fuzz") { #expect(!isExported, "\(name)") }
            if !bad.contains(name) { #expect(isExported, "\(name)") }
        }
        #expect(folder.files(in: "out").count == exported.count)
        for file in folder.files(in: "out") { _ = try SimplePNG.read(folder.read("out/" + file)) }
    }

    private static let otherFiles: [(file: String, name: String, words: String)] = [
        ("files/ora-traversal.ora", "t.zip", "the name contains .."),
        ("files/ora-traversal.ora", "t.ink", "is an OpenRaster picture, not an Ink project"),
        ("files/ora-missing-layer.ora", "t.zip", "is missing"),
        ("files/svg-billion-laughs.svg", "t.ink", "is an SVG drawing, not an Ink project"),
        ("files/zstd-claims-2e62.zst", "t.ink", "is a zstd file, not an Ink project"),
        ("files/combined_larger_than_size.psd", "t.ink", "is a Photoshop file, not an Ink project"),
        ("png/png-64-good.png", "t.ink", "is a PNG picture, not an Ink project"),
        ("png/png-64-good.png", "t.zip", "is not a zip archive"),
        ("png/png-empty.png", "t.ink", "the file is empty"),
        ("png/png-empty.png", "t.zip", "the file is empty"),
        ("files/drawings.ndjson", "t.ink", "holds drawings of Quick, Draw!, is not an Ink project; ink import makes"),
    ]

    @Test(arguments: otherFiles)
    func aFileOfAnotherKindIsRefused(file: String, name: String, words: String) throws {
        let folder = try EndToEndFolder()
        let path = try folder.file(name, EndToEndData.bytes(file))
        let result = try InkProcess.run(["export", path, "-o", folder("out"), "--quiet"], limits: .halfGigabyte)
        #expect(result.code == 65)
        #expect(result.error.hasPrefix("ink: error: \(path): ") && result.error.contains(words), "\(result.error)")
        #expect(result.error.count { $0 == "\n" } == 1)
        #expect(folder.files == [name])
    }

    @Test(arguments: ["[", "{\"layers\":"])
    func nestingIsRefusedWithoutRunningOutOfStack(_ opening: String) throws {
        let folder = try EndToEndFolder()
        let path = try folder.file("deep.ink", String(repeating: opening, count: 100_000))
        let result = try InkProcess.run(["export", path, "--quiet"], limits: .halfGigabyte)
        #expect(result.code == 65)
        #expect(result.error.contains("the depth of arrays and objects"), "\(result.error)")
        #expect(result.error.count < 1000)
    }

    @Test func aProjectCutAnywhereIsRefused() throws {
        let folder = try EndToEndFolder()
        let text = Array(GoodProject.small.utf8)
        let cuts = stride(from: 1, to: text.count, by: 23)
        for cut in cuts { try folder.file("in/cut-\(cut).ink", Array(text[..<cut])) }
        let result = try InkProcess.run(["export", folder("in"), "-o", folder("out"), "--quiet"])
        #expect(result.code == 65)
        let lines = result.error.split(separator: "\n")
        for cut in cuts {
            #expect(lines.count { $0.contains("/cut-\(cut).ink: ") } == 1, "the first \(cut) bytes")
        }
        #expect(folder.files == ["in"])
    }

    @Test func drawingsThatAreOddAreImportedAndBrokenOnesNamed() throws {
        let folder = try EndToEndFolder()
        for name in ["far", "one-point", "time-backwards"] {
            let file = EndToEndData.path("files/strokes-\(name).ndjson")
            #expect(try InkProcess.run(["import", file, "-o", folder("in"), "--quiet"]).code == 0)
        }
        let broken = EndToEndData.path("files/strokes-lengths-differ.ndjson")
        let refused = try InkProcess.run(["import", broken, "-o", folder("in"), "--quiet"])
        #expect(refused.code == 65)
        #expect(refused.error.hasPrefix("ink: error: \(broken): line 1, drawing[0]: "), "\(refused.error)")
        let result = try InkProcess.run(
            ["export", folder("in"), "-o", folder("out"), "--size", "1024x1024", "--quiet"], limits: .halfGigabyte)
        #expect(result.code == 0, "\(result.error)")
        let pictures = folder.files(in: "out")
        #expect(pictures.count == 3)
        for name in pictures {
            // Each leaves ink, a single point too.
            #expect(try SimplePNG.read(folder.read("out/" + name)).samples.contains { $0 < 200 }, "\(name)")
        }
    }
}
