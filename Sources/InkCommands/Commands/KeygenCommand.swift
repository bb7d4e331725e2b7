import InkEngine
import InkExports
import InkHTTP
import InkSystem
import InkProtocol

/// `ink keygen`: creates a pair of keys.
enum KeygenCommand {
    static func run(_ parsed: ParsedCommand, _ environment: CommandEnvironment) throws(CommandError) -> ExitCode {
        guard let name = parsed.value("NAME") else { throw .usage("a NAME is needed (see \"ink help keygen\")") }
        if parsed.isGiven("http") { return try makeToken(name, parsed, environment) }
        guard let text = parsed.value("role") else {
            throw .usage("--role is needed: broker, worker or client (see \"ink help keygen\")")
        }
        guard let role = KeyRole(rawValue: text) else {
            throw .usage("--role: \"\(text)\" is not broker, worker or client")
        }
        let folder = try OutputPlace.folder(parsed.value("output") ?? ".", option: "-o")
        try CommandError.wrapping(try FileSystem.makeFolder(folder))
        let paths = try rethrowing(try KeyFile.generate(name: name, role: role, folder: folder)) { (error: KeyError) in
            CommandError(error)
        }
        try environment.console.printText("secret \(paths.secret)")
        try environment.console.printText("public \(paths.public)")
        return .done
    }

    /// Prints a token, and adds its digest to the file.
    private static func makeToken(
        _ name: String, _ parsed: ParsedCommand, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitCode {
        guard let role = parsed.value("role").flatMap(AccessRole.init) else {
            throw .usage("--http needs --role read, submit or operate (see \"ink help keygen\")")
        }
        guard !name.isEmpty, !name.hasPrefix("#"), name.utf8.count <= ProtocolLimits.nameBytes,
            !name.contains(where: \.isWhitespace)
        else { throw .usage("NAME: \"\(name)\" is empty, too long, begins with # or contains a blank") }
        let path = parsed.value("output") ?? "http-tokens"
        var text = ""
        if try CommandError.wrapping(try FileSystem.exists(path)) {
            let bytes = try CommandError.wrapping(try InputFile.read(path: path, limitBytes: 1 << 20))
            text = String(decoding: bytes, as: UTF8.self)
        }
        let tokens: [AccessToken]
        do throws(GatewayError) { tokens = try AccessToken.read(text, file: path) } catch { throw CommandError(error) }
        guard !tokens.contains(where: { $0.name == name }) else {
            throw .usage("\(path) has a token of \(name) already; remove its line to replace it")
        }
        let (secret, token) = AccessToken.make(name: name, role: role)
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        try rethrowing(try PendingFile.write(Array("\(text)\(token.line)\n".utf8), to: path, mode: 0o600)) {
            CommandError.engine(EngineError($0))
        }
        try environment.console.print("token \(secret)")
        return .done
    }
}

extension CommandError {
    init(_ error: GatewayError) {
        switch error {
        case .configuration(let text): self = .configuration(text)
        case .service(let cause): self = CommandError(cause)
        case .system(let failure):
            self = .farm(PictureFailure(kind: .inputOutput, reason: "HTTP: \(error.description) (\(failure.errno))"))
        }
    }

    /// The error for a key that cannot be created.
    fileprivate init(_ error: KeyError) {
        switch error {
        case .file(let path, let operation, let errno):
            self = .engine(.io(path: path, operation: operation, errno: errno))
        case .exists: self = .farm(PictureFailure(kind: .inputOutput, reason: error.description))
        case .badName: self = .refused(.usage, place: "NAME", Cause(error))
        case .malformed, .exposed, .wrongRole, .noSecret: self = .refused(.configuration, Cause(error))
        case .notMade: self = .engine(.internalError(error.description))
        }
    }
}
