import InkEngine

/// Shapes and what fills them.
extension ProjectWriter {
    static func write(_ symbol: Symbol, to json: inout JSONText) {
        json.beginObject()
        json.field("id", symbol.id)
        json.field("path", symbol.path)
        json.endObject()
    }

    /// - Parameter symbols: the paths of the project's symbols by their ids.
    static func write(
        _ shapes: [Shape], _ key: String, _ symbols: [String: ShapePath], to json: inout JSONText
    ) {
        json.key(key)
        json.beginArray()
        for shape in shapes { write(shape, symbols, to: &json) }
        json.endArray()
    }

    private static func write(_ shape: Shape, _ symbols: [String: ShapePath], to json: inout JSONText) {
        json.beginObject()
        // A shape whose path was changed since it was read no longer shows its symbol.
        if let symbol = shape.symbol, symbols[symbol] == shape.path {
            json.field("symbol", symbol)
        } else {
            json.field("path", shape.path)
        }
        let map = shape.transform
        if map != .identity { json.field("transform", [map.a, map.b, map.c, map.d, map.x, map.y]) }
        if shape.rule != .nonzero { json.field("rule", shape.rule.rawValue) }
        if shape.fill != .color(.black) { write(shape.fill, "fill", to: &json) }
        if shape.opacity != 1 { json.field("opacity", shape.opacity) }
        if shape.mode != .paint { json.field("mode", shape.mode.rawValue) }
        if let text = shape.text { json.field("text", text) }
        if let textOf = shape.textOf { json.field("textOf", textOf) }
        json.endObject()
    }

    static func write(_ paint: Paint, _ key: String, to json: inout JSONText) {
        switch paint {
        case .color(let color): json.field(key, color.description)
        case .gradient(let gradient):
            json.key(key)
            write(gradient, to: &json)
        case .pattern(let brush):
            json.key(key)
            write(pattern: brush, to: &json)
        }
    }

    private static func write(_ gradient: Gradient, to json: inout JSONText) {
        json.beginObject()
        switch gradient.kind {
        case .linear(let from, let to):
            json.field("type", "linear")
            json.field("from", [from.x, from.y])
            json.field("to", [to.x, to.y])
        case .radial(let center, let radius):
            json.field("type", "radial")
            json.field("center", [center.x, center.y])
            json.field("radius", radius)
        }
        json.key("stops")
        json.beginArray()
        for stop in gradient.stops {
            json.beginArray()
            json.number(stop.offset)
            json.element(stop.color.description)
            json.endArray()
        }
        json.endArray()
        json.endObject()
    }

    private static func write(pattern brush: Brush, to json: inout JSONText) {
        let standard = Brush()
        json.beginObject()
        json.field("type", "pattern")
        json.field("brush", brush.type.rawValue)
        if brush.rotation != standard.rotation { json.field("rotation", brush.rotation) }
        if brush.spacing != standard.spacing { json.field("spacing", brush.spacing) }
        if brush.scale != standard.scale { json.field("scale", brush.scale) }
        if brush.lineWidth != standard.lineWidth { json.field("lineWidth", brush.lineWidth) }
        if brush.dotRadius != standard.dotRadius { json.field("dotRadius", brush.dotRadius) }
        if brush.waveLength != standard.waveLength { json.field("waveLength", brush.waveLength) }
        if brush.edge != standard.edge { json.field("edge", brush.edge.rawValue) }
        var color = brush.color
        color.alpha = UInt8((255 * min(max(brush.opacity, 0), 1)).rounded())
        if color != standard.color { json.field("color", color.description) }
        json.endObject()
    }
}
