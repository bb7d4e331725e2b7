import Foundation
import InkCodecs
import InkEngine
import InkReference
import InkTestSupport
import Testing

@testable import InkBroker
@testable import InkPlanning

/// However an export is made, the pixels are the same, and they are the right ones.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SamePictureTests {
    /// Ways of making a picture that must not show in it.
    private static let ways: [(options: [String], environment: [String: String])] = {
        let tiles = ["16x16", "64x64", "37x53", "5000x16", "5000x17", "5000x64", "5000x512", "5000x5000"]
        var ways = tiles.map { (["--tile", $0], [String: String]()) }
        ways += (1...8).map { (["--workers", "\($0)", "--tile", "32x16"], [:]) }
        ways += ["fast", "balanced", "small"].map { (["--effort", $0], [:]) }
        ways.append(([], [:]))
        ways += KernelLevel.available.map { ([], [KernelLevel.variable: $0.name]) }
        let plain = ["GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"]
        return ways + [([], plain), (["--tile", "48x48"], plain)]
    }()

    private func write(_ random: RandomProject, _ folder: EndToEndFolder) throws -> String {
        try folder.file("p.ink", ProjectFileWriter.bytes(of: random.project))
    }

    /// Exports and reads the picture with an eye of our own.
    private func export(
        _ path: String, _ size: String, _ options: [String], _ environment: [String: String] = [:],
        _ folder: EndToEndFolder
    ) throws -> SimplePicture {
        let result = try InkProcess.run(
            ["export", path, "-o", folder("out.png"), "--size", size, "--quiet"] + options, environment: environment)
        try #require(result.code == 0, "\(options): \(result.error)")
        return try SimplePNG.read(folder.read("out.png"))
    }

    /// Without the strokes that miss the picture, which no worker hears of: where a run of strokes of one colour is rounded
    /// depends on how many runs are before it.
    private func drawn(_ project: Project, _ output: PixelSize) -> Project {
        var project = project
        for index in project.layers.indices {
            project.layers[index].strokes.removeAll {
                MarkExtent(of: $0, canvas: project.canvasSize, output: output).isEmpty
            }
        }
        return project
    }

    private func size(of picture: SimplePicture) -> PixelSize {
        PixelSize(width: picture.width, height: picture.height)
    }

    @Test(arguments: UInt64(1)...8)
    func howItIsMadeDoesNotShow(seed: UInt64) throws {
        let random = RandomProject.make(seed: 0xE2E0 + seed)
        let folder = try EndToEndFolder()
        let path = try write(random, folder)
        let asked = "\(random.output)"
        let first = try export(path, asked, [], [:], folder)
        let expected = try LocalRendering.render(
            drawn(random.project, size(of: first)), images: random.images, output: size(of: first), tile: nil,
            format: first.channels == 3 ? .rgb : .rgba)
        #expect(first.samples == expected, "\(random)")
        for way in Self.ways {
            let picture = try export(path, asked, way.options, way.environment, folder)
            #expect(
                picture.samples == first.samples && picture.channels == first.channels,
                "\(way.options) \(way.environment) of \(random)")
        }
    }

    @Test func aLevelOfKernelsThatThereIsNotIsRefused() throws {
        let result = try InkProcess.run(["doctor"], environment: [KernelLevel.variable: "v9"])
        #expect(result.code == 64)
        #expect(result.error.contains("INK_KERNELS=v9") && result.error.contains("scalar"))
    }

    @Test(arguments: UInt64(1)...6)
    func theFormatIsAsAskedAndTheColoursTheSame(seed: UInt64) throws {
        let random = RandomProject.make(seed: 0xF0E0 + seed)
        let folder = try EndToEndFolder()
        let path = try write(random, folder)
        for (option, format) in [("--rgb", PixelFormat.rgb), ("--rgba", .rgba)] {
            for tile in ["16x16", "5000x32"] {
                let picture = try export(path, "\(random.output)", [option, "--tile", tile], [:], folder)
                let expected = try LocalRendering.render(
                    random.project, images: random.images, output: size(of: picture), tile: nil, format: format)
                #expect(picture.channels == format.bytesPerPixel)
                #expect(picture.samples == expected, "\(option) \(tile) of \(random)")
            }
        }
    }

    @Test(arguments: UInt64(1)...3)
    func itIsThePictureOfTheSpecification(seed: UInt64) throws {
        var options = RandomProject.Options.continuous
        options.outputEdgeMax = 140
        let random = RandomProject.make(seed: 0x5EC0 + seed, options: options)
        let folder = try EndToEndFolder()
        let picture = try export(try write(random, folder), "\(random.output)", ["--rgba"], [:], folder)
        let exact = ReferenceRenderer.render(
            project: random.project, images: random.images, output: size(of: picture))
        let comparison = PictureComparison(
            actual: picture.samples, expected: exact.rgba8(), size: size(of: picture), channels: 4)
        #expect(comparison.isWithinSpecification, "\(comparison), \(random)")
    }

    // MARK: Other readers

    @Test(
        .enabled(if: OtherReaders.hasPngcheck, "pngcheck is missing; `make setup` installs it"),
        arguments: UInt64(1)...4)
    func pngcheckFindsNothing(seed: UInt64) throws {
        let folder = try EndToEndFolder()
        let path = try write(RandomProject.make(seed: 0xCEC0 + seed), folder)
        let ways = [["--tile", "16x16"], ["--tile", "5000x16", "--dpi", "300"], ["--effort", "small", "--rgba"]]
        for (index, way) in ways.enumerated() {
            let name = folder("\(index).png")
            let options = ["export", path, "-o", name, "--size", "200x200", "--quiet"] + way
            #expect(try InkProcess.run(options).code == 0)
            let check = try OtherReaders.run("pngcheck", ["-v", name])
            #expect(check.code == 0 && !check.output.contains("ERROR") && !check.output.contains("warning"))
            #expect(check.output.contains("No errors detected"), "\(check.output)")
        }
    }

    @Test(
        .enabled(if: OtherReaders.hasPillow, "python3-pil is missing; `make setup` installs it"),
        arguments: UInt64(1)...4)
    func pillowAndLibpngReadTheSame(seed: UInt64) throws {
        let folder = try EndToEndFolder()
        let path = try write(RandomProject.make(seed: 0x9110 + seed), folder)
        for options in [["--rgb", "--tile", "5000x16"], ["--rgba", "--tile", "40x40"]] {
            let picture = try export(path, "2x", options, [:], folder)
            let (libpngSize, rgba) = try PNGDecoder.decodeRGBA(folder.read("out.png"), place: .init(file: "out.png"))
            #expect(libpngSize == size(of: picture))
            let own = (0..<libpngSize.area).flatMap { pixel -> [UInt8] in
                let value = picture.rgba(pixel % picture.width, pixel / picture.width)
                return [value.x, value.y, value.z, value.w]
            }
            #expect(rgba == own, "libpng reads another picture, \(options), seed \(seed)")
            let pillow = try OtherReaders.pillowRGBA(folder("out.png"))
            #expect(pillow == own, "Pillow reads another picture, \(options), seed \(seed)")
        }
    }

    // MARK: Whole runs

    @Test(arguments: ["parallelLines", "crossHatch", "dots", "contourLines", "waves", "solid"])
    func drawingsByHandAreImportedAndExportedInOneCommandEach(brush: String) throws {
        let folder = try EndToEndFolder()
        let drawings = EndToEndData.path("files/drawings.ndjson")
        let imported = try InkProcess.run(
            [
                "import", drawings, "-o", folder("in"), "--brush", brush, "--canvas", "128x128", "--margin", "8",
                "--quiet",
            ])
        #expect(imported.code == 0, "\(imported.error)")
        #expect(folder.files(in: "in").count == 16)
        let result = try InkProcess.run(
            ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--quiet"], limits: .halfGigabyte)
        #expect(result.code == 0, "\(result.error)")
        let pictures = folder.files(in: "out")
        #expect(pictures.count == 16)
        for name in pictures {
            let picture = try SimplePNG.read(folder.read("out/" + name))
            // Lines of a pixel that lie still on the canvas cover half of two rows each.
            #expect(picture.samples.contains { $0 <= 128 }, "\(name) is blank")
            #expect(picture.samples.contains(255), "\(name) is covered")
        }
    }

    @Test func hundredsOfDrawingsAreExportedInOneCommand() throws {
        let folder = try EndToEndFolder()
        let files = try FileManager.default.contentsOfDirectory(atPath: EndToEndData.path("quickdraw")).sorted()
        let imported = try InkProcess.run(
            ["import"] + files.map { EndToEndData.path("quickdraw/" + $0) }
                + ["-o", folder("in"), "--canvas", "256x256", "--brush", "crossHatch", "--quiet"])
        #expect(imported.code == 0, "\(imported.error)")
        #expect(folder.files(in: "in").count == 465)
        let result = try InkProcess.run(
            ["export", folder("in"), "-o", folder("out"), "--size", "1x", "--json"], limits: .halfGigabyte)
        #expect(result.code == 0, "\(result.error)")
        let pictures = folder.files(in: "out")
        #expect(pictures.count == 465)
        for name in pictures {
            let size = try PNGHeader(folder.read("out/" + name), place: Place(file: name)).size
            #expect(size == PixelSize(width: 256, height: 256), "\(name)")
        }
    }

    @Test(arguments: ["S", "M", "L"])
    func theBenchmarkScenesAreExportedInFull(scene: String) throws {
        let folder = try EndToEndFolder()
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Benchmarks/scenes/scene-\(scene).ink").path
        let whole = folder("whole.png")
        let result = try InkProcess.run(["export", project, "-o", whole, "--size", "600x600"], limits: .halfGigabyte)
        #expect(result.code == 0, "\(result.error)")
        // The same in other pieces, by one worker.
        let again = folder("again.png")
        let options = ["--size", "600x600", "--tile", "250x130", "--workers", "1"]
        #expect(try InkProcess.run(["export", project, "-o", again] + options).code == 0)
        let pictures = try ["whole.png", "again.png"].map { name in
            try PNGDecoder.decodeRGBA(folder.read(name), place: Place(file: name)).rgba
        }
        #expect(pictures[0] == pictures[1])
        #expect(Set(pictures[0]).count > 100, "the picture is nearly empty")
    }

    @Test(arguments: [[], ["--tile", "512x512"]] as [[String]])
    func sixteenThousandPixelsSquareStayUnderTheMemoryLimit(options: [String]) throws {
        let folder = try EndToEndFolder()
        let square = GoodProject.small.replacingOccurrences(of: "\"height\": 32", with: "\"height\": 48")
        let path = try folder.file("p.ink", square)
        let result = try InkProcess.run(
            ["export", path, "-o", folder("out.png"), "--size", "16384x16384", "--rgba", "--quiet"] + options,
            limits: .halfGigabyte)
        #expect(result.code == 0, "\(result.error)")
        let header = try PNGHeader(folder.read("out.png"), place: .init(file: "out.png"))
        #expect(header.size == PixelSize(width: 16_384, height: 16_384))
    }
}

/// Programs of others that read PNGs.
enum OtherReaders {
    static let hasPngcheck = (try? run("pngcheck", ["-h"])) != nil && (try? run("pngcheck", ["-h"]).code) != 127
    static let hasPillow = (try? run("/usr/bin/python3", ["-c", "import PIL"]).code) == 0

    static func pillowRGBA(_ path: String) throws -> [UInt8] {
        let script =
            "import sys, PIL.Image; sys.stdout.buffer.write(PIL.Image.open(sys.argv[1]).convert('RGBA').tobytes())"
        return try run("/usr/bin/python3", ["-c", script, path]).bytes
    }

    struct Output {
        var code: Int32
        var bytes: [UInt8]
        var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Standard output and, behind, standard error.
    static func run(_ tool: String, _ arguments: [String]) throws -> Output {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = Array(try pipe.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        return Output(code: process.terminationStatus, bytes: bytes)
    }
}
