import InkExports

extension CommandSyntax {
    static let export = CommandSyntax(
        name: "export",
        summary: "Render projects to picture files",
        group: CommandGroup.pictures,
        notes: """

            \(pathNotes)
            Without -o each picture is written next to its project. Without --broker the pictures are rendered by
            this process, with it by the farm of that broker (INK_KEY and INK_BROKER_KEY replace --key and
            --broker-key). Defaults may be set in ~/.config/ink/config (or the file named by INK_CONFIG).
            With --shard several processes export one part each of the same paths; "ink report merge" joins their reports.

            Examples:
              ink export drawing.ink
              ink export drawings -o pictures --size 2k,4k
              ink export drawing.ink -o wall.png --size 8k --effort small
              ink export --watch drawings -o pictures
              ink export drawings -o pictures --broker tcp://farm.example:5571
            """,
        options: [
            .arguments("PATH", "Projects, templates, folders, - or @list.txt"),
            .value(
                "-o,--output", "DIR|FILE",
                "Where to write: a file if it ends like a picture (.png) and there is one picture, else a folder, created if "
                    + "missing; - for one picture to standard output (default: next to each project)"),
            .value(
                "--name", "TEMPLATE",
                "File names (default: {name}-{size}.{ext}; {name}-{layer}-{size}.{ext} with --each-layer)"),
            .value(
                "--cache", "DIR", group: "Run",
                "Keep results of tiles in this folder, and render only what has changed since; not with --broker"),
            .value("--cache-size", "SIZE", group: "Run", "The most that they take there (default: 4G)"),
            .value("-j,--workers", "N", "Render threads, 1 to 256 (default: one per usable core); not with --broker"),
        ] + pictureOptions + [
            .value(
                "--if-exists", "skip-unchanged|overwrite|suffix|fail", group: "Run",
                "What to do if a picture exists (default: skip-unchanged; overwrite for a single named project)"),
            .flag("--keep-going", group: "Run", "Continue after a failed export (default)"),
            .flag("--fail-fast", group: "Run", "Stop at the first failed export"),
            .flag("--strict", group: "Run", "Treat warnings as errors: do not export projects that have any"),
            .flag(
                "--flattened", group: "Run",
                "Of Photoshop, OpenRaster and Krita files, take the merged picture that they hold"),
            .value(
                "--brush", "TYPE", group: "Run",
                "Draw the strokes of documents of other programs with parallelLines, crossHatch, dots, contourLines, waves or "
                    + "solid"),
            .flag(
                "--watch", group: "Run",
                "Go on until interrupted: export what is new or changed as soon as it has been written"),
            .flag("--dry-run", group: "Run", "List what would be written, write nothing"),
            .value("--limits", "FILE", group: "Run", "JSON file with limits that replace the default ones"),
            .values("--presets", "DIR", group: "Run", "Folder of brush presets, searched first"),
            .value("--report", "FILE", group: "Run", "Write a JSON report of all exports"),
            .value("--pdf-book", "FILE", group: "Run", "Write all pictures as pages of one PDF as well"),
            .value(
                "--sheet", "FILE", group: "Run",
                "Write all pictures into one PNG as well, layers with --each-layer, and their places into FILE's .json"),
            .value("--contact-sheet", "FILE", group: "Run", "Write a PNG or JPEG of small pictures of all pictures"),
            .value("--contact-columns", "N", group: "Run", "Pictures in a row of the contact sheet (default: up to 8)"),
            .value("--contact-size", "N", group: "Run", "Edge of its small pictures, 32 to 1024 pixels (default: 256)"),
            .value("--from-report", "FILE", group: "Run", "Repeat the exports of a report, with their options"),
            .flag("--failed", group: "Run", "With --from-report: only what failed or was not reached"),
            .value(
                "--shard", "I/N", group: "Run",
                "Export only part I of N, counted from 0; each input is in one part (default: INK_SHARD, with INK_SHARDS parts)"
            ),
            .flag(
                "--exit-with-parent", group: "Run",
                "End as by SIGTERM when the process that started this one has ended"),
            .flag("-v,--verbose", group: "Run", "List the files that a search skips, with the reasons"),
            .flag("-q,--quiet", group: "Run", "Print only errors, and how many pictures have warnings"),
            .flag("--json", group: "Run", "Print the report to standard output"),
            .value("--progress", "auto|plain|none", group: "Run", progressHelp),
        ] + RemoteSetting.exportOptions)

    /// Its commands follow; their names begin with its own.
    static let report = CommandSyntax(
        name: "report", summary: "Join the reports of a run in parts", group: CommandGroup.pictures,
        notes: "\nSee \"ink help report merge\".", options: [])

    static let reportMerge = CommandSyntax(
        name: "report merge",
        summary: "Join the reports of the parts of a run into one",
        group: CommandGroup.pictures,
        notes: """

            The reports are those of "ink export --shard I/N --report FILE". The result is the report of the whole run, with
            the parts that are missing; the exit code is that of the run, 1 where parts are missing.

            Examples:
              ink export @list.txt -o pictures --shard 3/8 --report parts/3.json
              ink report merge parts/*.json -o report.json
              ink export --from-report report.json --failed
            """,
        options: [
            .arguments("REPORT", "Reports of parts, each part once"),
            .value("-o,--output", "FILE", "Where to write the report"),
            .flag("--json", "Print the report to standard output"),
        ])

    /// Content and format of the pictures.
    static let pictureOptions = PictureOption.all.map { option in
        OptionSyntax(
            key: option.name, names: "--\(option.name)",
            kind: option.kind == .flag ? .flag : option.kind == .texts ? .values : .value, shown: option.shown,
            group: option.group, help: option.help)
    }

    static let progressHelp =
        "How to show progress: auto updates lines in place on a terminal and prints a line now and then elsewhere; plain "
        + "only prints lines; none shows nothing (default: auto)"

    /// The syntax of paths, sizes, colours and names.
    static let pathNotes = """
        A PATH is a project (.ink), a template (.inktemplate folder or .zip), a photo (JPEG, PNG, WebP, TIFF,
        HEIF, AVIF), a folder to search for them (hidden files are skipped), "-" for a project on standard input, or "@list.txt" for a file with one path per
        line. Sizes: 1080p, 2k, 4k, 8k (longest edge 1920, 2048, 4096, 8192 pixels), N (longest edge N pixels),
        WxH (fits inside), 210x297mm or 8.5x11in (at --dpi, else at 300), Nx or P% (of the canvas); separate several
        by commas. Lengths are pixels, or have a unit: px, mm, cm, in, pt. Colours: #rgb, #rrggbb, #rrggbbaa,
        transparent. Placeholders of --name: {name} the file name without its ending, {title} and
        {id} of the project, {dir} the folder that contains it, {size}, {layer} (with --each-layer), {viewport}
        (with --each-viewport), {n} the number of the picture ({n:03} has three digits), {ext} the ending of its format.
        """
}
