import Glibc
import InkClient
import InkEngine
import InkExports

/// What commands need from the outside; tests replace it.
struct CommandEnvironment: Sendable {
    var console: Console
    /// What exports need from the outside.
    var exports: ExportEnvironment
    /// - Throws: `EngineError` when the file of limits cannot be used.
    var readLimits: @Sendable (String) throws -> Limits
    /// A client of a broker, not started; events come on its thread.
    var connect: FarmConnector = { _, _ throws(CommandError) in throw .usage("there is no network") }
    /// Standard input, up to so many bytes.
    var readStandardInput: @Sendable (_ limitBytes: Int) throws(EngineError) -> [UInt8] = { limit throws(EngineError) in
        try InputFile.readStandardInput(limitBytes: limit)
    }
    /// Waits so many milliseconds.
    var sleep: @Sendable (_ milliseconds: Int) -> Void = { usleep(UInt32(clamping: $0 * 1000)) }
    /// The path of this program, to run it as another process; nil if that is not possible.
    var program: String?
    /// The environment's variables.
    var variables: [String: String] = [:]
    /// The user's config file, for commands that read it.
    var userSettings: SettingsFile?
    /// Whether Ctrl-C is taken over.
    var handlesSignals: Bool
    /// Whether the process ends with the command.
    var endsWithCommand = false

    /// The limits of `--limits FILE`, the default ones without.
    func limits(_ path: String?) throws(CommandError) -> Limits {
        guard let path else { return Limits() }
        do {
            return try readLimits(path)
        } catch {
            if case .io = error as? EngineError { throw .engine((error as? EngineError) ?? .internalError("\(error)")) }
            throw .configuration("\(error)")
        }
    }
}
