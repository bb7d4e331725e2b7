import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkSystem

/// `ink template masks`: creates layer masks from the colours of a flat picture (section 6 of the contract).
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
            throw .usage("a PICTURE is needed (see \"ink help \(parsed.name)\")")
        }
        let colors = try ColorList.read(parsed.list("color"), option: "--color")
        guard !colors.isEmpty else { throw .usage("a colour is needed (--color #rrggbb)") }
        overwrites = try Existing.replaces(parsed)
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
        let decoded = try CommandError.wrapping { () throws(EngineError) in
            let file = try InputFile.read(path: picture, limitBytes: limits.fileBytes)
            let decoded = try DecodedPicture(file, place: Place(file: picture), limits: limits)
            if decoded.guessesColors { console.warning("\(picture): \(ImageHeader.guessWarning)") }
            try FileSystem.makeFolder(folder)
            return decoded
        }
        for color in colors {
            let name = "\(stem)-\(color.description.dropFirst())_mask.png"
            let path = folder.appendingPath(name)
            do throws(EngineError) {
                if !overwrites, try FileSystem.exists(path) {
                    throw .io(path: path, operation: "make it (--if-exists fail)", errno: FileSystem.existsError)
                }
                let mask = try MaskMaker.mask(
                    samples: decoded.samples, size: decoded.size, format: decoded.format, color: color)
                if !mask.contains(where: { $0 > 0 }) {
                    console.warning("\(picture): no pixel has the colour \(color), so its mask is empty")
                }
                try FileSystem.writeAtomically(
                    try WholePNG.encode(samples: mask, size: decoded.size), to: path, replaces: overwrites)
            } catch {
                console.error(error.description)
                failures.append(error.exitCode)
                continue
            }
            if !isQuiet { try console.printText(path.escapingControls()) }
        }
        return .combining(failures)
    }

    private var stem: String {
        let name = picture.splitPath().name
        return NameTemplate.safe(name.hasEnding(".png") ? String(name.dropLast(4)) : name)
    }
}
