import InkEngine
import InkExports
import InkSystem

/// `ink masks`: creates layer masks from the colours of a flat picture (section 6 of the contract).
struct MasksCommand {
    private let picture: String
    private let colors: [RGBA8]
    private let folder: String
    private let overwrites: Bool
    private let isQuiet: Bool
    private let console: Console

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        try Interrupts.leaveClean(environment)
        let command = try MasksCommand(parsed, environment.console)
        return try command.execute()
    }

    private init(_ parsed: ParsedCommand, _ console: Console) throws(CommandError) {
        guard let picture = parsed.value("PICTURE") else {
            throw .usage("a PICTURE is needed (see \"ink help masks\")")
        }
        var colors: [RGBA8] = []
        for text in parsed.list("color") {
            guard let color = RGBA8(hex: text), color.isOpaque else {
                throw .usage("--color: \"\(text)\" is not an opaque colour (#rgb or #rrggbb)")
            }
            guard !colors.contains(color) else { throw .usage("--color: \(color) is given more than once") }
            colors.append(color)
        }
        guard !colors.isEmpty else { throw .usage("a colour is needed (--color #rrggbb)") }
        switch parsed.value("if-exists") ?? "fail" {
        case "fail": overwrites = false
        case "overwrite": overwrites = true
        case let other: throw .usage("--if-exists: \"\(other)\" is not fail or overwrite")
        }
        self.picture = picture
        self.colors = colors
        folder =
            try parsed.value("output").map { path throws(CommandError) in try OutputPlace.folder(path, option: "-o") }
            ?? picture.splitPath().folder
        isQuiet = parsed.isGiven("quiet")
        self.console = console
    }

    private func execute() throws(CommandError) -> ExitCode {
        var failures: [ExitCode] = []
        let limits = Limits()
        let (samples, info) = try CommandError.wrapping { () throws(EngineError) in try decode(limits) }
        try CommandError.wrapping { () throws(EngineError) in try FileSystem.makeFolder(folder) }
        for color in colors {
            let name = "\(stem)-\(color.description.dropFirst())_mask.png"
            let path = folder.appendingPath(name)
            do throws(EngineError) {
                if !overwrites, try FileSystem.exists(path) {
                    throw .io(path: path, operation: "make it (--if-exists fail)", errno: FileSystem.existsError)
                }
                let mask = try MaskMaker.mask(samples: samples, size: info.size, format: info.format, color: color)
                if !mask.contains(where: { $0 > 0 }) {
                    console.warning("\(picture): no pixel has the colour \(color), so its mask is empty")
                }
                try FileSystem.writeAtomically(
                    try WholePNG.encode(samples: mask, size: info.size), to: path, replaces: overwrites)
            } catch {
                console.error(error.description)
                failures.append(error.exitCode)
                continue
            }
            if !isQuiet { try console.print(path.escapingControls()) }
        }
        return .combining(failures)
    }

    private var stem: String {
        let name = picture.splitPath().name
        return NameTemplate.safe(name.hasEnding(".png") ? String(name.dropLast(4)) : name)
    }

    private func decode(_ limits: Limits) throws(EngineError) -> ([UInt8], DecodedImageInfo) {
        let file = try InputFile.read(path: picture, limitBytes: limits.fileBytes)
        let place = Place(file: picture)
        let header = try ImageDecoders.decoder(of: file, place: place).header(file, place: place)
        if header.guessesColors(convertsProfiles: true) { console.warning("\(picture): \(ImageHeader.guessWarning)") }
        var samples: [UInt8] = []
        var constants: [(at: Int, rows: Int, value: UInt32)] = []
        // Constant chunks arrive before the format is known and are filled in later.
        let info = try ImageDecoders.decode(file, as: .color, convertsProfiles: true, place: place, limits: limits) {
            (chunk: DecodedChunk) throws(EngineError) in
            switch chunk.content {
            case .samples(let bytes): samples += bytes
            case .constant(let value): constants.append((samples.count, chunk.rows.count, value))
            }
        }
        guard !constants.isEmpty else { return (samples, info) }
        var whole: [UInt8] = []
        whole.reserveCapacity(info.size.area * info.format.bytesPerPixel)
        var taken = 0
        for run in constants {
            whole += samples[taken..<run.at]
            taken = run.at
            let pixel = (0..<info.format.bytesPerPixel).map { UInt8(truncatingIfNeeded: run.value >> (8 * UInt32($0))) }
            let row = (0..<info.size.width).flatMap { _ in pixel }
            for _ in 0..<run.rows { whole += row }
        }
        whole += samples[taken...]
        return (whole, info)
    }
}
