import InkDocuments
import InkEngine
import InkExports

extension CommandEnvironment {
    /// The process's console, disk and farm.
    static let process = CommandEnvironment(
        console: .process,
        exports: .process,
        readLimits: { path throws(EngineError) in try Limits.read(path: path) },
        connect: { options, onEvent throws(CommandError) in try options.client(onEvent) },
        program: "/proc/self/exe", variables: ProcessFacts.variables(),
        handlesSignals: true, endsWithCommand: true)
}
