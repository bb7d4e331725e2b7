import InkJSON
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite("Templates of recipes")
struct TargetTemplateTests {
    private func json(
        _ template: String, _ more: String = "", values: [String: JSONValue] = [:], each: Bool = false
    ) throws -> String {
        let files =
            "{ \"path\": \"\(each ? "{id}" : "a").json\", \(each ? "\"each\": \"item\"," : "") \"json\": \(template) }"
        let source = try TargetFixtures.bundles(TargetFixtures.read(files, more), values: values)
        return try #require(TargetFixtures.texts(source)[each ? "sky_cow.json" : "a.json"])
    }

    @Test("Placeholders, braces, cuts, and what is put in and not read again")
    func texts() throws {
        let more = """
            "parameters": { "word": { "type": "text", "default": "{pack.id:2}" }, "x": { "type": "number", "default": 2 } }
            """
        let template = """
            ["{pack.id}-{pack.author}", "{{{pack.name}}}", "{word}{word:1}", "{x} {x:1}", "{x}", "{count} {target} {program}"]
            """
        #expect(
            try json(template, more) == """
                [
                  "farm-A. Painter",
                  "{Farm}",
                  "faf",
                  "2 2",
                  2,
                  "2 mine ink"
                ]

                """)
        #expect(try json("\"{word} {word:3}\"", more, values: ["word": .string("{x} 🙂🙂{{")]) == "\"{x} 🙂🙂{{ {x}\"\n")
    }

    @Test("A text that is one placeholder is the value, of its own type")
    func wholeValues() throws {
        let more = """
            "parameters": { "size": { "type": "number", "default": 0.25 }, "on": { "type": "boolean", "default": true } }
            """
        #expect(try json("[\"{size}\", \"{on}\", \"{size}s\"]", more) == "[\n  0.25,\n  true,\n  \"0.25s\"\n]\n")
        #expect(try json("[\"{size}\"]", more, values: ["size": .number(3)]) == "[3]\n")
        #expect(try json("[\"{size}\"]", more, values: ["size": .number(1e-7)]) == "[1e-07]\n")
        #expect(try json("[1.0, -0.0, 1e3, 12345678901234567, 0.1]") == "[1, 0, 1000, 12345678901234567, 0.1]\n")
        #expect(try json("{\"e\": \"{effects}\", \"t\": \"{effects}.\"}", each: true).contains("\"t\": \"glow_tiny.\""))
    }

    @Test("$each repeats elements and members, and n counts")
    func each() throws {
        #expect(try json("[\"x\", { \"$each\": \"{id}\" }]") == "[\n  \"x\",\n  \"pink_cow\",\n  \"sky_cow\"\n]\n")
        #expect(
            try json("{ \"a\": 1, \"$each\": { \"{id}\": \"{n}\", \"a\": \"{n}\" } }")
                == "{\n  \"a\": 2,\n  \"pink_cow\": 1,\n  \"sky_cow\": 2\n}\n")
        #expect(try json("{ \"l\": [], \"o\": {}, \"n\": [1, [2, 3]] }").contains("\"n\": [\n    1,\n    [2, 3]\n  ]"))
    }

    @Test("Parts stand in their place, and later keys win")
    func parts() throws {
        let more = """
            "parameters": { "walk": { "type": "choice", "default": "fast", "choices": ["fast", "slow"] } },
            "parts": { "p_fast": { "speed": 2, "b": 1 }, "p_slow": { "speed": 1 }, "q": { "b": "{walk}" } }
            """
        let template = "{ \"b\": 0, \"$parts\": [\"p_{walk}\", \"q\"], \"c\": 3, \"speed\": 9 }"
        #expect(try json(template, more) == "{\n  \"b\": \"fast\",\n  \"speed\": 9,\n  \"c\": 3\n}\n")
        #expect(try json(template, more, values: ["walk": .string("slow")]).contains("\"b\": \"slow\""))
    }

    @Test("Lists of numbers, UUIDs, and escapes that JSON needs")
    func others() throws {
        #expect(try json("{ \"$list\": \"{pack.release}\" }") == "[1, 0, 0]\n")
        let uuid = try json("{ \"$uuid\": \"{pack.id}/x\" }")
        #expect(uuid.utf8.count == 39)
        #expect(try json("{ \"$uuid\": \"farm/x\" }") == uuid)
        #expect(try json("\"\\u0001\\n\\\"\\\\/\\u00e9\\u2028\"") == "\"\\u0001\\n\\\"\\\\/é\u{2028}\"\n")
    }

    @Test("Lines, and lines for each item")
    func lines() throws {
        let source = try TargetFixtures.bundles(
            TargetFixtures.read(
                "{ \"path\": \"a.txt\", \"text\": [\"<{pack.name}>\", { \"$each\": [\"{n}\", \"{name}\"] }, { \"$each\": \"{id}\" }] }"
            ))
        #expect(try TargetFixtures.texts(source)["a.txt"] == "<Farm>\n1\nPink_Cow\n2\nSky_Cow\npink_cow\nsky_cow\n")
    }

    @Test(
        "A mistake in a template is one of the recipe, at its place",
        arguments: [
            ("\"{idd}\"", "files[0].json", "{idd}"),
            ("[\"{id}\"]", "files[0].json[0]", "value of an item"),
            ("\"{pack.nam}\"", "files[0].json", "did you mean pack.name"),
            ("\"{pack.id\"", "files[0].json", "a { without a }"),
            ("\"pack.id}\"", "files[0].json", "a } without a {"),
            ("\"{pack.id:0}\"", "files[0].json", "number of characters"),
            ("\"{pack.id:x}\"", "files[0].json", "number of characters"),
            ("{ \"$parts\": [\"gone\"] }", "files[0].json.$parts[0]", "unknown part \"gone\""),
            ("{ \"$parts\": [\"p_{c}\"] }", "files[0].json.$parts[0]", "unknown part \"p_b\""),
            ("{ \"$eahc\": {} }", "files[0].json.$eahc", "did you mean $each"),
            ("[{ \"$each\": [{ \"$each\": 1 }] }]", "files[0].json[0].$each[0].$each", "$each inside $each"),
            ("{ \"$each\": [] }", "files[0].json.$each", "an object"),
            ("{ \"$list\": \"1.x\" }", "files[0].json.$list", "whole numbers"),
            ("{ \"$list\": \"1\", \"a\": 1 }", "files[0].json.$list", "stands alone"),
        ])
    func mistakes(template: String, place: String, reason: String) throws {
        let more = """
            "parameters": { "c": { "type": "choice", "default": "a", "choices": ["a", "b"] } }, "parts": { "p_a": {} }
            """
        let fault = try #require(TargetFixtures.fault { _ = try json(template, more) })
        #expect(fault.hasPrefix("recipe: mine.json: \(place): ") && fault.contains(reason), "\(fault)")
    }

    @Test("A short recipe cannot fill the memory")
    func size() throws {
        let text = String(repeating: "{pack.description}", count: 2_000)
        let items = (0..<10_000).map { TargetFixtures.item("c\($0)") }
        var info = TargetFixtures.info()
        info.description = String(repeating: "x", count: 200)
        let recipe = try TargetFixtures.read("{ \"path\": \"a\", \"text\": [{ \"$each\": \"\(text)\" }] }")
        let source = try TargetBundles(
            recipe, target: PackTarget("mine"), info: info, items: items, file: "farm.inkpack")
        let bundle = try PackBundle(source, 0)
        let fault = TargetFixtures.fault { try bundle.check() }
        #expect(fault?.hasPrefix("input: ") == true && fault?.contains("limit") == true)
    }

    @Test("A short text cannot either, wherever it is")
    func textSize() throws {
        let long = String(repeating: "{v}", count: 2_000)
        for file in ["\"path\": \"\(long)\", \"text\": []", "\"path\": \"a\", \"text\": [\"\(long)\"]"] {
            let recipe = try TargetFixtures.read(
                "{ \(file) }", "\"parameters\": { \"v\": { \"type\": \"text\", \"default\": \"\" } }")
            let long = JSONValue.string(String(repeating: "x", count: 10_000))
            let fault = TargetFixtures.fault {
                _ = try TargetFixtures.texts(TargetFixtures.bundles(recipe, values: ["v": long]))
            }
            #expect(fault?.contains("more than 1048576 bytes") == true, "\(fault ?? "")")
        }
    }

    @Test("Whatever a template is, it gives JSON or a mistake", arguments: 0..<60 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func value(_ depth: Int) -> String {
            let texts = ["{pack.id}", "{id}", "a", "{{", "{n}", "1.2", "{effects}", "p", "{pack.name:2}b"]
            let keys = ["$each", "$parts", "$list", "$uuid", "a", "b{pack.id}", "{id}"]
            switch Int.random(in: 0...(depth > 3 ? 1 : 3), using: &random) {
            case 0: return "\"\(texts.randomElement(using: &random)!)\""
            case 1: return ["null", "true", "1.5", "-3"].randomElement(using: &random)!
            case 2:
                return
                    "[\((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }.joined(separator: ","))]"
            default:
                let members = Set(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in keys.randomElement(using: &random)! })
                return "{\(members.sorted().map { "\"\($0)\": \(value(depth + 1))" }.joined(separator: ","))}"
            }
        }
        var made = 0
        for _ in 0..<300 {
            let template = value(0)
            do throws(TargetError) {
                let recipe = try TargetRecipe.read(
                    TargetFixtures.recipe(
                        "{ \"path\": \"{id}\", \"each\": \"item\", \"json\": \(template) }", "\"parts\": { \"p\": {} }"),
                    file: "mine.json")
                let source = try TargetBundles(
                    recipe, target: PackTarget("mine"), info: TargetFixtures.info(), items: [TargetFixtures.item("aa")],
                    file: "farm.inkpack")
                let bundle = try PackBundle(source, 0)
                let bytes = try bundle.bytes(of: bundle.files[0])
                #expect(throws: Never.self) { try JSONReader.read(bytes) }
                made += 1
            } catch {
                guard case .recipe = error else {
                    Issue.record("\(template): \(error)")
                    continue
                }
            }
        }
        #expect(made > 50)
    }
}
