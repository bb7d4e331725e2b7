extension CommandSyntax {
    static let inspect = CommandSyntax(
        name: "inspect",
        summary: "Show what a project contains and what would stop its export",
        group: CommandGroup.pictures,
        notes: "",
        options: [
            .arguments("PROJECT", "Projects (.ink), templates (.inktemplate folder or .zip), or -"),
            .value("--limits", "FILE", "JSON file with limits that replace the default ones"),
            .values("--presets", "DIR", "Folder of brush presets, searched first"),
            .flag("--strict", "Treat warnings as errors"),
            .flag("--json", "Print JSON instead of text"),
        ])

    static let importing = CommandSyntax(
        name: "import",
        summary: "Make projects from documents of other programs, and from Quick, Draw! drawings",
        group: CommandGroup.pictures,
        notes: """

            Writes one project per document, NAME.ink, and one per drawing, WORD-KEY_ID.ink. Canvas and margin are for
            drawings, which have none, and for SVGs with --strokes, which are else as large as they say. What is said of
            the brush replaces what strokes of documents have.
            """,
        options: [
            .arguments(
                "FILE",
                "Files of painting and note-taking programs, ink, pictures, drawings (.ndjson), or -"),
            .value("-o,--output", "DIR", "Folder for the projects, created if missing"),
            .flag("--strokes", "Make strokes of the outlines of an SVG, not a picture"),
            .value(
                "--brush", "TYPE",
                "parallelLines, crossHatch, dots, contourLines, waves or solid (default: as the document has it, else solid)"
            ),
            .value(
                "--anchor", "stamp|canvas",
                "What the pattern of parallelLines, crossHatch, dots or waves is tied to (default: canvas)"),
            .value("--size", "N", "Width of a brush that is tied to the canvas, canvas pixels (default: 20)"),
            .value("--canvas", "WxH", "Canvas, pixels (default: 2048x2048)"),
            .value("--margin", "N", "Free border, canvas pixels (default: a sixteenth of the shorter edge)"),
            .value("--color", "COLOR", "Brush colour, #rgb or #rrggbb (default: as the document has it, else #000000)"),
            .value("--spacing", "N", "Brush spacing, canvas pixels (default: 6)"),
            .value("--line-width", "N", "Brush line width, canvas pixels (default: 8 for solid, else 1)"),
            .value("--if-exists", "fail|overwrite", "What to do if a project exists (default: fail)"),
            .value("--limits", "FILE", "JSON file with limits that replace the default ones"),
            .flag("-q,--quiet", "Print only errors"),
        ])

    static let masks = CommandSyntax(
        name: "masks",
        summary: "Make layer masks from the colours of a flat picture",
        group: CommandGroup.pictures,
        notes: "\nWrites one mask per colour, NAME-RRGGBB_mask.png.",
        options: [
            .argument("PICTURE", "A PNG of flat colours"),
            .values("--color", "#RRGGBB,...", "Colours that become masks"),
            .value("-o,--output", "DIR", "Folder for the masks, created if missing (default: next to the picture)"),
            .value("--if-exists", "fail|overwrite", "What to do if a mask exists (default: fail)"),
            .flag("-q,--quiet", "Print only errors"),
        ])
}
