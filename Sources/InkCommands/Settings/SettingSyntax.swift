/// One setting of a command: a flag, an environment variable and a line of a settings file, under one name.
struct SettingSyntax: Hashable, Sendable {
    /// As the flag has it, without the dashes; also its name in a file.
    var name: String
    var kind: SettingKind
    /// Whether it may have several values: repeated flags or lines, or a variable with colons.
    var isList: Bool
    /// The placeholder of the value in the help: `SIZE`.
    var shown: String
    /// The default; nil: not set.
    var standard: String?
    /// How the help and the documents name the default, where it is not `standard`.
    var standardShown: String?
    /// Its heading in the help.
    var group: String
    var help: String
    /// The letter of a short flag.
    var letter: String?

    init(
        _ name: String, _ kind: SettingKind, _ shown: String = "", isList: Bool = false, standard: String? = nil,
        standardShown: String? = nil, group: String = "", letter: String? = nil, _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.isList = isList
        self.shown = shown
        self.standard = standard
        self.standardShown = standardShown
        self.group = group
        self.help = help
        self.letter = letter
    }

    /// `INK_QUEUE_LIMIT` for `queue-limit`.
    var variable: String { "INK_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined() }

    /// How the flag is written: `--queue-limit N`.
    var flag: String { shown.isEmpty ? "--\(name)" : "--\(name) \(shown)" }

    /// The default in the documents; nil if there is none.
    var defaultText: String? { standardShown ?? standard }

    /// The setting as an option of the command line.
    var option: OptionSyntax {
        let text = help + (defaultText.map { " (default: \($0))" } ?? "")
        let names = (letter.map { "-\($0)," } ?? "") + "--\(name)"
        if kind == .flag { return .flag(names, group: group, text) }
        return isList ? .values(names, shown, group: group, text) : .value(names, shown, group: group, text)
    }
}

extension [SettingSyntax] {
    var options: [OptionSyntax] { map(\.option) }
}
