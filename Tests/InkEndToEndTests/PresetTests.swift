import Foundation
import InkTestSupport
import Testing

/// `ink preset` and `ink import --brush PRESET` with the real executable.
@Suite(.timeLimit(.minutes(5))) struct PresetTests {
    private let folder: EndToEndFolder

    init() throws { folder = try EndToEndFolder() }

    @Test func theListHasTheProgramsPresetsAndThoseOfFolders() throws {
        try folder.file("mine/fine.json", #"{"id": "fine", "name": "Very fine", "type": "dots"}"#)
        let result = try InkProcess.run(["preset", "list", "--presets", folder("mine")])
        #expect(result.code == 0, "\(result.error)")
        let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(lines[0] == ["PRESET", "TYPE", "NAME", "FROM"])
        #expect(lines[1] == ["fine", "dots", "Very", "fine", folder("mine") + "/fine.json"])
        #expect(lines.contains(["hatching", "parallelLines", "Hatching", "ink"]))
        #expect(!result.output.contains(" \n"))
        let json = try InkProcess.run(["preset", "list", "--json", "--presets", folder("mine")])
        let entries = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(entries?.first?["file"] as? String == folder("mine") + "/fine.json")
        #expect(entries?.count == lines.count - 1)
    }

    @Test func aBrokenPresetIsListedAndReported() throws {
        try folder.file("mine/torn.json", "{")
        let result = try InkProcess.run(["preset", "list", "--presets", folder("mine")])
        #expect(result.code == 65 && result.error.contains("torn.json"), "\(result.error)")
        #expect(result.output.contains("unusable") && result.output.contains("hatching"))
    }

    @Test func whatIsShownCanBeUsedByAProject() throws {
        let shown = try InkProcess.run(["preset", "show", "Cross-Hatching"])
        #expect(shown.code == 0, "\(shown.error)")
        try folder.file("brushes/mine.json", shown.output)
        let project = try folder.file(
            "a.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 40, "height": 30}, "layers": [{"strokes": [
              {"brush": {"preset": "cross-hatching"}, "points": [[1, 2], [30, 20]]}]}]}
            """)
        let result = try InkProcess.run(["export", project, "-o", folder("a.png"), "--size", "1x", "--strict"])
        #expect(result.code == 0, "\(result.error)")
    }

    @Test func aPreviewIsMadeForEachPreset() throws {
        let result = try InkProcess.run(["preset", "preview", "hatching", "Brush pen", "-o", folder("out")])
        #expect(result.code == 0, "\(result.error)")
        #expect(folder.files(in: "out") == ["brush-pen.png", "hatching.png"])
        #expect(result.output == folder("out/hatching.png") + "\n" + folder("out/brush-pen.png") + "\n")
        let one = try folder.read("out/hatching.png")
        #expect(Array(one[16..<24]) == [0, 0, 2, 128, 0, 0, 0, 240])
        #expect(try folder.read("out/brush-pen.png") != one)
        let again = try InkProcess.run(["preset", "preview", "hatching", "-o", folder("out/hatching.png")])
        #expect(again.code == 74 && again.error.contains("hatching.png"), "\(again.error)")
        let small = try InkProcess.run(
            ["preset", "preview", "hatching", "-o", folder("s.png"), "--size", "320x120", "-q"])
        #expect(small.code == 0 && small.output.isEmpty, "\(small.error)")
        #expect(try Array(folder.read("s.png")[16..<24]) == [0, 0, 1, 64, 0, 0, 0, 120])
        let all = try InkProcess.run(["preset", "preview", "-o", folder("all"), "-q"])
        #expect(all.code == 0 && folder.files(in: "all").count == 11, "\(all.error)")
        // A changed copy, as the document suggests, stands for the program's own.
        try folder.file("mine/copy.json", InkProcess.run(["preset", "show", "hatching"]).output)
        let mine = try InkProcess.run(
            ["preset", "preview", "--presets", folder("mine"), "-o", folder("mine/all"), "-q"])
        #expect(mine.code == 0 && folder.files(in: "mine/all").count == 11, "\(mine.error)")
    }

    @Test func importedDrawingsTakeAPresetAndWhatReplacesIt() throws {
        let drawing = try folder.file("cat.ndjson", #"{"word":"cat","key_id":"7","drawing":[[[0,90],[0,50],[0,9]]]}"#)
        let result = try InkProcess.run(
            ["import", drawing, "-o", folder("out"), "--brush", "hatching", "--color", "#ff0000"])
        #expect(result.code == 0, "\(result.error)")
        let text = try String(decoding: folder.read("out/cat-7.ink"), as: UTF8.self)
        #expect(text.contains("\"anchor\":\"canvas\"") && text.contains("#ff0000") && text.contains("\"spacing\":11"))
    }

    @Test(arguments: [
        (["preset"], "list, show or preview"), (["preset", "lst"], "did you mean list?"),
        (["preset", "show"], "one PRESET"), (["preset", "show", "hatchin"], "did you mean hatching?"),
        (["preset", "list", "hatching"], "takes no PRESET"), (["preset", "show", "hatching", "-o", "x"], "--output"),
        (["preset", "preview", "-o", "x.png"], "one file"), (["preset", "preview", "hatching", "-o", "x.jpg"], "PNG"),
        (["import", "a.ndjson", "-o", "x", "--presets", "."], "--presets needs --brush"),
    ])
    func wrongRequestsSayWhatIsRight(arguments: [String], reason: String) throws {
        let result = try InkProcess.run(arguments)
        #expect(result.code == 64 && result.error.contains(reason), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
    }
}
