/// The program's name, version and commands.
struct ProgramSyntax: Sendable {
    var name: String
    var summary: String
    var version: String
    var commands: [CommandSyntax]

    /// What `ink` understands.
    static let ink = ProgramSyntax(
        name: "ink",
        summary: "Turns Ink drawing projects into exact PNG pictures, through a farm of workers.",
        version: "ink \(ProgramVersion.text)",
        commands: [.export, .inspect, .importing, .masks, .doctor, .help])
}

/// The version of the program, as `ink --version` says it.
enum ProgramVersion {
    static let text = "0.1.0"
}

extension CommandSyntax {
    static let export = CommandSyntax(
        name: "export",
        summary: "Render projects to PNG files",
        notes: """

            A PATH is a project (.ink), a template (.inktemplate folder or .zip), a folder that is searched for
            them (hidden ones are skipped), "-" for a project on standard input, or "@list.txt" for a file with
            one path a line. Sizes: 1080p, 2k, 4k, 8k (longest edge 1920, 2048, 4096, 8192 pixels), Nx (canvas
            times N), WxH (fits inside). Colours: #rgb, #rrggbb, #rrggbbaa, transparent.
            Placeholders of --name: {name} the file's name without its ending, {title} the project's name, {id}
            its id, {dir} the folder it lies in, {size}, {layer} (with --each-layer), {n} the picture's number.
            Without -o each picture lies beside its project. Exit codes: docs/operations.md.

            Examples:
              ink export drawing.ink
              ink export drawings -o pictures --size 2k,4k
              ink export drawing.ink -o wall.png --size 8k --effort small
            """,
        options: [
            .arguments("PATH", "Projects, templates, folders, - or @list.txt"),
            .value(
                "-o,--output", "DIR|FILE",
                "Where the pictures go: a file when it ends in .png and one picture comes out, else a folder, made if "
                    + "missing (default: beside each project)"),
            .values("--size", "SIZE,...", "Sizes of the pictures (default: 2k)"),
            .value(
                "--name", "TEMPLATE",
                "Names of the pictures (default: {name}-{size}.png; {name}-{layer}-{size}.png with --each-layer)"),
            .value("--workers", "N", "Render threads, 1 to 256 (default: one a usable core)"),
            .value("--background", "COLOR", group: "Picture", "Instead of the project's background"),
            .flag("--no-base", group: "Picture", "Leave out the base image"),
            .values("--layers", "NAME,...", group: "Picture", "Draw only these layers, hidden ones too; by id or name"),
            .flag("--each-layer", group: "Picture", "One picture a visible layer, on a transparent background"),
            .value("--fill", "suggested", group: "Picture", "Fill empty template layers with their suggested pattern"),
            .value("--dpi", "N", group: "Picture", "Dots per inch to write into the file, 1 to 100000"),
            .flag("--rgb", group: "Picture", "Without alpha; flattens on white when the background is not opaque"),
            .flag("--rgba", group: "Picture", "With alpha, even when opaque"),
            .value("--effort", "fast|balanced|small", group: "Picture", "Compression (default: balanced)"),
            .value(
                "--tile", "WxH", group: "Picture", "Size of a tile, pixels, each edge from 16 up (default: automatic)"),
            .flag("--no-metadata", group: "Picture", "Leave out title, author, licence and date"),
            .value(
                "--if-exists", "skip-unchanged|overwrite|suffix|fail", group: "Run",
                "When a picture exists (default: skip-unchanged; overwrite for a single named project)"),
            .flag("--keep-going", group: "Run", "Go on when an export fails (default)"),
            .flag("--fail-fast", group: "Run", "Stop at the first export that fails"),
            .flag("--dry-run", group: "Run", "Say what would be made, make nothing"),
            .value("--limits", "FILE", group: "Run", "JSON file with other limits than the default ones"),
            .values("--presets", "DIR", group: "Run", "Folder of brush presets, looked into first"),
            .value("--report", "FILE", group: "Run", "Write a JSON report of every export"),
            .value("--from-report", "FILE", group: "Run", "Repeat the exports of a report, with their options"),
            .flag("--failed", group: "Run", "Of --from-report, only what failed or was not reached"),
            .flag("--quiet", group: "Run", "Print nothing but errors"),
            .flag("--json", group: "Run", "Print the report to standard output"),
        ])

    static let inspect = CommandSyntax(
        name: "inspect",
        summary: "Say what a project holds, and what of it would be refused",
        notes: "",
        options: [
            .arguments("PROJECT", "Projects (.ink), templates (.inktemplate folder or .zip), or -"),
            .value("--limits", "FILE", "JSON file with other limits than the default ones"),
            .values("--presets", "DIR", "Folder of brush presets, looked into first"),
            .flag("--json", "Print JSON instead of text"),
        ])

    static let doctor = CommandSyntax(
        name: "doctor",
        summary: "Check the installation: libraries, processor, a small export",
        notes: "",
        options: [.flag("--json", "Print JSON instead of text")])

    static let importing = CommandSyntax(
        name: "import",
        summary: "Make projects from Quick, Draw! drawings (raw .ndjson)",
        notes: "\nOne project a drawing, named WORD-KEY_ID.ink.",
        options: [
            .arguments("FILE", "Files of drawings, one JSON object a line"),
            .value("-o,--output", "DIR", "Folder for the projects, made if missing"),
            .value(
                "--brush", "TYPE",
                "parallelLines, crossHatch, dots, contourLines, waves or solid (default: solid)"),
            .value("--canvas", "WxH", "Canvas, pixels (default: 2048x2048)"),
            .value("--margin", "N", "Free border, canvas pixels (default: 128)"),
            .value("--color", "COLOR", "Brush colour, #rgb or #rrggbb (default: #000000)"),
            .value("--spacing", "N", "Brush spacing, canvas pixels (default: 6)"),
            .value("--line-width", "N", "Brush line width, canvas pixels (default: 8 for solid, else 1)"),
            .value("--if-exists", "fail|overwrite", "When a project exists (default: fail)"),
            .value("--limits", "FILE", "JSON file with other limits than the default ones"),
            .flag("--quiet", "Print nothing but errors"),
        ])

    static let masks = CommandSyntax(
        name: "masks",
        summary: "Make layer masks from the colours of a flat picture",
        notes: "\nOne mask a colour: NAME-RRGGBB_mask.png.",
        options: [
            .argument("PICTURE", "A PNG of flat colours"),
            .values("--color", "#RRGGBB,...", "Colours that become masks"),
            .value("-o,--output", "DIR", "Folder for the masks, made if missing (default: beside the picture)"),
            .value("--if-exists", "fail|overwrite", "When a mask exists (default: fail)"),
            .flag("--quiet", "Print nothing but errors"),
        ])

    static let help = CommandSyntax(
        name: "help",
        summary: "Print the help of a command",
        notes: "",
        options: [.argument("COMMAND", "The command; without one, a list of all")])
}
