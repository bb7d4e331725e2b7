import Foundation
import InkCodecs
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

    @Test("A picture without loss has the pixels of the PNG", arguments: formats.filter { $0 != "heic" })
    func exact(format: String) throws {
        let folder = try EndToEndFolder()
        let project = try folder.file("a.ink", GoodProject.long)
        for options in [[], ["--rgba", "--background", "#12345678"]] {
            try export(project, folder("a.png"), options)
            try export(project, folder("a.\(format)"), options + ["--lossless"])
            let file = try folder.read("a.\(format)")
            let found = format == "jxl" ? try JXLDecoder.pixels(file).samples : try pixels(file)
            #expect(try found == pixels(folder.read("a.png")), "\(format) \(options)")
        }
    }

    /// RGB or RGBA, as the file has it.
    private func pixels(_ file: [UInt8]) throws -> [UInt8] {
        var chunks: [DecodedChunk] = []
        let info = try ImageDecoders.decode(file, as: .color, place: Place(file: "a")) { chunks.append($0) }
        return chunks.flatMap { chunk -> [UInt8] in
            switch chunk.content {
            case .samples(let samples): return samples
            case .constant(let value):
                let pixel = (0..<info.format.bytesPerPixel).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
                return (0..<(chunk.rows.count * info.size.width)).flatMap { _ in pixel }
            }
        }
    }
}
