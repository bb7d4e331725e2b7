import InkDocuments
import InkEngine
import InkExports

extension CommandEnvironment {
    /// The process's console, disk and farm.
    static let process = CommandEnvironment(
        console: .process,
        exports: .process,
        readLimits: { try Limits.read(path: $0) },
        connect: { options, onEvent throws(CommandError) in try options.client(onEvent) },
        program: "/proc/self/exe", variables: ProcessFacts.variables(),
        handlesSignals: true, endsWithCommand: true)
}
