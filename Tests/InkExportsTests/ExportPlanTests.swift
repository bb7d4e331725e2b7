import InkBroker
import InkCodecs
import InkEngine
import InkTestSupport
import Testing

@testable import InkExports
@testable import InkPlanning

struct ExportPlanTests {
    private func arguments(
        output: String? = nil, sizes: [String] = ["2k"], name: String? = nil, layers: LayerChoice = .visible
    ) throws -> ExportArguments {
        ExportArguments(
            paths: ["PATH"], output: output, sizes: try sizes.map { try #require(ExportSize($0)) },
            name: try NameTemplate(name ?? (layers == .each ? "{name}-{layer}-{size}.png" : "{name}-{size}.png")),
            options: PictureOptions(), layers: layers, ifExists: nil, run: RunArguments())
    }

    private func outputs(
        _ inputs: [ExportInput], _ arguments: ExportArguments, outlines: [Int: ProjectOutline] = [:]
    ) throws -> [String] {
        try ExportPlan(inputs: inputs, outlines: outlines, arguments: arguments, resolve: { $0 }).pictures.map(\.output)
    }

    @Test func picturesLieBesideTheirProjects() throws {
        let inputs = [ExportInput(path: "a/b.ink"), ExportInput(path: "c.zip"), ExportInput(path: "/d/E.INKTEMPLATE/")]
        #expect(try outputs(inputs, arguments()) == ["a/b-2k.png", "c-2k.png", "/d/E-2k.png"])
    }

    @Test func outputTreeMirrorsInputTree() throws {
        let inputs = [ExportInput(path: "in/x/y/a.ink", tree: ["x", "y"]), ExportInput(path: "in/b.ink")]
        #expect(
            try outputs(inputs, arguments(output: "out/", sizes: ["1x", "4k"]))
                == ["out/x/y/a-1x.png", "out/x/y/a-4k.png", "out/b-1x.png", "out/b-4k.png"])
    }

    @Test func placeholdersAreFilled() throws {
        let outline = ProjectOutline(id: "id/1", title: "../My \u{1b}title", layers: [])
        #expect(
            try outputs(
                [ExportInput(path: "/x/pictures/a.b.ink")],
                arguments(output: "o", name: "{dir}/{name} {title} {id} {size} {n}.png"), outlines: [0: outline])
                == ["o/pictures/a.b _._My _title id_1 2k 1.png"])
    }

    @Test func severalFormatsAreFilesOfOnePicture() throws {
        var arguments = try arguments(output: "o", sizes: ["1x", "2x"], name: "{n}-{size}.{ext}")
        arguments.options.otherFiles = [PictureFileOptions(encoding: PictureEncoding(format: .jpeg))]
        let plan = try ExportPlan(
            inputs: [ExportInput(path: "a.ink")], outlines: [:], arguments: arguments, resolve: { $0 })
        #expect(plan.pictures.map(\.output) == ["o/1-1x.png", "o/1-1x.jpg", "o/2-2x.png", "o/2-2x.jpg"])
        #expect(plan.pictures[0].isSamePicture(as: plan.pictures[1]))
        #expect(!plan.pictures[1].isSamePicture(as: plan.pictures[2]))
        #expect(plan.pictures[3].options(arguments).files.map(\.encoding.format) == [.jpeg])
    }

    @Test("No picture replaces a file that is read for all of them")
    func protectedFiles() throws {
        let input = ExportInput(path: "a.ink")
        #expect(throws: ExportError.usage("o/a-1x.png would replace the input o/./a-1x.png")) {
            try ExportPlan(
                inputs: [input], outlines: [:], arguments: try arguments(output: "o", sizes: ["1x"]),
                protecting: ["o/./a-1x.png"], resolve: { $0.replacing("./", with: "") })
        }
    }

    @Test func eachVisibleLayerIsAPicture() throws {
        let outline = ProjectOutline(
            id: "", title: "",
            layers: [
                .init(id: "1", name: "Sky", isVisible: true), .init(id: "2", name: "Sea", isVisible: false),
                .init(id: "3", name: "", isVisible: true),
            ])
        #expect(
            try outputs([ExportInput(path: "a.ink")], arguments(layers: .each), outlines: [0: outline])
                == ["a-Sky-2k.png", "a-3-2k.png"])
    }

    private func paged(_ names: [String]) -> ProjectOutline {
        var outline = ProjectOutline(id: "", title: "", layers: [], viewports: names)
        outline.hasPages = true
        return outline
    }

    @Test(
        "Pages of one name get names that differ", arguments: [nil, "{name}-{viewport}.png", "{viewport}/{size}.png"])
    func pagesOfOneName(name: String?) throws {
        // Equal, equal but for case, equal in a file name, and one that is the name of another with a number.
        let names =
            ["Map", "map", "a/b", "a\\b", "Map", "Map-2", "", "7", String(repeating: "x", count: 300)]
            + [String(repeating: "x", count: 299)]
        let found = try outputs(
            [ExportInput(path: "a.excalidrawlib")], arguments(output: "o", name: name), outlines: [0: paged(names)])
        #expect(found.count == names.count && Set(found.map { $0.lowercased() }).count == names.count, "\(found)")
        #expect(["o/a-Map-2k.png", "o/a-Map.png", "o/Map/2k.png"].contains(found[0]), "\(found[0])")
    }

    @Test func allFilesAndSizesOfAPageGetOneNumber() throws {
        var arguments = try arguments(output: "o", sizes: ["1x", "2x"], name: "{name}-{viewport}-{size}.{ext}")
        arguments.options.otherFiles = [PictureFileOptions(encoding: PictureEncoding(format: .jpeg))]
        let found = try outputs([ExportInput(path: "a.rnote")], arguments, outlines: [0: paged(["P", "P"])])
        #expect(
            found == [
                "o/a-P-1x.png", "o/a-P-1x.jpg", "o/a-P-2x.png", "o/a-P-2x.jpg", "o/a-P-1x-2.png", "o/a-P-1x-2.jpg",
                "o/a-P-2x-2.png", "o/a-P-2x-2.jpg",
            ])
    }

    @Test func layersOfOneNameGetNamesThatDiffer() throws {
        let outline = ProjectOutline(
            id: "", title: "", layers: (1...3).map { .init(id: "\($0)", name: "Layer", isVisible: true) })
        #expect(
            try outputs([ExportInput(path: "a.ink")], arguments(layers: .each), outlines: [0: outline])
                == ["a-Layer-2k.png", "a-Layer-2k-2.png", "a-Layer-2k-3.png"])
    }

    @Test func aLayerOfOnePageIsNoPictureOfAnother() throws {
        var outline = paged(["1", "2"])
        outline.layers = (1...2).map { .init(id: "\($0)", name: "Frame \($0)", isVisible: true) }
        outline.layers[0].pages = [0]
        outline.layers[1].pages = [1]
        #expect(
            try outputs(
                [ExportInput(path: "a.aseprite")], arguments(name: "{layer}-{viewport}.png", layers: .each),
                outlines: [0: outline]) == ["Frame 1-1.png", "Frame 2-2.png"])
    }

    @Test func aLayerInsideOfAGroupIsNamedWithTheGroup() throws {
        var wall = ProjectOutline.LayerOutline(id: "w", name: "Wall", isVisible: true)
        wall.groups = [0]
        let outline = ProjectOutline(
            id: "", title: "", layers: [.init(id: "h", name: "House", isVisible: true), wall])
        for name in ["Wall", "w"] {
            let error = #expect(throws: ExportError.self) {
                try LayerChoice.named([name]).drawnLayers(of: outline, layer: nil, file: "a.ink")
            }
            #expect("\(try #require(error))".contains("\"House/\(name)\""), "\(String(describing: error))")
        }
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
            #expect(throws: ExportError.self) { try drawn(layers) }
        }
    }

    @Test func namesThatNoFileGetsNeedNotDiffer() throws {
        let inputs = [ExportInput(path: "a/x.ink"), ExportInput(path: "b/x.ink")]
        let plan = try ExportPlan(inputs: inputs, outlines: [:], arguments: try arguments(output: "o"), resolve: nil)
        #expect(plan.pictures.count == 2)
    }

    @Test func oneFileTakesOnePicture() throws {
        #expect(try outputs([ExportInput(path: "a.ink")], arguments(output: "x/Y.PNG")) == ["x/Y.PNG"])
        #expect(throws: ExportError.self) {
            try outputs([ExportInput(path: "a.ink")], arguments(output: "y.png", sizes: ["1x", "2x"]))
        }
    }

    @Test(
        arguments: [
            ([ExportInput(path: "a/x.ink"), ExportInput(path: "b/x.ink")], "o", ["2k"], nil),
            ([ExportInput(path: "x.ink"), ExportInput(path: "x.zip")], nil, ["2k"], nil),
            ([ExportInput(path: "x.ink")], nil, ["1x", "2x"], "{name}.png"),
            ([ExportInput(path: "x.png")], ".", ["2k"], "x.png"),
            ([ExportInput(path: "t.inktemplate")], "t.inktemplate/base.png", ["2k"], nil),
        ] as [([ExportInput], String?, [String], String?)])
    func refusesNamesThatAreTaken(inputs: [ExportInput], output: String?, sizes: [String], name: String?) throws {
        let arguments = try arguments(output: output, sizes: sizes, name: name)
        #expect(throws: ExportError.self) {
            try ExportPlan(
                inputs: inputs, outlines: [:], arguments: arguments,
                resolve: { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 })
        }
    }

    @Test func previewOfATemplateMayBeReplaced() throws {
        #expect(
            try outputs([ExportInput(path: "t.inktemplate")], arguments(output: "t.inktemplate/preview.png"))
                == ["t.inktemplate/preview.png"])
    }

    @Test func namesThatOnlyLookAlikeAreTwo() throws {
        let inputs = [ExportInput(path: "\u{e9}.ink"), ExportInput(path: "e\u{301}.ink")]
        #expect(try outputs(inputs, arguments(output: "o")).count == 2)
    }

    @Test func suffixFindsFreeNames() throws {
        var plan = try ExportPlan(
            inputs: [ExportInput(path: "a.ink"), ExportInput(path: "a-2k-1.ink")], outlines: [:],
            arguments: try arguments(name: "{name}.png"), resolve: { $0 })
        plan.avoidExisting(resolve: { $0 }) { ["a.png", "a-2.png", "a-2k-1.png"].contains($0) }
        #expect(plan.pictures.map(\.output) == ["a-1.png", "a-2k-1-1.png"])
    }

    @Test func suffixGivesNoNameThatAnotherPictureHas() throws {
        var plan = try ExportPlan(
            inputs: [ExportInput(path: "a.ink"), ExportInput(path: "a-1.ink")], outlines: [:],
            arguments: try arguments(name: "{name}.png"), resolve: { $0 })
        plan.avoidExisting(resolve: { $0 }) { $0 == "a.png" }
        #expect(plan.pictures.map(\.output) == ["a-2.png", "a-1.png"])
    }

    @Test("Two spellings of one place are one name to suffixes, and to the outputs of a repeated run")
    func spellings() throws {
        func resolve(_ path: String) -> String { path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
        let inputs = [ExportInput(path: "a.ink"), ExportInput(path: "./a-1.ink")]
        var plan = try ExportPlan(
            inputs: inputs, outlines: [:], arguments: try arguments(name: "{name}.png"), resolve: resolve)
        #expect(throws: ExportError.self) {
            try plan.repeating({ _ in true }, of: inputs, resolve: resolve) { _ in "o.png" }
        }
        #expect(throws: ExportError.self) {
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
        #expect(throws: ExportError.usage("a.ink: no layer \"Sea\"; there are \"Sky\"")) {
            try LayerChoice.named(["Sea"]).drawnLayers(of: outline, layer: nil, file: "a.ink")
        }
        #expect(try LayerChoice.named(["Sky", "1"]).drawnLayers(of: outline, layer: nil, file: "a.ink") == [0])
    }
}
