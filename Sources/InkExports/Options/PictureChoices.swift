import InkBroker
import InkCodecs
import InkDocuments
import InkEngine
package import InkPlanning

/// What is wanted of pictures: the values of their options, whoever gave them.
package struct PictureChoices: Hashable, Sendable {
    /// The names of the options that were given.
    private var given: Set<String> = []
    package internal(set) var sizes: [ExportSize] = []
    /// Whether a size is a length on paper.
    private var hasPaperSize = false
    var formats: [PictureFormat] = []
    var layers = LayerChoice.visible
    /// Without files and digests.
    var options = PictureOptions()
    /// For all files; each takes what its format has.
    var encoding = PictureEncoding()
    /// A margin on paper, output pixels.
    var outputMargin: Double?
    package var overlays = OverlayArguments()
    /// The paper that pages are for.
    var paper = PaperChoice()

    package init() {}

    /// - Throws: `usage` for a value that its option does not take, and for options that exclude each other.
    package init(_ values: [(option: PictureOption, value: PictureOption.Value)]) throws(ExportError) {
        given = Set(values.map(\.option.name))
        // Lengths need the resolution, which sizes on paper may decide.
        for stage in 0..<3 {
            for (option, value) in values where (["dpi", "size"].firstIndex(of: option.name) ?? 2) == stage {
                try option.choose(&self, value)
            }
        }
        if hasPaperSize, !isGiven("dpi"), !isGiven("plot") { options.dotsPerInch = resolution }
        overlays.dotsPerInch = resolution
    }

    package func isGiven(_ name: String) -> Bool { given.contains(name) }

    /// The resolution by which lengths on paper are pixels, dots per inch: that of files; that of plots, whose files are
    /// in millimetres; that of prints; else a pixel is a point, as in PDF files.
    var resolution: Double { options.dotsPerInch ?? (isGiven("plot") ? 96 : hasPaperSize ? 300 : 72) }

    // MARK: - Values

    mutating func take(sizes texts: [String]) throws(ExportError) {
        hasPaperSize = texts.contains { text in
            WrittenLength(text)?.isPhysical
                ?? WrittenLength.pair(text).map { $0.width.isPhysical || $0.height.isPhysical } ?? false
        }
        for text in texts {
            guard let size = Self.size(text, dotsPerInch: resolution) else {
                throw .usage(
                    "--size: \"\(text)\" is not a size; use 1080p, 2k, 4k, 8k, 3000 (pixels of the longest edge), 1200x800, "
                        + "210x297mm, 8.5x11in, 2x or 50%")
            }
            if sizes.contains(size) { throw .usage("--size: \(size.name) is given more than once") }
            sizes.append(size)
        }
    }

    /// A size, including short forms: `2048` is `2048x2048`, `50%` is `0.5x`; `210x297mm` has so many pixels at the
    /// resolution.
    package static func size(_ text: String, dotsPerInch: Double) -> ExportSize? {
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

    mutating func take(formats texts: [String]) throws(ExportError) {
        for text in texts {
            guard let codec = PictureCodecs.codec(named: text) else {
                throw TextValue.noChoice(text, option: "--format", among: PictureCodecs.all.map(\.name))
            }
            if formats.contains(codec.format) { throw .usage("--format: \(codec.name) is given more than once") }
            formats.append(codec.format)
        }
    }

    mutating func take(margin text: String) throws(ExportError) {
        let length = try TextValue.length(text, option: "--margin")
        let pixels = length.pixels(dotsPerInch: resolution)
        let most = length.isPhysical ? 1e6 : 1e9
        let margin = try TextValue.checked(pixels, of: text, option: "--margin", in: 0...most)
        // What a length on paper is in canvas pixels is known with the picture's size.
        options.view = .fit(margin: length.isPhysical ? 0 : margin)
        outputMargin = length.isPhysical ? margin : nil
    }

    /// A length such as `3mm`, `0.125in` or `9pt`, in thousandths of a point.
    mutating func take(bleed text: String) throws(ExportError) {
        guard let length = WrittenLength(text), length.unit != nil else {
            throw .usage("--bleed: \"\(text)\" is not a length with a unit; use 3mm, 0.3 cm, 0.125in, 9pt or 36px")
        }
        let points = length.points(dotsPerInch: resolution)
        let most = Double(PictureEncoding.bleeds.upperBound) / 1000
        guard points <= most else {
            throw .usage("--bleed: \(text) is too much; at most \(Shown.decimal(most / 72, places: 0))in is possible")
        }
        let bleed = Int((points * 1000).rounded())
        encoding.bleed = bleed == 0 ? nil : bleed
    }

    /// A length on paper such as `10mm`, in points.
    func points(_ text: String, option: String, in range: ClosedRange<Double>) throws(ExportError) -> Double {
        guard let length = WrittenLength(text), length.isPhysical else {
            throw .usage("\(option): \"\(text)\" is not a length on paper; use 10mm, 1 cm, 0.4in or 28pt")
        }
        let points = length.points(dotsPerInch: 72)
        guard range.contains(points) else {
            let bounds = [range.lowerBound, range.upperBound].map { Shown.decimal($0 / 72 * 25.4, places: 1) }
            throw .usage("\(option): \(text) is not from \(bounds[0]) to \(bounds[1]) mm")
        }
        return points
    }

    /// `none`, `hatch`, `hatch:2mm` or `hatch:0.5mm,30`; a spacing is a length on paper, millimetres without a unit.
    mutating func take(plotFill text: String) throws(ExportError) {
        if text == "none" {
            encoding.plot.hatch = nil
            return
        }
        func fault() -> ExportError {
            .usage(
                "--plot-fill: \"\(text)\" is not a fill; use none, hatch, hatch:2mm or hatch:0.5mm,30, "
                    + "with spacings from 0.05 to 1000 mm and whole degrees")
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts[0] == "hatch" else { throw fault() }
        var hatch = PlotSettings.Hatch()
        if parts.count == 2 {
            let values = parts[1].split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed() }
            guard let length = WrittenLength(values[0]), values.count <= 2 else { throw fault() }
            let micrometres =
                length.unit == nil ? length.number * 1000 : length.points(dotsPerInch: resolution) * 25_400 / 72
            guard micrometres <= Double(PlotSettings.spacings.upperBound),
                PlotSettings.spacings.contains(Int(micrometres.rounded()))
            else { throw fault() }
            hatch.spacing = Int(micrometres.rounded())
            if values.count == 2 {
                guard let angle = Int(values[1]), abs(angle) <= 360 else { throw fault() }
                hatch.angle = ((angle % 360) + 360) % 360
            }
        }
        encoding.plot.hatch = hatch
    }

    /// `24`, `24px`, `5 mm`, `5%`.
    func overlayLength(
        _ text: String, option: String, isZeroAllowed: Bool
    ) throws(ExportError) -> OverlayLength {
        func isAllowed(_ number: Double, upTo most: Double) -> Bool {
            (number > 0 || isZeroAllowed && number == 0) && number <= most
        }
        // To twelve digits, as it is written: 3.3% is 0.033.
        if text.hasSuffix("%"), let number = Double(text.dropLast().trimmed()), isAllowed(number, upTo: 100) {
            return .share((number * 1e10).rounded() / 1e12)
        }
        guard let pixels = WrittenLength(text)?.pixels(dotsPerInch: resolution), isAllowed(pixels, upTo: 1_000_000)
        else { throw .usage("\(option): \"\(text)\" is not a length, as in 24, 5mm, 12pt or 5%") }
        return .pixels(pixels)
    }
}

extension OverlayArguments {
    /// `bottom-right`, `right-bottom`, `top` (the middle of that edge), `center`.
    mutating func take(anchor text: String) throws(ExportError) {
        let words = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        func fault() -> ExportError {
            .usage(
                "--watermark-anchor: \"\(text)\" is not top, bottom, left, right, center or two of them, as in top-left"
            )
        }
        guard words.count <= 2 else { throw fault() }
        var given: (horizontal: OverlayLayout.Horizontal?, vertical: OverlayLayout.Vertical?) = (nil, nil)
        for word in words where word != "center" {
            if let found = OverlayLayout.Horizontal(rawValue: word), given.horizontal == nil {
                given.horizontal = found
            } else if let found = OverlayLayout.Vertical(rawValue: word), given.vertical == nil {
                given.vertical = found
            } else {
                throw fault()
            }
        }
        horizontal = given.horizontal ?? .center
        vertical = given.vertical ?? .center
    }
}
