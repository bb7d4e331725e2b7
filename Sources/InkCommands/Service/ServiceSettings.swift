import InkEngine
import InkSystem

/// What `ink broker` and `ink worker` do with their settings before anything starts.
enum ServiceSettings {
    /// Largest settings file and more: a file is read up to this, bytes.
    private static let fileBytesMax = SettingsFile.bytesMax

    /// All settings of a command line; warns of variables that look like settings and are none.
    static func read(
        _ syntax: [SettingSyntax], _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> Settings {
        let unknown = Settings.unknownVariables(environment.variables, known: ProgramSyntax.settings)
        for name in unknown {
            let meant = didYouMean(name, among: ProgramSyntax.settings.map(\.variable))
            environment.console.warning("\(name): no setting has this name\(meant)")
        }
        return try Settings(syntax, parsed: parsed, variables: environment.variables) { path throws(EngineError) in
            try FileSystem.read(path, limitBytes: fileBytesMax)
        }
    }

    /// Of a service a setting is configuration wherever it stands, also in a flag: what starts services goes by one exit code.
    static func asConfiguration<R>(_ body: () throws(CommandError) -> R) throws(CommandError) -> R {
        do {
            return try body()
        } catch {
            switch error {
            case .usage, .engine(.badInput), .engine(.overLimit): throw .configuration(error.description)
            default: throw error
            }
        }
    }

    /// `--check-config`: the effective settings, or what is wrong with them, whatever it is, with one exit code.
    static func check(
        _ syntax: [SettingSyntax], _ parsed: ParsedCommand, _ environment: CommandEnvironment,
        _ check: (Settings) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        let settings: Settings
        do {
            settings = try read(syntax, parsed, environment)
            try check(settings)
        } catch {
            throw .configuration(error.description)
        }
        try environment.console.print(settings.effectiveText)
        return .done
    }
}
