import Foundation
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// The schemas in docs/schema say of the formats what the readers do.
@Suite struct SchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func path(_ schema: String) -> String {
        root.appendingPathComponent("docs/schema/\(schema).schema.json").path
    }

    private static func load(_ schema: String) throws -> [String: Any] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path(schema)))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    // MARK: Without a validator

    @Test("The schemas have the keys that the readers know, no more and no fewer")
    func keys() throws {
        let schemas: [(name: String, root: FormatObject, objects: [FormatObject])] = [
            (
                "project", .project,
                [
                    .size, .metadata, .layer, .group, .fill, .placement, .viewport, .viewportSize, .suggestedPattern,
                    .stroke, .brush, .dynamics, .point, .position, .symbol, .shape, .linearGradient,
                    .radialGradient, .pattern,
                ]
            ),
            ("template", .manifest, [.size, .metadata, .manifestLayer, .suggestedPattern]),
            ("preset", .preset, [.presetDefaults, .dynamics]),
        ]
        var seen: Set<FormatObject> = []
        func check(_ object: [String: Any]?, _ kind: FormatObject, _ schema: String) {
            let keys = Set((object?["properties"] as? [String: Any])?.keys.map { $0 } ?? [])
            #expect(keys == Set(kind.keys.map(\.description)), "\(kind) of the \(schema) schema")
            seen.insert(kind)
        }
        for (name, kind, objects) in schemas {
            let schema = try Self.load(name)
            let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
            check(schema, kind, name)
            for object in objects { check(definitions["\(object)"], object, name) }
        }
        #expect(seen == Set(FormatObject.allCases))
    }

    @Test("The schemas have the blend modes and brush types that the readers know", arguments: ["project", "template"])
    func names(schema: String) throws {
        let definitions = try #require(try Self.load(schema)["$defs"] as? [String: [String: Any]])
        func values(_ name: String) -> Set<String> {
            Set((definitions[name]?["enum"] as? [Any] ?? []).compactMap { $0 as? String })
        }
        let modes = values("blendMode")
        #expect(modes.allSatisfy { BlendMode(name: $0) != nil })
        #expect(modes.isSuperset(of: BlendMode.allCases.flatMap { [$0.rawValue, $0.hyphenatedName] }))
        #expect(values("brushType") == Set(BrushType.allCases.map(\.rawValue)))
    }

    // MARK: With one

    private static let hasValidator =
        (try? validate("project", [])) != nil

    /// Whether the schema accepts each of the texts, by python3-jsonschema; the schema itself is checked too.
    private static func validate(_ schema: String, _ texts: [String]) throws -> [Bool] {
        let script = """
            import json, sys
            from jsonschema import Draft202012Validator
            schema = json.load(open(sys.argv[1]))
            Draft202012Validator.check_schema(schema)
            validator = Draft202012Validator(schema)
            print(json.dumps([validator.is_valid(json.loads(text)) for text in json.load(sys.stdin)]))
            """
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script, path(schema)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let data = try JSONSerialization.data(withJSONObject: texts)
        // The validator reads all of it before it writes a word.
        try input.fileHandleForWriting.write(contentsOf: data)
        try input.fileHandleForWriting.close()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.ENOEXEC) }
        return try #require(try JSONSerialization.jsonObject(with: answer) as? [Bool])
    }

    @Test("The schema of recipes accepts those of the program, and no unknown keys", .enabled(if: hasValidator))
    func recipes() throws {
        let texts = TargetRecipes.texts.map { String(decoding: $0.text, as: UTF8.self) }
        #expect(try Self.validate("recipe", texts).allSatisfy { $0 })
        for (key, misspelt) in [("archive", "archives"), ("path", "paths"), ("size", "sizes"), ("scope", "scopes")] {
            let wrong = texts.filter { $0.contains("\"\(key)\":") }
                .map { $0.replacing("\"\(key)\":", with: "\"\(misspelt)\":") }
            #expect(!wrong.isEmpty)
            #expect(try Self.validate("recipe", wrong).allSatisfy { !$0 }, "\(key)")
            for text in wrong {
                #expect(throws: TargetError.self) { try TargetRecipe.read(Array(text.utf8), file: "wrong.json") }
            }
        }
    }

    /// Packs by what is in them beside the id and a picture, and whether they are right.
    private static let packs: [(String, Bool)] = [
        (#""items":[{"id":"ab","base":"cow"}]"#, true), (#""items":[]"#, false), (#""version":"1.0""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"version":"2.0""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"release":"0.0.0""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"release":"1.20.3","uuid":"5D0F9A2C-7b3e-4c1f-8a66-d1e2c4b7f093""#, true),
        (#""items":[{"id":"ab","base":"cow"}],"uuid":"5d0f9a2c""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"name":"a\nb""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"names":"a""#, false),
        (#""items":[{"id":"ab","base":"cow"}],"_names":"a","x-y":1,"$z":[]"#, true),
        (#""items":[{"id":"Ab","base":"cow"}]"#, false), (#""items":[{"id":"com1","base":"cow"}]"#, false),
        (#""items":[{"id":"ab"}]"#, false), (#""items":[{"id":"ab","base":"cow","effects":"glow"}]"#, false),
        (#""items":[{"id":"ab","base":"cow"}],"targets":["sprites",{"target":"mcaddon","bundle":"item"}]"#, true),
        (#""items":[{"id":"ab","base":"cow"}],"targets":[{"target":"mcaddon","bundle":"all"}]"#, false),
        (
            #""items":[{"id":"ab","base":"cow"}],"effects":{"e":{"layers":[{"picture":"cow","clip":true,"place":{"x":-1}}]}}"#,
            true
        ),
        (#""items":[{"id":"ab","base":"cow"}],"effects":{"e":{"layers":[{"picture":"cow","opacity":1.5}]}}"#, false),
        (
            #""items":[{"id":"ab","base":"cow"}],"effects":{"e":{"layers":[{"picture":"cow","place":{"width":0}}]}}"#,
            false
        ),
        (##""matrix":{"base":["cow"],"color":["#fff",["rainbow"]],"effects":[[]],"id":"{base}_{color}"}"##, true),
        (#""matrix":[{"base":["cow"]}]"#, true), (##""matrix":{"color":["#fff"]}"##, false),
        (#""matrix":{"base":["cow"],"exclude":[{}]}"#, false), (#""matrix":{"base":"cow"}"#, false),
    ]

    /// Colours of an item, and whether they are right.
    private static let colors: [(String, Bool)] = [
        (##""#Fa0""##, true), (##""#ffaa0""##, false), (##"["#ffaa00","rainbow"]"##, true), ("7", false),
        (##"{"mode":"color-dodge","color":"#123","amount":0.5}"##, true), (##"{"color":"#123","amount":2}"##, false),
        (##"{"mode":"colour","color":"#123"}"##, false), (##"{"mode":null,"color":"#123"}"##, false),
        (##"{"color":"#123","angle":2}"##, false), (##"{"gradient":["#123"]}"##, false),
        (##"{"gradient":["#123","#456"],"angle":-90}"##, true),
        (##"{"gradient":[[0,"#123"],[1,"#456"]],"mode":"hue"}"##, true),
        (##"{"gradient":[[0,"#123"],"#456"]}"##, false), (##"{"gradient":[[0,"#123"],[1.5,"#456"]]}"##, false),
        (##"{"replace":{"#fff":"#000000"}}"##, true), (##"{"replace":{"white":"#000"}}"##, false),
        (##"{"replace":{"#fff":"#000"},"amount":1}"##, false), ("{}", false),
    ]

    @Test("The schema of packs and their reader agree on what is right", .enabled(if: hasValidator))
    func packs() throws {
        let cases =
            Self.packs + Self.colors.map { (##""items":[{"id":"ab","base":"cow","color":\##($0.0)}]"##, $0.1) }
        let texts = cases.map { #"{"id":"farm","pictures":{"cow":"cow.png"},\#($0.0)}"# }
        let accepted = try Self.validate("pack", texts)
        for ((text, (_, isRight)), isAccepted) in zip(zip(texts, cases), accepted) {
            let pack = try? PackReader.read(Array(text.utf8), file: "farm.inkpack", limits: Limits())  // Nil: refused.
            #expect((pack != nil) == isRight, "reader: \(text)")
            #expect(isAccepted == isRight, "schema: \(text)")
        }
        let modes = BlendMode.allCases.flatMap { [$0.rawValue, $0.hyphenatedName] }
        let steps = modes.map {
            ##"{"id":"farm","items":[{"id":"ab","base":"a.png","color":{"mode":"\##($0)","color":"#123"}}]}"##
        }
        #expect(try Self.validate("pack", steps).allSatisfy { $0 })
        let example = Self.root.appendingPathComponent("examples/creatures/meadow.inkpack")
        #expect(try Self.validate("pack", [try String(contentsOf: example, encoding: .utf8)]) == [true])
    }

    private enum Verdict: String {
        case accepted, warned, refused
    }

    private func verdict(_ schema: String, _ text: String) -> Verdict {
        let folder = ScratchFolder()
        let path: String
        switch schema {
        case "template":
            folder.write("t/manifest.json", text)
            folder.write("t/base.png", pngHeader(width: 9, height: 9))
            folder.write("t/layers/a_mask.png", pngHeader(width: 9, height: 9))
            path = folder.path + "/t"
        case "preset":
            folder.write("brushes/a.json", text)
            path = folder.write("p.ink", project(stroke: #""brush":{"preset":"a"}"#))
        default: path = folder.write("p.ink", text)
        }
        do throws(EngineError) {
            return try ProjectLoader.load(path: path).warnings.isEmpty ? .accepted : .warned
        } catch {
            return .refused
        }
    }

    private static let image = base64(pngHeader(width: 3, height: 3))

    /// Projects by what is in them beside the version and a canvas.
    private static let projects: [(String, Verdict)] = [
        ("", .accepted), (##""background":"#12345678""##, .accepted), (#""background":"red""#, .refused),
        (#""background":null"#, .accepted), (##""background":"#12345""##, .refused), (#""id":7"#, .refused),
        (#""createdAt":7"#, .warned), (#""metadata":{"author":"a","tags":[1]}"#, .accepted),
        (#""metadata":[]"#, .warned), (#""metadata":{"license":1}"#, .warned), (#""layers":{}"#, .refused),
        (#""baseImage":"\#(image)""#, .accepted), (#""baseImage":"data:image/png;base64,\#(image)""#, .accepted),
        (#""baseImage":"Qk0AAAAA""#, .refused), (#""baseImage":"data:image/bmp;base64,\#(image)""#, .refused),
        (#""viewports":[{"center":{"x":1,"y":2},"name":"a","rotation":7}]"#, .accepted),
        (#""viewports":[{"zoom":1}]"#, .refused), (#""viewports":[{"center":{"x":1,"y":2},"zoom":0}]"#, .refused),
        (#""viewports":[{"center":{"x":1,"y":2},"angle":0}]"#, .warned), (#""baseFile":7"#, .refused),
        (#""Layers":[]"#, .warned), (#""_mine":[]"#, .accepted), (#""layers":null"#, .accepted),
    ]

    private static let layers: [(String, Verdict)] = [
        (#""order":2.5,"opacity":0,"isVisible":false,"isLocked":true,"id":"a","name":"A""#, .accepted),
        (#""order":"2""#, .refused), (#""opacity":1.5"#, .refused), (#""opacity":-0.1"#, .refused),
        (#""isVisible":1"#, .refused), (#""blendMode":"plus-lighter""#, .accepted), (#""blendMode":null"#, .accepted),
        (#""blendMode":"colourBurn""#, .refused), (#""blendmode":"multiply""#, .warned), (#""visible":true"#, .warned),
        (##""suggestedPattern":{"type":"dots","spacing":3,"rotation":-90,"color":"#fff"}"##, .accepted),
        (#""suggestedPattern":{"spacing":0}"#, .refused), (#""suggestedPattern":{"type":"plaid"}"#, .refused),
        (##""suggestedPattern":{"colour":"#fff"}"##, .warned), (#""suggestedPattern":null"#, .accepted),
        (##""type":"fill","color":"#12345678""##, .accepted), (#""type":"fill""#, .refused),
        (##""type":"fill","color":"transparent""##, .refused),
        (##""type":"fill","color":"#fff","strokes":[]"##, .warned),
        (#""type":"group","passThrough":true,"layers":[{"type":"group","layers":[{}]}]"#, .accepted),
        (#""type":"group","layers":{}"#, .refused), (#""type":"group","contentImage":null"#, .warned),
        (#""type":"folder""#, .refused), (#""type":"layer","clipped":false"#, .accepted), (#""clipped":1"#, .refused),
        (#""maskImage":"\#(image)","maskPlacement":{"x":-3,"width":2.5,"rotation":30},"maskOutside":1"#, .accepted),
        (#""maskOutside":2"#, .refused), (#""contentPlacement":{"width":0}"#, .refused),
        (#""contentPlacement":{"x":1e300}"#, .refused), (#""contentPlacement":{"wide":1}"#, .warned),
        (#""contentFilter":"nearest""#, .accepted), (#""contentFilter":"cubic""#, .refused),
        (#""shapes":[{"path":"M1 2h3v4z"}],"maskShapes":[]"#, .accepted), (#""shapes":null"#, .accepted),
        (#""shapes":[{}]"#, .refused), (#""shapes":[{"path":"M0 0","symbol":"a"}]"#, .refused),
        (#""shapes":[{"path":"x"}]"#, .refused), (#""shapes":[{"path":" \n"}]"#, .accepted),
        (
            ##""shapes":[{"path":"","rule":"evenodd","fill":"#12345678","opacity":0.5,"mode":"erase","text":"a","textOf":"b"}]"##,
            .accepted
        ),
        (#""shapes":[{"path":"","transform":[1,0,0,1,5,6]}]"#, .accepted),
        (#""shapes":[{"path":"","transform":[1,0,0,1,5]}]"#, .refused),
        (#""shapes":[{"path":"","fill":"red"}]"#, .refused), (#""shapes":[{"path":"","rule":"odd"}]"#, .refused),
        (#""shapes":[{"path":"","name":"a"}]"#, .warned), (#""shapes":[{"path":"","opacity":2}]"#, .refused),
        (
            ##""shapes":[{"path":"","fill":{"type":"linear","from":[0,1],"to":[2,3],"stops":[[-1,"#fff"],[2,"#12345678"]]}}]"##,
            .accepted
        ),
        (##""shapes":[{"path":"","fill":{"type":"linear","from":[0,1],"stops":[[0,"#fff"]]}}]"##, .refused),
        (#""shapes":[{"path":"","fill":{"type":"radial","center":[0,1],"radius":2,"stops":[]}}]"#, .refused),
        (
            ##""shapes":[{"path":"","fill":{"type":"radial","center":[0,1],"radius":-2,"stops":[[0,"#fff"]]}}]"##,
            .refused
        ),
        (
            ##""shapes":[{"path":"","fill":{"type":"radial","center":[0,1],"radius":2,"stops":[[0,"#fff"]],"angle":3}}]"##,
            .warned
        ),
        (##""shapes":[{"path":"","fill":{"type":"conic","stops":[[0,"#fff"]]}}]"##, .refused),
        (
            ##""shapes":[{"path":"","fill":{"type":"pattern","brush":"dots","dotRadius":3,"edge":"whole","color":"#12345678"}}]"##,
            .accepted
        ),
        (#""shapes":[{"path":"","fill":{"type":"pattern","brush":"solid"}}]"#, .refused),
        (#""shapes":[{"path":"","fill":{"type":"pattern","opacity":1}}]"#, .warned),
        (
            ##""type":"fill","color":{"type":"radial","center":[0,1],"radius":2,"stops":[[0,"#fff"]]},"maskShapes":[{"path":""}]"##,
            .accepted
        ),
        (#""type":"fill","color":{"type":"pattern"}"#, .refused), (#""type":"group","maskShapes":[]"#, .accepted),
        (#""contentFile":"a.png","contentImage":"\#(image)""#, .refused), (#""maskFile":7"#, .refused),
    ]

    private static let strokes: [(String, Verdict)] = [
        ("", .accepted), (#""mode":"erase""#, .accepted), (#""mode":"smudge""#, .refused),
        (#""brush":null"#, .accepted),
        (
            ##""brush":{"type":"waves","rotation":400,"spacing":1,"opacity":1,"scale":2,"lineWidth":0.1,"color":"#a1B2c3"}"##,
            .accepted
        ),
        (#""brush":{"anchor":"canvas","size":0.5}"#, .accepted), (#""brush":{"anchor":"page"}"#, .refused),
        (#""brush":{"size":0}"#, .refused), (#""brush":{"scale":0}"#, .refused),
        (#""brush":{"lineWidth":-1}"#, .refused),
        (##""brush":{"color":"#12345678"}"##, .refused),
        (#""brush":{"spacing":2000000000}"#, .refused), (##""brush":{"colour":"#fff"}"##, .warned),
        (#""brush":{"dynamics":{"pressureAffectsSize":"yes"}}"#, .refused),
        (#""brush":{"dynamics":{"pressureAffectSize":true}}"#, .warned), (#""points":{}"#, .refused),
        (#""smoothing":"none","closed":true,"caps":"round""#, .accepted), (#""smoothing":"much""#, .refused),
        (
            #""brush":{"lines":63,"dotRadius":3,"waveLength":0.5,"edge":"whole","stampSpacing":2,"followsPath":true,"caps":"butt"}"#,
            .accepted
        ),
        (#""brush":{"lines":8}"#, .refused), (#""brush":{"lines":65}"#, .refused),
        (#""brush":{"waveLength":0.4}"#, .refused), (#""brush":{"dotRadius":0}"#, .refused),
        (#""brush":{"stampSpacing":0}"#, .refused), (#""brush":{"caps":"square"}"#, .refused),
        (#""brush":{"dynamics":{"minimumSize":0,"minimumOpacity":1}}"#, .accepted),
        (#""brush":{"dynamics":{"minimumSize":1.1}}"#, .refused),
        (#""points":[[1]]"#, .refused), (#""points":[[1,2],[3,4,0.5,10,45,90]]"#, .accepted),
        (#""points":[[1,2,0.5,10,45,90,1]]"#, .refused), (#""points":[[1,2,2]]"#, .refused),
        (#""points":[[1,null]]"#, .refused), (#""points":[[1,2,null,null,1]]"#, .accepted),
        (#""points":[[1,2000000000]]"#, .refused), (#""points":[{"x":1,"y":2,"pressure":null}]"#, .accepted),
        (#""points":[{"x":1}]"#, .refused), (#""points":[{"position":{"x":1,"y":2},"altitude":3}]"#, .accepted),
        (#""points":[{"position":{"x":1},"y":2}]"#, .accepted), (#""points":[{"position":{"y":2}}]"#, .refused),
        (#""points":[{"x":1,"y":2,"pressure":-1}]"#, .refused), (#""points":[{"x":1,"y":2,"force":1}]"#, .warned),
        (#""points":["1,2"]"#, .refused),
    ]

    private static let wholeProjects: [(String, Verdict)] = [
        ("[]", .refused), ("{}", .refused), (#"{"version":"1.0"}"#, .refused),
        (#"{"canvasSize":{"width":1,"height":1}}"#, .warned),
        (#"{"version":1.1,"canvasSize":{"width":1.0,"height":65536}}"#, .accepted),
        (#"{"version":"2.0","canvasSize":{"width":1,"height":1}}"#, .refused),
        (#"{"version":"1.x","canvasSize":{"width":1,"height":1}}"#, .refused),
        (#"{"version":"1.1","canvasSize":{"width":1}}"#, .refused),
        (#"{"version":"1.1","canvasSize":{"width":1.5,"height":1}}"#, .refused),
        (#"{"version":"1.1","canvasSize":{"width":0,"height":1}}"#, .refused),
        (#"{"version":"1.1","canvasSize":{"width":65537,"height":1}}"#, .refused),
        (#"{"version":"1.1","canvasSize":"2k"}"#, .refused),
        (#"{"version":"1.2","canvas":"infinite"}"#, .accepted),
        (#"{"version":"1.2","canvas":"infinite","canvasSize":{"width":1,"height":1}}"#, .refused),
        (
            #"{"version":"1.3","canvas":"infinite","symbols":[{"id":"a","path":"M0 0h1z"}],"layers":[{"shapes":[{"symbol":"a"}]}]}"#,
            .accepted
        ),
        (#"{"version":"1.3","canvas":"infinite","symbols":[{"path":"M0 0h1z"}]}"#, .refused),
        (#"{"version":"1.2","canvas":"finite","canvasSize":{"width":1,"height":1}}"#, .refused),
        (#"{"version":"1.2","canvas":"infinite","baseImage":"\#(image)"}"#, .refused),
        (#"{"version":"1.2","canvas":"infinite","viewports":[{"center":{"x":1e9,"y":-5}}]}"#, .refused),
        (
            #"{"version":"1.2","canvas":"infinite","viewports":[{"center":{"x":1e9,"y":-5},"zoom":2,"size":{"width":9,"height":0.5}}]}"#,
            .accepted
        ),
    ]

    private static let manifests: [(String, Verdict)] = [
        ("{}", .accepted), (#"{"version":"1.0","tags":[],"canvasSize":null,"author":"a"}"#, .accepted),
        (#"{"author":1}"#, .warned), (#"{"baseImage":"/base.png"}"#, .refused),
        (#"{"baseImage":"a/../b.png"}"#, .refused),
        (#"{"preview":"..\\p.png"}"#, .refused), (#"{"guide":"c:/p.png"}"#, .refused),
        (#"{"canvasSize":{"width":4}}"#, .refused),
        (#"{"layers":[{"id":"a","blendMode":"screen"}]}"#, .accepted),
        (#"{"layers":[{"mask":"layers/a_mask.png"}]}"#, .accepted),
        (#"{"layers":[{"id":"a","blendmode":"screen"}]}"#, .warned),
        (#"{"layers":[{"id":"a","opacity":2}]}"#, .refused),
        (#"{"layers":[{"id":"a","strokes":[]}]}"#, .warned), (#"{"layers":[7]}"#, .refused),
    ]

    private static let presets: [(String, Verdict)] = [
        (
            #"{"id":"a","name":"A","icon":"i","type":"dots","defaults":{"spacing":2},"dynamics":{"tiltAffectsRotation":true}}"#,
            .accepted
        ),
        (
            #"{"defaults":{"lines":5,"edge":"whole","waveLength":20,"caps":"round"},"dynamics":{"minimumSize":0}}"#,
            .accepted
        ),
        (#"{"defaults":{"lines":4}}"#, .refused), (#"{"type":"spray"}"#, .refused),
        (#"{"defaults":{"opacity":2}}"#, .refused),
        (##"{"defaults":{"colour":"#fff"}}"##, .warned),
        (#"{"defaults":{"dynamics":{"pressureAffectsSize":true}}}"#, .accepted),
        (#"{"dynamics":{"pressure":true}}"#, .warned),
        (#"{"dynamics":[]}"#, .refused), (#"{"defaults":null,"type":null}"#, .accepted),
    ]

    @Test(
        "Schema and reader agree on what is right, what is read with a warning and what is refused",
        .enabled(if: hasValidator, "python3-jsonschema is missing; `make setup` installs it"))
    func table() throws {
        let whole = #"{"version":"1.1","canvasSize":{"width":9,"height":9}"#
        let projects =
            Self.wholeProjects + Self.projects.map { ($0.0.isEmpty ? whole + "}" : "\(whole),\($0.0)}", $0.1) }
            + Self.layers.map { (#"\#(whole),"layers":[{\#($0.0)}]}"#, $0.1) }
            + Self.strokes.map { (#"\#(whole),"layers":[{"strokes":[{\#($0.0)}]}]}"#, $0.1) }
        for (schema, cases) in [("project", projects), ("template", Self.manifests), ("preset", Self.presets)] {
            let accepted = try Self.validate(schema, cases.map(\.0))
            for ((text, expected), isAccepted) in zip(cases, accepted) {
                #expect(verdict(schema, text) == expected, "reader: \(text)")
                #expect(isAccepted == (expected == .accepted), "schema: \(text)")
            }
        }
    }

    @Test(
        "Every example and scene is read without a warning, and its schema takes it",
        .enabled(if: hasValidator, "python3-jsonschema is missing; `make setup` installs it"))
    func examples() throws {
        let folders = ["examples", "Benchmarks/scenes"].map { Self.root.appendingPathComponent($0) }
        var texts: [String] = []
        for folder in folders {
            for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            where url.pathExtension == "ink" {
                var project = try ProjectLoader.load(path: url.path)
                #expect(project.warnings.isEmpty, "\(url.lastPathComponent): \(project.warnings)")
                // Strokes of a kind: the validator takes its time over each point.
                for layer in project.project.layers.indices {
                    let strokes = project.project.layers[layer].strokes.prefix(20)
                    project.project.layers[layer].strokes = strokes.map { stroke in
                        var short = stroke
                        short.points = Array(stroke.points.prefix(3))
                        return short
                    }
                }
                texts.append(String(decoding: try ProjectWriter.write(project.project), as: UTF8.self))
            }
        }
        #expect(texts.count >= 8)
        #expect(try Self.validate("project", texts).allSatisfy { $0 })
        let template = folders[0].appendingPathComponent("cat.inktemplate")
        #expect(try ProjectLoader.load(path: template.path).warnings.isEmpty)
        let manifest = try String(contentsOf: template.appendingPathComponent("manifest.json"), encoding: .utf8)
        #expect(try Self.validate("template", [manifest]) == [true])
    }
}
