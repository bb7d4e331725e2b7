import InkDocuments
import InkEngine
import Testing

@Suite struct BuiltInPresetsTests {
    @Test("Each preset of the program is one that a project could name")
    func valid() throws {
        let folder = ScratchFolder()
        for entry in BuiltInPresets.entries {
            let brush = try entry.brush.get()
            #expect(!entry.name.isEmpty && entry.file == nil)
            folder.write("brushes/\(entry.id).json", String(decoding: try entry.text(), as: UTF8.self))
            let path = folder.write("p.ink", project(stroke: #""brush":{"preset":"\#(entry.id)"}"#))
            let reading = try ProjectLoader.load(path: path)
            #expect(reading.project.layers[0].strokes[0].brush == brush)
            #expect(reading.warnings.isEmpty, "\(entry.id): \(reading.warnings)")
        }
    }

    @Test("They show every type of brush, and no id twice")
    func types() throws {
        let brushes = try BuiltInPresets.entries.map { try $0.brush.get() }
        #expect(Set(brushes.map(\.type)) == Set(BrushType.allCases))
        #expect(Set(brushes.map(\.anchor)) == Set(BrushAnchor.allCases))
        #expect(Set(BuiltInPresets.entries.map(\.id)).count == brushes.count)
    }

    @Test("A library lists the presets of its folders in the order in which they count, broken ones too")
    func entries() throws {
        let folder = ScratchFolder()
        folder.write("a/one.json", #"{"id":"x","name":"First","type":"dots"}"#)
        folder.write("b/one.json", #"{"id":"x","name":"Hidden","type":"waves"}"#)
        folder.write("b/torn.json", #"{"id":"torn","#)
        folder.write("b/wrong.json", #"{"id":"y","defaults":{"spacing":-1}}"#)
        let folders = [folder.path + "/a", folder.path + "/b"]
        let library = PresetLibrary(
            FolderCompanions(projectFolders: [folder.path + "/none/"], presetFolders: folders))
        let entries = try library.entries()
        #expect(entries.map(\.id) == ["x", "torn", "y"])
        #expect(entries.map(\.name) == ["First", "", ""])
        #expect(try entries[0].brush.get().type == .dots)
        for entry in entries.dropFirst() { #expect(throws: EngineError.self) { try entry.brush.get() } }
        #expect(throws: EngineError.self) {
            try PresetLibrary(FolderCompanions(presetFolders: [folder.path + "/none"])).entries()
        }
    }
}
