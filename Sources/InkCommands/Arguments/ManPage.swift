import InkEngine
import InkExports

/// Man pages of the program and its commands, made from their syntax. The macros are those of man(7).
enum ManPage {
    /// The page of a command (`ink-export`), or of the program for nil.
    /// - Throws: `usage` if the command is unknown.
    static func text(of name: String?, program: ProgramSyntax) throws(CommandError) -> String {
        guard let name else { return page(of: program) }
        guard let command = program.command(name) else {
            let meant = didYouMean(name, among: program.commands.map(\.name))
            throw .usage("there is no command \"\(name.replacingNewlines())\"\(meant) (see \"\(program.name) help\")")
        }
        return page(of: command, program)
    }

    private static func page(of program: ProgramSyntax) -> String {
        var page = head("ink", program.summary, program)
        page += ".SH SYNOPSIS\n.B ink\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
        page += ".SH DESCRIPTION\n\(escaped(program.summary))\n"
        var groups: [String] = []
        for command in program.commands where !groups.contains(command.group) { groups.append(command.group) }
        page += ".SH COMMANDS\n"
        for group in groups {
            page += ".SS \(escaped(group))\n"
            page += program.commands.filter { $0.group == group }.map(entry).joined()
        }
        return page + settings + exitStatus
    }

    private static func page(of command: CommandSyntax, _ program: ProgramSyntax) -> String {
        var page = head("ink-\(command.name.replacing(" ", with: "-"))", command.summary, program)
        page += ".SH SYNOPSIS\n.B ink \(command.name)\n"
        let arguments = command.options.filter { !$0.isOption }
        page += "[\\fIOPTIONS\\fR]"
        for argument in arguments {
            page += " \\fI\(escaped(argument.key))\\fR\(argument.kind == .arguments ? "..." : "")"
        }
        page += "\n.SH DESCRIPTION\n\(escaped(command.summary)).\n"
        let family = program.family(command.name)
        let (notes, examples) = parts(of: command.notes)
        for paragraph in notes { page += ".PP\n\(escaped(paragraph))\n" }
        if !family.isEmpty { page += ".SH COMMANDS\n" + family.map(entry).joined() }
        if !arguments.isEmpty { page += ".SH ARGUMENTS\n" + arguments.map(entry).joined() }
        page += ".SH OPTIONS\n"
        let options = command.options.filter(\.isOption)
        page += options.filter(\.group.isEmpty).map(entry).joined()
        page += ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint the help of this command.\n"
        var groups: [String] = []
        for option in options where !option.group.isEmpty && !groups.contains(option.group) {
            groups.append(option.group)
        }
        for group in groups {
            page += ".SS \(escaped(group))\n" + options.filter { $0.group == group }.map(entry).joined()
        }
        if !examples.isEmpty {
            page += ".SH EXAMPLES\n.nf\n" + examples.map { escaped($0) + "\n" }.joined() + ".fi\n"
        }
        if UserSettings.apply(to: command.name) { page += settings }
        return page + exitStatus + ".SH SEE ALSO\n.BR ink (1)\n"
    }

    private static func head(_ name: String, _ summary: String, _ program: ProgramSyntax) -> String {
        """
        .\\" Made by "ink help --man".
        .TH \(escaped(name.uppercased())) 1 "" "\(escaped(program.version))" "Ink export farm"
        .SH NAME
        \(escaped(name)) \\- \(escaped(summary))

        """
    }

    private static func entry(_ command: CommandSyntax) -> String {
        ".TP\n.BR ink\\-\(escaped(command.name.replacing(" ", with: "-"))) (1)\n\(escaped(command.summary)).\n"
    }

    private static func entry(_ option: OptionSyntax) -> String {
        guard option.isOption else {
            return ".TP\n\\fI\(escaped(option.key))\\fR\n\(escaped(option.help)).\n"
        }
        let names = option.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        let value = option.shown.isEmpty ? "" : " \\fI\(escaped(option.shown))\\fR"
        return ".TP\n\(names)\(value)\n\(escaped(option.help)).\n"
    }

    private static let settings = """
        .SH ENVIRONMENT
        .TP
        .BR INK_BROKER ", " INK_KEY ", " INK_BROKER_KEY ", " INK_INSECURE ", " INK_TIMEOUT
        The options of these names, for commands that talk to a broker.
        .TP
        .B INK_CONFIG
        The config file to read instead of the one below.
        .TP
        .BR INK_SHARD ", " INK_SHARDS
        The part of the run that
        .BR ink\\-export (1)
        exports, from 0, and the number of parts.
        .TP
        .B INK_KERNELS
        scalar, v3 or v4: the kernels to use instead of the best that the processor supports.
        .SH FILES
        .TP
        .I ~/.config/ink/config
        Lines "name = value" with the broker's endpoint and keys, and defaults of
        .BR ink\\-export (1).
        Flags win over the environment, the environment over the file.

        """

    private static let exitStatus =
        ".SH EXIT STATUS\n"
        + ExitCode.allCases.map { ".TP\n.B \($0.rawValue)\n\(escaped($0.meaning)).\n" }.joined()

    /// The paragraphs of the notes, and the lines of their examples.
    private static func parts(of notes: String) -> (paragraphs: [String], examples: [String]) {
        var paragraphs: [String] = []
        var examples: [String] = []
        var areExamples = false
        var paragraph: [String] = []
        for line in notes.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "Examples:" {
                areExamples = true
            } else if areExamples {
                if !line.isEmpty { examples.append(String(line.drop { $0 == " " })) }
            } else if line.isEmpty {
                paragraphs.append(paragraph.joined(separator: " "))
                paragraph = []
            } else {
                paragraph.append(String(line))
            }
        }
        paragraphs.append(paragraph.joined(separator: " "))
        return (paragraphs.filter { !$0.isEmpty }, examples)
    }

    /// Text that roff prints as it is.
    private static func escaped(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("~", with: "\\(ti")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
