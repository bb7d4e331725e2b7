import InkEngine
import InkTestSupport
import Testing

@testable import InkCommands

struct ExportPlanTests {
    private func arguments(_ options: [String]) throws -> ExportArguments {
        guard case .command(let parsed) = try CommandLineParser.parse(["export", "PATH"] + options, program: .ink)
        else { throw CommandError.usage("no command") }
        return try ExportArguments(parsed)
    }

    private func outputs(
        _ inputs: [ExportInput], _ options: [String], outlines: [Int: ProjectOutline] = [:]
    ) throws -> [String] {
        try ExportPlan(
            inputs: inputs, outlines: outlines, arguments: try arguments(options), resolve: { $0 }
        ).pictures.map(\.output)
    }

    @Test func picturesLieBesideTheirProjects() throws {
        let inputs = [ExportInput(path: "a/b.ink"), ExportInput(path: "c.zip"), ExportInput(path: "/d/E.INKTEMPLATE/")]
        #expect(try outputs(inputs, []) == ["a/b-2k.png", "c-2k.png", "/d/E-2k.png"])
    }

    @Test func outputTreeMirrorsInputTree() throws {
        let inputs = [ExportInput(path: "in/x/y/a.ink", tree: ["x", "y"]), ExportInput(path: "in/b.ink")]
        #expect(
            try outputs(inputs, ["-o", "out/", "--size", "1x,4k"])
                == ["out/x/y/a-1x.png", "out/x/y/a-4k.png", "out/b-1x.png", "out/b-4k.png"])
    }

    @Test func placeholdersAreFilled() throws {
        let outline = ProjectOutline(id: "id/1", title: "../My \u{1b}title", layers: [])
        #expect(
            try outputs(
                [ExportInput(path: "/x/pictures/a.b.ink")],
                ["-o", "o", "--name", "{dir}/{name} {title} {id} {size} {n}.png"], outlines: [0: outline])
                == ["o/pictures/a.b _._My _title id_1 2k 1.png"])
    }

    @Test func eachVisibleLayerIsAPicture() throws {
        let outline = ProjectOutline(
            id: "", title: "",
            layers: [
                .init(id: "1", name: "Sky", isVisible: true), .init(id: "2", name: "Sea", isVisible: false),
                .init(id: "3", name: "", isVisible: true),
            ])
        #expect(
            try outputs([ExportInput(path: "a.ink")], ["--each-layer"], outlines: [0: outline])
                == ["a-Sky-2k.png", "a-3-2k.png"])
    }

    @Test func aLayerThatHasBecomeAnotherIsNotTakenForIt() throws {
        let sky = ProjectOutline.LayerOutline(id: "1", name: "Sky", isVisible: true)
        let sea = ProjectOutline.LayerOutline(id: "2", name: "Sea", isVisible: true)
        let planned = ChosenLayer(index: 1, outline: sea)
        func drawn(_ layers: [ProjectOutline.LayerOutline]) throws -> [Int]? {
            try LayerChoice.each.drawnLayers(
                of: ProjectOutline(id: "", title: "", layers: layers), layer: planned, file: "a.ink")
        }
        #expect(try drawn([sky, sea]) == [1])
        for layers in [[sea, sky], [sky], [], [sky, .init(id: "2", name: "Sea", isVisible: false)]] {
            #expect(throws: CommandError.self) { try drawn(layers) }
        }
    }

    @Test func namesThatNoFileGetsNeedNotDiffer() throws {
        let inputs = [ExportInput(path: "a/x.ink"), ExportInput(path: "b/x.ink")]
        let plan = try ExportPlan(inputs: inputs, outlines: [:], arguments: try arguments(["-o", "o"]), resolve: nil)
        #expect(plan.pictures.count == 2)
    }

    @Test func oneFileTakesOnePicture() throws {
        #expect(try outputs([ExportInput(path: "a.ink")], ["-o", "x/Y.PNG"]) == ["x/Y.PNG"])
        #expect(throws: CommandError.self) {
            try outputs([ExportInput(path: "a.ink")], ["-o", "y.png", "--size", "1x,2x"])
        }
    }

    @Test(arguments: [
        ([ExportInput(path: "a/x.ink"), ExportInput(path: "b/x.ink")], ["-o", "o"]),
        ([ExportInput(path: "x.ink"), ExportInput(path: "x.zip")], []),
        ([ExportInput(path: "x.ink")], ["--size", "1x,2x", "--name", "{name}.png"]),
        ([ExportInput(path: "x.png")], ["--name", "x.png", "-o", "."]),
        ([ExportInput(path: "t.inktemplate")], ["-o", "t.inktemplate/base.png"]),
    ])
    func refusesNamesThatAreTaken(inputs: [ExportInput], options: [String]) throws {
        let arguments = try arguments(options)
        #expect(throws: CommandError.self) {
            try ExportPlan(
                inputs: inputs, outlines: [:], arguments: arguments,
                resolve: { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 })
        }
    }

    @Test func previewOfATemplateMayBeReplaced() throws {
        #expect(
            try outputs([ExportInput(path: "t.inktemplate")], ["-o", "t.inktemplate/preview.png"])
                == ["t.inktemplate/preview.png"])
    }

    @Test func namesThatOnlyLookAlikeAreTwo() throws {
        let inputs = [ExportInput(path: "\u{e9}.ink"), ExportInput(path: "e\u{301}.ink")]
        #expect(try outputs(inputs, ["-o", "o"]).count == 2)
    }

    @Test func suffixFindsFreeNames() throws {
        var plan = try ExportPlan(
            inputs: [ExportInput(path: "a.ink"), ExportInput(path: "a-2k-1.ink")], outlines: [:],
            arguments: try arguments(["--name", "{name}.png"]), resolve: { $0 })
        plan.avoidExisting(resolve: { $0 }) { ["a.png", "a-2.png", "a-2k-1.png"].contains($0) }
        #expect(plan.pictures.map(\.output) == ["a-1.png", "a-2k-1-1.png"])
    }

    @Test func suffixGivesNoNameThatAnotherPictureHas() throws {
        var plan = try ExportPlan(
            inputs: [ExportInput(path: "a.ink"), ExportInput(path: "a-1.ink")], outlines: [:],
            arguments: try arguments(["--name", "{name}.png"]), resolve: { $0 })
        plan.avoidExisting(resolve: { $0 }) { $0 == "a.png" }
        #expect(plan.pictures.map(\.output) == ["a-2.png", "a-1.png"])
    }

    @Test("Two spellings of one place are one name to suffixes, and to the outputs of a repeated run")
    func spellings() throws {
        func resolve(_ path: String) -> String { path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
        let inputs = [ExportInput(path: "a.ink"), ExportInput(path: "./a-1.ink")]
        var plan = try ExportPlan(
            inputs: inputs, outlines: [:], arguments: try arguments(["--name", "{name}.png"]), resolve: resolve)
        #expect(throws: CommandError.self) {
            try plan.repeating({ _ in true }, of: inputs, resolve: resolve) { _ in "o.png" }
        }
        #expect(throws: CommandError.self) {
            try plan.repeating({ _ in true }, of: inputs, resolve: resolve) { $0.input == 0 ? "./a.ink" : nil }
        }
        plan.avoidExisting(resolve: resolve) { $0 == "a.png" }
        #expect(plan.pictures.map(\.output) == ["a-2.png", "./a-1.png"])
    }

    @Test(arguments: 0..<200)
    func safeValuesAreFileNames(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let alphabet: [Unicode.Scalar] = [
            "/", "\\", ".", "\u{0}", "\u{1b}", "\u{85}", "a", "ß", "漢", "😀", "\u{301}", " ",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...150, using: &random) {
            text.append(alphabet.randomElement(using: &random) ?? "a")
        }
        let safe = NameTemplate.safe(String(text))
        #expect((1...NameTemplate.valueBytesMax).contains(safe.utf8.count), "seed \(seed)")
        #expect(
            !safe.unicodeScalars.contains { "/\\".unicodeScalars.contains($0) || $0.value < 32 || $0.value == 0x85 },
            "seed \(seed)")
        #expect(!Array(safe.utf8).contains([46, 46]) && safe.utf8.first != 46, "seed \(seed)")
        #expect(
            String(String(text).unicodeScalars.prefix(safe.unicodeScalars.count)).utf8.count <= 2 * 200, "seed \(seed)")
    }

    @Test func valuesAreCutBetweenCharacters() {
        #expect(NameTemplate.safe(String(repeating: "漢", count: 100)) == String(repeating: "漢", count: 66))
        #expect(NameTemplate.safe("") == "_")
        #expect(NameTemplate.safe("...") == "_._")
    }

    @Test func unknownLayersAreNamed() throws {
        let outline = ProjectOutline(id: "", title: "", layers: [.init(id: "1", name: "Sky", isVisible: true)])
        #expect(throws: CommandError.usage("a.ink: no layer \"Sea\"; there are \"Sky\"")) {
            try LayerChoice.named(["Sea"]).drawnLayers(of: outline, layer: nil, file: "a.ink")
        }
        #expect(try LayerChoice.named(["Sky", "1"]).drawnLayers(of: outline, layer: nil, file: "a.ink") == [0])
    }
}
