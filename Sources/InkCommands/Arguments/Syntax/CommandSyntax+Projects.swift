extension CommandSyntax {
    static let inspect = CommandSyntax(
        name: "inspect",
        summary: "Say what a project holds, what of it would be refused, and what gives warnings",
        group: CommandGroup.pictures,
        notes: "",
        options: [
            .arguments("PROJECT", "Projects (.ink), templates (.inktemplate folder or .zip), or -"),
            .value("--limits", "FILE", "JSON file with other limits than the default ones"),
            .values("--presets", "DIR", "Folder of brush presets, looked into first"),
            .flag("--strict", "Take warnings for errors"),
            .flag("--json", "Print JSON instead of text"),
        ])

    static let importing = CommandSyntax(
        name: "import",
        summary: "Make projects from Quick, Draw! drawings (raw .ndjson)",
        group: CommandGroup.pictures,
        notes: "\nOne project a drawing, named WORD-KEY_ID.ink.",
        options: [
            .arguments("FILE", "Files of drawings, one JSON object a line"),
            .value("-o,--output", "DIR", "Folder for the projects, made if missing"),
            .value(
                "--brush", "TYPE",
                "parallelLines, crossHatch, dots, contourLines, waves or solid (default: solid)"),
            .value("--canvas", "WxH", "Canvas, pixels (default: 2048x2048)"),
            .value("--margin", "N", "Free border, canvas pixels (default: a sixteenth of the shorter edge)"),
            .value("--color", "COLOR", "Brush colour, #rgb or #rrggbb (default: #000000)"),
            .value("--spacing", "N", "Brush spacing, canvas pixels (default: 6)"),
            .value("--line-width", "N", "Brush line width, canvas pixels (default: 8 for solid, else 1)"),
            .value("--if-exists", "fail|overwrite", "When a project exists (default: fail)"),
            .value("--limits", "FILE", "JSON file with other limits than the default ones"),
            .flag("-q,--quiet", "Print nothing but errors"),
        ])

    static let masks = CommandSyntax(
        name: "masks",
        summary: "Make layer masks from the colours of a flat picture",
        group: CommandGroup.pictures,
        notes: "\nOne mask a colour: NAME-RRGGBB_mask.png.",
        options: [
            .argument("PICTURE", "A PNG of flat colours"),
            .values("--color", "#RRGGBB,...", "Colours that become masks"),
            .value("-o,--output", "DIR", "Folder for the masks, made if missing (default: beside the picture)"),
            .value("--if-exists", "fail|overwrite", "When a mask exists (default: fail)"),
            .flag("-q,--quiet", "Print nothing but errors"),
        ])
}
