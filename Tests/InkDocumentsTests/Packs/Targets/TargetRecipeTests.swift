import InkJSON
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Recipes of targets")
struct TargetRecipeTests {
    private static let file = "{ \"path\": \"a.txt\", \"text\": [] }"

    @Test("The program's own are right, and have what a list shows", arguments: TargetRecipes.names)
    func shipped(name: String) throws {
        let recipe = try #require(try TargetRecipes.recipe(named: name))
        #expect(recipe.name == name)
        #expect(!recipe.title.isEmpty)
        #expect(recipe.parameters.allSatisfy { $0.standard != nil })
    }

    @Test("There are eight of them, and no other has a recipe")
    func names() throws {
        #expect(
            TargetRecipes.names == [
                "mcaddon", "sprites", "telegram", "whatsapp", "emotes", "android-icons", "apple-icons", "web-icons",
            ])
        #expect(try TargetRecipes.recipe(named: "mcaddo") == nil)
    }

    @Test(
        "A mistake is named with its place",
        arguments: [
            (file, "\"colour\": 1", "colour: is no key here"),
            (file, "\"bundle\": \"items\"", "bundle: unknown value"),
            (file, "\"limits\": { \"split\": 0 }", "limits.split: must be a whole number"),
            (file, "\"limits\": { \"minItems\": 3, \"maxItems\": 2 }", "limits: minItems is above"),
            (file, "\"limits\": { \"names\": \"[\" }", "limits.names: the pattern"),
            (file, "\"parameters\": { \"a\": { \"type\": \"txt\" } }", "parameters.a.type: unknown value \"txt\""),
            (file, "\"parameters\": { \"a\": { } }", "parameters.a: \"type\" is missing"),
            (file, "\"parameters\": { \"id\": { \"type\": \"text\" } }", "parameters.id: {id} has a meaning"),
            (file, "\"parameters\": { \"a b\": { \"type\": \"text\" } }", "parameters.a b: the name"),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"text\", \"min\": 1 } }",
                "parameters.a.min: a parameter of type"
            ),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"number\", \"default\": 2, \"max\": 1 } }",
                "a.default: is 2, must be"
            ),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"integer\", \"default\": 2.5 } }",
                "a.default: must be a whole"
            ),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"number\", \"default\": true } }",
                "a.default: must be a number"
            ),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"text\", \"default\": \"{idd}\" } }",
                "a.default: unknown placeholder"
            ),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"text\", \"default\": \"x\", \"pattern\": \"y\" } }",
                "must match y"
            ),
            (file, "\"parameters\": { \"a\": { \"type\": \"color\", \"default\": \"red\" } }", "not a colour"),
            (file, "\"parameters\": { \"a\": { \"type\": \"file\", \"default\": \"../x\" } }", "contains .."),
            (
                file, "\"parameters\": { \"a\": { \"type\": \"choice\", \"default\": 1, \"choices\": [1, 1.0] } }",
                "is there twice"
            ),
            (file, "\"release\": { \"file\": \"a\" }", "release: \"at\" is missing"),
            ("{ \"path\": \"a\" }", "", "files[0]: must have one of"),
            ("{ \"path\": \"a\", \"text\": [], \"json\": 1 }", "", "files[0]: must have one of"),
            ("{ \"path\": \"{id}\", \"text\": [] }", "", "files[0].path: {id} is a value of an item"),
            ("{ \"path\": \"a\", \"text\": [{ \"$each\": 1 }] }", "", "files[0].text[0].$each: must be a text"),
            ("{ \"path\": \"a\", \"when\": { \"x\": 1 }, \"text\": [] }", "", "files[0].when.x: unknown parameter"),
            (
                "{ \"path\": \"a\", \"when\": { \"x\": \"c\" }, \"text\": [] }",
                "\"parameters\": { \"x\": { \"type\": \"choice\", \"choices\": [\"a\"] } }",
                "files[0].when.x: is \"c\", must be"
            ),
            ("{ \"path\": \"a\", \"picture\": {} }", "", "files[0].picture: \"size\" is missing"),
            ("{ \"path\": \"a\", \"picture\": { \"size\": \"12\" } }", "", "files[0].picture.size: is \"12\", must be"),
            ("{ \"path\": \"a\", \"picture\": { \"size\": \"1x\", \"margin\": 0.5 } }", "", "picture.margin: is 0.5"),
            (
                "{ \"path\": \"a\", \"picture\": { \"size\": \"1x\", \"format\": \"dzi\" } }", "",
                "picture.format: is \"dzi\""
            ),
            ("{ \"path\": \"a\", \"picture\": { \"size\": \"1x\", \"maxBytes\": 0 } }", "", "picture.maxBytes: is 0"),
            ("{ \"path\": \"a\", \"sheet\": { \"of\": \"b\" } }", "", "files[0].sheet: \"places\" is missing"),
            (
                "{ \"path\": \"a\", \"each\": \"item\", \"sheet\": { \"of\": \"b\", \"places\": \"c\" } }", "",
                "a sheet is of all"
            ),
            ("{ \"path\": \"a\", \"text\": [], \"contains\": \"b\" }", "", "files[0].contains: only a copy"),
        ])
    func mistakes(file: String, more: String, reason: String) throws {
        let fault = try #require(TargetFixtures.fault { _ = try TargetFixtures.read(file, more) })
        #expect(fault.hasPrefix("recipe: mine.json: ") && fault.contains(reason), "\(fault)")
    }

    @Test("What is no recipe is refused, however large or deep")
    func hostile() throws {
        let texts = [
            "", "[]", "null", "{", "{\"version\": \"1.0\"}", "{\"version\": \"2.0\"}",
            "{\"version\": 1, \"version\": 1}",
            String(repeating: "[", count: 1 << 19), String(repeating: "{\"a\":", count: 100_000),
            String(repeating: " ", count: (1 << 20) + 1),
        ]
        for text in texts {
            let fault = TargetFixtures.fault { _ = try TargetRecipe.read(Array(text.utf8), file: "mine.json") }
            #expect(fault?.hasPrefix("recipe: ") == true, "\(text.prefix(20))")
        }
        #expect(throws: TargetError.self) { try TargetRecipe.read([0x7B, 0xFF, 0x7D], file: "mine.json") }
    }

    @Test("A recipe may have 1,000 files and 1 MiB, and no more")
    func limits() throws {
        func recipe(_ count: Int, padding: Int = 0) -> [UInt8] {
            let files = (0..<count).map { "{ \"path\": \"f\($0)\", \"text\": [] }" }.joined(separator: ",")
            return TargetFixtures.recipe(files + String(repeating: " ", count: padding))
        }
        let most = recipe(1_000)
        #expect(try TargetRecipe.read(most, file: "a").files.count == 1_000)
        #expect(try TargetRecipe.read(recipe(1_000, padding: (1 << 20) - most.count), file: "a").files.count == 1_000)
        #expect(throws: TargetError.self) { try TargetRecipe.read(recipe(1_001), file: "a") }
        #expect(throws: TargetError.self) {
            try TargetRecipe.read(recipe(1_000, padding: (1 << 20) - most.count + 1), file: "a")
        }
    }

    @Test("A damaged recipe of the program is read or refused, never more", arguments: 0..<40 as Range<UInt64>)
    func damaged(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for (name, text) in TargetRecipes.texts {
            for _ in 0..<20 {
                var bytes = text
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(bytes.randomElement(using: &random)!, at: place)
                    }
                }
                do throws(TargetError) {
                    let recipe = try TargetRecipe.read(bytes, file: name)
                    let source = try TargetFixtures.source(recipe)
                    for index in 0..<min(2, source.count) { try PackBundle(source, index).check() }
                } catch {
                    // Either is a sound end.
                }
            }
        }
    }

    @Test("Arguments become values of a parameter's type")
    func arguments() throws {
        let recipe = try #require(try TargetRecipes.recipe(named: "mcaddon"))
        func fault(_ name: String, _ text: String) throws -> String? {
            let parameter = try #require(recipe.parameter(name))
            return parameter.fault(of: parameter.value(ofArgument: text))
        }
        #expect(try fault("texture", "256") == nil)
        #expect(try fault("texture", "100") != nil)
        #expect(try fault("look", "paper") == nil)
        #expect(try fault("look", "papr")?.contains("did you mean paper") == true)
        #expect(try fault("health", "20") == nil)
        #expect(try fault("health", "2.5") != nil)
        #expect(try fault("health", "2x") != nil)
        #expect(try fault("scale", "0.5") == nil)
        #expect(try fault("engine", "1.21.0") == nil)
        #expect(recipe.parameter("colour") == nil)
    }
}
