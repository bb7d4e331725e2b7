import Glibc
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct PresetLibraryTests {
    private let preset = """
        {"id":"ink-1","name":"Ink","type":"waves","defaults":{"rotation":30,"spacing":9,"opacity":0.5,"scale":2,
         "lineWidth":3,"color":"#102030"},"dynamics":{"pressureAffectsSize":true},"icon":"x"}
        """

    private func stroke(_ brush: String) -> String { project(stroke: #""brush":{\#(brush)}"#) }

    @Test func aStrokeTakesOverAndOverridesItsPreset() throws {
        let folder = ScratchFolder()
        folder.write("brushes/a.json", preset)
        let path = folder.write(
            "p.ink", stroke(#""preset":"ink-1","spacing":4,"dynamics":{"pressureAffectsOpacity":false},"opacity":null"#)
        )
        let reading = try ProjectLoader.load(path: path)
        let expected = Brush(
            type: .waves, rotation: 30, spacing: 4, opacity: 0.5, scale: 2, lineWidth: 3,
            color: RGBA8(red: 0x10, green: 0x20, blue: 0x30),
            dynamics: BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: true))
        #expect(reading.project.layers[0].strokes[0].brush == expected)
        #expect(reading.warnings.isEmpty)
        folder.write("brushes/a.json", preset + " ")
        #expect(try ProjectLoader.load(path: path).contentDigest != reading.contentDigest)
    }

    @Test func theFoldersNamedComeBeforeTheProjectsOwn() throws {
        let folder = ScratchFolder()
        folder.write("brushes/a.json", preset)
        folder.write("first/a.json", #"{"id":"ink-1","defaults":{"type":"dots"}}"#)
        folder.write("second/a.json", #"{"id":"ink-1","type":"solid"}"#)
        let path = folder.write("p.ink", stroke(#""preset":"ink-1""#))
        let folders = [folder.path + "/first", folder.path + "/second"]
        let brush = try ProjectLoader.load(path: path, presetFolders: folders).project.layers[0].strokes[0].brush
        #expect(brush == Brush(type: .dots))
    }

    @Test func aPresetThatIsMissingIsAWarningWhenTheTypeIsKnown() throws {
        let reading = try read(stroke(#""preset":"gone","type":"dots""#))
        #expect(reading.project.layers[0].strokes[0].brush == Brush(type: .dots))
        #expect(
            reading.warnings.map(\.description) == [
                #"layers[0].strokes[0].brush.preset: brush preset "gone" was not found, its strokes are drawn with their own settings"#
            ])
    }

    @Test("A preset of the program that no file holds says how to get it")
    func presetsOfTheProgram() throws {
        let reading = try read(stroke(#""preset":"hatching","type":"dots""#))
        let warning = try #require(reading.warnings.first?.description)
        #expect(warning.hasSuffix("ink preset show hatching > brushes/hatching.json"), "\(warning)")
    }

    @Test func aBrokenPresetFailsOnlyTheProjectThatNeedsIt() throws {
        let folder = ScratchFolder()
        folder.write("brushes/a.json", preset)
        let broken = folder.write("brushes/torn.json", #"{"id":"torn","#)
        let wrong = folder.write("brushes/wrong.json", #"{"id":"ink-2","defaults":{"spacing":-1}}"#)
        func message(_ id: String) -> String? {
            let path = folder.write("p.ink", stroke(#""preset":"\#(id)""#))
            do throws(EngineError) {
                _ = try ProjectLoader.load(path: path)
                return nil
            } catch {
                return error.description
            }
        }
        #expect(message("ink-1") == nil)
        #expect(
            message("torn") == broken
                + ": the file ends too early (line 1, column 14, byte 13); it may have been cut off when it was saved or copied, so use a whole copy"
        )
        #expect(message("ink-2") == wrong + ": defaults.spacing: is -1, must be above 0")
        #expect(
            message("ink-3")
                == #"\#(folder.path)/p.ink: layers[0].strokes[0].brush.preset: there is no brush preset "ink-3" in \#(folder.path)/brushes; of a file there the id cannot be read: \#(broken): the file ends too early (line 1, column 14, byte 13); it may have been cut off when it was saved or copied, so use a whole copy (in layer "Sky") (did you mean ink-1?)"#
        )
    }

    @Test("Presets lie beside the path as it is given, then beside the file that a link leads to")
    func presetsBesideALink() throws {
        let folder = ScratchFolder()
        folder.write("real/brushes/a.json", #"{"id":"a","type":"dots"}"#)
        folder.write("real/brushes/b.json", #"{"id":"b","type":"waves"}"#)
        folder.write("real/a.ink", stroke(#""preset":"a""#))
        folder.write("real/b.ink", stroke(#""preset":"b""#))
        folder.write("links/brushes/a.json", #"{"id":"a","type":"solid"}"#)
        symlink("../real/a.ink", folder.path + "/links/a.ink")
        symlink("a.ink", folder.path + "/links/second.ink")
        symlink("../real/b.ink", folder.path + "/links/b.ink")
        for (name, type) in [("a", BrushType.solid), ("second", .solid), ("b", .waves)] {
            let reading = try ProjectLoader.load(path: folder.path + "/links/\(name).ink")
            #expect(reading.project.layers[0].strokes[0].brush.type == type, "\(name)")
        }
        #expect(throws: EngineError.self) {
            try ProjectLoader.load(path: folder.write("links/c.ink", stroke(#""preset":"b""#)))
        }
    }

    @Test("A folder or file of presets that cannot be read is not taken for one without the preset")
    func presetsThatCannotBeRead() throws {
        let folder = ScratchFolder()
        let path = folder.write("p.ink", stroke(#""preset":"x","type":"dots""#))
        symlink("brushes", folder.path + "/brushes")
        #expect(throws: EngineError.io(path: folder.path + "/brushes", operation: "look at", errno: ELOOP)) {
            try ProjectLoader.load(path: path)
        }
        unlink(folder.path + "/brushes")
        folder.write("brushes/a.json", preset)
        symlink("nowhere.json", folder.path + "/brushes/gone.json")
        #expect(try ProjectLoader.load(path: path).warnings.count == 1)
        // The preset may be in it.
        symlink("circle.json", folder.path + "/brushes/circle.json")
        #expect(throws: EngineError.io(path: folder.path + "/brushes/circle.json", operation: "open", errno: ELOOP)) {
            try ProjectLoader.load(path: path)
        }
        let known = folder.write("k.ink", stroke(#""preset":"ink-1""#))
        #expect(throws: Never.self) { try ProjectLoader.load(path: known) }
    }

    @Test func aPresetFolderThatIsMissingIsAnErrorOnceItIsNeeded() throws {
        let companions = FolderCompanions(presetFolders: ["/nonexistent-presets"])
        #expect(try read(project(), companions: companions).warnings.isEmpty)
        #expect(throws: EngineError.self) { try read(stroke(#""preset":"x","type":"dots""#), companions: companions) }
    }
}
