import Foundation
import Testing

/// `ink export -o -`.
@Suite struct StandardOutputTests {
    private let folder: EndToEndFolder
    private let project: String

    init() throws {
        folder = try EndToEndFolder()
        try FileManager.default.createDirectory(atPath: folder("tmp"), withIntermediateDirectories: false)
        project = try folder.file(
            "a.ink",
            """
            {"version": "1.1", "canvasSize": {"width": 400, "height": 300}, "unknown": 1,
             "layers": [{"id": "a", "strokes": [{"brush": {"type": "dots"}, "points": [[10, 20, 1.0], [390, 280, 1.0]]}]}]}
            """)
    }

    private func run(_ command: String) throws -> (code: Int32, output: String) {
        let path = "\(try InkProcess.executable().deletingLastPathComponent().path):/usr/bin:/bin"
        return try Shell.run(
            command, folder: URL(fileURLWithPath: folder.path),
            environment: ["PATH": path, "INK_CONFIG": "/dev/null", "TMPDIR": folder("tmp")])
    }

    @Test("One picture goes to standard output, the same as in a file, and everything else to standard error")
    func onePicture() throws {
        for (options, name) in [
            ("", "a.png"), ("--format jpeg", "a.jpg"), ("--format psd", "a.psd"), ("--format pdf", "a.pdf"),
        ] {
            let result = try run(
                "ink export a.ink -o \(name) \(options) && ink export a.ink -o - \(options) >piped 2>said")
            #expect(result.code == 0, "\(options): \(result.output)")
            #expect(try folder.read("piped") == folder.read(name), "\(options)")
            #expect(try String(decoding: folder.read("said"), as: UTF8.self).contains("ink: warning: a.ink"))
        }
        let photo = try run("ink export a.jpg -o - >piped && ink export a.ink -o - | ink export - -o - >again; echo $?")
        #expect(try folder.read("piped").starts(with: [0xFF, 0xD8]), "\(photo.output)")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder("tmp"))
        #expect(left.isEmpty, "\(left)")
    }

    @Test("A reader that is gone ends the export with 141, without a word")
    func readerIsGone() throws {
        let result = try run(
            "(ink export a.ink -o - --size 3000 --rgb --format tiff --compression none; echo $? >code) | true")
        #expect(result.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ink: warning:") }, "\(result.output)")
        #expect(try String(decoding: folder.read("code"), as: UTF8.self) == "141\n")
    }

    @Test(
        "What standard output cannot be is refused",
        arguments: [
            ("a.ink -o - --size 1x,2x", "there are 2"), ("a.ink -o - --format png,jpeg", "there are 2 formats"),
            ("a.ink -o - --format dzi", "szi"), ("a.ink -o - --json", "--json"),
            ("a.ink -o - --report r.json", "--report"),
            ("a.ink -o - --name x.png", "--name"), ("a.ink -o - --watch", "--watch"),
            ("a.ink -o - --dry-run", "--dry-run"),
        ])
    func refusals(arguments: String, reason: String) throws {
        let result = try run("ink export \(arguments) 2>said >piped")
        #expect(result.code == 64)
        #expect(try folder.read("piped").isEmpty)
        let said = try String(decoding: folder.read("said"), as: UTF8.self)
        #expect(said.contains(reason) && said.split(separator: "\n").count == 1, "\(said)")
    }

    @Test("A terminal is no place for a picture")
    func terminal() throws {
        let result = try run("script -qec 'ink export a.ink -o -' /dev/null; echo $?")
        #expect(
            result.output.contains("standard output is a terminal") && result.output.hasSuffix("64\n"),
            "\(result.output)")
    }

    @Test("A picture that fails gives nothing on standard output")
    func failure() throws {
        _ = try folder.file("bad.ink", "{")
        let result = try run("ink export bad.ink -o - >piped")
        #expect(result.code == 65)
        #expect(try folder.read("piped").isEmpty)
    }
}
