import InkClient
import InkDocuments
import InkEngine
import InkProtocol
import InkTestSupport
import Testing

@testable import InkExports

/// What a broker is sent of projects that are read from files.
@Suite struct PackedTextTests {
    /// More than a writer would write.
    private static let text = """
        {"version": "1.1", "canvasSize": {"width": 40, "height": 30.0}, "colour of the cat": "grey",
         "layers": [{"id": "a", "strokes": [{"brush": {"type": "dots"}, "points": [[1, 2, 1.0], {"x": 9.50, "y": 8}]}]}]}

        """

    private func text(of content: PreparedContent) throws -> [UInt8] {
        guard case .bytes(let bytes) = content.content, case .content(let id, let count, .zstd) = content.source else {
            throw EngineError.internalError("\(content.source)")
        }
        #expect(id.digest == SHA256.digest(bytes) && count == UInt64(bytes.count))
        return try Zstandard.decompress(bytes, limit: 1 << 20)
    }

    private func open(_ path: String, _ use: TextUse) throws -> OpenedProject {
        try LoadingOpener(ReadingChoices(limits: Limits(), textUse: use)).open(ExportInput(path: path))
    }

    @Test(arguments: [TextUse.packed, .packedAtOnce])
    func aProjectTravelsAsItIs(use: TextUse) throws {
        let folder = ScratchFolder()
        let path = folder.file("a.ink", Self.text)
        let opened = try open(path, use)
        let content = try ProjectPacking.content(
            of: opened.project, warnings: opened.warnings, text: opened.text, name: path)
        #expect(try text(of: content) == Array(Self.text.utf8))
        // The same for each picture of the project.
        #expect(
            try ProjectPacking.content(
                of: opened.project, warnings: opened.warnings, text: opened.text, name: path) == content)
    }

    /// More than is packed or read on one thread, and with a point that keeps the fast reader from it.
    @Test(arguments: ["[1.0000000, 2]", "[1.0000000, 2, null]"])
    func aLargeProjectTravelsAsItIs(point: String) throws {
        let folder = ScratchFolder()
        let points = Array(repeating: point, count: 90_000).joined(separator: ",")
        let start = #"{"version":"1.1","canvasSize":{"width":9,"height":9},"layers":[{"strokes":[{"points":["#
        let text = start + points + "]}]}]}"
        let path = folder.file("a.ink", text)
        let opened = try open(path, .packedAtOnce)
        #expect(opened.project.layers[0].strokes[0].points.count == 90_000)
        let content = try ProjectPacking.content(
            of: opened.project, warnings: opened.warnings, text: opened.text, name: path)
        guard case .bytes(let bytes) = content.content else { return }
        #expect(try Zstandard.decompress(bytes, limit: 1 << 24) == Array(text.utf8))
    }

    /// The broker has other presets, or none.
    @Test(arguments: [true, false])
    func aProjectThatNamesAPresetIsWrittenWithIt(isThere: Bool) throws {
        let folder = ScratchFolder()
        if isThere { folder.file("brushes/p.json", #"{"id":"p","defaults":{"spacing":3}}"#) }
        let text = Self.text.split(separator: "\n").joined().replacing(
            #"{"type": "dots"}"#, with: #"{"type": "dots", "preset": "p"}"#)
        let path = folder.file("a.ink", text)
        let opened = try open(path, .packedAtOnce)
        #expect(opened.text == nil)
        let content = try ProjectPacking.content(
            of: opened.project, warnings: opened.warnings, text: opened.text, name: path)
        let sent = try self.text(of: content)
        let reading = try ProjectReader.read(
            sent, file: "sent", limits: Limits())
        #expect(reading.project.layers[0].strokes[0].brush.spacing == (isThere ? 3 : Brush().spacing))
        #expect(reading.project.layers[0].strokes[0].points == opened.project.layers[0].strokes[0].points)
    }

    @Test func whatIsNoProjectFileIsWritten() throws {
        let folder = ScratchFolder()
        folder.file("t.inktemplate/manifest.json", #"{"canvasSize": {"width": 4, "height": 4}, "layers": []}"#)
        #expect(try open(folder("t.inktemplate"), .packedAtOnce).text == nil)
        // Nobody wants it.
        #expect(try open(folder.file("a.ink", Self.text), .none).text == nil)
    }
}
