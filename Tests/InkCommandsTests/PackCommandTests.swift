@testable import InkCodecs
@testable import InkDocuments
@testable import InkEngine
import InkJSON
import InkSystem
import InkTestSupport
import Testing

@testable import InkCommands
@testable import InkExports

/// `ink pack` over a real broker and real workers.
@Suite("Packs", .serialized)
struct PackCommandTests {
    private func run(_ arguments: [String]) -> (code: ExitCode, transcript: Transcript) {
        let transcript = Transcript()
        var environment = CommandEnvironment.process
        environment.console = transcript.console()
        environment.handlesSignals = false
        return (InkCommands.run(arguments, environment), transcript)
    }

    private static let picture: [UInt8] = [
        255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 0,
    ]

    /// A folder with a pack of two items of pixel art.
    private func pack(_ more: String = "", targets: String = #"["sprites"]"#) throws -> ScratchFolder {
        let folder = ScratchFolder()
        folder.folder("art")
        try FileSystem.writeAtomically(
            MinimalPNGWriter.png(rgba: Self.picture, size: PixelSize(width: 2, height: 2)), to: folder("art/base.png"))
        folder.file(
            "farm.inkpack",
            #"""
            {"version": "1.0", "id": "farm", "targets": \#(targets), "pictures": {"base": {"file": "art/base.png", "scaling": "pixel"}},
             "items": [{"id": "plain_one", "base": "base"}, {"id": "dark_one", "base": "base", "color": "#808080"}] \#(more)}
            """#)
        return folder
    }

    private func pixels(_ path: String) throws -> (size: PixelSize, rgba: [UInt8]) {
        try PNGDecoder.decodeRGBA(FileSystem.read(path, limitBytes: 1 << 20), place: Place(file: path))
    }

    @Test("Pixel art is enlarged by whole numbers, in the middle of its box")
    func pixelArt() throws {
        let folder = try pack()
        let (code, transcript) = run(
            ["pack", folder("farm.inkpack"), "-o", folder("out"), "--folder", "--set", "size=7x6", "--workers", "2"])
        #expect(code == .done, "\(transcript.error)")
        let files = ["dark_one.png", "items.json", "plain_one.png", "sheet.json", "sheet.png"]
        #expect(folder.files.filter { $0.hasPrefix("out/") } == files.map { "out/farm-sprites/\($0)" })
        for (name, scale) in [("plain_one", 255), ("dark_one", 128)] {
            let (size, rgba) = try pixels(folder("out/farm-sprites/\(name).png"))
            #expect(size == PixelSize(width: 7, height: 6))
            for y in 0..<6 {
                for x in 0..<7 {
                    let at = 4 * (y / 3 * 2 + min(x, 5) / 3)
                    let isEmpty = x == 6 || Self.picture[at + 3] == 0
                    let expected: [UInt8] =
                        isEmpty ? [0, 0, 0, 0] : Self.picture[at..<(at + 3)].map { $0 == 0 ? 0 : UInt8(scale) } + [255]
                    #expect(Array(rgba[(4 * (y * 7 + x))..<(4 * (y * 7 + x) + 4)]) == expected, "\(name) \(x) \(y)")
                }
            }
        }
    }

    @Test("The same pack gives the same archive with any number of threads, and is not written again")
    func sameBytes() throws {
        let folder = try pack()
        #expect(run(["pack", folder("farm.inkpack"), "-o", folder("a"), "--workers", "1"]).code == .done)
        #expect(run(["pack", folder("farm.inkpack"), "-o", folder("b"), "--workers", "3"]).code == .done)
        let archive = try FileSystem.read(folder("a/farm-sprites.zip"), limitBytes: 1 << 20)
        #expect(try FileSystem.read(folder("b/farm-sprites.zip"), limitBytes: 1 << 20) == archive)
        let again = run(["pack", folder("farm.inkpack"), "-o", folder("a")])
        #expect(again.code == .done && again.transcript.output.contains("unchanged"), "\(again.transcript.output)")
        #expect(run(["pack", folder("farm.inkpack"), "-o", folder("a"), "--if-exists", "suffix"]).code == .done)
        #expect(folder.files.filter { $0.hasPrefix("a/") } == ["a/farm-sprites-1.zip", "a/farm-sprites.zip"])
    }

    @Test(
        "What cannot be made leaves nothing behind",
        arguments: [
            (["--items", "pink_*"], ExitCode.usage), (["--target", "sprits"], .usage),
            (["--set", "siez=1x"], .usage), (["--set", "size=large"], .badInput),
            (["--target", "whatsapp"], .badInput),
            (["--target", "./none.json"], .inputOutput),
        ])
    func refused(options: [String], code: ExitCode) throws {
        let folder = try pack()
        let (found, transcript) = run(["pack", folder("farm.inkpack"), "-o", folder("out")] + options)
        #expect(found == code, "\(transcript.error)")
        #expect(folder.files == ["art/base.png", "farm.inkpack"])
    }

    @Test("A missing picture, no target and a wrong pack have codes of their own")
    func wrongPacks() throws {
        let folder = try pack(#", "icon": "art/none.png""#)
        #expect(run(["pack", folder("farm.inkpack"), "-o", folder("out")]).code == .inputOutput)
        let idle = try pack(targets: "[]")
        #expect(run(["pack", idle("farm.inkpack")]).code == .usage)
        let wrong = try pack(#", "nam": "Farm""#)
        let (code, transcript) = run(["pack", wrong("farm.inkpack")])
        #expect(code == .badInput)
        #expect(transcript.error.contains("farm.inkpack: nam: is no key here (did you mean name?)"))
    }

    @Test("A pack is a document of ink export, with a page for each item")
    func pages() throws {
        let folder = try pack()
        let (code, transcript) = run(
            ["export", folder("farm.inkpack"), "-o", folder("out"), "--size", "5x4", "--workers", "2"])
        #expect(code == .done, "\(transcript.error)")
        let names = folder.files.filter { $0.hasPrefix("out/") }
        #expect(names == ["out/farm-dark_one-5x4.png", "out/farm-plain_one-5x4.png"])
        #expect(try pixels(folder("out/farm-plain_one-5x4.png")).rgba.prefix(8) == [255, 0, 0, 255, 255, 0, 0, 255])
    }

    @Test("ink inspect shows the items and bundles of a pack, as text and as JSON")
    func inspected() throws {
        let folder = try pack()
        let (code, transcript) = run(["inspect", folder("farm.inkpack")])
        #expect(code == .done, "\(transcript.error)")
        #expect(transcript.output.contains("picture art/base.png: 2x2, pixel"))
        #expect(transcript.output.contains("dark_one \"Dark One\": base 2x2, #808080"))
        #expect(transcript.output.contains("sprites: farm-sprites.zip, 2 items, 5 files"), "\(transcript.output)")
        let report = try JSONReader.read(
            Array(run(["inspect", folder("farm.inkpack"), "--json"]).transcript.output.utf8))
        #expect(report["items"]?.array?.compactMap { $0["id"]?.string } == ["plain_one", "dark_one"])
        #expect(report["bundles"]?.array?.first?["files"]?.number == 5)
        #expect(report["refused"]?.array?.isEmpty == true)
    }

    @Test("ink inspect reports what would stop each target of a pack, and damaged pictures")
    func inspectedFaults() throws {
        let folder = try pack(#", "icon": "art/broken.png""#, targets: #"["whatsapp", "sprits", "sprites"]"#)
        let whole = MinimalPNGWriter.png(rgba: Self.picture, size: PixelSize(width: 2, height: 2))
        try FileSystem.writeAtomically(Array(whole.dropLast(30)), to: folder("art/broken.png"))
        let (code, transcript) = run(["inspect", folder("farm.inkpack")])
        #expect(code == .badInput)
        for part in ["icon", "target whatsapp has 2 items", "there is no target \"sprits\" (did you mean sprites?)"] {
            #expect(transcript.error.contains(part), "\(part): \(transcript.error)")
        }
        #expect(transcript.output.contains("sprites: farm-sprites.zip"))
    }

    @Test("Values of a target that is not made now are no mistakes")
    func otherTargets() throws {
        let folder = try pack(#", "values": {"shade": 3}"#, targets: #"["sprites", "./own.json"]"#)
        folder.file(
            "own.json",
            #"{"version": "1.0", "name": "own", "archive": "own.zip", "parameters": {"shade": {"type": "integer"}}, "files": [{"path": "a.txt", "text": ["{shade}"]}]}"#
        )
        for target in ["sprites", "./own.json"] {
            let (code, transcript) = run(["pack", folder("farm.inkpack"), "-o", folder("out"), "--target", target])
            #expect(code == .done, "\(target): \(transcript.error)")
        }
    }

    @Test("Steps that change nothing, and textures of other sizes than games take, are warned of")
    func warned() throws {
        let folder = try pack(
            targets: #"[{"target": "mcaddon", "values": {"look": "game", "geometry": "geometry.cow"}}]"#)
        folder.file(
            "odd.inkpack",
            ##"{"id": "odd", "targets": [{"target": "mcaddon", "values": {"look": "game", "geometry": "geometry.cow"}}], "pictures": {"base": {"file": "art/odd.png", "scaling": "pixel"}}, "matrix": {"base": ["base"], "color": ["pink", "mint"], "id": "{color}_x"}, "colors": {"pink": {"color": "#fff", "amount": 0}, "mint": {"color": "#000", "amount": 0}}}"##
        )
        try FileSystem.writeAtomically(
            MinimalPNGWriter.png(
                rgba: Self.picture + Self.picture + Self.picture, size: PixelSize(width: 3, height: 4)),
            to: folder("art/odd.png"))
        #expect(!run(["pack", folder("farm.inkpack"), "--dry-run"]).transcript.error.contains("powers of two"))
        let (code, transcript) = run(["pack", folder("odd.inkpack"), "--dry-run", "--strict"])
        #expect(code == .badInput)
        let shown = run(["inspect", folder("odd.inkpack")]).transcript.output
        #expect(
            shown.contains("pictures.base: is a texture whose edges are not powers of two"),
            "\(shown) \(transcript.error)")
        #expect(shown.ranges(of: "changes nothing").count == 1, "\(shown)")
    }

    @Test("A target's icon is the pack's picture, or its first item")
    func icons() throws {
        for (more, green) in [("", UInt8(0)), (#", "icon": "art/icon.png""#, 255)] {
            let folder = try pack(more, targets: #"[{"target": "./icon.json"}]"#)
            try FileSystem.writeAtomically(
                MinimalPNGWriter.png(rgba: [0, 255, 0, 255], size: PixelSize(width: 1, height: 1)),
                to: folder("art/icon.png"))
            folder.file(
                "icon.json",
                ##"{"version": "1.0", "name": "icon", "archive": "{bundle.id}.zip", "files": [{"path": "icon.png", "picture": {"size": "2x2", "background": "#000000"}}]}"##
            )
            let (code, transcript) = run(["pack", folder("farm.inkpack"), "-o", folder("out"), "--folder"])
            #expect(code == .done, "\(transcript.error)")
            #expect(try pixels(folder("out/farm/icon.png")).rgba[1] == green)
        }
    }
}
