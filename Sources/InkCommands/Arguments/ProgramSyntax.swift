import InkExports

/// The program's name, version and commands.
struct ProgramSyntax: Sendable {
    var name: String
    var summary: String
    var version: String
    var commands: [CommandSyntax]

    /// The command or the family of this name, also spelt with dashes: `template-pack`.
    func command(_ name: String) -> CommandSyntax? {
        commands.first { $0.name == name || $0.name.replacing(" ", with: "-") == name }
    }

    /// The commands of a family, such as those of `template`; none for others.
    func family(_ name: String) -> [CommandSyntax] { commands.filter { $0.name.hasPrefix(name + " ") } }

    /// The commands that are given as a single word.
    var topCommands: [CommandSyntax] { commands.filter { !$0.name.contains(" ") } }

    /// The command line of `ink`.
    static let ink = ProgramSyntax(
        name: "ink",
        summary: "Renders Ink drawing projects to PNG, on one machine or a farm of many.",
        version: "ink \(ProgramVersion.text)",
        commands: [
            .export, .pack, .report, .reportMerge, .inspect, .importing, .preset, .template,
        ] + CommandSyntax.templates + [
            .broker, .worker, .keygen, .submit, .jobs, .status, .wait, .cancel, .pause, .resume, .retry,
            .priority, .story, .purge, .drain, .doctor, .bench, .completions, .version, .help,
        ])

    /// The settings of all commands, each name once.
    static let settings: [SettingSyntax] = {
        var names: Set<String> = []
        return (BrokerSetting.all + WorkerSetting.all + RemoteSetting.all).filter { names.insert($0.name).inserted }
    }()
}
