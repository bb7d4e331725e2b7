/// The syntax of one option or argument of a command.
struct OptionSyntax: Sendable {
    enum Kind: Int32, Sendable {
        /// `--name`, without a value.
        case flag = 0
        /// `--name VALUE`, at most once.
        case value = 1
        /// `--name VALUE`, any number of times.
        case values = 2
        /// One positional argument.
        case argument = 3
        /// Any number of positional arguments.
        case arguments = 4
    }

    /// The key of its values.
    var key: String
    /// The spelling for the parser: `-o,--output`; a bare word for an argument.
    var names: String
    var kind: Kind
    /// The placeholder of the value in the help: `DIR|FILE`.
    var shown: String
    /// Its heading in the help; empty for the first one.
    var group: String
    var help: String

    static func flag(_ names: String, group: String = "", _ help: String) -> OptionSyntax {
        OptionSyntax(key: key(of: names), names: names, kind: .flag, shown: "", group: group, help: help)
    }

    static func value(_ names: String, _ shown: String, group: String = "", _ help: String) -> OptionSyntax {
        OptionSyntax(key: key(of: names), names: names, kind: .value, shown: shown, group: group, help: help)
    }

    static func values(_ names: String, _ shown: String, group: String = "", _ help: String) -> OptionSyntax {
        OptionSyntax(key: key(of: names), names: names, kind: .values, shown: shown, group: group, help: help)
    }

    static func argument(_ name: String, _ help: String) -> OptionSyntax {
        OptionSyntax(key: name, names: name, kind: .argument, shown: "", group: "", help: help)
    }

    static func arguments(_ name: String, _ help: String) -> OptionSyntax {
        OptionSyntax(key: name, names: name, kind: .arguments, shown: "...", group: "", help: help)
    }

    /// Whether it is given by its name, not by its place.
    var hasName: Bool { kind != .argument && kind != .arguments }

    /// The long name without dashes.
    private static func key(of names: String) -> String {
        let long = names.split(separator: ",").last ?? ""
        return String(long.drop { $0 == "-" })
    }
}

/// A command of the program with its options and arguments.
struct CommandSyntax: Sendable {
    var name: String
    var summary: String
    /// Its heading in the list of commands.
    var group: String
    /// Printed below the options in the help.
    var notes: String
    var options: [OptionSyntax]

    /// All spellings of its options: `-o`, `--output`.
    var spellings: [String] {
        options.flatMap { $0.names.split(separator: ",") }.map(String.init).filter { $0.hasPrefix("-") }
    }

    /// The option that replaces one of other programs; nil for none.
    func wayOut(for name: String) -> String? {
        let ways: [(names: [String], key: String, text: String)] = [
            (["-f", "-y", "--force", "--overwrite"], "if-exists", "--if-exists overwrite"),
            (["--threads", "--jobs"], "workers", "--workers N"), (["--jobs", "--workers"], "threads", "--threads N"),
            (
                ["-s", "-w", "--scale", "--width", "--height", "--resolution"], "size",
                "--size 2k, --size 2x or --size 1200x800"
            ),
            (["-r", "-R", "--recursive"], "PATH", "the folder alone: all folders below it are searched"),
        ]
        let way = ways.first { way in way.names.contains(name) && options.contains { $0.key == way.key } }
        return way.map { "; use \($0.text)" }
    }
}

/// The headings of the list of commands, in order of first use.
enum CommandGroup {
    static let pictures = "Projects and pictures"
    static let templates = "Templates"
    static let services = "Running a farm"
    static let clients = "Using a farm"
    static let help = "Help"
}
