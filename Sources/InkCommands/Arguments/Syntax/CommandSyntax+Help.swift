extension CommandSyntax {
    static let doctor = CommandSyntax(
        name: "doctor",
        summary: "Check the installation: libraries, processor, a small export",
        group: CommandGroup.help,
        notes: "",
        options: [.flag("--json", "Print JSON instead of text")])

    static let version = CommandSyntax(
        name: "version", summary: "Print the version", group: CommandGroup.help, notes: "", options: [])

    static let help = CommandSyntax(
        name: "help",
        summary: "Print the help of a command",
        group: CommandGroup.help,
        notes: "",
        options: [
            .arguments("COMMAND", "The command; without one, a list of all"),
            .flag("--man", "Print a man page (ink help --man export | man -l -)"),
        ])

    static let completions = CommandSyntax(
        name: "completions",
        summary: "Print a completion script for your shell",
        group: CommandGroup.help,
        notes: """

            Examples:
              source <(ink completions bash)
              source <(ink completions zsh)
              ink completions fish > ~/.config/fish/completions/ink.fish
            """,
        options: [.argument("SHELL", "bash, zsh or fish")])
}
