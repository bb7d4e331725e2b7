import InkCodecs
public import InkEngine

/// Writes project files (`.ink`): version 1.3 or 1.2 if they use its features, otherwise 1.1.
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
        json.field("version", project.needsVersion13 ? "1.3" : project.needsVersion12 ? "1.2" : "1.1")
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
        let symbols = Dictionary(project.symbols.map { ($0.id, $0.path) }) { first, _ in first }
        if !symbols.isEmpty {
            json.key("symbols")
            json.beginArray()
            for symbol in project.symbols { write(symbol, to: &json) }
            json.endArray()
        }
        json.key("layers")
        json.beginArray()
        for layer in project.layers { write(layer, symbols, to: &json) }
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
                json.field("dotsPerInch", [density.across, density.down])
            }
            if let units = project.metadata.unitsPerInch { json.field("unitsPerInch", units) }
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

    private static func write(_ layer: Layer, _ symbols: [String: ShapePath], to json: inout JSONText) {
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
        if let shapes = layer.maskShapes { write(shapes, "maskShapes", symbols, to: &json) }
        if let image = layer.contentImage { json.field("contentImage", image) }
        if let placement = layer.contentPlacement {
            json.key("contentPlacement")
            write(placement, to: &json)
        }
        if layer.contentFilter != .lanczos { json.field("contentFilter", layer.contentFilter.rawValue) }
        if let pattern = layer.suggestedPattern {
            json.key("suggestedPattern")
            json.beginObject()
            json.field("type", pattern.type.rawValue)
            json.field("rotation", pattern.rotation)
            json.field("spacing", pattern.spacing)
            json.field("color", pattern.color.description)
            json.endObject()
        }
        if !layer.shapes.isEmpty { write(layer.shapes, "shapes", symbols, to: &json) }
        if !layer.strokes.isEmpty {
            json.key("strokes")
            json.beginArray()
            for stroke in layer.strokes { write(stroke, to: &json) }
            json.endArray()
        }
        switch layer.kind {
        case .layer: break
        case .fill(let paint): write(paint, "color", to: &json)
        case .group(let children, let isPassThrough):
            if isPassThrough { json.field("passThrough", true) }
            json.key("layers")
            json.beginArray()
            for child in children { write(child, symbols, to: &json) }
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
        if stroke.smoothing != .uniform { json.field("smoothing", stroke.smoothing.rawValue) }
        if stroke.isClosed { json.field("closed", true) }
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
        if brush.lines != standard.lines { json.field("lines", Double(brush.lines)) }
        if brush.dotRadius != standard.dotRadius { json.field("dotRadius", brush.dotRadius) }
        if brush.waveLength != standard.waveLength { json.field("waveLength", brush.waveLength) }
        if brush.edge != standard.edge { json.field("edge", brush.edge.rawValue) }
        if let spacing = brush.stampSpacing { json.field("stampSpacing", spacing) }
        if brush.followsPath { json.field("followsPath", true) }
        if brush.caps != standard.caps { json.field("caps", brush.caps.rawValue) }
        if brush.anchor != standard.anchor { json.field("anchor", brush.anchor.rawValue) }
        if brush.size != standard.size { json.field("size", brush.size) }
        if brush.color != standard.color { json.field("color", brush.color.description) }
        // Programs that know no more than version 1.2 have one default for all types.
        if brush.dynamics != standard.dynamics || brush.dynamics != .standard(brush.type, brush.anchor) {
            write(brush.dynamics, to: &json)
        }
        json.endObject()
    }

    private static func write(_ dynamics: BrushDynamics, to json: inout JSONText) {
        let standard = BrushDynamics()
        json.key("dynamics")
        json.beginObject()
        json.field("pressureAffectsOpacity", dynamics.pressureAffectsOpacity)
        json.field("pressureAffectsSize", dynamics.pressureAffectsSize)
        json.field("tiltAffectsRotation", dynamics.tiltAffectsRotation)
        if dynamics.minimumSize != standard.minimumSize { json.field("minimumSize", dynamics.minimumSize) }
        if dynamics.minimumOpacity != standard.minimumOpacity { json.field("minimumOpacity", dynamics.minimumOpacity) }
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
