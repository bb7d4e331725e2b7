import Foundation
import Testing

/// What the documents ask a reader to paste into a shell.
@Suite struct DocumentExampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("The examples of docs/formats.md run as they stand, without a warning")
    func formats() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/formats.md"), encoding: .utf8)
        let parts = text.components(separatedBy: "\n```sh\n").dropFirst()
        let scripts = parts.compactMap { $0.components(separatedBy: "\n```").first }
        #expect(scripts.count == 3)
        let folder = try EndToEndFolder()
        let programs = try InkProcess.executable().deletingLastPathComponent().path
        let path = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        for script in scripts {
            let result = try Shell.run(
                "set -e\n\(script)", folder: URL(fileURLWithPath: folder.path),
                environment: ["PATH": path, "INK_CONFIG": "/dev/null"])
            #expect(result.code == 0, "\(result.output)")
            #expect(!result.output.contains("warning:"), "\(result.output)")
        }
        #expect(FileManager.default.fileExists(atPath: folder("harbour-2k.png")))
        #expect(FileManager.default.fileExists(atPath: folder("waves-1x.png")))
    }
}
