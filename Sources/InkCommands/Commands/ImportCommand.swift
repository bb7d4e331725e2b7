import InkEngine
import InkSystem

/// What `ink import` is asked for.
struct ImportArguments: Hashable, Sendable {
    var files: [String]
    var folder: String
    var brush: Brush
    var canvas: PixelSize
    /// Canvas pixels.
    var margin: Double
    var overwrites: Bool
    var limitsPath: String?
    var isQuiet: Bool

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        files = parsed.all("FILE")
        guard !files.isEmpty else { throw .usage("a FILE to import is needed (see \"ink help import\")") }
        guard let output = parsed.value("output"), !output.isEmpty else {
            throw .usage("a folder for the projects is needed (-o DIR)")
        }
        folder = output
        let edges = 1...Limits().edgePixels
        canvas = PixelSize(width: 2048, height: 2048)
        if let text = parsed.value("canvas") {
            let size = try TextValue.size(text, option: "--canvas", in: edges)
            canvas = PixelSize(width: size.width, height: size.height)
        }
        // The default margin shrinks with a small canvas; one that was asked for does not.
        margin = Double(min(canvas.width, canvas.height)) / 16
        if let text = parsed.value("margin") {
            margin = try TextValue.number(text, option: "--margin", in: 0...Double(Limits().edgePixels))
        }
        guard margin * 2 < Double(min(canvas.width, canvas.height)) else {
            throw .usage("--margin: \(Shown.decimal(margin, places: 0)) leaves nothing of a canvas of \(canvas)")
        }
        brush = try Self.brush(parsed)
        switch parsed.value("if-exists") ?? "fail" {
        case "fail": overwrites = false
        case "overwrite": overwrites = true
        case let other: throw .usage("--if-exists: \"\(other)\" is not fail or overwrite")
        }
        limitsPath = parsed.value("limits")
        isQuiet = parsed.isGiven("quiet")
    }

    private static func brush(_ parsed: ParsedCommand) throws(CommandError) -> Brush {
        var brush = Brush(type: .solid, lineWidth: 8)
        if let text = parsed.value("brush") {
            guard let type = BrushType(rawValue: text) else {
                let known = BrushType.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--brush: \"\(text)\" is no brush; there are \(known)")
            }
            brush.type = type
            if type != .solid { brush.lineWidth = 1 }
        }
        if let text = parsed.value("color") {
            guard let color = RGBA8(hex: text), color.isOpaque else {
                throw .usage("--color: \"\(text)\" is no opaque colour (#rgb or #rrggbb)")
            }
            brush.color = color
        }
        if let text = parsed.value("spacing") {
            brush.spacing = try TextValue.number(text, option: "--spacing", in: 0.01...100_000)
        }
        if let text = parsed.value("line-width") {
            brush.lineWidth = try TextValue.number(text, option: "--line-width", in: 0.01...100_000)
        }
        return brush
    }
}

/// `ink import`: makes a project of each drawing of Quick, Draw! files.
struct ImportCommand {
    private let arguments: ImportArguments
    private let limits: Limits
    private let console: Console
    private var failures: [ExitCode] = []
    private var madeCount = 0
    /// Names that this run has made, so that two drawings of one name do not replace each other.
    private var made: Set<[UInt8]> = []

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let arguments = try ImportArguments(parsed)
        try Interrupts.leaveClean(environment)
        var command = ImportCommand(
            arguments: arguments, limits: try environment.limits(arguments.limitsPath), console: environment.console)
        return try command.execute()
    }

    private init(arguments: ImportArguments, limits: Limits, console: Console) {
        self.arguments = arguments
        self.limits = limits
        self.console = console
    }

    private mutating func execute() throws(CommandError) -> ExitCode {
        try asCommand { () throws(EngineError) in try FileSystem.makeFolder(arguments.folder) }
        for file in arguments.files {
            do throws(EngineError) {
                let bytes = try InputFile.read(path: file, limitBytes: limits.fileBytes)
                var isEmpty = true
                QuickDrawReader.read(bytes, file: file, limits: limits) { line in
                    isEmpty = false
                    switch line {
                    case .success(let drawing): make(drawing, file: file)
                    case .failure(let error): fail(error)
                    }
                }
                if isEmpty { fail(.badInput(Place(file: file), reason: "holds no drawing")) }
            } catch {
                fail(error)
            }
        }
        if !arguments.isQuiet {
            let failed = failures.isEmpty ? "" : ", \(failures.count) failed"
            try console.print("\(madeCount) projects in \(arguments.folder.escapingControls())\(failed)")
        }
        return .combining(failures)
    }

    private mutating func make(_ drawing: QuickDrawing, file: String) {
        let name = drawing.fileName + ".ink"
        let path = arguments.folder.appendingPath(name)
        let place = Place(file: file, path: "line \(drawing.line)")
        do throws(EngineError) {
            guard made.insert(Array(name.utf8)).inserted else {
                throw .badInput(place, reason: "another drawing of this run is named \(name)")
            }
            if !arguments.overwrites, try FileSystem.exists(path) {
                throw .io(path: path, operation: "make it (--if-exists fail)", errno: FileSystem.existsError)
            }
            let project = QuickDrawImport.project(
                from: drawing, brush: arguments.brush, canvas: arguments.canvas, margin: arguments.margin)
            try FileSystem.writeAtomically(
                try ProjectWriter.write(project), to: path, replaces: arguments.overwrites)
            madeCount += 1
        } catch {
            fail(error)
        }
    }

    private mutating func fail(_ error: EngineError) {
        console.error(error.description)
        failures.append(error.exitCode)
    }
}
