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
                "set -e\ntrap 'kill $broker $one $two 2>/dev/null || true' EXIT\n\(script)",
                folder: URL(fileURLWithPath: folder.path),
                environment: ["PATH": path, "INK_CONFIG": "/dev/null"])
            #expect(result.code == 0, "\(result.output)")
            #expect(!result.output.contains("warning:"), "\(result.output)")
        }
        #expect(FileManager.default.fileExists(atPath: folder("harbour-2k.png")))
        #expect(FileManager.default.fileExists(atPath: folder("waves-1x.png")))
    }

    @Test("The commands of docs/first-steps.md run as they stand, one after the other")
    func firstSteps() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/first-steps.md"), encoding: .utf8)
        let scripts = text.components(separatedBy: "\n```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(scripts.count >= 12)
        let folder = try EndToEndFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder("examples"), withDestinationPath: Self.root.appendingPathComponent("examples").path)
        try FileManager.default.createDirectory(atPath: folder("out"), withIntermediateDirectories: false)
        // The same commands, but with sockets of their own, because the ports may be another farm's.
        let ink = try folder.file(
            "bin/ink",
            """
            #!/bin/sh
            export INK_WORKERS=ipc://\(folder("w")) INK_CLIENTS=ipc://\(folder("c"))
            case $1 in
            worker) export INK_BROKER=$INK_WORKERS ;;
            broker) ;;
            *) export INK_BROKER=$INK_CLIENTS ;;
            esac
            for word; do
                shift
                [ "$word" != tcp://127.0.0.1:5571 ] || word=$INK_CLIENTS
                set -- "$@" "$word"
            done
            exec '\(try InkProcess.executable().path)' "$@"
            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: ink)
        let path = "\(folder("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        for script in scripts {
            let result = try Shell.run(
                "set -e\n\(script)",
                folder: URL(fileURLWithPath: folder.path), environment: ["PATH": path, "INK_CONFIG": "/dev/null"])
            #expect(result.code == 0, "\(script)\n\(result.output)")
            #expect(!result.output.contains("error:"), "\(script)\n\(result.output)")
        }
        for name in [
            "art/street-1x.png", "large/pen.csv-2x.webp", "house.png", "layers/street-01-Background.png", "card.tif",
            "proof.jpg", "card.pdf", "lines.pdf", "border.pdf", "notes.pdf", "web/dusk-200x200.webp", "overview.jpg",
            "zoom/street.dzi", "hey.jpg", "fetched/dusk-400x400.png", "by-farm/dusk-300x300.png",
        ] { #expect(FileManager.default.fileExists(atPath: folder("out/\(name)")), "\(name)") }
        let jobs = try String(contentsOfFile: folder("out/jobs"), encoding: .utf8)
        #expect(jobs.contains("\tdusk-400x400.png\n"), "\(jobs)")
    }

    /// Every document of the repository.
    private static let documents: [String] = {
        let docs =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("docs").path)) ?? []
        return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]
            + docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }()

    /// The anchors of a document's headings, as they are made of them on the web.
    private static func anchors(_ text: String) -> Set<String> {
        var anchors: Set<String> = []
        var isCode = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
            anchors.insert(
                String(title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 }))
        }
        return anchors
    }

    @Test("Every link of a document leads to a file, and to a heading of it", arguments: documents)
    func links(document: String) throws {
        let url = Self.root.appendingPathComponent(document)
        let text = try String(contentsOf: url, encoding: .utf8)
        for link in text.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.1) }) where !link.hasPrefix("http") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? url : url.deletingLastPathComponent().appendingPathComponent(parts[0])
            #expect(FileManager.default.fileExists(atPath: target.path), "\(document): \(link)")
            guard parts.count == 2, let linked = try? String(contentsOf: target, encoding: .utf8) else { continue }
            #expect(Self.anchors(linked).contains(parts[1]), "\(document): \(link)")
        }
    }
}
