import InkCodecs

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
            .flag("-v,--verbose", group: "Run", "List the files that a search skips, with the reasons"),
            .flag("-q,--quiet", group: "Run", "Print only errors, and how many pictures have warnings"),
            .flag("--json", group: "Run", "Print the report to standard output"),
            .value("--progress", "auto|plain|none", group: "Run", progressHelp),
        ] + RemoteSetting.exportOptions)

    /// Content and format of the pictures.
    static let pictureOptions: [OptionSyntax] = [
        .values("--size", "SIZE,...", "Sizes of the pictures (default: 2k; 1x for photos)"),
        .value("--background", "COLOR", group: "Picture", "Replace the project's background"),
        .flag("--no-base", group: "Picture", "Leave out the base image"),
        .values(
            "--layers", "NAME,...", group: "Picture",
            "Draw only these layers, hidden ones too; by id or name, inside of groups as group/layer"),
        .flag("--each-layer", group: "Picture", "One picture per visible layer, on a transparent background"),
        .value(
            "--viewport", "NAME|X,Y,ZOOM[,ROTATION][,WxH]", group: "Picture",
            "Show what a viewport of the project shows, or a place of its world"),
        .flag("--each-viewport", group: "Picture", "One picture per viewport of the project"),
        .value(
            "--margin", "LENGTH", group: "Picture",
            "Show everything visible with so many canvas pixels on each side, or with a border such as 5mm (default for "
                + "infinite canvases: 5%)"),
        .value("--fill", "suggested", group: "Picture", "Fill empty template layers with their suggested pattern"),
        .value("--dpi", "N", group: "Picture", "Resolution to write into the file, 1 to 100000 dots per inch"),
        .flag("--rgb", group: "Picture", "Without alpha; flattens on white if the background is not opaque"),
        .flag("--rgba", group: "Picture", "With alpha, even if opaque"),
        .value(
            "--format", PictureCodecs.all.map(\.name).joined(separator: "|") + ",...", group: "Picture",
            "File formats, each picture being rendered once for all of them (default: by the ending of -o or --name, "
                + "else \(PictureCodecs.all[0].name))"),
        .flag(
            "--vector", group: "Picture",
            "PDF files with lines and areas instead of pixels (SVG files always have them)"),
        .flag(
            "--plot", group: "Picture",
            "SVG files for pen plotters: lines in millimetres, a layer for each colour (default size: 1x)"),
        .value("--quality", "N", group: "Picture", "Quality of lossy formats, 1 to 100"),
        .value(
            "--max-bytes", "N", group: "Picture",
            "The best quality, up to that of --quality, whose file is not larger, such as 200K or 2M"),
        .value("--chroma", "4:4:4|4:2:0", group: "Picture", "Chroma subsampling of lossy formats"),
        .flag("--progressive", group: "Picture", "JPEG whose coarse picture comes first, a little smaller"),
        .flag("--lossless", group: "Picture", "Exact pixels in formats that need not keep them"),
        .value(
            "--compression", "deflate|lzw|zstd|none", group: "Picture", "Compression of TIFF files (default: deflate)"),
        .value(
            "--bleed", "LENGTH", group: "Picture",
            "How far the picture of a PDF reaches beyond each edge of the finished page, such as 3mm, 0.3 cm, 0.125in or 9pt"
        ),
        .value(
            "--tile-size", "128|256|512", group: "Picture",
            "Edge of the tiles of pictures for zooming (SZI, DZI, IIIF), in pixels (default: 256)"),
        .value(
            "--tile-overlap", "0|1", group: "Picture",
            "Pixels that tiles of SZI and DZI have in common with each neighbour (default: 0)"),
        .value(
            "--effort", "fast|balanced|small", group: "Picture",
            "Compression: time against file size (default: balanced)"),
        .value(
            "--tile", "WxH", group: "Picture", "Tile size, each edge at least 16 pixels (default: automatic)"),
        .flag(
            "--photos", group: "Picture",
            "In searched folders take photos too; without it only where a folder has no project"),
        .flag(
            "--documents", group: "Picture",
            "In searched folders take all documents of other programs, whatever their names"),
        .flag(
            "--no-metadata", group: "Picture", "Leave out title, author, licence and date, and a photo's EXIF and XMP"),
        .values(
            "--keep", "KIND,...", group: "Picture",
            "What stays of it: \(MetadataKinds.named.map(\.name).joined(separator: ", ")) (default: all)"),
        .value(
            "--overlay", "FILE", group: "Watermark", "Lay texts and pictures over each picture, as a JSON file says"),
        .value(
            "--watermark", "TEXT|FILE", group: "Watermark",
            "Lay a text or a picture over each picture, lower right; a FILE exists or ends like a picture"),
        .value(
            "--watermark-anchor", "PLACE", group: "Watermark",
            "Where: top, bottom, left, right, center or two of them, as in top-left (default: bottom-right)"),
        .value(
            "--watermark-size", "LENGTH|P%", group: "Watermark",
            "Size of the text's font or width of the picture: pixels, a length such as 5mm, or a share of the shorter edge (text) or of the "
                + "width"
        ),
        .value("--watermark-opacity", "N", group: "Watermark", "0 to 1 (default: 0.6)"),
        .value(
            "--watermark-margin", "LENGTH|P%", group: "Watermark",
            "Distance from the edges: pixels, a length such as 5mm, or a share of width and height (default: 16)"),
        .values(
            "--font", "FILE", group: "Watermark",
            "Font of texts that name none (default: DejaVu Sans); further ones are for characters that it lacks"),
    ]

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
