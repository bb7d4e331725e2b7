import InkDocuments
import InkEngine
import InkJSON
import InkSystem

/// A file of overlays: `{"overlays": [{"type": "text", ...}, {"type": "image", ...}], "fonts": [...]}`.
struct OverlayFile {
    /// The largest file, bytes.
    static let bytesMax = 1 << 20
    /// Overlays in a file.
    static let overlaysMax = 64

    private let path: String
    /// Its name in errors and warnings.
    private let shown: String
    private let dotsPerInch: Double
    private let limits: Limits
    private var fonts: OverlayFonts
    /// The files that it names.
    private var files: [String] = []
    /// Those that are pictures, each read once.
    private var pictures: [String: ImageOverlay] = [:]

    /// - Parameters:
    ///   - path: of the file; paths in it start from its folder.
    ///   - shown: its name in errors and warnings.
    ///   - fonts: given beside it.
    ///   - dotsPerInch: by which lengths on paper are pixels.
    /// - Returns: the overlays, and the files that are read for them.
    /// - Throws: `engine` with `badInput` that names the path in the file, such as `overlays[1].size`.
    static func read(
        _ path: String, shown: String, fonts: [String], dotsPerInch: Double, limits: Limits
    ) throws(ExportError) -> (overlays: [Overlay], files: [String]) {
        let bytes = try ExportError.wrapping(try FileSystem.read(path, limitBytes: bytesMax))
        let document = try rethrowing(try JSONReader.read(bytes)) { (error: JSONReader.Failure) in
            ExportError.engine(.badInput(Place(file: shown), reason: error.description))
        }
        var file = OverlayFile(
            path: path, shown: shown, dotsPerInch: dotsPerInch, limits: limits, fonts: OverlayFonts())
        let overlays = try file.overlays(document, fonts)
        return (overlays, file.files)
    }

    private mutating func overlays(_ document: JSONValue, _ givenFonts: [String]) throws(ExportError) -> [Overlay] {
        let root = try OverlayObject(document, file: shown, path: "", keys: ["$schema", "overlays", "fonts"])
        for font in givenFonts { try fonts.add(font) }
        for (index, value) in try root.array("fonts").enumerated() {
            guard let name = value.string, !name.isEmpty else {
                throw root.fault("fonts[\(index)]", "must be the path of a font")
            }
            let font = resolved(name)
            try fonts.add(font)
        }
        let items = try root.array("overlays")
        guard !items.isEmpty else { throw root.fault("overlays", "must be a list of overlays") }
        guard items.count <= Self.overlaysMax else {
            throw root.fault("overlays", "there are \(items.count), at most \(Self.overlaysMax) are possible")
        }
        var overlays: [Overlay] = []
        for (index, value) in items.enumerated() {
            overlays.append(try overlay(value, path: "overlays[\(index)]"))
        }
        return overlays
    }

    private mutating func resolved(_ name: String) -> String {
        let file = name.hasPrefix("/") ? name : path.splitPath().folder.appendingPath(name)
        files.append(file)
        return file
    }

    private mutating func overlay(_ value: JSONValue, path: String) throws(ExportError) -> Overlay {
        let object = try OverlayObject(
            value, file: shown, path: path,
            keys: [
                "type", "text", "file", "font", "anchor", "size", "preserveAspectRatio", "style", "repeat",
            ])
        let type = try object.word("type", among: ["text", "image", "svg"])
        guard let type else { throw object.fault("type", "is missing; it is text or image") }
        let style = try object.object("style", keys: ["opacity", "blendMode", "stroke", "strokeWidth", "shadowBlur"])
        var layout = try layout(object, isText: type == "text")
        layout.repetition = try repetition(object, layout.unit)
        let content =
            try type == "text" ? text(object, style) : image(object, style)
        var overlay = Overlay(content, layout: layout, place: Place(file: shown, path: path))
        if let style {
            overlay.opacity = try style.number("opacity", in: 0...1) ?? Overlay.defaultOpacity
            if let name = try style.text("blendMode") {
                guard let mode = BlendMode(name: name) else {
                    throw style.fault("blendMode", "\"\(name)\" is not a blend mode")
                }
                overlay.blendMode = mode
            }
        }
        return overlay
    }

    // MARK: - Contents

    private mutating func image(_ object: OverlayObject, _ style: OverlayObject?) throws(ExportError) -> Overlay.Content
    {
        for key in ["text", "font"] where object.has(key) { throw object.fault(key, "is of texts") }
        for key in ["stroke", "strokeWidth", "shadowBlur"] where style?.has(key) == true {
            throw object.fault("style.\(key)", "is of texts")
        }
        guard let name = try object.text("file"), !name.isEmpty else {
            throw object.fault("file", "is missing: the path of a picture")
        }
        let path = resolved(name)
        if let known = pictures[path] { return .image(known) }
        let picture = try OverlayImages.read(path, limits: limits)
        pictures[path] = picture
        return .image(picture)
    }

    private mutating func text(
        _ object: OverlayObject, _ style: OverlayObject?
    ) throws(ExportError) -> Overlay.Content {
        for key in ["file", "size", "preserveAspectRatio"] where object.has(key) {
            throw object.fault(key, key == "size" ? "is of pictures; a text has font.size" : "is of pictures")
        }
        guard let text = try object.text("text") else { throw object.fault("text", "is missing") }
        let font = try object.object("font", keys: ["family", "file", "size", "unit", "weight", "color"])
        let weight = try font?.number("weight", in: 1...1000) ?? OverlayFonts.regular
        var textStyle = TextOverlay.Style()
        if let name = try font?.text("color") {
            guard let color = RGBA8(hex: name) else {
                throw object.fault("font.color", "\"\(name)\" is not a colour (#rgb, #rrggbb or #rrggbbaa)")
            }
            textStyle.color = color
        }
        let size = try fontSize(font, object)
        // In the unit of the font's size.
        func reach(_ key: String) throws(ExportError) -> Double? {
            guard let style, let length = try style.writtenLength(key) else {
                return try style?.number(key, in: 0...TextOverlay.reachMax)
            }
            guard size.unit == .pixels || size.unit == .points else {
                throw style.fault(key, "must be a number, in the unit of the font's size")
            }
            let pixels = length.pixels(dotsPerInch: dotsPerInch)
            let reach = size.unit == .pixels ? pixels : pixels / dotsPerInch * 72
            guard reach <= TextOverlay.reachMax else { throw style.fault(key, "is too long") }
            return reach
        }
        let width = try reach("strokeWidth")
        if try style?.flag("stroke") ?? false { textStyle.outline = width ?? 1 }
        textStyle.shadowBlur = try reach("shadowBlur") ?? 0
        if font?.has("family") == true, font?.has("file") == true {
            throw object.fault("font.file", "and font.family cannot be used together")
        }
        let chosen: [Font]
        if let name = try font?.text("file") {
            let file = resolved(name)
            chosen = try fonts.chosen(file: file, weight: weight)
        } else if let family = try font?.text("family") {
            chosen = try rethrowing(try fonts.chosen(family: family, weight: weight)) { (error: OverlayFonts.Missing) in
                object.fault("font.family", error.reason)
            }
        } else {
            chosen = try fonts.chosen(weight: weight)
        }
        let place = Place(file: shown, path: object.path + ".text")
        return try ExportError.wrapping(
            .text(try TextOverlay(text, fonts: chosen, style: textStyle, place: place), size))
    }

    /// Without a unit 24 points; a text such as `12pt` or `5 mm` has its own.
    private func fontSize(_ font: OverlayObject?, _ object: OverlayObject) throws(ExportError) -> Overlay.FontSize {
        var size = Overlay.FontSize(24, .points)
        if let name = try font?.word("unit", among: Overlay.FontSize.Unit.allCases.map(\.rawValue)) {
            size.unit = Overlay.FontSize.Unit(rawValue: name) ?? .points
        }
        if let font, let length = try font.writtenLength("size") {
            if font.has("unit") { throw font.fault("unit", "and a size with a unit cannot be used together") }
            size =
                length.isPhysical
                ? Overlay.FontSize(length.points(dotsPerInch: dotsPerInch), .points)
                : Overlay.FontSize(length.number, .pixels)
            guard size.value > 0, size.value <= TextOverlay.sizeMax else {
                throw font.fault("size", "is not a size of a font")
            }
        } else if let font, font.has("size") {
            let most = size.unit == .shortSide ? 1 : TextOverlay.sizeMax
            size.value = try font.number("size", above: 0, upTo: most) ?? 24
        } else if size.unit == .shortSide {
            throw object.fault("font.size", "is missing: a share of the shorter edge")
        }
        return size
    }

    // MARK: - Layout

    private func layout(_ object: OverlayObject, isText: Bool) throws(ExportError) -> OverlayLayout {
        var layout = OverlayLayout()
        if let anchor = try object.object("anchor", keys: ["h", "v", "margin", "unit", "offset"]) {
            if let name = try anchor.word("h", among: OverlayLayout.Horizontal.allCases.map(\.rawValue)) {
                layout.horizontal = OverlayLayout.Horizontal(rawValue: name) ?? layout.horizontal
            }
            if let name = try anchor.word("v", among: OverlayLayout.Vertical.allCases.map(\.rawValue)) {
                layout.vertical = OverlayLayout.Vertical(rawValue: name) ?? layout.vertical
            }
            if let name = try anchor.word("unit", among: OverlayLayout.Unit.allCases.map(\.rawValue)) {
                layout.unit = OverlayLayout.Unit(rawValue: name) ?? layout.unit
            }
            let isShare = layout.unit == .percent || layout.unit == .shortSide
            let most = isShare ? 1 : Self.lengthMax
            if isShare { layout.margin = 0.02 }
            // A length with a unit is of output pixels.
            let resolution = layout.unit == .pixels ? dotsPerInch : nil
            layout.margin = try anchor.length("margin", dotsPerInch: resolution, upTo: most) ?? layout.margin
            if anchor.has("offset") {
                let values = try anchor.array("offset")
                func offset(_ value: JSONValue) -> Double? {
                    if let number = OverlayObject.number(value) { return number }
                    guard let resolution, let text = value.string else { return nil }
                    let isNegative = text.hasPrefix("-")
                    let pixels = WrittenLength(String(text.dropFirst(isNegative ? 1 : 0)))?.pixels(
                        dotsPerInch: resolution)
                    return pixels.map { isNegative ? -$0 : $0 }
                }
                guard values.count == 2, let x = offset(values[0]), let y = offset(values[1]),
                    max(abs(x), abs(y)) <= most
                else {
                    throw anchor.fault(
                        "offset", "must be two numbers or lengths, x and y, each at most \(most.shown) from 0")
                }
                (layout.offsetX, layout.offsetY) = (x, y)
            }
        }
        layout.keepsAspect = try object.flag("preserveAspectRatio") ?? true
        layout.size = isText ? .own : try size(object) ?? layout.size
        return layout
    }

    /// Pixels; longer ones are mistakes.
    private static let lengthMax = 1_000_000.0

    private func size(_ object: OverlayObject) throws(ExportError) -> OverlayLayout.Size? {
        guard let size = try object.object("size", keys: ["auto", "px", "percent"]) else { return nil }
        let given = ["auto", "px", "percent"].filter { size.has($0) }
        guard given.count == 1 else { throw object.fault("size", "must have one of auto, px and percent") }
        switch given[0] {
        case "auto":
            guard let auto = try size.object("auto", keys: ["fraction", "min", "max"]) else { return nil }
            let fraction = try auto.number("fraction", above: 0, upTo: 1) ?? 0.18
            let least = try auto.length("min", dotsPerInch: dotsPerInch, upTo: Self.lengthMax) ?? 64
            let most = try auto.length("max", dotsPerInch: dotsPerInch, upTo: Self.lengthMax) ?? max(512, least)
            guard least <= most else { throw size.fault("auto", "min is above max") }
            return .automatic(fraction: fraction, min: least, max: most)
        case "px":
            guard size.isObject("px") else {
                guard let width = try size.length("px", dotsPerInch: dotsPerInch, upTo: Self.lengthMax), width > 0
                else {
                    throw size.fault("px", "is not a width in pixels, nor a length such as 20mm")
                }
                return .pixels(width: width, height: nil)
            }
            guard let pixels = try size.object("px", keys: ["width", "height"]),
                let width = try pixels.length("width", dotsPerInch: dotsPerInch, upTo: Self.lengthMax), width > 0
            else { throw size.fault("px", "must be a width in pixels, or have a width") }
            let height = try pixels.length("height", dotsPerInch: dotsPerInch, upTo: Self.lengthMax)
            if height == 0 { throw size.fault("px.height", "must be above 0") }
            return .pixels(width: width, height: height)
        default:
            if let width = size.plainNumber("percent") {
                guard width > 0, width <= 1 else { throw size.fault("percent", "must be above 0 and at most 1") }
                return .percent(width: width)
            }
            guard let share = try size.object("percent", keys: ["width"]),
                let width = try share.number("width", above: 0, upTo: 1)
            else { throw size.fault("percent", "must be a share of the width, 0 to 1, or have a width") }
            return .percent(width: width)
        }
    }

    private func repetition(
        _ object: OverlayObject, _ unit: OverlayLayout.Unit
    ) throws(ExportError) -> OverlayLayout.Repetition? {
        guard let given = try object.object("repeat", keys: ["gapX", "gapY", "stagger"]) else { return nil }
        for key in ["gapX", "gapY"] {
            if let gap = given.plainNumber(key), gap < 0 { throw given.fault(key, "is below 0: copies would overlap") }
        }
        let resolution = unit == .canvas ? nil : dotsPerInch
        return OverlayLayout.Repetition(
            gapX: try given.length("gapX", dotsPerInch: resolution, upTo: Self.lengthMax) ?? 0,
            gapY: try given.length("gapY", dotsPerInch: resolution, upTo: Self.lengthMax) ?? 0,
            stagger: try given.number("stagger", in: 0...1) ?? 0)
    }
}

/// An object of a file of overlays, whose keys are known.
struct OverlayObject {
    private let members: [(String, JSONValue)]
    private let file: String
    /// In the file; empty for its root.
    let path: String

    /// - Throws: for what is no object, and for a key that it does not have.
    init(_ value: JSONValue, file: String, path: String, keys: [String]) throws(ExportError) {
        self.file = file
        self.path = path
        guard let members = value.members else {
            throw .engine(.badInput(Place(file: file, path: path.isEmpty ? nil : path), reason: "must be an object"))
        }
        self.members = members
        var seen: Set<String> = []
        for (key, _) in members {
            guard keys.contains(key) else {
                throw fault(key, "is not a key here; there are \(keys.joined(separator: ", "))")
            }
            guard seen.insert(key).inserted else { throw fault(key, "is there twice") }
        }
    }

    func fault(_ key: String, _ reason: String) -> ExportError {
        .engine(.badInput(Place(file: file, path: path.isEmpty ? key : "\(path).\(key)"), reason: reason))
    }

    private func value(_ key: String) -> JSONValue? {
        guard let value = members.first(where: { $0.0 == key })?.1 else { return nil }
        if case .null = value { return nil }
        return value
    }

    func has(_ key: String) -> Bool { value(key) != nil }

    func text(_ key: String) throws(ExportError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw fault(key, "must be a text") }
        return text
    }

    func word(_ key: String, among words: [String]) throws(ExportError) -> String? {
        guard let text = try text(key) else { return nil }
        guard words.contains(text) else { throw fault(key, "\"\(text)\" is not \(words.joined(separator: ", "))") }
        return text
    }

    func flag(_ key: String) throws(ExportError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let flag) = value else { throw fault(key, "must be true or false") }
        return flag
    }

    func array(_ key: String) throws(ExportError) -> [JSONValue] {
        guard let value = value(key) else { return [] }
        guard let items = value.array else { throw fault(key, "must be a list") }
        return items
    }

    func object(_ key: String, keys: [String]) throws(ExportError) -> OverlayObject? {
        guard let value = value(key) else { return nil }
        return try OverlayObject(value, file: file, path: path.isEmpty ? key : "\(path).\(key)", keys: keys)
    }

    /// nil also for what is no number.
    func plainNumber(_ key: String) -> Double? { value(key).flatMap { Self.number($0) } }

    func isObject(_ key: String) -> Bool { value(key)?.members != nil }

    /// A text that is a length with a unit; nil for anything but a text.
    func writtenLength(_ key: String) throws(ExportError) -> WrittenLength? {
        guard let text = value(key)?.string else { return nil }
        guard let length = WrittenLength(text) else {
            throw fault(
                key, "\"\(text)\" is not a length; use a number, or a text such as 5mm (\(WrittenLength.shownUnits))")
        }
        return length
    }

    /// A number, or a text such as `5mm`, in output pixels.
    ///
    /// - Parameter dotsPerInch: nil: texts are refused, because numbers count something else.
    func length(_ key: String, dotsPerInch: Double?, upTo most: Double) throws(ExportError) -> Double? {
        guard let length = try writtenLength(key) else { return try number(key, in: 0...most) }
        guard let dotsPerInch else { throw fault(key, "must be a number in the unit of the anchor, not a length") }
        let pixels = length.pixels(dotsPerInch: dotsPerInch)
        guard pixels <= most else { throw fault(key, "is longer than \(most.shown) pixels") }
        return pixels
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(ExportError) -> Double? {
        guard has(key) else { return nil }
        guard let number = plainNumber(key), range.contains(number) else {
            throw fault(key, "must be a number from \(range.lowerBound.shown) to \(range.upperBound.shown)")
        }
        return number
    }

    func number(_ key: String, above least: Double, upTo most: Double) throws(ExportError) -> Double? {
        guard has(key) else { return nil }
        guard let number = plainNumber(key), number > least, number <= most else {
            throw fault(key, "must be a number above \(least.shown), at most \(most.shown)")
        }
        return number
    }

    static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension Double {
    /// Without `.0`.
    fileprivate var shown: String { Shown.plain(self) }
}
