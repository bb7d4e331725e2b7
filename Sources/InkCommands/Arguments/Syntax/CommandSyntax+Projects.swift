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
            the brush replaces what strokes of documents have. Lengths are canvas pixels, or have a unit (mm, cm, in, pt): an
            inch has 96.

            Scores of pipe bands (.bww, .bmw, ABC, MusicXML) become NAME.pbscore, and .pbscore becomes NAME.bww.
            """,
        options: [
            .arguments(
                "FILE",
                "Files of painting and note-taking programs, ink, pictures, drawings (.ndjson), or -"),
            .value("-o,--output", "DIR", "Folder for the projects, created if missing"),
            .flag("--strokes", "Make strokes and shapes of an SVG, not a picture"),
            .value(
                "--brush", "TYPE|PRESET",
                "parallelLines, crossHatch, dots, contourLines, waves, solid, or a preset, see \"ink preset list\" (default: as the document has it, else solid)"
            ),
            .values("--presets", "DIR", "Folder of brush presets, searched before ./brushes"),
            .value(
                "--anchor", "stamp|canvas",
                "What the pattern of parallelLines, crossHatch, dots or waves is tied to (default: canvas)"),
            .value("--size", "LENGTH", "Width of a brush that is tied to the canvas, canvas pixels (default: 20)"),
            .value("--canvas", "WxH", "Canvas, pixels (default: 2048x2048)"),
            .value("--margin", "LENGTH", "Free border, canvas pixels (default: a sixteenth of the shorter edge)"),
            .value(
                "--color", "COLOR",
                "Brush colour, #rgb or #rrggbb (default: the document's or the preset's, else #000000)"),
            .value("--spacing", "LENGTH", "Brush spacing, canvas pixels (default: 6, or the preset's)"),
            .value(
                "--line-width", "LENGTH",
                "Brush line width, canvas pixels (default: 8 for solid, else 1, or the preset's)"),
            .value("--if-exists", "fail|overwrite", "What to do if a project exists (default: fail)"),
            .value("--limits", "FILE", "JSON file with limits that replace the default ones"),
            .flag("-q,--quiet", "Print only errors"),
        ])

    static let preset = CommandSyntax(
        name: "preset",
        summary: "List, print and preview brush presets",
        group: CommandGroup.pictures,
        notes: """

            list shows the presets of --presets, of the folder brushes here, and of this program; show prints the JSON
            of one; preview draws a stroke with the pressure of a real pen, by default with each of them.

            Examples:
              ink preset list
              ink preset show hatching > brushes/my-hatching.json
              ink preset preview hatching -o hatching.png
            """,
        options: [
            .argument("ACTION", "list, show or preview"),
            .arguments("PRESET", "Presets by id or name"),
            .values("--presets", "DIR", "Folder of brush presets, searched first"),
            .flag("--json", "list: print JSON instead of a table"),
            .value(
                "-o,--output", "DIR|FILE",
                "preview: a file if it ends in .png and there is one preset, else a folder for PRESET.png, created if "
                    + "missing (default: here)"),
            .value("--size", "WxH", "preview: size of a picture, pixels (default: 640x240)"),
            .value("--if-exists", "fail|overwrite", "preview: what to do if a picture exists (default: fail)"),
            .flag("-q,--quiet", "preview: print only errors"),
        ])
}
