import Foundation
import InkTestSupport
import Testing

@testable import InkDocuments
@testable import InkEngine

@Suite struct TemplateFilesTests {
    private let folder = InkTestSupport.ScratchFolder()

    private func pack(_ name: String, _ limits: Limits = Limits()) throws(EngineError) -> [UInt8] {
        var bytes: [UInt8] = []
        try TemplateFiles(path: folder(name), limits: limits).pack { bytes += $0 }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        folder.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: folder(name)))
    }

    @Test("Packed, unpacked and packed again, a template gives the same bytes", arguments: 0..<10 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        folder.file("a.inktemplate/manifest.json", #"{"canvasSize": {"width": 1, "height": 1}, "layers": []}"#)
        for index in 0..<Int.random(in: 0...20, using: &random) {
            let name = ["layers/\(index)_mask.png", "é\(index).txt", "x/y/\(index)", "\(index) space"].randomElement(
                using: &random)!
            try write(
                (0..<Int.random(in: 0...3000, using: &random)).map { _ in .random(in: 0...255, using: &random) },
                "a.inktemplate/" + name)
        }
        // These are no part of it.
        folder.file("a.inktemplate/.DS_Store", "x")
        folder.file("a.inktemplate/__MACOSX/y", "x")
        let packed = try pack("a.inktemplate")
        try write(packed, "a.zip")
        #expect(try pack("a.zip") == packed, "seed \(seed)")
        try TemplateFiles(path: folder("a.zip"), limits: Limits()).forEach { path, bytes throws(EngineError) in
            do { try write(bytes, "b.inktemplate/" + path) } catch { throw .internalError("\(error)") }
        }
        #expect(try pack("b.inktemplate") == packed, "seed \(seed)")
        #expect(try ProjectLoader.load(path: folder("a.zip")).project.layers.isEmpty)
    }

    @Test("Links, too many files, too many bytes and missing manifests are errors")
    func hostile() throws {
        folder.file("a.inktemplate/x", "x")
        #expect(
            throws: EngineError.badInput(
                Place(file: folder("a.inktemplate")), reason: "there is no manifest.json in it, it is not a template")
        ) {
            try pack("a.inktemplate")
        }
        folder.file("a.inktemplate/manifest.json", "{}")
        var limits = Limits()
        limits.archiveEntries = 1
        #expect(throws: EngineError.self) { try pack("a.inktemplate", limits) }
        limits = Limits()
        limits.fileBytes = 2
        #expect(throws: EngineError.self) { try pack("a.inktemplate", limits) }
        folder.link("a.inktemplate/z", to: "/etc/passwd")
        #expect(throws: EngineError.self) { try pack("a.inktemplate") }
        folder.file("no.zip", "PK\u{3}\u{4} is no archive")
        #expect(throws: EngineError.self) { try pack("no.zip") }
        folder.file("text", "text")
        #expect(throws: EngineError.self) { try pack("text") }
        folder.folder("deep.inktemplate/" + Array(repeating: "d", count: 40).joined(separator: "/"))
        folder.file("deep.inktemplate/manifest.json", "{}")
        #expect(throws: EngineError.self) { try pack("deep.inktemplate") }
    }
}
