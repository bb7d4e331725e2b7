import Glibc
import InkClient
import InkEngine
import InkExports

/// The outside world of commands; tests replace it.
struct CommandEnvironment: Sendable {
    var console: Console
    /// The outside world of exports.
    var exports: ExportEnvironment
    /// - Throws: `EngineError` if the file of limits cannot be used.
    var readLimits: @Sendable (String) throws(EngineError) -> Limits
    /// Creates a client of a broker without starting it; events arrive on the client's thread.
    var connect: FarmConnector = { _, _ throws(CommandError) in throw .usage("there is no network") }
    /// Standard input, up to this number of bytes.
    var readStandardInput: @Sendable (_ limitBytes: Int) throws(EngineError) -> [UInt8] = { limit throws(EngineError) in
        try InputFile.readStandardInput(limitBytes: limit)
    }
    /// Waits this number of milliseconds.
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

    /// The limits of `--limits FILE`, or the default ones.
    func limits(_ path: String?) throws(CommandError) -> Limits {
        guard let path else { return Limits() }
        do throws(EngineError) {
            return try readLimits(path)
        } catch {
            if case .io = error { throw .engine(error) }
            throw .refused(.configuration, Cause(error))
        }
    }
}
