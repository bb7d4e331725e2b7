import InkCodecs
public import InkEngine

/// Writes project files (`.ink`): version 1.2 if they use its features, otherwise 1.1.
///
/// The text is compact and deterministic: keys in a fixed order, defaults omitted, numbers with the fewest digits that
/// read back as the same double. `ProjectReader` reads the same project from it.
public enum ProjectWriter {
    /// The file's bytes, UTF-8 without a byte order mark, with a line feed at the end.
    ///
    /// - Parameters:
    ///   - project: what to write.
    ///   - warnings: the warnings from reading the project's input; reading the file reports them again.
    /// - Throws: `internalError` if the project contains a number that is not finite, which JSON cannot express.
    public static func write(
        _ project: Project, warnings: [ReadingWarning] = []
    ) throws(EngineError) -> [UInt8] {
        var json = JSONText()
        json.beginObject()
        json.field("version", project.needsVersion12 ? "1.2" : "1.1")
        if !project.id.isEmpty { json.field("id", project.id) }
        if !project.name.isEmpty { json.field("name", project.name) }
        if let createdAt = project.createdAt { json.field("createdAt", createdAt) }
        if let modifiedAt = project.modifiedAt { json.field("modifiedAt", modifiedAt) }
        if project.isInfinite {
            json.field("canvas", "infinite")
        } else {
            json.key("canvasSize")
            write(project.canvasSize, to: &json)
        }
        json.field("background", project.background == .transparent ? "transparent" : project.background.description)
        if let image = project.baseImage { json.field("baseImage", image) }
        json.key("layers")
        json.beginArray()
        for layer in project.layers { write(layer, to: &json) }
        json.endArray()
        if !project.viewports.isEmpty {
            json.key("viewports")
            json.beginArray()
            for viewport in project.viewports { write(viewport, to: &json) }
            json.endArray()
        }
        if project.metadata != ProjectMetadata() {
            json.key("metadata")
            json.beginObject()
            if let author = project.metadata.author { json.field("author", author) }
            if let license = project.metadata.license { json.field("license", license) }
            if let exif = project.metadata.exif {
                json.field("exif", String(decoding: Base64.encode(exif), as: UTF8.self))
            }
            if let xmp = project.metadata.xmp { json.field("xmp", String(decoding: Base64.encode(xmp), as: UTF8.self)) }
            if let density = project.metadata.density {
                json.key("dotsPerInch")
                json.beginArray()
                json.number(density.across)
                json.number(density.down)
                json.endArray()
            }
            json.endObject()
        }
        if !warnings.isEmpty {
            json.key("readingWarnings")
            json.beginArray()
            for warning in warnings { json.element(warning.description) }
            json.endArray()
        }
        json.endObject()
        guard json.isFinite else {
            throw .internalError("a project to be written holds a number that is not finite")
        }
        return json.bytes + [0x0A]
    }

    private static func write(_ size: CanvasSize, to json: inout JSONText) {
        json.beginObject()
        json.field("width", size.width)
        json.field("height", size.height)
        json.endObject()
    }

    private static func write(_ viewport: Viewport, to json: inout JSONText) {
        json.beginObject()
        if !viewport.name.isEmpty { json.field("name", viewport.name) }
        json.key("center")
        json.beginObject()
        json.field("x", viewport.center.x)
        json.field("y", viewport.center.y)
        json.endObject()
        json.field("zoom", viewport.zoom)
        json.field("rotation", viewport.rotation)
        json.key("size")
        write(viewport.size, to: &json)
        json.endObject()
    }

    private static func write(_ placement: Placement, to json: inout JSONText) {
        json.beginObject()
        json.field("x", placement.x)
        json.field("y", placement.y)
        json.field("width", placement.width)
        json.field("height", placement.height)
        if placement.rotation != 0 { json.field("rotation", placement.rotation) }
        json.endObject()
    }

    private static func write(_ layer: Layer, to json: inout JSONText) {
        json.beginObject()
        switch layer.kind {
        case .layer: break
        case .group: json.field("type", "group")
        case .fill: json.field("type", "fill")
        }
        if !layer.id.isEmpty { json.field("id", layer.id) }
        if !layer.name.isEmpty { json.field("name", layer.name) }
        json.field("order", layer.order)
        json.field("opacity", layer.opacity)
        json.field("blendMode", layer.blendMode.rawValue)
        json.field("isVisible", layer.isVisible)
        if layer.isClipped { json.field("clipped", true) }
        if let image = layer.maskImage { json.field("maskImage", image) }
        if let placement = layer.maskPlacement {
            json.key("maskPlacement")
            write(placement, to: &json)
        }
        if layer.maskOutside != 0 { json.field("maskOutside", layer.maskOutside) }
        if let image = layer.contentImage { json.field("contentImage", image) }
        if let placement = layer.contentPlacement {
            json.key("contentPlacement")
            write(placement, to: &json)
        }
        if let pattern = layer.suggestedPattern {
            json.key("suggestedPattern")
            json.beginObject()
            json.field("type", pattern.type.rawValue)
            json.field("rotation", pattern.rotation)
            json.field("spacing", pattern.spacing)
            json.field("color", pattern.color.description)
            json.endObject()
        }
        if !layer.strokes.isEmpty {
            json.key("strokes")
            json.beginArray()
            for stroke in layer.strokes { write(stroke, to: &json) }
            json.endArray()
        }
        switch layer.kind {
        case .layer: break
        case .fill(let paint): json.field("color", (paint.color ?? .transparent).description)
        case .group(let children, let isPassThrough):
            if isPassThrough { json.field("passThrough", true) }
            json.key("layers")
            json.beginArray()
            for child in children { write(child, to: &json) }
            json.endArray()
        }
        json.endObject()
    }

    private static func write(_ stroke: Stroke, to json: inout JSONText) {
        json.beginObject()
        if stroke.brush != Brush() {
            json.key("brush")
            write(stroke.brush, to: &json)
        }
        if stroke.mode != .paint { json.field("mode", stroke.mode.rawValue) }
        json.key("points")
        json.beginArray()
        for point in stroke.points { write(point, to: &json) }
        json.endArray()
        json.endObject()
    }

    private static func write(_ brush: Brush, to json: inout JSONText) {
        let standard = Brush()
        json.beginObject()
        json.field("type", brush.type.rawValue)
        if brush.rotation != standard.rotation { json.field("rotation", brush.rotation) }
        if brush.spacing != standard.spacing { json.field("spacing", brush.spacing) }
        if brush.opacity != standard.opacity { json.field("opacity", brush.opacity) }
        if brush.scale != standard.scale { json.field("scale", brush.scale) }
        if brush.lineWidth != standard.lineWidth { json.field("lineWidth", brush.lineWidth) }
        if brush.anchor != standard.anchor { json.field("anchor", brush.anchor.rawValue) }
        if brush.size != standard.size { json.field("size", brush.size) }
        if brush.color != standard.color { json.field("color", brush.color.description) }
        if brush.dynamics != standard.dynamics {
            json.key("dynamics")
            json.beginObject()
            json.field("pressureAffectsOpacity", brush.dynamics.pressureAffectsOpacity)
            json.field("pressureAffectsSize", brush.dynamics.pressureAffectsSize)
            json.field("tiltAffectsRotation", brush.dynamics.tiltAffectsRotation)
            json.endObject()
        }
        json.endObject()
    }

    private static func write(_ point: StrokePoint, to json: inout JSONText) {
        json.beginArray()
        json.number(point.x)
        json.number(point.y)
        // Only trailing defaults can be omitted from an array.
        let count =
            point.azimuth != 0 ? 4 : point.altitude != 90 ? 3 : point.timestamp != 0 ? 2 : point.pressure != 1 ? 1 : 0
        if count > 0 { json.number(point.pressure) }
        if count > 1 { json.number(point.timestamp) }
        if count > 2 { json.number(point.altitude) }
        if count > 3 { json.number(point.azimuth) }
        json.endArray()
    }
}

/// A JSON text being written, without white space.
private struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// False once a number was written that JSON cannot express.
    private(set) var isFinite = true
    private var needsComma = false

    mutating func beginObject() { open(UInt8(ascii: "{")) }
    mutating func endObject() { close(UInt8(ascii: "}")) }
    mutating func beginArray() { open(UInt8(ascii: "[")) }
    mutating func endArray() { close(UInt8(ascii: "]")) }

    mutating func key(_ key: String) {
        separate()
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func field(_ key: String, _ value: String) {
        self.key(key)
        string(value)
        needsComma = true
    }

    mutating func element(_ value: String) {
        separate()
        string(value)
        needsComma = true
    }

    mutating func field(_ key: String, _ value: Double) {
        self.key(key)
        number(value)
    }

    mutating func field(_ key: String, _ value: Bool) {
        self.key(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    mutating func field(_ key: String, _ image: EncodedImage) {
        self.key(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: Base64.encode(image.bytes))
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    mutating func number(_ value: Double) {
        separate()
        isFinite = isFinite && value.isFinite
        needsComma = true
        // Most numbers have at most three decimals. With up to 15 digits, that decimal form is the shortest text that
        // reads back as the same double.
        let thousandths = (value * 1000).rounded()
        if thousandths.magnitude < 1e15, thousandths / 1000 == value, value != 0 || value.sign == .plus {
            decimal(thousandths: Int64(thousandths))
            return
        }
        // Swift's description is the shortest text that reads back as the same double; JSON does not need its `.0`.
        var text = value.description.utf8[...]
        if text.suffix(2).elementsEqual(".0".utf8) { text = text.dropLast(2) }
        bytes.append(contentsOf: text)
    }

    /// A number of thousandths, without trailing zeros.
    private mutating func decimal(thousandths: Int64) {
        if thousandths < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        var power: UInt64 = 1
        while power <= whole / 10 { power *= 10 }
        while power > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(whole / power % 10))
            power /= 10
        }
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var rest = fraction
        for power: UInt64 in [100, 10, 1] where rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / power))
            rest %= power
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
