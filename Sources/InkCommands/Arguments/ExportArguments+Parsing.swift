import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
import InkExports
import InkSystem

/// The options of `ink export`, checked one by one and against each other.
extension ExportArguments {
    /// - Throws: `usage`.
    init(_ parsed: ParsedCommand) throws(CommandError) {
        let paths = parsed.all("PATH")
        guard !paths.isEmpty else {
            throw .usage("a PATH to export is needed: a drawing, or a folder of them (see \"ink help \(parsed.name)\")")
        }
        guard paths.allSatisfy({ !$0.isEmpty }) else { throw .usage("a PATH is empty") }
        guard paths.count(where: { $0 == "-" }) <= 1 else { throw .usage("standard input (-) can be read only once") }
        try Self.refuseMisplaced(paths, parsed)
        var output = parsed.value("output")
        if output?.isEmpty == true { throw .usage("--output is empty") }
        let isStandardOutput = output == "-"
        // Where the picture is made before it is printed is the command's choice.
        if isStandardOutput { output = nil }
        output = try output.map { path throws(CommandError) in try OutputPlace.pictures(path, option: "-o") }
        // A plot has the size of its page.
        let standardSize = parsed.isGiven("plot") ? ExportSize("1x") : nil
        let sizes = try Self.sizes(parsed, default: [standardSize ?? .longestEdge(2048, name: "2k")])
        let layers = try Self.layers(parsed)
        let codecs = try Self.forms(of: Self.codecs(parsed, output), parsed)
        try Self.check(sizes, codecs)
        let isEachViewport = parsed.isGiven("each-viewport")
        let parts =
            ["name"] + (layers == .each ? ["layer"] : []) + (isEachViewport ? ["viewport"] : []) + ["size"]
        let standardName = parts.map { "{\($0)}" }.joined(separator: "-")
        let name = try NameTemplate(parsed.value("name") ?? "\(standardName).{ext}")
        if parsed.isGiven("name"), let output, OutputPlace.isWritable(output) {
            throw .usage("--name cannot be used with a file, --output \(output)")
        }
        if layers != .each, name.placeholders.contains(.layer) {
            throw .usage("--name: {layer} needs --each-layer")
        }
        if !isEachViewport, name.placeholders.contains(.viewport) {
            throw .usage("--name: {viewport} needs --each-viewport")
        }
        if isStandardOutput { try Self.refuseWithStandardOutput(parsed, codecs) }
        if codecs.count > 1, parsed.isGiven("name"), !name.placeholders.contains(.ext) {
            throw .usage("--name: several formats need {ext} in the name, as in {name}.{ext}")
        }
        var options = try Self.options(parsed, codecs)
        options.view = try Self.view(parsed)
        let ifExists = try parsed.value("if-exists").map { text throws(CommandError) in
            guard let policy = ExistingFilePolicy(rawValue: text) else {
                throw TextValue.noChoice(
                    text, option: "--if-exists", among: ExistingFilePolicy.allCases.map(\.rawValue))
            }
            return policy
        }
        self.init(
            paths: paths, output: output, sizes: sizes, name: name, options: options, layers: layers,
            ifExists: ifExists,
            presetFolders: parsed.all("presets"), limitsPath: parsed.value("limits"), run: try Self.run(parsed))
        self.isStandardOutput = isStandardOutput
        bytesMax = try Self.bytesMax(parsed)
        self.isEachViewport = isEachViewport
        overlays = try OverlayArguments(parsed)
        outputMargin = try Self.outputMargin(parsed)
        takesMerged = parsed.isGiven("flattened")
        if let text = parsed.value("brush") { brush = BrushChange(type: try TextValue.brushType(text)) }
        photos.isWanted = parsed.isGiven("photos")
        photos.output = output
        photos.needsOutput = parsed.name == "export" && !isStandardOutput
        takesDocuments = parsed.isGiven("documents")
        keepsOwnSizes = !parsed.isGiven("size")
        let names = [output, parsed.value("name")].compactMap(\.self)
        // A book has pages of photos too, and these are PDF files.
        keepsPhotoFormats =
            !["format", "plot", "vector", "pdf-book"].contains { parsed.isGiven($0) }
            && names.allSatisfy { PictureCodecs.codec(ofFile: $0) == nil }
        if parsed.isGiven("watch") { try makeWatch(parsed) }
    }

    /// Options that need a name of the picture, or standard output for themselves.
    private static let optionsWithoutStandardOutput = [
        "name", "json", "report", "dry-run", "watch", "pdf-book", "sheet", "contact-sheet",
    ]

    /// - Throws: `usage` if more than one file would go to standard output, or something else than a file.
    private static func refuseWithStandardOutput(
        _ parsed: ParsedCommand, _ codecs: [any PictureCodec]
    ) throws(CommandError) {
        for option in optionsWithoutStandardOutput where parsed.isGiven(option) {
            throw .usage(
                "-o - and --\(option) cannot be used together: standard output is the picture itself; write to a file with -o FILE"
            )
        }
        if codecs.count > 1 {
            throw .usage("-o -: standard output takes one picture, but there are \(codecs.count) formats; choose one")
        }
        if let folder = codecs.first(where: \.isFolder) {
            throw .usage(
                "-o -: \(folder.name) is a folder of files, which standard output cannot be; use -o FOLDER, or szi")
        }
    }

    /// Options that are about a whole run, which a watch is not.
    private static let optionsWithoutWatch = [
        "dry-run", "fail-fast", "from-report", "pdf-book", "sheet", "contact-sheet",
    ]

    /// Adapts the arguments to `--watch`.
    /// - Throws: `usage` if they do not fit.
    private mutating func makeWatch(_ parsed: ParsedCommand) throws(CommandError) {
        for option in Self.optionsWithoutWatch where parsed.isGiven(option) {
            throw .usage("--watch and --\(option) cannot be used together: a watch has no end of its own")
        }
        if let path = paths.first(where: { $0 == "-" || $0.hasPrefix("@") }) {
            throw .usage(
                "--watch needs folders or files, and \"\(path)\" is neither (write ./\(path) for one of that name)")
        }
        // What cannot be looked at is reported by the watch.
        let folders = paths.filter { path in (try? FileSystem.status(path)?.isFolder) == true }
        if let output, OutputPlace.isWritable(output),
            paths.count > 1 || folders.contains(where: { !ExportInput(path: $0).isTemplateFolder })
        {
            throw .usage(
                "--watch: \(output) is one file, and there may be many pictures; name a folder, as in -o pictures/")
        }
        if name.placeholders.contains(.number) {
            throw .usage(
                "--watch: {n} is the number of a picture in a run, which a watch does not have; use other names")
        }
        if photos.isWanted {
            guard let output else { throw .usage("--watch: --photos needs another folder for the pictures (-o DIR)") }
            if let folder = folders.first(where: { FilePlace($0) == FilePlace(output) }) {
                throw .usage(
                    "--watch: pictures of photos would lie among them in \(folder); use -o with another folder")
            }
        }
        photos.isOnlyIfWanted = true
        ifExists = ifExists ?? .skipUnchanged
    }

    /// The view that `--viewport` or `--margin` requests.
    /// - Throws: `usage` if they contradict each other.
    private static func view(_ parsed: ParsedCommand) throws(CommandError) -> ViewChoice? {
        let given = ["viewport", "each-viewport", "margin"].filter { parsed.isGiven($0) }
        guard given.count < 2 else { throw .usage("--\(given[0]) and --\(given[1]) cannot be used together") }
        if let text = parsed.value("margin") {
            let length = try TextValue.length(text, option: "--margin")
            // What a length on paper is in canvas pixels is known with the picture's size.
            if length.isPhysical { return .fit(margin: 0) }
            return .fit(margin: try TextValue.checked(length.number, of: text, option: "--margin", in: 0...1e9))
        }
        guard let text = parsed.value("viewport") else { return nil }
        guard !text.isEmpty else { throw .usage("--viewport: the name is empty") }
        return ViewChoice(place: text) ?? .named(text)
    }

    /// What is larger than a format can be, whatever the document.
    private static func check(_ sizes: [ExportSize], _ codecs: [any PictureCodec]) throws(CommandError) {
        for size in sizes {
            for codec in codecs where size.longestEdgeMin > codec.edgePixelsMax {
                throw .usage(
                    "--size: \(size.name) is more than the \(codec.edgePixelsMax) pixels that an edge can have in "
                        + "\(codec.name); choose a smaller --size, or another --format")
            }
        }
    }

    /// A margin on paper in output pixels; nil for one in canvas pixels, and for none.
    private static func outputMargin(_ parsed: ParsedCommand) throws(CommandError) -> Double? {
        guard let text = parsed.value("margin") else { return nil }
        let length = try TextValue.length(text, option: "--margin")
        guard length.isPhysical else { return nil }
        let pixels = length.pixels(dotsPerInch: try Resolution(parsed).ofLengths)
        return try TextValue.checked(pixels, of: text, option: "--margin", in: 0...1e6)
    }

    /// The sizes of `--size`.
    /// - Throws: `usage`.
    static func sizes(
        _ parsed: ParsedCommand, default standard: [ExportSize]
    ) throws(CommandError) -> [ExportSize] {
        guard parsed.isGiven("size") else { return standard }
        var sizes: [ExportSize] = []
        let resolution = try Resolution(parsed)
        for text in parsed.list("size") {
            guard let size = Self.size(text, dotsPerInch: resolution.ofLengths) else {
                throw .usage(
                    "--size: \"\(text)\" is not a size; use 1080p, 2k, 4k, 8k, 3000 (pixels of the longest edge), 1200x800, "
                        + "210x297mm, 8.5x11in, 2x or 50%")
            }
            if sizes.contains(size) { throw .usage("--size: \(size.name) is given more than once") }
            sizes.append(size)
        }
        return sizes
    }

    /// A size, including short forms: `2048` is `2048x2048`, `50%` is `0.5x`; `210x297mm` has so many pixels at the
    /// resolution.
    private static func size(_ text: String, dotsPerInch: Double) -> ExportSize? {
        let plain = text.replacing("\u{d7}", with: "x").filter { $0 != " " }
        if plain.hasSuffix("%"), let percent = Double(plain.dropLast()), percent.isFinite {
            // Rounded to twelve digits, so that 33.3% is 0.333.
            let factor = "\((percent * 1e10).rounded() / 1e12)"
            return ExportSize((factor.hasSuffix(".0") ? String(factor.dropLast(2)) : factor) + "x")
        }
        func edge(_ length: WrittenLength) -> Int? {
            let pixels = length.pixels(dotsPerInch: dotsPerInch)
            guard pixels < 1e9, length.isPhysical || pixels == pixels.rounded() else { return nil }
            return length.number > 0 ? max(1, Int(pixels.rounded())) : nil
        }
        if let length = WrittenLength(text) { return edge(length).flatMap { ExportSize("\($0)x\($0)") } }
        if let (width, height) = WrittenLength.pair(text) {
            guard let width = edge(width), let height = edge(height) else { return nil }
            return ExportSize("\(width)x\(height)")
        }
        return ExportSize(plain)
    }

    /// Rejects a PATH that was meant as the value of an option.
    /// - Throws: `usage` with the corrected command.
    private static func refuseMisplaced(_ paths: [String], _ parsed: ParsedCommand) throws(CommandError) {
        for path in paths where size(path, dotsPerInch: 72) != nil && isMissing(path) {
            let all = (parsed.list("size") + [path]).joined(separator: ",")
            throw .usage("\"\(path)\" is a size, and there is no such file; use --size \(all)")
        }
        guard paths.count > 1, let last = paths.last, !parsed.isGiven("output"), parsed.name == "export",
            isMissing(last)
        else { return }
        if OutputPlace.isPicture(last) {
            let others = paths.dropLast().joined(separator: " ")
            guard paths.count == 2 else {
                throw .usage(
                    "\(last) is not a project; to write several pictures, use ink export \(others) -o FOLDER/")
            }
            throw .usage(
                "\(last) is not a project; to write a picture there, use ink export \(others) -o \(OutputPlace.asPicture(last))"
            )
        }
        if last.hasSuffix("/") {
            throw .usage("\(last): no such folder; to write the pictures there, use -o \(last)")
        }
    }

    /// Whether the path does not exist. Other errors are reported when it is read.
    private static func isMissing(_ path: String) -> Bool { (try? FileSystem.exists(path)) == false }

    private static func layers(_ parsed: ParsedCommand) throws(CommandError) -> LayerChoice {
        switch (parsed.isGiven("layers"), parsed.isGiven("each-layer")) {
        case (true, true): throw .usage("--layers and --each-layer cannot be used together")
        case (false, true): return .each
        case (false, false): return .visible
        case (true, false):
            let names = parsed.list("layers")
            if names.contains("") { throw .usage("--layers: a name is empty") }
            return .named(names)
        }
    }

    /// The formats that are asked for, at least one: by `--format`, by the ending of the file, or by that of the names.
    /// - Throws: `usage` where they contradict each other.
    static func codecs(_ parsed: ParsedCommand, _ output: String?) throws(CommandError) -> [any PictureCodec] {
        var named: [any PictureCodec] = []
        for text in parsed.list("format") {
            guard let codec = PictureCodecs.codec(named: text) else {
                throw TextValue.noChoice(text, option: "--format", among: PictureCodecs.all.map(\.name))
            }
            if named.contains(where: { $0.format == codec.format }) {
                throw .usage("--format: \(codec.name) is given more than once")
            }
            named.append(codec)
        }
        let file = output.flatMap { OutputPlace.isWritable($0) ? $0 : nil } ?? parsed.value("name")
        let ofFile = file.flatMap { PictureCodecs.codec(ofFile: $0) }
        let pages = parsed.isGiven("pdf-book") ? PictureCodecs.codec(named: "pdf") : nil
        if parsed.isGiven("sheet"), !named.isEmpty, !named.contains(where: { $0.format == .png }) {
            throw .usage("--sheet: its pictures are PNG files, so the formats must contain png")
        }
        guard let first = named.first else {
            // Photos keep their format; where all have one, its settings may be given.
            let formats = Set(parsed.all("PATH").map { ExportInput(path: $0).traits.format })
            let ofPhotos = formats.count == 1 ? formats.first?.flatMap { PictureCodecs.codec(of: $0) } : nil
            let ofOption = parsed.isGiven("plot") ? "svg" : parsed.isGiven("vector") ? "pdf" : nil
            let wanted = pages ?? ofOption.flatMap { PictureCodecs.codec(named: $0) }
            return try withPages([ofFile ?? wanted ?? ofPhotos ?? PictureCodecs.all[0]], by: pages)
        }
        if let ofFile, let file, named.count > 1 || first.format != ofFile.format {
            throw .usage(
                named.count > 1
                    ? "\(file) is one file, but there are \(named.count) formats; name a folder, or {ext} in --name"
                    : "--format \(first.name) and \(file) contradict each other")
        }
        return try withPages(named, by: pages)
    }

    /// Options that say nothing about lines of a pen.
    static let optionsWithoutPlot = [
        "vector", "rgb", "rgba", "background", "tile", "watermark", "overlay", "pdf-book",
    ]

    /// The forms of the formats that `--plot` and `--vector` ask for.
    /// - Throws: `usage` where the formats do not have them.
    private static func forms(
        of codecs: [any PictureCodec], _ parsed: ParsedCommand
    ) throws(CommandError) -> [any PictureCodec] {
        if parsed.isGiven("plot") {
            for option in optionsWithoutPlot where parsed.isGiven(option) {
                throw .usage("--plot: a pen draws lines on paper; --\(option) cannot be used")
            }
            if let other = codecs.first(where: { $0.format != .svg }) {
                throw .usage("--plot writes svg files, and \(other.name) is wanted")
            }
            return codecs.map { _ in PictureCodecs.plot }
        }
        guard parsed.isGiven("vector") else { return codecs }
        guard codecs.contains(where: { $0.format == .pdf || $0.format == .svg }) else {
            let names = codecs.map(\.name).joined(separator: ", ")
            throw .usage("--vector: \(names) is made of pixels; pdf can be made of lines, and svg always is")
        }
        return codecs.map { $0.format == .pdf ? PictureCodecs.vectorPDF : $0 }
    }

    /// The formats, checked to have the one that the pages of a book need.
    private static func withPages(
        _ codecs: [any PictureCodec], by pages: (any PictureCodec)?
    ) throws(CommandError) -> [any PictureCodec] {
        if let pages, !codecs.contains(where: { $0.format == pages.format }) {
            throw .usage("--pdf-book: its pages are PDF files, so the formats must contain pdf")
        }
        return codecs
    }

    private static func options(
        _ parsed: ParsedCommand, _ codecs: [any PictureCodec]
    ) throws(CommandError) -> PictureOptions {
        var options = PictureOptions()
        options.files = try encodings(parsed, codecs).map { PictureFileOptions(encoding: $0) }
        if let text = parsed.value("background") {
            guard let color = RGBA8(hex: text) else {
                throw .usage("--background: \"\(text)\" is not a colour (#rgb, #rrggbb, #rrggbbaa or transparent)")
            }
            options.background = color
        } else if parsed.isGiven("each-layer") {
            options.background = .transparent
        }
        options.includesBaseImage = !parsed.isGiven("no-base") && !parsed.isGiven("each-layer")
        if let fill = parsed.value("fill") {
            guard fill == "suggested" else { throw TextValue.noChoice(fill, option: "--fill", among: ["suggested"]) }
            options.fillsSuggested = true
        }
        switch (parsed.isGiven("rgb"), parsed.isGiven("rgba")) {
        case (true, true): throw .usage("--rgb and --rgba cannot be used together")
        case (true, false): options.colorMode = .rgb
        case (false, true): options.colorMode = .rgba
        case (false, false): options.colorMode = .automatic
        }
        options.dotsPerInch = try Resolution(parsed).ofFiles
        if let text = parsed.value("tile") {
            let size = try TextValue.size(
                text, option: "--tile", in: 16...1_000_000, dotsPerInch: try Resolution(parsed).ofLengths)
            options.tile = PixelSize(width: size.width, height: size.height)
        }
        options.hasMetadata = !parsed.isGiven("no-metadata")
        if parsed.isGiven("keep") {
            guard options.hasMetadata else { throw .usage("--keep and --no-metadata cannot be used together") }
            options.keeps = try TextValue.metadataKinds(parsed.list("keep"))
        }
        if options.colorMode == .rgba, !codecs.contains(where: \.hasAlpha) {
            throw .usage("--rgba: \(codecs.map(\.name).joined(separator: ", ")) has no transparency")
        }
        return options
    }

    /// Each format takes those settings that it has.
    /// - Throws: `usage` for one that none of them has.
    private static func encodings(
        _ parsed: ParsedCommand, _ codecs: [any PictureCodec]
    ) throws(CommandError) -> [PictureEncoding] {
        for setting in EncodingSetting.allCases where parsed.isGiven(setting.rawValue) {
            guard !codecs.contains(where: { $0.settings.contains(setting) }) else { continue }
            let others = PictureCodecs.all.filter { $0.settings.contains(setting) }.map(\.name)
            throw .usage(
                "--\(setting.rawValue): \(codecs.map(\.name).joined(separator: ", ")) has none"
                    + (others.isEmpty ? "" : "; \(others.joined(separator: ", ")) has"))
        }
        var encoding = PictureEncoding()
        if let text = parsed.value("effort") {
            guard let effort = EncodingEffort(name: text) else {
                throw TextValue.noChoice(text, option: "--effort", among: ["fast", "balanced", "small"])
            }
            encoding.effort = effort
        }
        if let text = parsed.value("quality") {
            encoding.quality = try TextValue.integer(text, option: "--quality", in: PictureEncoding.qualities)
        }
        if let text = parsed.value("chroma") {
            guard let chroma = ChromaSampling(name: text) else {
                throw TextValue.noChoice(text, option: "--chroma", among: ChromaSampling.allCases.map(\.name))
            }
            encoding.chroma = chroma
        }
        encoding.isProgressive = parsed.isGiven("progressive")
        encoding.isLossless = parsed.isGiven("lossless")
        if encoding.isLossless, encoding.quality != nil {
            throw .usage("--lossless and --quality cannot be used together")
        }
        if let text = parsed.value("compression") {
            guard let compression = StripCompression(name: text) else {
                throw TextValue.noChoice(
                    text, option: "--compression", among: StripCompression.allCases.map(\.name))
            }
            encoding.compression = compression
        }
        if let text = parsed.value("bleed") { encoding.bleed = try bleed(text, parsed) }
        if let text = parsed.value("tile-overlap") {
            guard let overlap = Int(text), PictureEncoding.tileOverlaps.contains(overlap) else {
                throw .usage("--tile-overlap: \"\(text)\" is not 0 or 1")
            }
            encoding.tileOverlap = overlap
        }
        if let text = parsed.value("tile-size") {
            guard let size = Int(text), PictureEncoding.tileSizes.contains(size) else {
                throw .usage("--tile-size: \"\(text)\" is not 128, 256 or 512")
            }
            encoding.tileSize = size
        }
        return codecs.map { codec in
            var own = PictureEncoding(format: codec.format)
            if codec.settings.contains(.effort) { own.effort = encoding.effort }
            if codec.settings.contains(.quality) { own.quality = encoding.quality }
            if codec.settings.contains(.chroma) { own.chroma = encoding.chroma }
            if codec.settings.contains(.progressive) { own.isProgressive = encoding.isProgressive }
            if codec.settings.contains(.lossless) { own.isLossless = encoding.isLossless }
            if codec.settings.contains(.compression) { own.compression = encoding.compression }
            if codec.settings.contains(.bleed) { own.bleed = encoding.bleed }
            if codec.settings.contains(.tileSize) { own.tileSize = encoding.tileSize }
            if codec.settings.contains(.tileOverlap) { own.tileOverlap = encoding.tileOverlap }
            return own
        }
    }

    /// `--cache` and `--cache-size`; nil without them.
    private static func cache(_ parsed: ParsedCommand) throws(CommandError) -> CacheArguments? {
        var bytes = 4 << 30
        if let text = parsed.value("cache-size") {
            guard let value = SettingUnit.value(text, SettingUnit.sizes, plain: 1), value >= 1 << 20 else {
                throw .usage("--cache-size: \"\(text)\" is not a size of at least 1M; use 500M, 4G or bytes")
            }
            bytes = value
        }
        guard let folder = parsed.value("cache") else {
            if parsed.isGiven("cache-size") { throw .usage("--cache-size needs --cache") }
            return nil
        }
        if folder.isEmpty { throw .usage("--cache: the folder's name is empty") }
        return CacheArguments(folder: folder, bytesMax: bytes)
    }

    /// The value of `--max-bytes`, such as `200K`; nil without one.
    private static func bytesMax(_ parsed: ParsedCommand) throws(CommandError) -> Int? {
        guard let text = parsed.value("max-bytes") else { return nil }
        if parsed.isGiven("lossless") {
            throw .usage("--max-bytes and --lossless cannot be used together")
        }
        guard let bytes = SettingUnit.value(text, SettingUnit.sizes, plain: 1), bytes > 0 else {
            throw .usage("--max-bytes: \"\(text)\" is not a size; use 200K, 2M or bytes")
        }
        return bytes
    }

    /// A length such as `3mm`, `0.125in` or `9pt`, in thousandths of a point; nil for none.
    private static func bleed(_ text: String, _ parsed: ParsedCommand) throws(CommandError) -> Int? {
        guard let length = WrittenLength(text), length.unit != nil else {
            throw .usage("--bleed: \"\(text)\" is not a length with a unit; use 3mm, 0.3 cm, 0.125in, 9pt or 36px")
        }
        let points = length.points(dotsPerInch: try Resolution(parsed).ofLengths)
        let most = Double(PictureEncoding.bleeds.upperBound) / 1000
        guard points <= most else {
            throw .usage("--bleed: \(text) is too much; at most \(Shown.decimal(most / 72, places: 0))in is possible")
        }
        let bleed = Int((points * 1000).rounded())
        return bleed == 0 ? nil : bleed
    }

    private static func readSheets(_ parsed: ParsedCommand, _ run: inout RunArguments) throws(CommandError) {
        run.sheetPath = parsed.value("sheet")
        if let path = run.sheetPath {
            guard PictureCodecs.codec(ofFile: path)?.format == .png else {
                throw .usage("--sheet: \(path) does not end in .png")
            }
        }
        if let path = parsed.value("contact-sheet") {
            let format = PictureCodecs.codec(ofFile: path)?.format
            if format != .png, format != .jpeg {
                throw .usage("--contact-sheet: \(path) does not end in .png or .jpg")
            }
            var contact = ContactArguments(path: path)
            if let text = parsed.value("contact-columns") {
                contact.columns = try TextValue.integer(
                    text, option: "--contact-columns", in: 1...ContactSheet.columnsMax)
            }
            if let text = parsed.value("contact-size") {
                contact.edge = try TextValue.integer(text, option: "--contact-size", in: ContactSheet.edges)
            }
            run.contactSheet = contact
        } else if let option = ["contact-columns", "contact-size"].first(where: parsed.isGiven) {
            throw .usage("--\(option) needs --contact-sheet")
        }
    }

    private static func run(_ parsed: ParsedCommand) throws(CommandError) -> RunArguments {
        var run = RunArguments()
        if let text = parsed.value("workers") {
            run.workers = try TextValue.integer(text, option: "--workers", in: 1...256)
        }
        run.cache = try cache(parsed)
        if parsed.isGiven("keep-going"), parsed.isGiven("fail-fast") {
            throw .usage("--keep-going and --fail-fast cannot be used together")
        }
        run.keepsGoing = !parsed.isGiven("fail-fast")
        run.isDryRun = parsed.isGiven("dry-run")
        run.reportPath = parsed.value("report")
        if run.reportPath == "-" {
            throw .usage(
                "--report: standard output is for --json, which prints the same (write ./- for a file named -)")
        }
        run.bookPath = parsed.value("pdf-book")
        if let path = run.bookPath, PictureCodecs.codec(ofFile: path)?.format != .pdf {
            throw .usage("--pdf-book: \(path) does not end in .pdf")
        }
        try readSheets(parsed, &run)
        run.wantsFileDigests = run.reportPath != nil || parsed.isGiven("json")
        // Checked here with the other options; the display parses it again.
        _ = try ProgressStyle.read(parsed)
        run.isStrict = parsed.isGiven("strict")
        return run
    }
}
