import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

/// What is read although it is perhaps not meant so is said, once, with its place.
@Suite struct ReadingWarningTests {
    private func lines(_ text: String) throws -> [String] { try read(text).warnings.map(\.description) }

    @Test(
        "A misspelt key is named with the key that was meant",
        arguments: [
            (#""blendmode":"multiply""#, "layers[0].blendmode", "blendMode"),
            (#""visible":false"#, "layers[0].visible", "isVisible"),
            (#""mask":"x""#, "layers[0].mask", "maskFile"),
            (#""suggestedPattern":{"colour":"red"}"#, "layers[0].suggestedPattern.colour", "color"),
        ])
    func misspelt(layer: String, place: String, meant: String) throws {
        #expect(try lines(project(layer: layer)) == ["\(place): unknown key, ignored (did you mean \(meant)?)"])
    }

    @Test("Keys are looked at wherever there are any")
    func everywhere() throws {
        let text = #"""
            {"version":"1.1","canvasSize":{"width":4,"height":4,"depth":1},"backgroud":"#fff","metadata":{"licence":"x","tags":[]},
             "layers":[{"strokes":[{"color":"#fff","brush":{"dynamics":{"pressureAffectsColor":true},"line-width":2},
               "points":[{"x":1,"y":2,"presure":0.5},{"position":{"x":1,"y":2,"z":3}}]}]}]}
            """#
        #expect(
            try lines(text) == [
                "backgroud: unknown key, ignored (did you mean background?)",
                "canvasSize.depth: unknown key, ignored",
                "metadata.licence: unknown key, ignored (did you mean license?)",
                "layers[0].strokes[0].color: unknown key, ignored",
                "layers[0].strokes[0].brush.line-width: unknown key, ignored (did you mean lineWidth?)",
                "layers[0].strokes[0].brush.dynamics.pressureAffectsColor: unknown key, ignored",
                "layers[0].strokes[0].points[0].presure: unknown key, ignored (did you mean pressure?)",
                "layers[0].strokes[0].points[1].position.z: unknown key, ignored",
            ])
    }

    @Test("A key that a thousand strokes have is said once, with how many there are")
    func grouped() throws {
        let stroke = ##"{"brush":{"colour":"#f00"},"points":[[1,2]]}"##
        let strokes = repeatElement(stroke, count: 1000).joined(separator: ",")
        let warnings = try read(
            #"{"version":"1.1","canvasSize":{"width":9,"height":9},"layers":[{"strokes":[\#(strokes)]}]}"#
        ).warnings
        #expect(warnings.map(\.count) == [1000])
        #expect(
            warnings.map(\.description) == [
                "layers[0].strokes[0].brush.colour and 999 more: unknown key, ignored (did you mean color?)"
            ])
    }

    @Test("A hundred warnings are kept, the others counted")
    func bounded() throws {
        let keys = (0..<250).map { #""zzz\#($0)":1"# }.joined(separator: ",")
        let lines = try lines(#"{"version":"1.0","canvasSize":{"width":9,"height":9},\#(keys)}"#)
        #expect(lines.count == 101)
        #expect(lines[99] == "zzz99: unknown key, ignored")
        #expect(lines[100] == "and 150 more warnings")
    }

    @Test(
        "In a file of a later version only what is near to a known key is a mistake",
        arguments: [("1.0", 2), ("1.1", 2), ("1", 2), ("1.3", 2), ("1.4", 1), ("1.99999999999999999999", 1)])
    func laterVersions(version: String, count: Int) throws {
        let text = #"{"version":"\#(version)","canvasSize":{"width":9,"height":9},"artboards":[],"lyaers":[]}"#
        #expect(try read(text).warnings.count == count)
    }

    @Test("Keys that other programs mark as their own are nobody's mistake")
    func foreignKeys() throws {
        let text = #"{"$schema":"x","_comment":1,"x-studio":{},"version":"1.1","canvasSize":{"width":9,"height":9}}"#
        #expect(try lines(text) == [])
    }

    @Test("A misspelt brush type or blend mode is refused with the one that was meant")
    func errors() {
        #expect(
            message(project(layer: #""blendMode":"colourBurn""#))?.hasSuffix(
                #"unknown blend mode "colourBurn" in layer "Sky" (did you mean colorBurn?)"#) == true)
        #expect(
            message(project(stroke: #""brush":{"type":"hatch"}"#))?.hasSuffix(
                #"unknown brush type "hatch" in layer "Sky" (did you mean crossHatch?)"#) == true)
        #expect(message(project(stroke: #""mode":"Erase""#))?.hasSuffix("(did you mean erase?)") == true)
    }

    @Test("A template names misspelt keys of its manifest, and where it looked for a mask")
    func templates() throws {
        let folder = ScratchFolder()
        folder.write(
            "t/manifest.json",
            #"""
            {"version":"1.0","canvasSize":{"width":9,"height":9},"tags":["sea"],"licence":"x",
             "layers":[{"id":"a","name":"Sky","blendmode":"plus","strokes":[]}]}
            """#)
        #expect(
            try ProjectLoader.load(path: folder.path + "/t").warnings.map(\.description) == [
                "manifest.json: licence: unknown key, ignored (did you mean license?)",
                "manifest.json: layers[0].blendmode: unknown key, ignored (did you mean blendMode?)",
                "manifest.json: layers[0].strokes: unknown key, ignored",
                #"manifest.json: layers[0]: layer "Sky" has no mask, there is no layers/a_mask.png or layers/Sky_mask.png"#,
            ])
    }

    @Test("A preset's misspelt keys are said with its file where it is used, and nowhere else")
    func presets() throws {
        let folder = ScratchFolder()
        let file = folder.write("brushes/a.json", ##"{"id":"wash","icon":"x","defaults":{"colour":"#fff"}}"##)
        folder.write("brushes/b.json", ##"{"id":"other","defaults":{"colour":"#fff"}}"##)
        let path = folder.write("p.ink", project(stroke: #""brush":{"preset":"wash"}"#))
        #expect(
            try ProjectLoader.load(path: path).warnings.map(\.description) == [
                "\(file): defaults.colour: unknown key, ignored (did you mean color?)"
            ])
    }

    @Test("A preset that is not found is named with the one that was meant")
    func missingPreset() throws {
        let folder = ScratchFolder()
        folder.write("brushes/a.json", #"{"id":"fine-hatch"}"#)
        let path = folder.write("p.ink", project(stroke: #""brush":{"preset":"fine hatsh","type":"dots"}"#))
        let warnings = try ProjectLoader.load(path: path).warnings
        #expect(warnings.map(\.kind) == [.missingPreset])
        #expect(warnings.first?.path == "layers[0].strokes[0].brush.preset")
        #expect(warnings.first?.reason.hasSuffix("(did you mean fine-hatch?)") == true)
    }

    @Test("What was said of a project goes with it where it is written anew")
    func carried() throws {
        let reading = try read(project(layer: #""blendmode":"plus""#))
        let text = try ProjectWriter.write(reading.project, warnings: reading.warnings)
        let again = try read(String(decoding: text, as: UTF8.self))
        #expect("\(again.project)" == "\(reading.project)")
        #expect(again.warnings.map(\.description) == reading.warnings.map(\.description))
        #expect(again.warnings.map(\.kind) == [.carried])
    }

    @Test("A text that is read without its bulk gives the same warnings as one that is read as a whole")
    func withoutBulk() throws {
        let text = project(layer: #""blendmode":"plus""#, stroke: ##""brush":{"colour":"#fff"}"##)
        var parser = ProjectParser(file: "test.ink", limits: Limits())
        #expect(try parser.readWithoutBulk(Array(text.utf8)[...]) != nil)
        let document = try JSONDocument(Array(text.utf8), file: "test.ink", limits: Limits())
        var whole = ProjectParser(file: "test.ink", limits: Limits())
        _ = try whole.readProject(try JSONObject(document.root, path: .root, file: "test.ink"))
        withExtendedLifetime(document) {}
        #expect(parser.warnings.all.count == 2 && parser.warnings.all == whole.warnings.all)
    }

    @Test("Every key that is known is read: a value of the wrong kind does not pass")
    func knownKeysAreRead() throws {
        func frame(_ kind: FormatObject, _ field: String) -> String? {
            func project(_ inner: String) -> String {
                #"{"version":"1.1","canvasSize":{"width":9,"height":9},\#(inner)}"#
            }
            func stroke(_ inner: String) -> String { project(#""layers":[{"strokes":[{\#(inner)}]}]"#) }
            func shape(_ inner: String) -> String { project(#""layers":[{"shapes":[{"path":"",\#(inner)}]}]"#) }
            return switch kind {
            case .project: project(field)
            case .size: #"{"version":"1.1","canvasSize":{"width":9,"height":9,\#(field)}}"#
            case .viewport:
                project(#""viewports":[{"center":{"x":1,"y":1},"size":{"width":1,"height":1},\#(field)}]"#)
            case .viewportSize:
                project(#""viewports":[{"center":{"x":1,"y":1},"size":{"width":1,"height":1,\#(field)}}]"#)
            case .group: project(#""layers":[{"type":"group",\#(field)}]"#)
            case .fill: project(##""layers":[{"type":"fill","color":"#fff",\##(field)}]"##)
            case .placement: project(#""layers":[{"maskPlacement":{\#(field)}}]"#)
            case .metadata: project(#""metadata":{\#(field)}"#)
            case .layer: project(#""layers":[{\#(field)}]"#)
            case .suggestedPattern: project(#""layers":[{"suggestedPattern":{\#(field)}}]"#)
            case .stroke: stroke(field)
            case .brush: stroke(#""brush":{\#(field)}"#)
            case .dynamics: stroke(#""brush":{"dynamics":{\#(field)}}"#)
            case .point: stroke(#""points":[{"x":1,"y":1,\#(field)}]"#)
            case .position: stroke(#""points":[{"position":{"x":1,"y":1,\#(field)}}]"#)
            case .symbol: project(#""symbols":[{"id":"a","path":"",\#(field)}]"#)
            case .shape: shape(field)
            case .linearGradient:
                shape(##""fill":{"type":"linear","from":[0,0],"to":[1,1],"stops":[[0,"#fff"]],\##(field)}"##)
            case .radialGradient:
                shape(##""fill":{"type":"radial","center":[0,0],"radius":1,"stops":[[0,"#fff"]],\##(field)}"##)
            case .pattern: shape(#""fill":{"type":"pattern",\#(field)}"#)
            case .manifest, .manifestLayer, .preset, .presetDefaults: nil
            }
        }
        for kind in FormatObject.allCases {
            // What an export has no use for, and what an app may say more in.
            for key in kind.keys where !["isLocked", "metadata"].contains(key.description) {
                guard let text = frame(kind, #""\#(key)":{"a":[]}"#) else { continue }
                let isNoticed = message(text) != nil || (try? read(text).warnings.isEmpty) == false
                #expect(isNoticed, "\(kind) \(key): \(text)")
            }
        }
    }
}
