import Glibc
import InkClient
import InkEngine

/// What commands need from the outside; tests replace it.
struct CommandEnvironment: Sendable {
    var console: Console
    /// What reads projects, with the preset folders and limits of a command line.
    var makeOpener: @Sendable (_ presetFolders: [String], _ limits: Limits, _ textUse: TextUse) -> any ProjectOpener
    /// A farm with so many render threads.
    var makeFarm: @Sendable (_ workers: Int, _ limits: Limits) -> any ExportFarm
    /// The digest in a whole picture at this path; nil when there is none.
    var storedDigest: @Sendable (String) -> [UInt8]?
    var sha256: @Sendable ([UInt8]) -> [UInt8]
    /// - Throws: `EngineError` when the file of limits cannot be used.
    var readLimits: @Sendable (String) throws -> Limits
    /// A client of a broker, not started; events come on its thread.
    var connect:
        @Sendable (RemoteOptions, _ onEvent: @escaping @Sendable (FarmClientEvent) -> Void) throws(CommandError) ->
            any FarmConnection = { _, _ throws(CommandError) in throw .usage("there is no network") }
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
