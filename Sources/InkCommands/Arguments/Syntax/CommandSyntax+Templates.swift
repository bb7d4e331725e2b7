extension CommandSyntax {
    /// Its commands follow; their names begin with its own.
    static let template = CommandSyntax(
        name: "template",
        summary: "Make, pack, check and show templates",
        group: CommandGroup.pictures,
        notes: "\nSee \"ink help template COMMAND\".",
        options: [])

    static let templates: [CommandSyntax] = [
        templateFromImage, templateFromPSD, templateFromORA, templateFromKRA, templatePack, templateUnpack,
        templateValidate, templatePreview, templateNewProject, templateFill, templateMasks,
    ]

    private static let output = OptionSyntax.value(
        "-o,--output", "NAME.inktemplate|NAME.zip", "The template, a folder or an archive (default: next to the input)")
    private static let templateName = OptionSyntax.value("--name", "TEXT", "Its name (default: that of the file)")
    private static let ifExists = OptionSyntax.value(
        "--if-exists", "fail|overwrite", "What to do if it exists (default: fail)")
    private static let limits = OptionSyntax.value(
        "--limits", "FILE", "JSON file with limits that replace the default ones")
    private static let quiet = OptionSyntax.flag("-q,--quiet", "Print only errors")
    private static let base = OptionSyntax.value(
        "--base", "outline|picture|none",
        "What lies under the layers: their outlines, the picture that they are made of, or nothing (default: outline)")

    static let templateFromImage = CommandSyntax(
        name: "template from-image",
        summary: "Make a template from a picture of flat colours",
        group: CommandGroup.templates,
        notes: """

            Each connected area of a colour becomes a layer with a mask and a suggested pattern.

            Examples:
              ink template from-image flower.png
              ink template from-image flower.jpg -o flower.zip --colors '#667eea,#ffffff,#222222'
              ink template from-image flower.png -o flower.ink
            """,
        options: [
            .argument("PICTURE", "A picture of flat colours, in any format that images may have"),
            .value(
                "-o,--output", "NAME.inktemplate|NAME.zip|NAME.ink",
                "The template, a folder or an archive, or a project with its layers (default: a folder next to the input)"
            ),
            templateName,
            .value(
                "--masks", "shapes|bitmap",
                "Masks of a project: paths that are sharp at any size, or pictures (default: shapes)"),
            .values("--colors", "#RRGGBB,...|auto", "Its colours (default: auto, they are found)"),
            .value("--tolerance", "N", "Largest difference of a channel within a colour, 0 to 1 (default: 0.1)"),
            .value("--min-area", "N", "Pixels of the smallest region (default: 1/40000 of the picture, at least 16)"),
            .value("--dilate", "N", "Pixels by which masks reach further, 0 to 32 (default: 2)"),
            .value("--blur", "N", "Sigma by which masks are blurred, pixels, 0 to 16 (default: 1)"),
            base, ifExists, limits, quiet,
        ])

    private static func fromDocument(_ format: String, _ name: String) -> CommandSyntax {
        CommandSyntax(
            name: "template from-\(format)",
            summary: "Make a template from the layers of \(name) file",
            group: CommandGroup.templates,
            notes: "\nEach layer keeps its name; its alpha becomes the mask.",
            options: [.argument("FILE", "The file with layers"), output, templateName, base, ifExists, limits, quiet])
    }

    static let templateFromPSD = fromDocument("psd", "a Photoshop")
    static let templateFromORA = fromDocument("ora", "an OpenRaster")
    static let templateFromKRA = fromDocument("kra", "a Krita")

    static let templatePack = CommandSyntax(
        name: "template pack",
        summary: "Pack a template into one file",
        group: CommandGroup.templates,
        notes: "\nEqual templates give equal archives. Files whose names begin with a dot are left out.",
        options: [
            .argument("TEMPLATE", "A template folder, or an archive"),
            .value("-o,--output", "FILE.zip", "The archive (default: next to the folder)"), ifExists, limits, quiet,
        ])

    static let templateUnpack = CommandSyntax(
        name: "template unpack",
        summary: "Unpack a template into a folder",
        group: CommandGroup.templates,
        notes: "",
        options: [
            .argument("ARCHIVE", "A template in a zip archive"),
            .value("-o,--output", "NAME.inktemplate", "The folder (default: next to the archive)"), ifExists, limits,
            quiet,
        ])

    static let templateValidate = CommandSyntax(
        name: "template validate",
        summary: "Show everything that is wrong with templates",
        group: CommandGroup.templates,
        notes: "",
        options: [
            .arguments("TEMPLATE", "Template folders or archives"), .flag("--strict", "Treat warnings as errors"),
            .flag("--json", "Print JSON instead of text"), limits,
        ])

    static let templatePreview = CommandSyntax(
        name: "template preview",
        summary: "Render a template with its suggested patterns",
        group: CommandGroup.templates,
        notes: "",
        options: [
            .argument("TEMPLATE", "A template folder or archive"),
            .value("-o,--output", "FILE.png", "The picture (default: preview.png of the template folder)"),
            .value("--size", "SIZE", "1080p, 2k, 4k, 8k, Nx, WxH (default: a longest edge of 512)"), ifExists, limits,
            quiet,
        ])

    static let templateNewProject = CommandSyntax(
        name: "template new-project",
        summary: "Write a project with the layers of a template",
        group: CommandGroup.templates,
        notes: "",
        options: [
            .argument("TEMPLATE", "A template folder or archive"),
            .value("-o,--output", "FILE.ink", "The project (default: NAME.ink in the current folder)"), templateName,
            ifExists, limits, quiet,
        ])

    static let templateFill = CommandSyntax(
        name: "template fill",
        summary: "Put a pattern into layers of a template or project",
        group: CommandGroup.templates,
        notes: """

            The pattern fills each layer where its mask shows it, below what is drawn there. Filled again, a layer gets the
            new pattern in place of the old one. Lengths are canvas pixels, or have a unit (mm, cm, in, pt).

            Examples:
              ink template fill flower.inktemplate --layer petals --brush dots --color '#d94f70' -o flower.ink
              ink template fill flower.ink --layer leaves --brush hatching --rotation 30 --if-exists overwrite
            """,
        options: [
            .argument("TEMPLATE", "A template folder or archive, or a project"),
            .values("--layer", "NAME", "Layers by name or id; one inside of a group is GROUP/NAME"),
            .value(
                "--brush", "TYPE|PRESET",
                "parallelLines, crossHatch, dots, waves, solid, or a preset, see \"ink preset list\""),
            .values("--presets", "DIR", "Folder of brush presets, searched before ./brushes"),
            .value("--color", "COLOR", "Its colour, #rgb or #rrggbb (default: the preset's, else #000000)"),
            .value("--rotation", "DEGREES", "Its direction (default: 0, or the preset's)"),
            .value("--spacing", "LENGTH", "Distance of lines and dots (default: 6, or the preset's)"),
            .value("--line-width", "LENGTH", "Width of lines (default: 1, or the preset's)"),
            .value("--dot-radius", "LENGTH", "Radius of dots (default: 2, or the preset's)"),
            .value("-o,--output", "FILE.ink", "The project (default: the input, if it is a project)"),
            ifExists, limits, quiet,
        ])

    static let templateMasks = CommandSyntax(
        name: "template masks",
        summary: "Make only the masks of colours of a flat picture",
        group: CommandGroup.templates,
        notes: "\nWrites one mask per colour, NAME-RRGGBB_mask.png.",
        options: [
            .argument("PICTURE", "A picture of flat colours"),
            .values("--color", "#RRGGBB,...", "Colours that become masks"),
            .value("-o,--output", "DIR", "Folder for the masks, created if missing (default: next to the picture)"),
            .value("--if-exists", "fail|overwrite", "What to do if a mask exists (default: fail)"),
            quiet,
        ])
}
