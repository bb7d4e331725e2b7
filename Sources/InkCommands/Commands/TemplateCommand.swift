import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkPlanning
import InkSystem

/// `ink template ...`: makes, packs, checks and shows templates.
enum TemplateCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        if parsed.name == CommandSyntax.templateMasks.name { return try MasksCommand.run(parsed, environment) }
        try Interrupts.leaveClean(environment)
        switch parsed.name {
        case CommandSyntax.templateFromImage.name: return try fromImage(parsed, environment)
        case CommandSyntax.templateFromPSD.name: return try fromDocument(parsed, environment, ending: ".psd")
        case CommandSyntax.templateFromORA.name: return try fromDocument(parsed, environment, ending: ".ora")
        case CommandSyntax.templateFromKRA.name: return try fromDocument(parsed, environment, ending: ".kra")
        case CommandSyntax.templatePack.name: return try pack(parsed, environment)
        case CommandSyntax.templateUnpack.name: return try unpack(parsed, environment)
        case CommandSyntax.templateValidate.name: return try TemplateValidateCommand.run(parsed, environment)
        case CommandSyntax.templatePreview.name: return try preview(parsed, environment)
        case CommandSyntax.templateNewProject.name: return try newProject(parsed, environment)
        case CommandSyntax.templateFill.name: return try TemplateFillCommand.run(parsed, environment)
        default: throw .usage("there is no command \"\(parsed.name)\"")
        }
    }

    // MARK: - Making

    private static func fromImage(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let picture = try argument("PICTURE", parsed)
        let options = try regionOptions(parsed)
        let base = try base(parsed)
        let masks = try masks(parsed)
        // A project, where its name says so.
        let projectPath = parsed.value("output").flatMap { $0.hasEnding(".ink") ? $0 : nil }
        let output = try projectPath == nil ? output(parsed, of: picture) : nil
        let replaces = try Existing.replaces(parsed)
        if let projectPath { try Existing.check(projectPath, replaces: replaces) }
        let limits = try environment.limits(parsed.value("limits"))
        let place = Place(file: picture)
        let decoded: DecodedPicture
        var template: NewTemplate
        let regions: FlatRegions
        do throws(EngineError) {
            try output?.check()
            let file = try InputFile.read(path: picture, limitBytes: limits.fileBytes)
            decoded = try DecodedPicture(file, place: place, limits: limits)
            try checkEdge(decoded.size, place, limits)
            if decoded.guessesColors { environment.console.warning("\(picture): \(ImageHeader.guessWarning)") }
            let flat = try FlatPicture(samples: decoded.samples, size: decoded.size, format: decoded.format)
            regions = try FlatRegions(of: flat, options, place: place, limits: limits)
            template = NewTemplate(
                name: parsed.value("name") ?? stem(of: output?.path ?? projectPath ?? picture), canvas: decoded.size,
                layers: try regions.layers(
                    of: flat, hasOutlines: projectPath != nil && masks != .bitmap, place: place, limits: limits))
            template.guide = try WholePNG.encode(
                samples: decoded.samples, size: decoded.size, format: decoded.format)
            switch base {
            case .none: break
            case .picture: template.base = template.guide
            case .outline:
                template.base = try WholePNG.encode(
                    samples: RegionMap(regions).outlines(isLine: regions.regions.map(\.isThin)), size: decoded.size)
            }
        } catch {
            throw .engine(error)
        }
        if regions.strayShare > strayShareMax, !parsed.isGiven("quiet") {
            let share = "\(picture): \(Int((regions.strayShare * 100).rounded()))% of the pixels"
            environment.console.warning(
                options.colors == nil
                    ? "\(share) have no flat colour and went to the region beside them; is it a picture of flat colours?"
                    : "\(share) have none of the given colours and went to the region beside them")
        }
        if let output {
            try template.write(to: output, limits: limits)
        } else if let projectPath {
            try CommandError.wrapping { () throws(EngineError) in
                let project = try template.project(place: place, limits: limits)
                try FileSystem.writeAtomically(
                    try ProjectWriter.write(project), to: projectPath, replaces: replaces)
            }
        }
        let facts =
            "\(counted(template.layers.count, "region")) of \(counted(regions.colorCount, "colour")), \(decoded.size)"
        try say(output?.path ?? projectPath ?? "", facts, parsed, environment)
        return .done
    }

    /// Edges of flat pictures are less than this.
    private static let strayShareMax = 0.15

    private static func checkEdge(_ size: PixelSize, _ place: Place, _ limits: Limits) throws(EngineError) {
        guard size.longestEdge <= limits.edgePixels else {
            throw .overLimit(
                place, what: "the picture", found: "\(size)", limit: "\(limits.edgePixels) pixels an edge")
        }
    }

    private static func regionOptions(_ parsed: ParsedCommand) throws(CommandError) -> FlatRegions.Options {
        var options = FlatRegions.Options()
        let colors = parsed.list("colors")
        if !colors.isEmpty, colors != ["auto"] { options.colors = try ColorList.read(colors, option: "--colors") }
        if let text = parsed.value("tolerance") {
            options.tolerance = try TextValue.number(text, option: "--tolerance", in: 0...1)
        }
        if let text = parsed.value("dilate") {
            options.dilation = try TextValue.integer(text, option: "--dilate", in: 0...32)
        }
        if let text = parsed.value("blur") {
            options.blur = try TextValue.number(text, option: "--blur", in: 0...16)
        }
        if let text = parsed.value("min-area") {
            options.minArea = try TextValue.integer(text, option: "--min-area", in: 1...Int(Int32.max))
        }
        return options
    }

    private static func fromDocument(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment, ending: String
    ) throws(CommandError) -> ExitCode {
        let file = try argument("FILE", parsed)
        let base = try base(parsed)
        let output = try output(parsed, of: file)
        let limits = try environment.limits(parsed.value("limits"))
        let place = Place(file: file)
        let reading: ProjectReading
        let layered: LayeredTemplate
        do throws(EngineError) {
            try output.check()
            let bytes = try InputFile.read(path: file, limitBytes: limits.fileBytes)
            guard DocumentReaders.endings(of: bytes, name: file).contains(ending) else {
                let kinds = [".psd": "a Photoshop", ".ora": "an OpenRaster", ".kra": "a Krita"]
                throw .badInput(place, reason: "is not \(kinds[ending] ?? "such a") file")
            }
            reading = try ProjectLoader.load(bytes: bytes, name: file, limits: limits)
            layered = try LayeredTemplate(
                name: name(parsed, output), reading.project, base: base, place: place, limits: limits)
        } catch {
            throw .engine(error)
        }
        let isQuiet = parsed.isGiven("quiet")
        if !isQuiet { for warning in reading.warnings { environment.console.warning("\(file): \(warning)") } }
        let template = try layered.make(place: place) { line in
            if !isQuiet { environment.console.warning("\(file): \(line)") }
        }
        guard template.layers.count <= limits.layers else {
            throw .engine(
                .overLimit(
                    place, what: "the number of layers", found: "\(template.layers.count)", limit: "\(limits.layers)"))
        }
        try template.write(to: output, limits: limits)
        try say(output.path, "\(counted(template.layers.count, "layer")), \(template.canvas)", parsed, environment)
        return .done
    }

    /// `--masks shapes|bitmap`; nil where it is not given.
    ///
    /// - Throws: `usage` for shapes where a template is written, whose format has none.
    private static func masks(_ parsed: ParsedCommand) throws(CommandError) -> NewTemplate.Masks? {
        guard let text = parsed.value("masks") else { return nil }
        guard let masks = NewTemplate.Masks(rawValue: text) else {
            throw .usage("--masks: \"\(text)\" is not shapes or bitmap")
        }
        if masks == .shapes, parsed.value("output")?.hasEnding(".ink") != true {
            throw .usage("--masks shapes: a template's masks are bitmaps; -o NAME.ink writes a project with shapes")
        }
        return masks
    }

    // MARK: - Packing

    private static func pack(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let template = try argument("TEMPLATE", parsed)
        let output = try output(parsed, of: template, ending: TemplateOutput.archiveEnding)
        guard output.isArchive else { throw .usage("-o: \(output.path) does not end in .zip, as archives do") }
        let limits = try environment.limits(parsed.value("limits"))
        try CommandError.wrapping { () throws(EngineError) in
            try output.check()
            // A template that cannot be read is not passed on.
            _ = try TemplateReader.read(path: template, limits: limits)
            try TemplateOutput.pack(template, to: output.path, replaces: output.replaces, limits: limits)
        }
        try say(output.path, nil, parsed, environment)
        return .done
    }

    private static func unpack(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let archive = try argument("ARCHIVE", parsed)
        let output = try output(parsed, of: archive)
        guard !output.isArchive else { throw .usage("-o: \(output.path) ends in .zip, but a folder is needed") }
        let limits = try environment.limits(parsed.value("limits"))
        let files = try CommandError.wrapping { () throws(EngineError) in
            try output.check()
            _ = try TemplateReader.read(path: archive, limits: limits)
            return try TemplateFiles(path: archive, limits: limits)
        }
        try output.write { folder throws(CommandError) in
            try CommandError.wrapping { () throws(EngineError) in
                try files.forEach { (path, bytes) throws(EngineError) in
                    try FileSystem.writeNew(bytes, to: folder.appendingPath(path))
                }
            }
        }
        try say(output.path, nil, parsed, environment)
        return .done
    }

    // MARK: - Using

    private static func preview(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let template = try argument("TEMPLATE", parsed)
        var size: ExportSize?
        if let text = parsed.value("size") {
            guard let named = ExportSize(text) else {
                throw .usage("--size: \"\(text)\" is not a size; use 1080p, 2k, 4k, 8k, Nx or WxH")
            }
            size = named
        }
        let limits = try environment.limits(parsed.value("limits"))
        let reading = try read(template, limits)
        let isFolder = try CommandError.wrapping(try FileSystem.status(template)?.isFolder == true)
        let path: String
        if let given = parsed.value("output") {
            guard given.hasEnding(".png") else { throw .usage("-o: \(given) does not end in .png") }
            path = given
        } else if isFolder {
            path = template.appendingPath("preview.png")
        } else {
            throw .usage("an archive is not changed; use -o FILE.png")
        }
        if !parsed.isGiven("quiet") {
            for warning in reading.warnings { environment.console.warning("\(template): \(warning)") }
        }
        // The preview of a template is made to be replaced.
        let replaces = try Existing.replaces(parsed) || parsed.value("output") == nil
        let png = try TemplatePreview.render(reading.project, name: template, size: size, limits: limits)
        try CommandError.wrapping(try FileSystem.writeAtomically(png, to: path, replaces: replaces))
        if !parsed.isGiven("quiet") { try environment.console.printText(path.escapingControls()) }
        return .done
    }

    private static func newProject(
        _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        let template = try argument("TEMPLATE", parsed)
        let path = parsed.value("output") ?? stem(of: named(template)) + ".ink"
        guard path.hasEnding(".ink") else { throw .usage("-o: \(path) does not end in .ink, as projects do") }
        let replaces = try Existing.replaces(parsed)
        let limits = try environment.limits(parsed.value("limits"))
        var reading = try read(template, limits)
        if let name = parsed.value("name") { reading.project.name = name }
        if !parsed.isGiven("quiet") {
            for warning in reading.warnings { environment.console.warning("\(template): \(warning)") }
        }
        try CommandError.wrapping { () throws(EngineError) in
            try FileSystem.writeAtomically(
                try ProjectWriter.write(reading.project), to: path, replaces: replaces)
        }
        if !parsed.isGiven("quiet") { try environment.console.printText(path.escapingControls()) }
        return .done
    }

    private static func read(_ template: String, _ limits: Limits) throws(CommandError) -> ProjectReading {
        try CommandError.wrapping(try TemplateReader.read(path: template, limits: limits))
    }

    // MARK: - Arguments

    private static func argument(_ key: String, _ parsed: ParsedCommand) throws(CommandError) -> String {
        guard let value = parsed.value(key), !value.isEmpty else {
            throw .usage("a \(key) is needed (see \"ink help \(parsed.name)\")")
        }
        return value
    }

    private static func base(_ parsed: ParsedCommand) throws(CommandError) -> NewTemplate.Base {
        guard let text = parsed.value("base") else { return .outline }
        guard let base = NewTemplate.Base(rawValue: text) else {
            throw .usage("--base: \"\(text)\" is not outline, picture or none")
        }
        return base
    }

    /// The place of `-o`, else beside the input.
    private static func output(
        _ parsed: ParsedCommand, of input: String, ending: String = TemplateOutput.folderEnding
    ) throws(CommandError) -> TemplateOutput {
        let input = named(input)
        let beside = input.splitPath().folder.appendingPath(stem(of: input) + ending)
        let output = TemplateOutput(
            path: parsed.value("output") ?? beside, replaces: try Existing.replaces(parsed))
        guard output.isArchive || output.path.hasEnding(TemplateOutput.folderEnding) else {
            throw .usage("-o: the name of a template ends in .inktemplate (a folder) or .zip, not as in \(output.path)")
        }
        return output
    }

    /// A path that ends in a name, which that of a folder such as `.` does not.
    private static func named(_ path: String) -> String {
        [".", "..", "/"].contains(path.splitPath().name) ? FileSystem.resolved(path) : path
    }

    /// A file's name without its ending.
    private static func stem(of path: String) -> String {
        let name = path.splitPath().name
        let endings =
            ImageDecoders.endings + [".inktemplate.zip", ".zip", ".inktemplate", ".ink"] + [
                ".psd", ".psb", ".ora", ".kra",
            ]
        guard let ending = endings.first(where: { name.hasEnding($0) && name.utf8.count > $0.utf8.count }) else {
            return name
        }
        return String(name.dropLast(ending.count))
    }

    private static func name(_ parsed: ParsedCommand, _ output: TemplateOutput) -> String {
        parsed.value("name") ?? stem(of: output.path)
    }

    private static func say(
        _ path: String, _ facts: String?, _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) {
        guard !parsed.isGiven("quiet") else { return }
        let path = path.escapingControls()
        try environment.console.printText(facts.map { "\(path): \($0)" } ?? path)
    }
}

/// `--if-exists fail|overwrite`.
enum Existing {
    static func replaces(_ parsed: ParsedCommand) throws(CommandError) -> Bool {
        switch parsed.value("if-exists") ?? "fail" {
        case "fail": return false
        case "overwrite": return true
        case let other: throw .usage("--if-exists: \"\(other)\" is not fail or overwrite")
        }
    }

    /// Refuses a file that may not be replaced, before the work is done.
    static func check(_ path: String, replaces: Bool) throws(CommandError) {
        guard !replaces, try CommandError.wrapping(try FileSystem.exists(path)) else { return }
        throw .engine(.io(path: path, operation: "make it (--if-exists fail)", errno: FileSystem.existsError))
    }
}

/// Lists of colours.
enum ColorList {
    static func read(_ texts: [String], option: String) throws(CommandError) -> [RGBA8] {
        var colors: [RGBA8] = []
        for text in texts {
            guard let color = RGBA8(hex: text), color.isOpaque else {
                throw .usage("\(option): \"\(text)\" is not an opaque colour (#rgb or #rrggbb)")
            }
            guard !colors.contains(color) else { throw .usage("\(option): \(color) is given more than once") }
            colors.append(color)
        }
        return colors
    }
}
