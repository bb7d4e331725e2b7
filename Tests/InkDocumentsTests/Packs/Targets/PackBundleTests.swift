import InkCodecs
import InkJSON
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Bundles of targets")
struct PackBundleTests {
    private static let each = "{ \"path\": \"{id}.txt\", \"each\": \"item\", \"text\": [\"{id}\"] }"

    private func paths(_ bundle: PackBundle) -> [String] { bundle.files.map(\.path) }

    private func items(_ count: Int) -> [PackItem] { (0..<count).map { TargetFixtures.item("c\($0)") } }

    @Test("More items than a bundle takes become the fewest bundles, as even as possible")
    func split() throws {
        let recipe = try TargetFixtures.read(Self.each, "\"limits\": { \"split\": 30 }")
        for (count, sizes) in [(1, [1]), (30, [30]), (31, [15, 16]), (61, [20, 20, 21]), (90, [30, 30, 30])] {
            let source = try TargetFixtures.bundles(recipe, items(count))
            let bundles = try (0..<source.count).map { try PackBundle(source, $0) }
            #expect(bundles.map(\.files.count) == sizes)
            #expect(bundles.flatMap { paths($0) }.count == Set(bundles.flatMap { paths($0) }).count)
            let names = sizes.count == 1 ? ["farm.zip"] : sizes.indices.map { "farm_\($0 + 1).zip" }
            #expect(bundles.map(\.archive) == names)
            #expect(bundles.map(\.name) == (sizes.count == 1 ? ["Farm"] : sizes.indices.map { "Farm \($0 + 1)" }))
            #expect(bundles.map(\.key) == sizes.indices.map { $0 == 0 ? "pack" : "pack/\($0 + 1)" })
        }
    }

    @Test("A bundle of one item has its id, its name and its values")
    func bundleOfItem() throws {
        let recipe = try TargetFixtures.read(
            "{ \"path\": \"a.txt\", \"text\": [\"{bundle.name} {bundle.description} {size} {count}\"] }, "
                + "{ \"path\": \"a.png\", \"picture\": { \"size\": \"{size}x{size}\" } }",
            "\"bundle\": \"item\", \"parameters\": { \"size\": { \"type\": \"integer\", \"default\": 5 } }")
        let source = try TargetFixtures.bundles(
            recipe, [TargetFixtures.item("red"), TargetFixtures.item("blue", ["size": .integer(7)])])
        #expect(source.count == 2)
        #expect(try TargetFixtures.texts(source, 1)["a.txt"] == "Blue Blue 7 1\n")
        let bundle = try PackBundle(source, 1)
        #expect(bundle.archive == "blue.zip" && bundle.key == "item/blue")
        let picture = BundlePicture(item: 1, size: .box(PixelSize(width: 7, height: 7)))
        #expect(bundle.files[0].content == .picture(picture))
        // Together they have the values of the pack, and the icon of the first.
        let whole = try PackBundle(TargetFixtures.bundles(recipe, source.items, bundle: .pack), 0)
        #expect(
            whole.files[0].content == .picture(BundlePicture(item: 0, size: .box(PixelSize(width: 5, height: 5)))))
    }

    @Test("Conditions are about the item, or about any")
    func conditions() throws {
        let recipe = try TargetFixtures.read(
            """
            { "path": "{id}.a", "each": "item", "when": { "w": "a" }, "text": [] },
            { "path": "{id}.bc", "each": "item", "when": { "w": ["b", "c"], "v": true }, "text": [] },
            { "path": "some", "when": { "w": "b", "v": true }, "text": [] },
            { "path": "none", "when": { "w": "c" }, "text": [] }
            """,
            """
            "parameters": { "w": { "type": "choice", "default": "a", "choices": ["a", "b", "c"] },
                            "v": { "type": "boolean", "default": false } }
            """)
        let source = try TargetFixtures.bundles(
            recipe,
            [
                TargetFixtures.item("one"), TargetFixtures.item("two", ["w": .string("b"), "v": .bool(true)]),
                TargetFixtures.item("three", ["w": .string("b")]),
            ])
        #expect(paths(try PackBundle(source, 0)) == ["one.a", "some", "two.bc"])
    }

    @Test("Values: of the item, else the target's entry, else the pack, else the default")
    func values() throws {
        let recipe = try TargetFixtures.read(
            "{ \"path\": \"{id}\", \"each\": \"item\", \"text\": [\"{v}\"] }",
            "\"parameters\": { \"v\": { \"type\": \"integer\", \"default\": 1, \"max\": 9 } }")
        func texts(_ item: Int?, _ entry: Int?, _ pack: Int?) throws -> String? {
            func values(_ value: Int?, _ place: String) -> [String: PackValue] {
                value.map { ["v": PackValue(.integer($0), place: place)] } ?? [:]
            }
            var target = PackTarget("mine", place: "targets[0]")
            target.values = values(entry, "targets[0].values.v")
            var info = TargetFixtures.info()
            info.values = values(pack, "values.v")
            var cow = TargetFixtures.item("cow")
            cow.values = values(item, "items[0].values.v")
            let source = try TargetBundles(recipe, target: target, info: info, items: [cow], file: "farm.inkpack")
            return try TargetFixtures.texts(source)["cow"]
        }
        #expect(try texts(4, 3, 2) == "4\n")
        #expect(try texts(nil, 3, 2) == "3\n")
        #expect(try texts(nil, nil, 2) == "2\n")
        #expect(try texts(nil, nil, nil) == "1\n")
        #expect(
            TargetFixtures.fault { _ = try texts(10, nil, nil) }
                == "input: farm.inkpack: items[0].values.v: is 10, must be at most 9")
        #expect(TargetFixtures.fault { _ = try texts(nil, 10, nil) }?.contains("targets[0].values.v: is 10") == true)
        #expect(TargetFixtures.fault { _ = try texts(nil, nil, 10) }?.contains("farm.inkpack: values.v: is 10") == true)
    }

    @Test("Of the wrong type is another number, a text, a truth, null and a list; control characters are none")
    func types() throws {
        let recipe = try TargetFixtures.read(
            Self.each,
            """
            "parameters": { "i": { "type": "integer", "default": 1 }, "t": { "type": "text", "default": "" },
                            "b": { "type": "boolean", "default": true }, "s": { "type": "text", "scope": "bundle" } }
            """)
        let bad: [(String, JSONValue)] = [
            ("i", .bool(true)), ("i", .string("3")), ("i", .number(2.5)), ("i", .null), ("i", .array([])),
            ("t", .integer(3)), ("t", .string("a\nb")), ("t", .string("a\u{85}")), ("b", .string("true")),
            ("s", .string("")),
        ]
        for (name, value) in bad {
            let items = [TargetFixtures.item("cow", [name: value])]
            #expect(throws: TargetError.self, "\(name) \(value)") { try TargetFixtures.bundles(recipe, items) }
        }
        #expect(throws: Never.self) {
            try TargetFixtures.bundles(recipe, [TargetFixtures.item("cow", ["i": .number(3), "t": .string("{x} é")])])
        }
    }

    @Test("A value that no target has is named with the nearest")
    func unknownValues() throws {
        let recipes = try TargetRecipes.names.compactMap { try TargetRecipes.recipe(named: $0) }
        let info = TargetFixtures.info(["texture": .integer(64)])
        func fault(_ name: String) -> String? {
            TargetFixtures.fault {
                try TargetBundles.requireKnownValues(
                    info, items: [TargetFixtures.item("cow", [name: .integer(1)])], targets: [], recipes: recipes,
                    file: "farm.inkpack")
            }
        }
        #expect(fault("health") == nil && fault("margin") == nil)
        #expect(fault("helth")?.contains("did you mean health") == true)
    }

    @Test("A value without a default has to be given")
    func required() throws {
        let recipe = try TargetFixtures.read(
            "{ \"path\": \"a\", \"text\": [\"{v}\"] }", "\"parameters\": { \"v\": { \"type\": \"text\" } }")
        #expect(
            TargetFixtures.fault { _ = try TargetFixtures.texts(TargetFixtures.bundles(recipe)) }?
                .contains("needs a value \"v\"") == true)
        #expect(try TargetFixtures.texts(TargetFixtures.bundles(recipe, values: ["v": .string("x")]))["a"] == "x\n")
    }

    @Test("A default that a pack breaks is the pack's mistake")
    func dependentDefault() throws {
        let recipe = try TargetFixtures.read(
            "{ \"path\": \"a\", \"text\": [\"{v}\"] }",
            "\"parameters\": { \"v\": { \"type\": \"text\", \"default\": \"{pack.name}\", \"pattern\": \"[a-z]+\" } }")
        #expect(
            TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe), 0) }?
                .hasPrefix("input: farm.inkpack: targets[0]: the default of v") == true)
    }

    @Test(
        "Paths that not everybody can unpack are refused",
        arguments: [
            "/a", "a//b", "a/", "../a", "a/../b", "./a", "a\\\\b", "a:b", "a?", "con", "b/AUX.txt", "lpt1.png", "a.",
            "a ",
            "a\\u0000b", "a\\u0085b", "", "a\\nb",
        ])
    func badPaths(path: String) throws {
        let recipe = try TargetFixtures.read("{ \"path\": \"\(path)\", \"text\": [] }")
        #expect(
            TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe), 0) }?
                .hasPrefix("input: farm.inkpack: targets[0]: the path") == true)
    }

    @Test("Two files of one name, also but for case or composition, and files that are folders, are refused")
    func clashes() throws {
        let pairs = [
            ("a", "a", "there twice"), ("a/B", "A/b", "only in case"), ("é", "e\u{301}", "only in case"),
            ("a", "a/b", "inside of"), ("a/b/c", "A/B", "also a folder"),
        ]
        for (one, other, reason) in pairs {
            let recipe = try TargetFixtures.read(
                "{ \"path\": \"\(one)\", \"text\": [] }, { \"path\": \"\(other)\", \"text\": [] }")
            let fault = TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe), 0) }
            #expect(fault?.contains(reason) == true, "\(one) \(other): \(fault ?? "")")
        }
    }

    @Test("Limits of a recipe: lengths of paths and ids, names, counts of items")
    func limits() throws {
        func fault(_ limits: String, _ count: Int = 2) throws -> String? {
            let recipe = try TargetFixtures.read(
                "{ \"path\": \"folder/{id}.txt\", \"each\": \"item\", \"text\": [] }", "\"limits\": { \(limits) }")
            return TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe, items(count)), 0) }
        }
        #expect(try fault("\"path\": 13") == nil)
        #expect(try fault("\"path\": 12")?.contains("has 13 characters") == true)
        #expect(try fault("\"path\": 6, \"pathRoot\": \"folder\"") == nil)
        #expect(try fault("\"path\": 5, \"pathRoot\": \"folder\"")?.contains("has 6 characters") == true)
        #expect(try fault("\"names\": \"[a-z/]+\"")?.contains("must match") == true)
        #expect(try fault("\"id\": 1")?.hasPrefix("input: farm.inkpack: items[0].id: \"c0\" is too long") == true)
        #expect(try fault("\"minItems\": 3")?.hasPrefix("input: farm.inkpack: targets[0]: ") == true)
        #expect(try fault("\"minItems\": 3", 3) == nil)
        #expect(try fault("\"maxItems\": 3", 4)?.contains("at most 3") == true)
        #expect(try fault("\"minItems\": 3, \"split\": 4", 5)?.contains("must have 3") == true)
    }

    @Test("An archive has at most 65,535 files, which are counted before they are made")
    func fileCount() throws {
        let files = (0..<7).map { "{ \"path\": \"\($0)/{id}\", \"each\": \"item\", \"text\": [] }" }
        let recipe = try TargetFixtures.read(files.joined(separator: ","))
        let fault = TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe, items(9_363)), 0) }
        #expect(fault?.contains("more than 65535") == true)
        #expect(try PackBundle(TargetFixtures.bundles(recipe, items(2)), 0).files.count == 14)
    }

    @Test("Copies name their file and what must be in it")
    func copies() throws {
        let recipe = try TargetFixtures.read(
            "{ \"path\": \"{id}.json\", \"each\": \"item\", \"copy\": \"{m}\", \"contains\": \"\\\"{id}\\\"\" }",
            "\"parameters\": { \"m\": { \"type\": \"file\", \"default\": \"\" } }")
        #expect(
            TargetFixtures.fault { _ = try PackBundle(TargetFixtures.bundles(recipe), 0) }?
                .contains("the value \"m\"") == true)
        let source = try TargetFixtures.bundles(
            recipe, [TargetFixtures.item("cow")], values: ["m": .string("a/m.json")])
        let copy = BundleCopy(path: "a/m.json", contains: "\"cow\"", place: "items[0]")
        #expect(try PackBundle(source, 0).files[0].content == .copy(copy))
        #expect(throws: Never.self) { try copy.check(Array("{\"cow\": 1}".utf8), file: "farm.inkpack") }
        for text in ["{\"cow\": 1", "{\"pig\": 1}", "", "{\"cow\": NaN}", String(repeating: " ", count: 5 << 20)] {
            #expect(throws: EngineError.self) { try copy.check(Array(text.utf8), file: "farm.inkpack") }
        }
        #expect(throws: TargetError.self) {
            try TargetFixtures.bundles(recipe, values: ["m": .string("../../etc/passwd")])
        }
    }

    @Test("A sheet is of the pictures that there are")
    func sheets() throws {
        let sheet = "{ \"path\": \"all.png\", \"sheet\": { \"of\": \"{id}.png\", \"places\": \"all.json\" } }"
        let picture = "{ \"path\": \"{id}.png\", \"each\": \"item\", \"picture\": { \"size\": \"1x\" } }"
        let bundle = try PackBundle(TargetFixtures.bundles(TargetFixtures.read(picture + "," + sheet)), 0)
        #expect(paths(bundle) == ["all.json", "all.png", "pink_cow.png", "sky_cow.png"])
        #expect(bundle.files[0].content == .sheetPlaces(sheet: "all.png"))
        #expect(bundle.files[1].content == .sheet(of: ["pink_cow.png", "sky_cow.png"], places: "all.json"))
        let fault = TargetFixtures.fault {
            _ = try PackBundle(TargetFixtures.bundles(TargetFixtures.read(sheet)), 0)
        }
        #expect(fault?.hasPrefix("recipe: mine.json: files[0].sheet.of: no picture") == true)
    }

    @Test("Pictures: sizes, margins, colours and formats from values")
    func pictures() throws {
        let recipe = try TargetFixtures.read(
            """
            { "path": "a", "picture": { "size": "{s}", "margin": "{m}", "align": "bottom", "background": "{c}", "format": "webp", "maxBytes": 10 } }
            """,
            """
            "parameters": { "s": { "type": "text", "default": "10x20" }, "m": { "type": "number", "default": 0.25 },
                            "c": { "type": "color", "default": "#f00" } }
            """)
        var wanted = BundlePicture(item: 0, size: .box(PixelSize(width: 10, height: 20)))
        wanted.margin = 0.25
        wanted.alignment = .bottom
        wanted.background = RGBA8(red: 255, green: 0, blue: 0)
        wanted.format = try #require(PictureCodecs.codec(named: "webp")).format
        wanted.bytesMax = 10
        #expect(try PackBundle(TargetFixtures.bundles(recipe), 0).files[0].content == .picture(wanted))
        #expect(BundlePicture.marginPixels(0.25, in: PixelSize(width: 10, height: 20)) == 3)
        let bad: [(String, JSONValue)] = [
            ("s", .string("0x1")), ("s", .string("70000x1")), ("s", .string("x")), ("m", .number(0.5)),
            ("m", .number(-0.1)), ("m", .number(0.46)), ("c", .string("#12345678")),
        ]
        for (name, value) in bad {
            #expect(throws: TargetError.self, "\(name) \(value)") {
                try PackBundle(TargetFixtures.bundles(recipe, values: [name: value]), 0)
            }
        }
    }
}
