/// The commands that talk to a broker.
extension CommandSyntax {
    static let submit = CommandSyntax(
        name: "submit",
        summary: "Submit projects to a broker; prints the number and name of each job",
        group: CommandGroup.clients,
        notes: """

            \(pathNotes)
            A job is on the broker's disk when its number is printed. The broker keeps the picture for "ink wait"
            or, with --into, writes it below its output root. A line is the number, a tab and the name. \(configNotes)

            Examples:
              ink submit drawings --size 4k | ink wait - -o pictures
              ink submit /srv/drawings --shared --into today
            """,
        options: [
            .arguments("PATH", "Projects, templates, folders, - or @list.txt"),
            .value("--into", "DIR", "Let the broker write the pictures into this folder below its output root"),
            .value(
                "--name", "TEMPLATE",
                "File names (default: {name}-{size}.{ext}; {name}-{layer}-{size}.{ext} with --each-layer)"),
            .flag("--shared", "Send absolute paths that the broker reads, instead of contents"),
            .value("--priority", "N", "-10 to 10, or bulk, normal, urgent (-5, 0, 5); default: bulk"),
        ] + pictureOptions + [
            .value("--limits", "FILE", group: "Run", "JSON file with limits that replace the default ones"),
            .values("--presets", "DIR", group: "Run", "Folder of brush presets, searched first"),
            .flag("--strict", group: "Run", "Treat warnings as errors: do not submit projects that have any"),
            .flag("-v,--verbose", group: "Run", "List the files that a search skips, with the reasons"),
            .flag("-q,--quiet", group: "Run", "Print only the numbers, without names"),
            .flag("--json", group: "Run", "Print one JSON object per line instead of numbers and names"),
        ] + remoteOptions)

    static let status = CommandSyntax(
        name: "status",
        summary: "Show a broker's jobs, workers and throughput, or one job",
        group: CommandGroup.clients,
        notes: "\nExits with 69 if the broker does not answer, so it can serve as a health check.\n\(configNotes)",
        options: [
            .argument("JOB", "Show this job"),
            .flag("--watch", "Keep refreshing until Ctrl-C"),
            .flag("--json", "Print JSON instead of text; with --watch, one object per line"),
        ] + remoteOptions)

    static let jobs = CommandSyntax(
        name: "jobs",
        summary: "List a broker's jobs, with the causes of failures",
        group: CommandGroup.clients,
        notes: "\n\(configNotes)\n\nExamples:\n  ink jobs --state failed\n  ink jobs --json | jq .reason",
        options: [
            .values("--state", JobPages.states.joined(separator: "|") + ",...", "Only jobs in these states"),
            .flag("--json", "Print one JSON object per line instead of a table"),
        ] + remoteOptions)

    static let wait = CommandSyntax(
        name: "wait",
        summary: "Wait for jobs and fetch their pictures",
        group: CommandGroup.clients,
        notes:
            "\n\(jobNotes)\nPictures are named NAME-SIZE with the ending of their format, or NAME-SIZE-JOB where two would have the same name.\n\(configNotes)",
        options: [
            jobArguments,
            .value("-o,--output", "DIR", "Folder for the pictures, created if missing (default: the current one)"),
            .flag("--no-fetch", "Leave the pictures at the broker"),
            .flag("-q,--quiet", "Print only errors"),
            .flag("--json", "Print one JSON object per job as it ends"),
            .value("--progress", "auto|plain|none", progressHelp),
        ] + remoteOptions)

    static let cancel = CommandSyntax(
        name: "cancel", summary: "Cancel jobs", group: CommandGroup.clients, notes: "\n\(jobNotes)\n\(configNotes)",
        options: [jobArguments] + remoteOptions)

    static let retry = CommandSyntax(
        name: "retry", summary: "Queue failed or cancelled jobs again", group: CommandGroup.clients,
        notes: "\n\(jobNotes)\n\(configNotes)",
        options: [jobArguments] + remoteOptions)

    static let pause = CommandSyntax(
        name: "pause", summary: "Keep jobs from starting or going on, until ink resume", group: CommandGroup.clients,
        notes: "\nWorkers finish the tiles that they have. \(jobNotes)\n\(configNotes)",
        options: [jobArguments] + remoteOptions
    )

    static let resume = CommandSyntax(
        name: "resume", summary: "Let paused jobs go on", group: CommandGroup.clients,
        notes: "\n\(jobNotes)\n\(configNotes)", options: [jobArguments] + remoteOptions)

    static let priority = CommandSyntax(
        name: "priority", summary: "Change the priority of jobs", group: CommandGroup.clients,
        notes: "\n\(jobNotes)\n\(configNotes)",
        options: [.argument("PRIORITY", "-10 to 10, or bulk, normal, urgent (-5, 0, 5)"), jobArguments] + remoteOptions)

    static let story = CommandSyntax(
        name: "story",
        summary: "Show what happened to each tile of a job",
        group: CommandGroup.clients,
        notes: "\n\(configNotes)",
        options: [.argument("JOB", "The job's number"), .flag("--json", "Print JSON instead of text")] + remoteOptions)

    static let purge = CommandSyntax(
        name: "purge",
        summary: "Forget ended jobs and delete the pictures kept for them",
        group: CommandGroup.clients,
        notes: "\n\(jobNotes)\n\(configNotes)",
        options: [
            jobArguments,
            .value("--older-than", "TIME", "All jobs that ended longer ago than this (30s, 15m, 12h, 7d)"),
        ] + remoteOptions)

    static let drain = CommandSyntax(
        name: "drain",
        summary: "Let workers finish their tasks and exit",
        group: CommandGroup.clients,
        notes: "\n\(configNotes)",
        options: [.argument("WORKER", "Name of the worker; all workers of this name are drained")] + remoteOptions)

    private static let jobArguments = OptionSyntax.arguments(
        "JOB", "Job numbers, ranges (3-17), or - for standard input")
    private static let jobNotes = "A JOB is a number, a range (3-17), or \"-\" for numbers on standard input."

    private static let configNotes =
        "Broker and keys can be set in ~/.config/ink/config (or the file named by INK_CONFIG)."

    /// How to reach the broker.
    private static let remoteOptions = RemoteSetting.all.options
}

extension RemoteSetting {
    /// The options of `ink export`, where only the flag selects a farm instead of this process.
    static let exportOptions: [OptionSyntax] = {
        var broker = RemoteSetting.broker.option
        broker.help = "Let the farm of this broker render; its endpoint for clients"
        return [broker] + RemoteSetting.all.dropFirst().map(\.option)
    }()
}
