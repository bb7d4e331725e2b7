import InkEngine
import InkExports
import InkSystem

/// How `ink broker` and `ink worker` read their settings.
enum ServiceSettings {
    /// The most bytes read from a file; more than the largest settings file.
    private static let fileBytesMax = SettingsFile.bytesMax

    /// All settings of a command line; warns of unknown `INK_` variables.
    static func read(
        _ syntax: [SettingSyntax], _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> Settings {
        let unknown = Settings.unknownVariables(environment.variables, known: ProgramSyntax.settings)
        for name in unknown {
            let meant = didYouMean(name, among: ProgramSyntax.settings.map(\.variable))
            environment.console.warning("\(name): there is no such setting\(meant)")
        }
        return try Settings(syntax, parsed: parsed, variables: environment.variables) { path throws(EngineError) in
            try FileSystem.read(path, limitBytes: fileBytesMax)
        }
    }

    /// For a service, an invalid setting is a configuration error even in a flag, so service managers see one exit
    /// code.
    static func asConfiguration<R>(_ body: () throws(CommandError) -> R) throws(CommandError) -> R {
        do {
            return try body()
        } catch {
            switch error {
            case .usage, .refused(.usage, _, _), .engine(.badInput), .engine(.overLimit):
                throw .refused(.configuration, Cause(error))
            default: throw error
            }
        }
    }

    /// `--check-config`: prints the effective settings, or fails with one exit code for any error in them.
    static func check(
        _ syntax: [SettingSyntax], _ parsed: ParsedCommand, _ environment: CommandEnvironment,
        _ check: (Settings) throws(CommandError) -> Void
    ) throws(CommandError) -> ExitCode {
        let settings: Settings
        do {
            settings = try read(syntax, parsed, environment)
            try check(settings)
        } catch {
            throw .refused(.configuration, Cause(error))
        }
        try environment.console.print(settings.effectiveText)
        return .done
    }
}
