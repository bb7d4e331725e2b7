import InkEngine

extension CommandSyntax {
    static let export = CommandSyntax(
        name: "export",
        summary: "Render projects to picture files",
        group: CommandGroup.pictures,
        notes: """

            \(pathNotes)
            Without -o each picture lies beside its project. Without --broker the pictures are rendered in this
            process; with it, by the farm behind that broker (INK_KEY and INK_BROKER_KEY stand in for --key and
            --broker-key). Exit codes: docs/operations.md.

            Examples:
              ink export drawing.ink
              ink export drawings -o pictures --size 2k,4k
              ink export drawing.ink -o wall.png --size 8k --effort small
              ink export drawings -o pictures --broker tcp://farm.example:5571
            """,
        options: [
            .arguments("PATH", "Projects, templates, folders, - or @list.txt"),
            .value(
                "-o,--output", "DIR|FILE",
                "Where the pictures go: a file when it ends like a picture (.png) and one picture comes out, else a folder, made if "
                    + "missing (default: beside each project)"),
            .value(
                "--name", "TEMPLATE",
                "Names of the pictures (default: {name}-{size}.png; {name}-{layer}-{size}.png with --each-layer)"),
            .value("-j,--workers", "N", "Render threads, 1 to 256 (default: one a usable core); not with --broker"),
        ] + pictureOptions + [
            .value(
                "--if-exists", "skip-unchanged|overwrite|suffix|fail", group: "Run",
                "When a picture exists (default: skip-unchanged; overwrite for a single named project)"),
            .flag("--keep-going", group: "Run", "Go on when an export fails (default)"),
            .flag("--fail-fast", group: "Run", "Stop at the first export that fails"),
            .flag("--strict", group: "Run", "Take warnings for errors: no picture of a project that has some"),
            .flag("--dry-run", group: "Run", "Say what would be made, make nothing"),
            .value("--limits", "FILE", group: "Run", "JSON file with other limits than the default ones"),
            .values("--presets", "DIR", group: "Run", "Folder of brush presets, looked into first"),
            .value("--report", "FILE", group: "Run", "Write a JSON report of every export"),
            .value("--from-report", "FILE", group: "Run", "Repeat the exports of a report, with their options"),
            .flag("--failed", group: "Run", "Of --from-report, only what failed or was not reached"),
            .flag("-q,--quiet", group: "Run", "Print nothing but errors, and how many pictures have warnings"),
            .flag("--json", group: "Run", "Print the report to standard output"),
            .value("--progress", "auto|plain|none", group: "Run", progressHelp),
        ] + RemoteSetting.exportOptions)

    /// What the pictures show and in what form.
    static let pictureOptions: [OptionSyntax] = [
        .values("--size", "SIZE,...", "Sizes of the pictures (default: 2k)"),
        .value("--background", "COLOR", group: "Picture", "Instead of the project's background"),
        .flag("--no-base", group: "Picture", "Leave out the base image"),
        .values("--layers", "NAME,...", group: "Picture", "Draw only these layers, hidden ones too; by id or name"),
        .flag("--each-layer", group: "Picture", "One picture a visible layer, on a transparent background"),
        .value("--fill", "suggested", group: "Picture", "Fill empty template layers with their suggested pattern"),
        .value("--dpi", "N", group: "Picture", "Dots per inch to write into the file, 1 to 100000"),
        .flag("--rgb", group: "Picture", "Without alpha; flattens on white when the background is not opaque"),
        .flag("--rgba", group: "Picture", "With alpha, even when opaque"),
        .value(
            "--format", PictureCodecs.all.map(\.name).joined(separator: "|"), group: "Picture",
            "Format of the pictures (default: by the ending of -o or --name, else \(PictureCodecs.all[0].name))"),
        .value("--effort", "fast|balanced|small", group: "Picture", "Compression (default: balanced)"),
        .value("--quality", "N", group: "Picture", "Of formats that lose something, 1 to 100"),
        .value("--chroma", "4:4:4|4:2:0", group: "Picture", "Samples of colour for those of brightness"),
        .value(
            "--tile", "WxH", group: "Picture", "Size of a tile, pixels, each edge from 16 up (default: automatic)"),
        .flag("--no-metadata", group: "Picture", "Leave out title, author, licence and date"),
    ]

    static let progressHelp =
        "How progress is shown: lines that change on a terminal and else a line now and then (auto), only such lines (plain), or "
        + "nothing (none)"

    /// What a PATH can be and how sizes, colours and names are written.
    static let pathNotes = """
        A PATH is a project (.ink), a template (.inktemplate folder or .zip), a folder that is searched for
        them (hidden ones are skipped), "-" for a project on standard input, or "@list.txt" for a file with
        one path a line. Sizes: 1080p, 2k, 4k, 8k (longest edge 1920, 2048, 4096, 8192 pixels), N (longest edge N
        pixels), WxH (fits inside), Nx or P% (of the canvas); several are separated by commas. Colours: #rgb, #rrggbb, #rrggbbaa, transparent.
        Placeholders of --name: {name} the file's name without its ending, {title} the project's name, {id}
        its id, {dir} the folder it lies in, {size}, {layer} (with --each-layer), {n} the picture's number.
        """
}
