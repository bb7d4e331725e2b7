import Foundation
import InkEngine
import InkJSON
import InkTestSupport
import Testing

/// Formats whose encoders are loaded when they are needed.
@Suite("Pictures by libraries that are loaded", .timeLimit(.minutes(10)))
struct LoadedLibraryPictureTests {
    /// Those that can be written on this machine.
    private static let formats = PictureCodecs.all.filter { $0.loadedLibrary != nil && $0.missingPackage == nil }
        .map(\.name)

    private func export(_ project: String, _ output: String, _ options: [String] = []) throws {
        let result = try InkProcess.run(
            ["export", project, "-o", output, "--size", "700x700", "--effort", "fast"] + options)
        #expect(result.code == 0, "\(result.error)")
    }

    @Test(
        "A picture is the same file however it is cut, with any number of workers, and through a broker",
        arguments: formats)
    func sameFile(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        let farm = try FarmProcesses(workers: 2)
        for options in [
            [], ["--tile", "700x256"], ["--tile", "300x90"], ["-j", "1"], ["-j", "3"], ["--broker", farm.endpoint],
        ] {
            try export(project, folder("a.\(format)"), options)
            if options.isEmpty {
                try export(project, folder("first.\(format)"), options)
            }
            #expect(try folder.read("a.\(format)") == folder.read("first.\(format)"), "\(options)")
        }
    }

    @Test("A picture that shows the same is left, one that is damaged is made again", arguments: formats)
    func unchanged(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.small)
        let arguments = [
            "export", project, "--format", format, "--if-exists", "skip-unchanged", "-o", folder("out/"), "--size",
            "300x300", "--name", "a.{ext}",
        ]
        #expect(try InkProcess.run(arguments).output.contains("1 exported"))
        #expect(try InkProcess.run(arguments).output.contains("1 unchanged"))
        #expect(try InkProcess.run(arguments + ["--effort", "small"]).output.contains("1 exported"))
        let whole = try folder.read("out/a.\(format)")
        try folder.file("out/a.\(format)", Array(whole.dropLast(9)))
        #expect(try InkProcess.run(arguments + ["--effort", "small"]).output.contains("1 exported"))
        #expect(try folder.read("out/a.\(format)") == whole)
    }

    @Test("A JPEG XL without loss has the pixels of the PNG", .enabled(if: formats.contains("jxl")))
    func exactJXL() throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        for options in [[], ["--rgba", "--background", "#12345678"]] {
            try export(project, folder("a.png"), options)
            try export(project, folder("a.jxl"), options + ["--lossless"])
            let (size, rgba) = try PNGDecoder.decodeRGBA(folder.read("a.png"), place: Place(file: "a.png"))
            let found = try JXLDecoder.pixels(folder.read("a.jxl"))
            #expect(found.size == size && found.format == (options.isEmpty ? .rgb : .rgba))
            let expected =
                found.format == .rgba
                ? rgba : rgba.enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
            #expect(found.samples == expected)
        }
    }
}
