import InkBroker
package import InkCodecs
import InkDocuments
import InkEngine
import InkPlanning

extension ExportArguments {
    /// What is to be exported by these choices, checked against each other, the document and the place of the pictures.
    ///
    /// - Parameters:
    ///   - output: a file if it ends like a picture, else a folder; nil: beside the documents.
    ///   - name: the pattern of the files' names; nil: the default one.
    /// - Throws: `usage`.
    package init(
        _ choices: PictureChoices, paths: [String], output: String? = nil, name: String? = nil,
        run: RunArguments = RunArguments()
    ) throws(ExportError) {
        let codecs = try Self.forms(of: Self.codecs(choices, paths, output, name, run), choices, run)
        // A plot has the size of its page.
        let standardSize = choices.isGiven("plot") ? ExportSize("1x") : nil
        let sizes = choices.sizes.isEmpty ? [standardSize ?? .longestEdge(2048, name: "2k")] : choices.sizes
        try Self.check(sizes, codecs)
        let isEachViewport = choices.isGiven("each-viewport")
        let parts =
            ["name"] + (choices.layers == .each ? ["layer"] : []) + (isEachViewport ? ["viewport"] : []) + ["size"]
        let template = try NameTemplate(name ?? "\(parts.map { "{\($0)}" }.joined(separator: "-")).{ext}")
        if name != nil, let output, PictureCodecs.codec(ofFile: output) != nil {
            throw .usage("--name cannot be used with a file, --output \(output)")
        }
        if choices.layers != .each, template.placeholders.contains(.layer) {
            throw .usage("--name: {layer} needs --each-layer")
        }
        if !isEachViewport, template.placeholders.contains(.viewport) {
            throw .usage("--name: {viewport} needs --each-viewport")
        }
        if codecs.count > 1, name != nil, !template.placeholders.contains(.ext) {
            throw .usage("--name: several formats need {ext} in the name, as in {name}.{ext}")
        }
        let views = ["viewport", "each-viewport", "margin"].filter { choices.isGiven($0) }
        guard views.count < 2 else { throw .usage("--\(views[0]) and --\(views[1]) cannot be used together") }
        var options = choices.options
        options.files = try Self.encodings(choices, codecs).map { PictureFileOptions(encoding: $0) }
        if options.colorMode == .rgba, !codecs.contains(where: \.hasAlpha) {
            throw .usage("--rgba: \(codecs.map(\.name).joined(separator: ", ")) has no transparency")
        }
        try Self.check(choices.overlays, choices)
        self.init(
            paths: paths, output: output, sizes: sizes, name: template, options: options, layers: choices.layers,
            ifExists: nil, run: run)
        self.isEachViewport = isEachViewport
        overlays = choices.overlays
        outputMargin = choices.outputMargin
        paper = choices.paper
        photos.isWanted = choices.isGiven("photos")
        photos.output = output
        photos.needsOutput = false
        takesDocuments = choices.isGiven("documents")
        keepsOwnSizes = !choices.isGiven("size")
        // A book has pages of photos too, and these are PDF files.
        keepsPhotoFormats =
            !["format", "plot", "vector"].contains { choices.isGiven($0) } && run.bookPath == nil
            && [output, name].allSatisfy { $0.flatMap { PictureCodecs.codec(ofFile: $0) } == nil }
    }

    private static func check(_ overlays: OverlayArguments, _ choices: PictureChoices) throws(ExportError) {
        let own = ["watermark-anchor", "watermark-size", "watermark-opacity", "watermark-margin"]
        if overlays.watermark == nil, let option = own.first(where: { choices.isGiven($0) }) {
            throw .usage("--\(option) needs --watermark")
        }
        if overlays.isEmpty, !overlays.fonts.isEmpty { throw .usage("--font needs --watermark or --overlay") }
    }

    /// What is larger than a format can be, whatever the document.
    private static func check(_ sizes: [ExportSize], _ codecs: [any PictureCodec]) throws(ExportError) {
        for size in sizes {
            for codec in codecs where size.longestEdgeMin > codec.edgePixelsMax {
                throw .usage(
                    "--size: \(size.name) is more than the \(codec.edgePixelsMax) pixels that an edge can have in "
                        + "\(codec.name); choose a smaller --size, or another --format")
            }
        }
    }

    /// The formats that are asked for, at least one: by `--format`, by the ending of the file, or by that of the names.
    /// - Throws: `usage` where they contradict each other.
    package static func codecs(
        _ choices: PictureChoices, _ paths: [String], _ output: String?, _ name: String?, _ run: RunArguments
    ) throws(ExportError) -> [any PictureCodec] {
        let named = choices.formats.compactMap { PictureCodecs.codec(of: $0) }
        let file = output.flatMap { PictureCodecs.codec(ofFile: $0) == nil ? nil : $0 } ?? name
        let ofFile = file.flatMap { PictureCodecs.codec(ofFile: $0) }
        let pages = run.bookPath == nil ? nil : PictureCodecs.codec(named: "pdf")
        if run.sheetPath != nil, !named.isEmpty, !named.contains(where: { $0.format == .png }) {
            throw .usage("--sheet: its pictures are PNG files, so the formats must contain png")
        }
        guard let first = named.first else {
            // Photos keep their format; where all have one, its settings may be given.
            let formats = Set(paths.map { ExportInput(path: $0).traits.format })
            let ofPhotos = formats.count == 1 ? formats.first?.flatMap { PictureCodecs.codec(of: $0) } : nil
            let ofOption = choices.isGiven("plot") ? "svg" : choices.isGiven("vector") ? "pdf" : nil
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

    /// The formats, checked to have the one that the pages of a book need.
    private static func withPages(
        _ codecs: [any PictureCodec], by pages: (any PictureCodec)?
    ) throws(ExportError) -> [any PictureCodec] {
        if let pages, !codecs.contains(where: { $0.format == pages.format }) {
            throw .usage("--pdf-book: its pages are PDF files, so the formats must contain pdf")
        }
        return codecs
    }

    /// Options that say nothing about lines of a pen.
    package static let optionsWithoutPlot = [
        "vector", "rgb", "rgba", "background", "tile", "watermark", "overlay", "pdf-book",
    ]

    /// The forms of the formats that `--plot` and `--vector` ask for.
    /// - Throws: `usage` where the formats do not have them.
    private static func forms(
        of codecs: [any PictureCodec], _ choices: PictureChoices, _ run: RunArguments
    ) throws(ExportError) -> [any PictureCodec] {
        if choices.isGiven("plot") {
            for option in optionsWithoutPlot
            where choices.isGiven(option) || option == "pdf-book" && run.bookPath != nil {
                throw .usage("--plot: a pen draws lines on paper; --\(option) cannot be used")
            }
            if let other = codecs.first(where: { $0.format != .svg }) {
                throw .usage("--plot writes svg files, and \(other.name) is wanted")
            }
            return codecs.map { _ in PictureCodecs.plot }
        }
        guard choices.isGiven("vector") else { return codecs }
        guard codecs.contains(where: { $0.format == .pdf || $0.format == .svg }) else {
            let names = codecs.map(\.name).joined(separator: ", ")
            throw .usage("--vector: \(names) is made of pixels; pdf can be made of lines, and svg always is")
        }
        return codecs.map { $0.format == .pdf ? PictureCodecs.vectorPDF : $0 }
    }

    /// Each format takes those settings that it has.
    /// - Throws: `usage` for one that none of them has.
    private static func encodings(
        _ choices: PictureChoices, _ codecs: [any PictureCodec]
    ) throws(ExportError) -> [PictureEncoding] {
        for setting in EncodingSetting.allCases where choices.isGiven(setting.rawValue) {
            guard !codecs.contains(where: { $0.settings.contains(setting) }) else { continue }
            let others = PictureCodecs.all.filter { $0.settings.contains(setting) }.map(\.name)
            throw .usage(
                "--\(setting.rawValue): \(codecs.map(\.name).joined(separator: ", ")) has none"
                    + (others.isEmpty ? "" : "; \(others.joined(separator: ", ")) has"))
        }
        return codecs.map { PictureEncoding(format: $0.format, taking: $0.settings, from: choices.encoding) }
    }
}
