import CLazy
import CVersions
import Glibc
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkJSON
import InkSystem
import Synchronization

/// `ink doctor`: prints what the program runs with, and checks it with a small export.
struct DoctorCommand {
    private let environment: CommandEnvironment

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try Interrupts.leaveClean(environment)
        ink_lazy_load_all()
        let command = DoctorCommand(environment: environment)
        let cores = UsableCores.count()
        let memory = Memory.read()
        let failure = command.selfTest()
        if parsed.isGiven("json") {
            try environment.console.print(
                ([
                    "program": .string(ProgramVersion.text),
                    "libraries": .object(libraries.map { ($0.name, .string($0.version)) }),
                    "imageFormats": .array(imageFormats.map(\.json)),
                    "pictureFormats": .array(pictureFormats.map(\.json)),
                    "vectorUnits": .array(vectorUnits.map { .string($0) }),
                    "kernels": .string(KernelLevel.selected.name),
                    "cores": .integer(cores),
                    "memoryBytes": .optional(memory.totalBytes),
                    "memoryAvailableBytes": .optional(memory.availableBytes),
                    "memoryLimitBytes": .optional(memory.limitBytes),
                    "selfTest": .string(failure == nil ? "passed" : "failed"),
                    "error": .optional(failure?.reason),
                ] as JSONValue).text())
        } else {
            for line in lines(cores: cores, memory: memory, failure: failure) { try environment.console.print(line) }
        }
        guard let failure else { return .done }
        environment.console.error("self-test: \(failure.reason)")
        return failure.kind
    }

    private static func lines(cores: Int, memory: Memory, failure: PictureFailure?) -> [String] {
        var lines = ["ink \(ProgramVersion.text)"]
        for library in libraries {
            lines.append("  " + library.name + String(repeating: " ", count: 14 - library.name.count) + library.version)
        }
        for (title, formats, verb) in [("Images", imageFormats, "read"), ("Pictures", pictureFormats, "written")] {
            lines.append(title)
            for format in formats {
                let gap = String(repeating: " ", count: 14 - format.name.count)
                lines.append("  " + format.name + gap + format.text(verb))
            }
        }
        lines.append("Vector units  " + vectorUnits.joined(separator: " "))
        lines.append("Kernels       \(KernelLevel.selected.name)")
        lines.append("Usable cores  \(cores)")
        lines.append("Memory        " + memory.text)
        lines.append("Self-test     " + (failure == nil ? "passed" : "failed"))
        return lines
    }

    private static var libraries: [(name: String, version: String)] {
        (0..<ink_library_count()).map {
            (String(cString: ink_library_name($0)), String(cString: ink_library_version($0)))
        }
    }

    /// A format and what reads or writes it.
    private struct Format {
        var name: String
        var library: ImageLibrary

        func text(_ verb: String) -> String {
            if let package = library.missingPackage { return "cannot be \(verb): install \(package)" }
            return library.name + (library.version.map { " \($0)" } ?? "")
        }

        var json: JSONValue {
            [
                "format": .string(name), "library": .string(library.name),
                "version": .optional(library.version), "missingPackage": .optional(library.missingPackage),
            ]
        }
    }

    /// Those that layers' images may have.
    private static var imageFormats: [Format] {
        let versions = Dictionary(uniqueKeysWithValues: libraries.map { ($0.name, $0.version) })
        return ImageDecoders.all.map { decoder in
            var library = decoder.library
            library.version = library.version ?? versions[library.name]
            return Format(name: decoder.name, library: library)
        }
    }

    /// Those that are written by a library that may be missing.
    private static var pictureFormats: [Format] {
        PictureCodecs.all.compactMap { codec in codec.loadedLibrary.map { Format(name: codec.name, library: $0) } }
    }

    private static var vectorUnits: [String] {
        (0..<ink_vector_unit_count()).filter { ink_vector_unit_present($0) == 1 }
            .map { String(cString: ink_vector_unit_name($0)) }
    }

    /// Exports a small project into a temporary folder and checks the picture; nil if it is right.
    private func selfTest() -> PictureFailure? {
        do throws(CommandError) {
            let folder = try CommandError.wrapping(try TemporaryFolder.make("ink-doctor"))
            defer { TemporaryFolder.remove(folder) }
            let path = folder.appendingPath("self-test.png")
            let failure = try export(to: path)
            if let failure { return failure }
            return try CommandError.wrapping(try SelfTestPicture.check(path))
        } catch {
            return PictureFailure(error)
        }
    }

    private func export(to path: String) throws(CommandError) -> PictureFailure? {
        let reading = try CommandError.wrapping(
            try ProjectLoader.load(bytes: Array(SelfTestPicture.project.utf8), name: "the self-test"))
        let farm = environment.exports.makeFarm(1, Limits(), nil)
        let queue = EventQueue<FarmEvent>()
        do {
            try farm.start { queue.post($0) }
        } catch {
            return error
        }
        defer { farm.stop() }
        farm.submit(
            PictureRequest(
                id: 0, name: "the self-test", project: reading.project, size: SelfTestPicture.size,
                options: PictureOptions(digest: reading.contentDigest), output: path,
                contentDigest: reading.contentDigest))
        let clock = Stopwatch()
        while clock.milliseconds < 30_000 {
            for event in queue.receive(waitingAtMost: 1000) {
                switch event {
                case .finished: return nil
                case .failed(_, let failure): return failure
                case .cancelled: return PictureFailure(kind: .internalError, reason: "the export was cancelled")
                case .started, .progress, .timeLeft, .taken, .news: continue
                }
            }
        }
        farm.cancelAll()
        return PictureFailure(kind: .internalError, reason: "the export did not end within 30 s")
    }
}

/// The picture of the self-test: a thick stroke, and a layer above it that a blend mode darkens, on a blue ground.
enum SelfTestPicture {
    /// Pixels.
    static let size = PixelSize(width: 96, height: 64)
    static let project = """
        {"version": "1.1", "name": "self-test", "canvasSize": {"width": 96, "height": 64}, "background": "#336699",
         "layers": [
           {"id": "stroke", "name": "stroke", "order": 0, "strokes": [
             {"brush": {"type": "solid", "lineWidth": 20, "color": "#ff8000"}, "points": [[16, 16], [80, 16]]}]},
           {"id": "product", "name": "product", "order": 1, "blendMode": "multiply", "strokes": [
             {"brush": {"type": "solid", "lineWidth": 20, "color": "#808080"}, "points": [[16, 48], [80, 48]]}]}]}
        """

    /// Pixels that no rounding and no antialiasing touches, and what they must be.
    private static let expected: [(x: Int, y: Int, color: RGBA8)] = [
        (2, 32, RGBA8(red: 0x33, green: 0x66, blue: 0x99)), (48, 32, RGBA8(red: 0x33, green: 0x66, blue: 0x99)),
        (20, 16, RGBA8(red: 0xff, green: 0x80, blue: 0x00)), (76, 20, RGBA8(red: 0xff, green: 0x80, blue: 0x00)),
        // round(v * 128 / 255) of 0x33, 0x66, 0x99.
        (48, 48, RGBA8(red: 26, green: 51, blue: 77)),
    ]

    /// Decodes the picture and compares; nil when it is right.
    static func check(_ path: String) throws(EngineError) -> PictureFailure? {
        let png = try InputFile.read(path: path, limitBytes: 1 << 20)
        let (size, rgba) = try PNGDecoder.decodeRGBA(png, place: Place(file: path))
        guard size == PixelSize(width: 96, height: 64) else {
            return PictureFailure(kind: .internalError, reason: "the picture is \(size), not 96x64")
        }
        for (x, y, color) in expected {
            let at = (y * size.width + x) * 4
            let found = RGBA8(red: rgba[at], green: rgba[at + 1], blue: rgba[at + 2], alpha: rgba[at + 3])
            guard found == color else {
                return PictureFailure(
                    kind: .internalError, reason: "pixel (\(x), \(y)) is \(found), not \(color)")
            }
        }
        return nil
    }
}
