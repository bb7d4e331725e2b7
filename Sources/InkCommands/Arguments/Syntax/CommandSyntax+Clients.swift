/// The commands that talk to a broker.
extension CommandSyntax {
    static let submit = CommandSyntax(
        name: "submit",
        summary: "Give projects to a broker; prints a job number a picture, and leaves",
        group: CommandGroup.clients,
        notes: """

            \(pathNotes)
            A job is on the broker's disk when its number is printed. Its picture is kept for "ink wait", or with
            --into written below the broker's output root.

            Examples:
              ink submit drawings --size 4k | ink wait - -o pictures
              ink submit /srv/drawings --shared --into today
            """,
        options: [
            .arguments("PATH", "Projects, templates, folders, - or @list.txt"),
            .value("--into", "DIR", "Have the pictures written into this folder below the broker's output root"),
            .value(
                "--name", "TEMPLATE",
                "With --into, their names (default: {name}-{size}.png; {name}-{layer}-{size}.png with --each-layer)"),
            .flag("--shared", "Send absolute paths, which the broker reads itself, instead of contents"),
            .value("--priority", "N", "-10 to 10, or bulk, normal, urgent (-5, 0, 5); default: bulk"),
        ] + pictureOptions + [
            .value("--limits", "FILE", group: "Run", "JSON file with other limits than the default ones"),
            .values("--presets", "DIR", group: "Run", "Folder of brush presets, looked into first"),
            .flag("--strict", group: "Run", "Take warnings for errors: no job of a project that has some"),
            .flag("--json", group: "Run", "Print a JSON object a line instead of numbers"),
        ] + remoteOptions)

    static let status = CommandSyntax(
        name: "status",
        summary: "Show a broker's jobs, workers and throughput, or one job",
        group: CommandGroup.clients,
        notes: "\nLeaves with 69 when the broker does not answer: a health check.",
        options: [
            .argument("JOB", "Show this job"),
            .flag("--watch", "Go on showing; Ctrl-C ends it"),
            .flag("--json", "Print JSON instead of text; with --watch, an object a line"),
        ] + remoteOptions)

    static let wait = CommandSyntax(
        name: "wait",
        summary: "Wait until jobs have ended, and fetch their pictures",
        group: CommandGroup.clients,
        notes: "\n\(jobNotes)\nPictures are named NAME-SIZE.png; NAME-SIZE-JOB.png where two would be the same.",
        options: [
            jobs,
            .value("-o,--output", "DIR", "Folder for the pictures, made if missing (default: the current one)"),
            .flag("--no-fetch", "Leave the pictures at the broker"),
            .flag("-q,--quiet", "Print nothing but errors"),
            .flag("--json", "Print a JSON object a job as it ends"),
            .value("--progress", "auto|plain|none", progressHelp),
        ] + remoteOptions)

    static let cancel = CommandSyntax(
        name: "cancel", summary: "Cancel jobs", group: CommandGroup.clients, notes: "\n\(jobNotes)",
        options: [jobs] + remoteOptions)

    static let retry = CommandSyntax(
        name: "retry", summary: "Queue failed or cancelled jobs again", group: CommandGroup.clients,
        notes: "\n\(jobNotes)",
        options: [jobs] + remoteOptions)

    static let priority = CommandSyntax(
        name: "priority", summary: "Change the priority of jobs", group: CommandGroup.clients,
        notes: "\n\(jobNotes)",
        options: [.argument("PRIORITY", "-10 to 10, or bulk, normal, urgent (-5, 0, 5)"), jobs] + remoteOptions)

    static let story = CommandSyntax(
        name: "story",
        summary: "Tell all that happened to each tile of a job",
        group: CommandGroup.clients,
        notes: "",
        options: [.argument("JOB", "The job's number"), .flag("--json", "Print JSON instead of text")] + remoteOptions)

    static let purge = CommandSyntax(
        name: "purge",
        summary: "Forget ended jobs and remove the pictures kept for them",
        group: CommandGroup.clients,
        notes: "\n\(jobNotes)",
        options: [
            jobs, .value("--older-than", "TIME", "All that ended longer ago than this (30s, 15m, 12h, 7d)"),
        ] + remoteOptions)

    static let drain = CommandSyntax(
        name: "drain",
        summary: "Let workers finish what they hold and leave",
        group: CommandGroup.clients,
        notes: "",
        options: [.argument("WORKER", "The worker's name; all workers of that name are drained")] + remoteOptions)

    private static let jobs = OptionSyntax.arguments("JOB", "Job numbers, ranges (3-17), or - for standard input")
    private static let jobNotes = "A JOB is a number, a range (3-17), or \"-\" for numbers on standard input."

    /// How the broker is found.
    private static let remoteOptions = RemoteSetting.all.options
}

extension RemoteSetting {
    /// As `ink export` has them: there the flag alone decides between this process and a farm.
    static let exportOptions: [OptionSyntax] = {
        var broker = RemoteSetting.broker.option
        broker.help = "Have the farm behind this broker render, at its endpoint for clients"
        return [broker] + RemoteSetting.all.dropFirst().map(\.option)
    }()
}
