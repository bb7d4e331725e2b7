import InkCodecs
import InkDocuments
import InkEngine

extension PictureOption {
    /// All options of the content and format of pictures, in the order of the help.
    package static let all: [PictureOption] = [
        PictureOption(
            "size", .texts, shown: "SIZE,...", group: "", "Sizes of the pictures (default: 2k; 1x for photos)"
        ) {
            choices, value throws(ExportError) in try choices.take(sizes: value.texts)
        },
        PictureOption("background", .text, shown: "COLOR", "Replace the project's background") {
            choices, value throws(ExportError) in
            guard let color = RGBA8(hex: value.text) else {
                throw .usage(
                    "--background: \"\(value.text)\" is not a colour (#rgb, #rrggbb, #rrggbbaa or transparent)")
            }
            choices.options.background = color
        },
        PictureOption("no-base", .flag, "Leave out the base image") { choices, _ in
            choices.options.includesBaseImage = false
        },
        PictureOption(
            "layers", .texts, shown: "NAME,...",
            "Draw only these layers, hidden ones too; by id or name, inside of groups as group/layer"
        ) { choices, value throws(ExportError) in
            if choices.isGiven("each-layer") { throw .usage("--layers and --each-layer cannot be used together") }
            if value.texts.contains("") { throw .usage("--layers: a name is empty") }
            choices.layers = .named(value.texts)
        },
        PictureOption("each-layer", .flag, "One picture per visible layer, on a transparent background") { choices, _ in
            choices.layers = .each
            choices.options.includesBaseImage = false
            if !choices.isGiven("background") { choices.options.background = .transparent }
        },
        PictureOption(
            "viewport", .text, shown: "NAME|X,Y,ZOOM[,ROTATION][,WxH]",
            "Show what a viewport of the project shows, or a place of its world"
        ) { choices, value throws(ExportError) in
            if value.text.isEmpty { throw .usage("--viewport: the name is empty") }
            choices.options.view = ViewChoice(place: value.text) ?? .named(value.text)
        },
        PictureOption("each-viewport", .flag, "One picture per viewport of the project"),
        PictureOption(
            "margin", .length, shown: "LENGTH",
            "Show everything visible with so many canvas pixels on each side, or with a border such as 5mm (default for "
                + "infinite canvases: 5%)"
        ) { choices, value throws(ExportError) in try choices.take(margin: value.text) },
        PictureOption("fill", .choice(["suggested"]), "Fill empty template layers with their suggested pattern") {
            choices, _ in choices.options.fillsSuggested = true
        },
        PictureOption(
            "dpi", .number(PictureOptions.dotsPerInchRange), shown: "N",
            "Resolution to write into the file, 1 to 100000 dots per inch"
        ) { choices, value in choices.options.dotsPerInch = value.number },
        PictureOption(
            "paper", .choice(PaperChoice.Size.allCases.map(\.rawValue)),
            "Put each picture on a page of this size, upright, at --dpi or 300 (default for scores: their own, at 300)"
        ) { choices, value in choices.paper.size = PaperChoice.Size.allCases[value.index] },
        PictureOption("landscape", .flag, "Turn the page of --paper on its longer edge") {
            choices, _ throws(ExportError) in
            guard choices.isGiven("paper") else { throw .usage("--landscape needs --paper") }
            choices.paper.isLandscape = true
        },
        PictureOption(
            "paper-margin", .text, shown: "LENGTH",
            "Between the edges of the page and what is on it (default: 10mm; 15mm for scores)"
        ) { choices, value throws(ExportError) in
            choices.paper.margin = try choices.points(value.text, option: "--paper-margin", in: 0...500)
        },
        PictureOption("crop-marks", .flag, "Marks on the page at the corners of a drawing") {
            choices, _ throws(ExportError) in
            guard choices.isGiven("paper") else { throw .usage("--crop-marks needs --paper") }
            choices.paper.hasCropMarks = true
        },
        PictureOption(
            "staff-size", .text, shown: "LENGTH", "Height of the staves of scores, such as 7mm (default: their own)"
        ) { choices, value throws(ExportError) in
            choices.paper.staffHeight = try choices.points(value.text, option: "--staff-size", in: 5...200)
        },
        PictureOption("rgb", .flag, "Without alpha; flattens on white if the background is not opaque") {
            choices, _ throws(ExportError) in
            if choices.isGiven("rgba") { throw .usage("--rgb and --rgba cannot be used together") }
            choices.options.colorMode = .rgb
        },
        PictureOption("rgba", .flag, "With alpha, even if opaque") { choices, _ in choices.options.colorMode = .rgba },
        PictureOption(
            "format", .texts, shown: PictureCodecs.all.map(\.name).joined(separator: "|") + ",...",
            "File formats, each picture being rendered once for all of them (default: by the ending of -o or --name, "
                + "else \(PictureCodecs.all[0].name))"
        ) { choices, value throws(ExportError) in try choices.take(formats: value.texts) },
        PictureOption(
            "vector", .flag, "PDF files with lines and areas instead of pixels (SVG files always have them)"),
        PictureOption(
            "plot", .flag,
            "SVG files for pen plotters: lines in millimetres, a layer for each colour (default size: 1x)"
        ),
        PictureOption(
            "plot-hidden", .choice(["remove", "keep"]),
            "Lines of a plot that lie under something opaque (default: remove)"
        ) { choices, value in choices.encoding.plot.keepsHidden = value.index == 1 },
        PictureOption(
            "pens", .integer(PlotSettings.penCounts), shown: "N",
            "The most pens of a plot; near colours share one (default: one for each colour)"
        ) { choices, value in choices.encoding.plot.pens = value.integer },
        PictureOption(
            "plot-fill", .text, shown: "none|hatch[:SPACING[,ANGLE]]",
            "Fill the areas of a plot with lines, 1mm apart at 45 degrees if nothing else is said (default: none)"
        ) { choices, value throws(ExportError) in try choices.take(plotFill: value.text) },
        PictureOption("quality", .integer(PictureEncoding.qualities), shown: "N", "Quality of lossy formats, 1 to 100")
        {
            choices, value throws(ExportError) in
            if choices.isGiven("lossless") { throw .usage("--lossless and --quality cannot be used together") }
            choices.encoding.quality = value.integer
        },
        PictureOption(
            "max-bytes", .bytes, shown: "N",
            "The best quality, up to that of --quality, whose file is not larger, such as 200K or 2M"
        ) { choices, value throws(ExportError) in
            if choices.isGiven("lossless") { throw .usage("--max-bytes and --lossless cannot be used together") }
            guard let bytes = SettingUnit.value(value.text, SettingUnit.sizes, plain: 1),
                PictureEncoding.bounds.contains(bytes)
            else {
                throw .usage("--max-bytes: \"\(value.text)\" is not a size; use 200K, 2M or bytes")
            }
            choices.encoding.bytesMax = bytes
        },
        PictureOption("chroma", .choice(ChromaSampling.allCases.map(\.name)), "Chroma subsampling of lossy formats") {
            choices, value in choices.encoding.chroma = ChromaSampling.allCases[value.index]
        },
        PictureOption("progressive", .flag, "JPEG whose coarse picture comes first, a little smaller") { choices, _ in
            choices.encoding.isProgressive = true
        },
        PictureOption("lossless", .flag, "Exact pixels in formats that need not keep them") { choices, _ in
            choices.encoding.isLossless = true
        },
        PictureOption(
            "compression", .choice(StripCompression.allCases.map(\.name)),
            "Compression of TIFF files (default: deflate)"
        ) { choices, value in choices.encoding.compression = StripCompression.allCases[value.index] },
        PictureOption(
            "bleed", .text, shown: "LENGTH",
            "How far the picture of a PDF reaches beyond each edge of the finished page, such as 3mm, 0.3 cm, 0.125in or 9pt"
        ) { choices, value throws(ExportError) in try choices.take(bleed: value.text) },
        PictureOption(
            "tile-size", .choice(PictureEncoding.tileSizes.map(String.init)),
            "Edge of the tiles of pictures for zooming (SZI, DZI, IIIF), in pixels (default: 256)"
        ) { choices, value in choices.encoding.tileSize = PictureEncoding.tileSizes[value.index] },
        PictureOption(
            "tile-overlap", .choice(PictureEncoding.tileOverlaps.map(String.init)),
            "Pixels that tiles of SZI and DZI have in common with each neighbour (default: 0)"
        ) { choices, value in choices.encoding.tileOverlap = value.index },
        PictureOption(
            "effort", .choice(EncodingEffort.allCases.map(\.name)),
            "Compression: time against file size (default: balanced)"
        ) { choices, value in choices.encoding.effort = EncodingEffort.allCases[value.index] },
        PictureOption("tile", .text, shown: "WxH", "Tile size, each edge at least 16 pixels (default: automatic)") {
            choices, value throws(ExportError) in
            let size = try TextValue.size(
                value.text, option: "--tile", in: 16...1_000_000, dotsPerInch: choices.resolution)
            choices.options.tile = PixelSize(width: size.width, height: size.height)
        },
        PictureOption(
            "photos", .flag, "In searched folders take photos too; without it only where a folder has no project"),
        PictureOption(
            "documents", .flag, "In searched folders take all documents of other programs, whatever their names"),
        PictureOption(
            "no-metadata", .flag, "Leave out title, author, licence and date, and a photo's EXIF and XMP"
        ) { choices, _ in choices.options.hasMetadata = false },
        PictureOption(
            "keep", .texts, shown: "KIND,...",
            "What stays of it: \(MetadataKinds.named.map(\.name).joined(separator: ", ")) (default: all)"
        ) { choices, value throws(ExportError) in
            if choices.isGiven("no-metadata") { throw .usage("--keep and --no-metadata cannot be used together") }
            choices.options.keeps = try TextValue.metadataKinds(value.texts)
        },
        PictureOption(
            "overlay", .text, shown: "FILE", group: "Watermark",
            "Lay texts and pictures over each picture, as a JSON file says"
        ) { choices, value throws(ExportError) in
            if value.text.isEmpty { throw .usage("--overlay is empty") }
            choices.overlays.file = value.text
        },
        PictureOption(
            "watermark", .text, shown: "TEXT|FILE", group: "Watermark",
            "Lay a text or a picture over each picture, lower right; a FILE exists or ends like a picture"
        ) { choices, value throws(ExportError) in
            if value.text.isEmpty { throw .usage("--watermark is empty") }
            choices.overlays.watermark = value.text
        },
        PictureOption(
            "watermark-anchor", .text, shown: "PLACE", group: "Watermark",
            "Where: top, bottom, left, right, center or two of them, as in top-left (default: bottom-right)"
        ) { choices, value throws(ExportError) in try choices.overlays.take(anchor: value.text) },
        PictureOption(
            "watermark-size", .length, shown: "LENGTH|P%", group: "Watermark",
            "Size of the text's font or width of the picture: pixels, a length such as 5mm, or a share of the shorter edge (text) or of the "
                + "width"
        ) { choices, value throws(ExportError) in
            choices.overlays.size = try choices.overlayLength(
                value.text, option: "--watermark-size", isZeroAllowed: false)
        },
        PictureOption(
            "watermark-opacity", .number(0...1), shown: "N", group: "Watermark", "0 to 1 (default: 0.6)"
        ) { choices, value in choices.overlays.opacity = value.number },
        PictureOption(
            "watermark-margin", .length, shown: "LENGTH|P%", group: "Watermark",
            "Distance from the edges: pixels, a length such as 5mm, or a share of width and height (default: 16)"
        ) { choices, value throws(ExportError) in
            choices.overlays.margin = try choices.overlayLength(
                value.text, option: "--watermark-margin", isZeroAllowed: true)
        },
        PictureOption(
            "font", .texts, shown: "FILE", group: "Watermark",
            "Font of texts that name none (default: DejaVu Sans); further ones are for characters that it lacks"
        ) { choices, value in choices.overlays.fonts = value.texts },
    ]
}
