import Glibc
import InkCodecs
import InkEngine
import InkExports
import InkSystem

/// The user's config file: how clients reach their broker, and defaults of `ink export`.
///
/// It is `$XDG_CONFIG_HOME/ink/config`, else `~/.config/ink/config`, or the file that `INK_CONFIG` names. Broker and worker
/// have files of their own.
enum UserSettings {
    static let all = RemoteSetting.all + ExportSetting.all

    /// The commands whose options take defaults of `ink export`.
    private static let exporting: Set = ["export", "submit", "inspect"]

    /// Whether a command reads the file.
    static func apply(to command: String) -> Bool {
        exporting.contains(command)
            || ProgramSyntax.ink.commands.contains { $0.name == command && $0.group == CommandGroup.clients }
    }

    /// The user's file; nil when there is none.
    /// - Throws: `configuration` for a bad line or value, `engine` when the file cannot be read.
    static func read(
        _ variables: [String: String],
        exists: (String) throws(EngineError) -> Bool = { path throws(EngineError) in try FileSystem.exists(path) },
        readFile: (String) throws(EngineError) -> [UInt8] = { path throws(EngineError) in
            try FileSystem.read(path, limitBytes: SettingsFile.bytesMax)
        }
    ) throws(CommandError) -> SettingsFile? {
        let home = variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let path: String
        if let named = variables["INK_CONFIG"], !named.isEmpty {
            path = named
        } else {
            // The XDG specification has relative paths ignored.
            let folder = variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            guard let folder = folder ?? home?.appendingPath(".config") else { return nil }
            path = folder.appendingPath("ink/config")
            guard try CommandError.wrapping(try isThere(path, exists)) else { return nil }
        }
        let bytes = try CommandError.wrapping(try readFile(path))
        var file = try SettingsFile(path: path, bytes: bytes, settings: all)
        let paths = Set(all.filter { $0.kind == .path }.map(\.name))
        for index in file.lines.indices where paths.contains(file.lines[index].name) {
            file.lines[index].value = resolved(file.lines[index].value, folder: path.splitPath().folder, home: home)
        }
        try check(file)
        return file
    }

    /// Whether there is a file. One behind a folder that may not be entered is another user's, as where HOME is root's in a
    /// container.
    private static func isThere(
        _ path: String, _ exists: (String) throws(EngineError) -> Bool
    ) throws(EngineError) -> Bool {
        do throws(EngineError) {
            return try exists(path)
        } catch {
            if case .io(_, _, EACCES) = error { return false }
            throw error
        }
    }

    /// A command line with the defaults of the file for options that are not given and not excluded by one that is.
    static func adding(_ file: SettingsFile, to given: ParsedCommand) throws(CommandError) -> ParsedCommand {
        guard exporting.contains(given.name),
            let syntax = ProgramSyntax.ink.commands.first(where: { $0.name == given.name })
        else { return given }
        let defaults = try exportDefaults(file).filtered { name in
            syntax.options.contains { $0.key == name } && !isExcluded(name, by: given)
        }
        return withoutForeignSettings(
            ParsedCommand(name: given.name, values: defaults.values).overridden(by: given), givenAnyway: given)
    }

    /// Without defaults that mean nothing to the format of the pictures: they are for pictures of others.
    private static func withoutForeignSettings(_ parsed: ParsedCommand, givenAnyway given: ParsedCommand)
        -> ParsedCommand
    {
        // What is wrong with options is said by whoever reads all of them.
        let codecs = try? ExportArguments.codecs(
            PictureChoices(parsed), parsed.all("PATH"), parsed.value("output"), parsed.value("name"),
            RunArguments(parsed))
        guard let codecs else { return parsed }
        return parsed.filtered { name in
            if given.isGiven(name) { return true }
            if name == "rgba" { return codecs.contains(where: \.hasAlpha) }
            guard let setting = EncodingSetting(rawValue: name) else { return true }
            return codecs.contains { $0.settings.contains(setting) }
        }
    }

    /// Whether what is given leaves no room for an option of the file.
    private static func isExcluded(_ name: String, by given: ParsedCommand) -> Bool {
        // The report's options are those of its run.
        if given.isGiven("from-report"), !["workers", "quiet", "progress"].contains(name) { return true }
        // Sizes and resolutions are those of pictures, and say nothing about paper.
        if given.isGiven("plot"), (ExportArguments.optionsWithoutPlot + ["format", "size", "dpi"]).contains(name) {
            return true
        }
        return switch name {
        case "rgb": given.isGiven("rgba")
        case "rgba": given.isGiven("rgb")
        case "quality": given.isGiven("lossless")
        case "keep": given.isGiven("no-metadata")
        case "no-metadata": given.isGiven("keep")
        case "fail-fast": given.isGiven("keep-going")
        case "quiet": given.isGiven("verbose")
        case "workers": given.isGiven("broker")
        case "name":
            given.isGiven("each-layer") || given.value("output") == "-" || isFile(given.value("output"))
                || given.isGiven("format")
                || given.name == "submit" && !given.isGiven("into")
        case "format": isFile(given.value("output")) || given.isGiven("name") || given.isGiven("vector")
        case "presets", "strict": given.isGiven("shared")
        default: false
        }
    }

    private static func isFile(_ output: String?) -> Bool { output.map { OutputPlace.isWritable($0) } ?? false }

    /// The lines about `ink export` as its options.
    private static func exportDefaults(_ file: SettingsFile) throws(CommandError) -> ParsedCommand {
        let none = ParsedCommand(name: "export")
        let settings = try Settings(ExportSetting.all, parsed: none, variables: [:], file: file)
        var values: [String: [String]] = [:]
        for setting in ExportSetting.all where settings.isSet(setting) {
            if setting.kind != .flag {
                values[setting.name] = settings.texts(setting)
            } else if settings.isOn(setting) {
                values[setting.name] = []
            }
        }
        return ParsedCommand(name: "export", values: values)
    }

    /// Every line is what its option takes, and they go together.
    private static func check(_ file: SettingsFile) throws(CommandError) {
        _ = try Settings(
            RemoteSetting.all, parsed: ParsedCommand(name: "status"), variables: [:], file: file)
        let defaults = try exportDefaults(file)
        let paths = ParsedCommand(name: "export", values: ["PATH": ["-"]])
        for line in file.lines where defaults.isGiven(line.name) {
            do {
                // A format that knows the setting may be asked for later.
                let setting = EncodingSetting(rawValue: line.name)
                let codec = setting.flatMap { setting in PictureCodecs.all.first { $0.settings.contains(setting) } }
                let format = codec.map { ParsedCommand(name: "export", values: ["format": [$0.name]]) }
                let own = defaults.filtered { $0 == line.name }
                _ = try ExportArguments(paths.overridden(by: format ?? paths).overridden(by: own))
            } catch {
                throw .refused(
                    .configuration, place: "\(file.path): line \(line.number)",
                    Cause(RefusedSetting(name: line.name, cause: error)))
            }
        }
        do {
            _ = try ExportArguments(withoutForeignSettings(paths.overridden(by: defaults), givenAnyway: paths))
        } catch {
            throw .refused(.configuration, place: file.path, Cause(error))
        }
    }

    /// `~/` is the home folder; a relative path starts from the file's folder.
    private static func resolved(_ path: String, folder: String, home: String?) -> String {
        if path.hasPrefix("/") || path.isEmpty { return path }
        if let rest = path.afterPrefix("~/"), let home { return home.appendingPath(String(rest)) }
        return folder.isEmpty ? path : folder.appendingPath(path)
    }
}

/// A setting that is an option of exports, as one of which it is refused.
private struct RefusedSetting: Error, Hashable, CustomStringConvertible {
    let name: String
    let cause: CommandError

    var description: String {
        let reason = cause.description
        return "\(name): \(reason.afterPrefix("--\(name): ") ?? reason[...])"
    }
}
