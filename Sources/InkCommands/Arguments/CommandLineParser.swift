import CCommandLine
import InkEngine
import InkExports

/// A command line, checked against the names and counts of a command's syntax; values are still text.
struct ParsedCommand: Hashable, Sendable {
    var name: String
    /// Values by the option's key; a flag that was given has none.
    private(set) var values: [String: [String]] = [:]

    func isGiven(_ key: String) -> Bool { values[key] != nil }
    func value(_ key: String) -> String? { values[key]?.last }
    func all(_ key: String) -> [String] { values[key] ?? [] }

    /// The values of a list option, split at commas and trimmed.
    func list(_ key: String) -> [String] {
        all(key).flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { $0.trimmed() }
    }

    /// This command with the options of `other`, which take precedence over its own.
    func overridden(by other: ParsedCommand) -> ParsedCommand {
        ParsedCommand(name: name, values: values.merging(other.values) { $1 })
    }

    /// This command with further positional arguments.
    func appending(_ rest: [String], to syntax: CommandSyntax) throws(CommandError) -> ParsedCommand {
        var command = self
        for value in rest {
            // The first one without a value; the one that accepts any number is last.
            let option = syntax.options.first {
                $0.kind == .arguments || ($0.kind == .argument && !command.isGiven($0.key))
            }
            guard let option else { throw .usage("\"\(value)\" was not expected (see \"ink help \(name)\")") }
            command.values[option.key, default: []].append(value)
        }
        return command
    }

    /// Only the options for which `isKept` holds.
    func filtered(_ isKept: (String) -> Bool) -> ParsedCommand {
        ParsedCommand(name: name, values: values.filter { isKept($0.key) })
    }
}

/// The result of parsing a command line.
enum ParsedLine: Hashable, Sendable {
    case command(ParsedCommand)
    /// Text for standard output: help or version.
    case text(String)
}

/// Parses command lines through CLI11.
enum CommandLineParser {
    /// - Parameter arguments: without the program's name.
    /// - Throws: `usage` with one line.
    static func parse(_ arguments: [String], program: ProgramSyntax) throws(CommandError) -> ParsedLine {
        guard let first = arguments.first else { return .text(try help(for: nil, program: program)) }
        // Building the syntax of all commands takes longer than parsing.
        var spoken = program
        spoken.commands.removeAll { $0.name != first }
        if spoken.commands.isEmpty, !first.hasPrefix("-") { throw noCommand(first, program) }
        let family = program.family(first)
        if !family.isEmpty {
            guard arguments.count > 1 else { return .text(try help(for: first, program: program)) }
            let name = "\(first) \(arguments[1])"
            spoken.commands += arguments[1].hasPrefix("-") ? family : family.filter { $0.name == name }
            if spoken.commands.count == 1 { throw noCommand(name, program) }
        }
        let parser = try makeParser(spoken.commands.isEmpty ? program : spoken)
        defer { ink_cli_destroy(parser) }
        // A shell cannot pass an argument that contains NUL; it would be cut silently.
        if arguments.contains(where: { $0.utf8.contains(0) }) { throw .usage("an argument contains a NUL character") }
        // Nothing after "--" is an option. CLI11 would also treat it as an argument of the main program.
        let options = arguments.prefix { $0 != "--" }
        let rest = Array(arguments[options.endIndex...].dropFirst())
        let outcome = withCStrings([program.name] + options) { ink_cli_parse(parser, Int32($0.count), $0.baseAddress) }
        let text = String(cString: ink_cli_text(parser))
        let command = String(cString: ink_cli_command(parser))
        switch outcome {
        case Int32(INK_CLI_HELP), Int32(INK_CLI_VERSION): return .text(text)
        case Int32(INK_CLI_COMMAND):
            guard let syntax = program.commands.first(where: { $0.name == command }) else {
                throw .usage("a command is needed (see \"\(program.name) help\")")
            }
            return .command(try collect(syntax, from: parser).appending(rest, to: syntax))
        case Int32(INK_CLI_UNEXPECTED): throw unexpected(text, command, program)
        default:
            let topic = command.isEmpty ? "" : " \(command)"
            throw .usage("\(text.replacingNewlines()) (see \"\(program.name) help\(topic)\")")
        }
    }

    /// The help text of a command, or of the program for nil.
    static func help(for command: String?, program: ProgramSyntax) throws(CommandError) -> String {
        let command = command.map { program.command($0)?.name ?? $0 }
        let parser = try makeParser(program)
        defer { ink_cli_destroy(parser) }
        guard let text = ink_cli_help(parser, command ?? "") else {
            throw noCommand(command ?? "", program)
        }
        return String(cString: text)
    }

    private static func noCommand(_ name: String, _ program: ProgramSyntax) -> CommandError {
        if name == "masks" { return .usage("\"ink masks\" is now \"ink template masks\"") }
        let meant = didYouMean(name, among: program.commands.map(\.name))
        return .usage("there is no command \"\(name.replacingNewlines())\"\(meant) (see \"\(program.name) help\")")
    }

    /// The error for an argument that a command does not accept.
    private static func unexpected(_ argument: String, _ command: String, _ program: ProgramSyntax) -> CommandError {
        let topic = command.isEmpty ? "help" : "help \(command)"
        let shown = argument.replacingNewlines()
        guard argument.hasPrefix("-"), let syntax = program.commands.first(where: { $0.name == command }) else {
            let meant = command.isEmpty ? didYouMean(argument, among: ["--help", "--version"]) : ""
            return .usage("\"\(shown)\" was not expected\(meant) (see \"\(program.name) \(topic)\")")
        }
        let name = String(argument.prefix { $0 != "=" })
        let hint = syntax.wayOut(for: name) ?? didYouMean(name, among: syntax.spellings)
        return .usage("ink \(command) has no option \"\(shown)\"\(hint) (see \"\(program.name) \(topic)\")")
    }

    private static func makeParser(_ program: ProgramSyntax) throws(CommandError) -> OpaquePointer {
        guard let parser = ink_cli_create(program.name, program.summary, program.version) else {
            throw .engine(.internalError("no memory for the command line"))
        }
        for command in program.commands {
            var failed = ink_cli_add_command(parser, command.name, command.summary, command.group, command.notes)
            for option in command.options where failed == 0 {
                failed = ink_cli_add_option(
                    parser, command.name, option.key, option.names, option.kind.rawValue, option.shown, option.group,
                    option.help)
            }
            if failed != 0 {
                ink_cli_destroy(parser)
                throw .engine(.internalError("the syntax of \"\(command.name)\" is wrong"))
            }
        }
        return parser
    }

    private static func collect(
        _ syntax: CommandSyntax, from parser: OpaquePointer
    ) throws(CommandError) -> ParsedCommand {
        var values: [String: [String]] = [:]
        for option in syntax.options {
            let count = ink_cli_count(parser, option.key)
            guard count > 0 else { continue }
            values[option.key] =
                option.kind == .flag
                ? [] : (0..<count).compactMap { ink_cli_value(parser, option.key, $0).map { String(cString: $0) } }
            if option.kind == .value || option.kind == .values, values[option.key]?.contains("") == true {
                // An invalid setting of a service has the same exit code wherever it is.
                let isSetting = ProgramSyntax.settings.contains { $0.name == option.key }
                if syntax.group == CommandGroup.services, isSetting {
                    throw .configuration("--\(option.key) is empty (see \"ink help \(syntax.name)\")")
                }
                throw .usage("--\(option.key) is empty (see \"ink help \(syntax.name)\")")
            }
        }
        return ParsedCommand(name: syntax.name, values: values)
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> R
    ) -> R {
        // One buffer contains all strings with their NULs; the pointers refer to it.
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for string in strings {
            offsets.append(bytes.count)
            bytes.append(contentsOf: string.utf8.map { CChar(bitPattern: $0) })
            bytes.append(0)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            let pointers = offsets.map { offset in buffer.baseAddress.map { $0 + offset } }
            return pointers.withUnsafeBufferPointer(body)
        }
    }
}
