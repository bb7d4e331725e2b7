import InkEngine

/// Runs what may throw an `EngineError` where a command's errors are thrown.
func asCommand<R>(_ body: () throws(EngineError) -> R) throws(CommandError) -> R {
    do {
        return try body()
    } catch {
        throw .engine(error)
    }
}
