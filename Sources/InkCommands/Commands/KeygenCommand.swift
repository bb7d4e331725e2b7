import InkEngine
import InkExports
import InkSystem
import InkProtocol

/// `ink keygen`: creates a pair of keys.
enum KeygenCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let name = parsed.value("NAME") else { throw .usage("a NAME is needed (see \"ink help keygen\")") }
        guard let text = parsed.value("role") else {
            throw .usage("--role is needed: broker, worker or client (see \"ink help keygen\")")
        }
        guard let role = KeyRole(rawValue: text) else {
            throw .usage("--role: \"\(text)\" is not broker, worker or client")
        }
        let folder = try OutputPlace.folder(parsed.value("output") ?? ".", option: "-o")
        try CommandError.wrapping { () throws(EngineError) in try FileSystem.makeFolder(folder) }
        let paths: (secret: String, public: String)
        do throws(KeyError) {
            paths = try KeyFile.generate(name: name, role: role, folder: folder)
        } catch {
            throw CommandError(error)
        }
        try environment.console.print("secret \(paths.secret)")
        try environment.console.print("public \(paths.public)")
        return .done
    }
}

extension CommandError {
    /// The error for a key that cannot be created.
    fileprivate init(_ error: KeyError) {
        switch error {
        case .file(let path, let operation, let errno):
            self = .engine(.io(path: path, operation: operation, errno: errno))
        case .exists: self = .farm(PictureFailure(kind: .inputOutput, reason: error.description))
        case .badName: self = .usage("NAME: \(error.description)")
        case .malformed, .exposed, .wrongRole, .noSecret: self = .configuration(error.description)
        case .notMade: self = .engine(.internalError(error.description))
        }
    }
}
