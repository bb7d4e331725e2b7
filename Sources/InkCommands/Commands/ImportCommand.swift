import InkDocuments
import InkEngine
import InkExports
import InkSystem

/// The options of `ink import`.
struct ImportArguments: Hashable, Sendable {
    var files: [String]
    var folder: String
    var drawing: ImportedDrawing
    /// For strokes of documents.
    var brush: BrushChange
    /// Whether outlines of an SVG become strokes, and are fitted into the canvas of drawings.
    var takesOutlines: Bool
    var fitsOutlines: Bool
    var overwrites: Bool
    var limitsPath: String?
    var isQuiet: Bool

    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        files = parsed.all("FILE")
        guard !files.isEmpty else { throw .usage("a FILE to import is needed (see \"ink help import\")") }
        guard files.count(where: { $0 == "-" }) <= 1 else { throw .usage("standard input (-) can be read only once") }
        guard let output = parsed.value("output") else { throw .usage("a folder for the projects is needed (-o DIR)") }
        folder = try OutputPlace.folder(output, option: "-o")
        let edges = 1...Limits().edgePixels
        var canvas = ImportedDrawing().canvas
        if let text = parsed.value("canvas") {
            let size = try TextValue.size(text, option: "--canvas", in: edges, dotsPerInch: TextValue.canvasResolution)
            canvas = PixelSize(width: size.width, height: size.height)
        }
        // The default margin shrinks with a small canvas; a requested one does not.
        var margin = Double(min(canvas.width, canvas.height)) / 16
        if let text = parsed.value("margin") {
            margin = try TextValue.canvasLength(text, option: "--margin", in: 0...Double(Limits().edgePixels))
        }
        guard margin * 2 < Double(min(canvas.width, canvas.height)) else {
            throw .usage("--margin: \(Shown.decimal(margin, places: 0)) leaves no room on a canvas of \(canvas)")
        }
        brush = try Self.brush(parsed)
        let plain = brush.preset ?? ImportedDrawing().brush
        drawing = ImportedDrawing(brush: brush.applied(to: plain), canvas: canvas, margin: margin)
        takesOutlines = parsed.isGiven("strokes")
        fitsOutlines = parsed.isGiven("canvas") || parsed.isGiven("margin")
        overwrites = try Existing.replaces(parsed)
        limitsPath = parsed.value("limits")
        isQuiet = parsed.isGiven("quiet")
    }

    private static func preset(_ text: String, folders: [String]) throws(CommandError) -> Brush {
        let presets = try KnownPresets(folders: folders)
        guard let entry = presets.preset(text) else {
            let types = BrushType.allCases.map(\.rawValue)
            let likeType = didYouMean(text, among: types)
            let meant = likeType.isEmpty ? didYouMean(text, among: presets.entries.map(\.id)) : likeType
            throw .usage(
                "--brush: \"\(text)\" is not a brush\(meant); choose from \(types.joined(separator: ", ")), or a preset "
                    + "(\"ink preset list\")")
        }
        return try CommandError.wrapping(try entry.brush.get())
    }

    /// The settings of a brush that are given.
    ///
    /// - Throws: `usage`.
    static func brush(_ parsed: ParsedCommand) throws(CommandError) -> BrushChange {
        var change = BrushChange()
        if let text = parsed.value("brush") {
            if let type = BrushType(rawValue: text) {
                change.type = type
            } else {
                change.preset = try preset(text, folders: parsed.all("presets"))
            }
        } else if parsed.isGiven("presets") {
            throw .usage("--presets needs --brush with the name of a preset")
        }
        if let text = parsed.value("anchor") {
            guard let anchor = BrushAnchor(rawValue: text) else {
                throw .usage("--anchor: \"\(text)\" is not stamp or canvas")
            }
            let type = change.type ?? change.preset?.type ?? .solid
            guard anchor == .stamp || type.canLieStill else {
                throw .usage("--anchor canvas: a brush of \(type.rawValue) has no pattern that could lie still")
            }
            change.anchor = anchor
        }
        if let text = parsed.value("size") {
            guard change.applied(to: ImportedDrawing().brush).isCanvasPattern else {
                throw .usage("--size counts only for brushes that are tied to the canvas")
            }
            change.size = try TextValue.canvasLength(text, option: "--size", in: 0.01...100_000)
        }
        if let text = parsed.value("color") {
            guard let color = RGBA8(hex: text), color.isOpaque else {
                throw .usage("--color: \"\(text)\" is not an opaque colour (#rgb or #rrggbb)")
            }
            change.color = color
        }
        if let text = parsed.value("spacing") {
            change.spacing = try TextValue.canvasLength(text, option: "--spacing", in: 0.01...100_000)
        }
        if let text = parsed.value("line-width") {
            change.lineWidth = try TextValue.canvasLength(text, option: "--line-width", in: 0.01...100_000)
        }
        return change
    }
}

/// `ink import`: converts each page of other programs' documents to a project, and scores to the other format of bands.
struct ImportCommand {
    /// The most causes of a file's errors that are printed.
    private static let causesMax = 20

    private let arguments: ImportArguments
    private let limits: Limits
    private let environment: CommandEnvironment
    private var failures: [ExitCode] = []
    private var madeCount = 0
    /// How many of them are scores.
    private var scoreCount = 0
    /// The files whose drawings have got names in this run, so that two drawings of one name do not replace each other. Names
    /// that differ only in case are one on some disks.
    private var made: [String: String] = [:]
    /// Projects that existed already: the first ones, and their number.
    private var existing: (paths: [String], count: Int) = ([], 0)

    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        let arguments = try ImportArguments(parsed)
        try Interrupts.leaveClean(environment)
        var command = ImportCommand(
            arguments: arguments, limits: try environment.limits(arguments.limitsPath), environment: environment)
        return try command.execute()
    }

    private mutating func execute() throws(CommandError) -> ExitCode {
        for file in arguments.files {
            do throws(EngineError) {
                try importDrawings(of: file)
            } catch {
                environment.console.error(error.description)
                failures.append(error.exitCode)
            }
        }
        sayExisting()
        if !arguments.isQuiet {
            let failed = failures.isEmpty ? "" : ", \(failures.count) failed"
            let place = madeCount > 0 ? " in \(arguments.folder.escapingControls())" : ""
            let kind = madeCount > 0 && scoreCount == madeCount ? "score" : "project"
            let noun = madeCount == 1 ? kind : kind + "s"
            try environment.console.printText("\(madeCount) \(noun)\(place)\(failed)")
        }
        return .combining(failures)
    }

    private mutating func importDrawings(of path: String) throws(EngineError) {
        let isStandardInput = path == "-"
        let name = isStandardInput ? "standard input" : path
        let bytes =
            isStandardInput
            ? try environment.readStandardInput(limits.fileBytes)
            : try InputFile.read(path: path, limitBytes: limits.fileBytes)
        if ScoreFile.isScore(bytes, name: name) { return try convertScore(bytes, file: name) }
        var problems = LineProblems()
        var context = DocumentContext(limits: limits, drawing: arguments.drawing)
        context.brush = arguments.brush
        (context.takesOutlines, context.fitsOutlines) = (arguments.takesOutlines, arguments.fitsOutlines)
        try DocumentReaders.importPages(bytes, name: name, context) { page in
            do throws(EngineError) {
                try make(try page.get(), file: name)
            } catch {
                problems.add(error)
            }
        }
        failures += problems.groups.flatMap { Array(repeating: $0.exitCode, count: $0.count) }
        for group in problems.groups.prefix(Self.causesMax) { environment.console.error(group.text) }
        let others = problems.groups.dropFirst(Self.causesMax)
        if !others.isEmpty {
            let count = others.reduce(0) { $0 + $1.count }
            environment.console.error("\(name): \(count) more lines have errors of \(others.count) other kinds")
        }
    }

    /// Writes a score in the other format of bands; the tunes that have errors are left out.
    private mutating func convertScore(_ bytes: [UInt8], file: String) throws(EngineError) {
        let score = try ScoreFile.convert(bytes, name: file, limits: limits)
        let before = madeCount
        for error in score.errors {
            environment.console.error(error.description)
            failures.append(error.exitCode)
        }
        try write(
            score.bytes, warnings: score.warnings, stem: ExportInput(path: file).stem, ending: score.ending,
            place: "", file: file)
        scoreCount += madeCount - before
    }

    private mutating func make(_ page: DocumentPage, file: String) throws(EngineError) {
        try write(
            try ProjectWriter.write(page.reading.project), warnings: page.reading.warnings,
            stem: page.name.isEmpty ? ExportInput(path: file).stem : page.name, ending: ".ink", place: page.place,
            file: file)
    }

    private mutating func write(
        _ text: [UInt8], warnings: [ReadingWarning], stem: String, ending: String, place: String, file: String
    ) throws(EngineError) {
        var name = stem + ending
        // Pages of one document may have one name.
        var number = 1
        while made[name.lowercased()] == file {
            number += 1
            name = "\(stem)-\(number)\(ending)"
        }
        let path = arguments.folder.appendingPath(name)
        guard made[name.lowercased()] == nil else {
            throw .badInput(
                Place(file: file, path: place),
                reason: "another drawing of this run is named \"\(name)\"")
        }
        made[name.lowercased()] = file
        if !arguments.overwrites, try FileSystem.exists(path) {
            existing.count += 1
            if existing.paths.count < 3 { existing.paths.append(path) }
            failures.append(.inputOutput)
            return
        }
        if !arguments.isQuiet {
            for warning in warnings { environment.console.warning("\(file): \(warning)") }
        }
        // Created only now, so that an invalid file leaves no folder.
        if madeCount == 0 { try FileSystem.makeFolder(arguments.folder) }
        try FileSystem.writeAtomically(text, to: path, replaces: arguments.overwrites)
        madeCount += 1
    }

    private func sayExisting() {
        guard existing.count > 0 else { return }
        let more = existing.count > existing.paths.count ? ", ..." : ""
        let (noun, verb) = existing.count == 1 ? ("project is", "was") : ("projects are", "were")
        environment.console.error(
            "\(existing.count) \(noun) there already and \(verb) left as before (\(existing.paths.joined(separator: ", "))\(more)); "
                + "use --if-exists overwrite to replace, or another folder")
    }
}

/// The errors in the lines of one file, by cause.
private struct LineProblems {
    struct Group {
        /// The first error of the cause.
        var first: EngineError
        var count = 1
        /// The first further lines with this error.
        var others: [String] = []

        var exitCode: ExitCode { first.exitCode }

        var text: String {
            guard count > 1 else { return first.description }
            let lines = others.joined(separator: ", ") + (count - 1 > others.count ? ", ..." : "")
            return "\(first) (and \(count - 1) more: \(lines))"
        }
    }

    private static let othersMax = 5

    private(set) var groups: [Group] = []
    private(set) var count = 0
    private var indices: [String: Int] = [:]

    mutating func add(_ error: EngineError) {
        count += 1
        let key = ErrorGroups.key(error.description)
        guard let index = indices[key] else {
            indices[key] = groups.count
            groups.append(Group(first: error))
            return
        }
        groups[index].count += 1
        guard groups[index].others.count < Self.othersMax else { return }
        if let line = error.place?.path?.split(separator: ",").first {
            groups[index].others.append(String(line))
        } else if case .io(let path, _, _) = error {
            groups[index].others.append(path)
        }
    }
}

extension EngineError {
    fileprivate var place: Place? {
        switch self {
        case .badInput(let place, _), .overLimit(let place, _, _, _), .unavailable(let place, _): place
        case .io, .cancelled, .internalError: nil
        }
    }
}
