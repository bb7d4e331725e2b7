import InkCodecs
package import InkEngine

/// A path of the file with what is asked of it wherever it is drawn.
struct ReadPath {
    var path = ShapePath()
    var segmentCount = 0
    /// Around its points, control points too, in its own coordinates; empty for an empty path.
    var box = Rect.empty
}

/// Shapes and what fills them (spec section 9).
extension ProjectParser {
    /// Reads the symbols, which shapes find in `symbols` then.
    mutating func readSymbols(_ root: JSONObject) throws(EngineError) -> [Symbol] {
        guard let array = try root.array("symbols") else { return [] }
        let path = root.path("symbols")
        try checkCount(array.count, limits.symbols, of: "the number of symbols", at: path)
        var read: [Symbol] = []
        read.reserveCapacity(array.count)
        for (index, value) in array.elements.enumerated() {
            let symbol = try collecting(in: root) { (parser) throws(EngineError) in
                let object = try JSONObject(value, path: .element(path, index), file: parser.file, faults: root.faults)
                return try parser.readSymbol(object)
            }
            if let symbol { read.append(symbol) }
        }
        return read
    }

    private mutating func readSymbol(_ object: JSONObject) throws(EngineError) -> Symbol {
        addUnknownKeys(object, .symbol)
        guard let id = try object.string("id") else { throw object.error("id", "is missing") }
        guard symbols[id] == nil else {
            throw object.error("id", "there is a symbol \"\(shownText(id))\" before this one")
        }
        // Shapes find it, so that a mistake in its path is named once.
        symbols[id] = ReadPath()
        guard let path = try readPath(object) else { throw object.error("path", "is missing") }
        symbolSegmentCount += path.segmentCount
        try checkCount(
            symbolSegmentCount, limits.segments, of: "the number of segments of symbols up to here", at: object.path)
        symbols[id] = path
        return Symbol(id: id, path: path.path)
    }

    private func readPath(_ object: JSONObject) throws(EngineError) -> ReadPath? {
        guard let text = try object.utf8("path") else { return nil }
        let data = SVGPathData(text, segmentsMax: limits.pathSegments, coordinateMax: Limits.worldCoordinate)
        if let fault = data.fault {
            guard case .tooManySegments(let limit) = fault.reason else {
                throw object.error("path", fault.description)
            }
            throw .overLimit(
                object.place("path"), what: "the number of segments of the path", found: "more than \(limit)",
                limit: "\(limit)")
        }
        return ReadPath(path: data.path, segmentCount: data.path.segmentCount, box: data.path.controlBox)
    }

    /// The shapes in a key of an element; nil where it does not have the key.
    mutating func readShapes(
        _ object: JSONObject, _ key: StaticString, of layer: Layer
    ) throws(EngineError) -> [Shape]? {
        guard let array = try object.array(key) else { return nil }
        let path = object.path(key)
        let what = "the number of shapes up to here"
        try checkCount(shapeCount + array.count, limits.shapes, of: what, at: path)
        var shapes: [Shape] = []
        shapes.reserveCapacity(array.count)
        for (index, value) in array.elements.enumerated() {
            shapeCount += 1
            // Counted again, because the tape's count saturates.
            try checkCount(shapeCount, limits.shapes, of: what, at: path)
            let shape = try collecting(in: object) { (parser) throws(EngineError) in
                let shape = try JSONObject(
                    value, path: .element(path, index), file: parser.file, faults: object.faults)
                return try parser.readShape(shape, of: layer)
            }
            if let shape { shapes.append(shape) }
        }
        return shapes
    }

    private mutating func readShape(_ object: JSONObject, of layer: Layer) throws(EngineError) -> Shape {
        addUnknownKeys(object, .shape)
        let symbol = try object.string("symbol")
        let own = try readPath(object)
        let read: ReadPath
        switch (own, symbol) {
        case (nil, nil):
            throw .badInput(
                Place(file: file, path: object.path.text), reason: "has neither path nor symbol, must have one of them")
        case (.some, .some): throw object.error("symbol", "stands beside path, must be one of both")
        case (let path?, nil): read = path
        case (nil, let id?):
            guard let found = symbols[id] else {
                throw object.error(
                    "symbol",
                    "there is no symbol \"\(shownText(id))\" in the project's symbols (in \(layer.shownName))"
                        + (object.isNextErrorShown ? didYouMean(id, among: symbols.keys.sorted()) : ""))
            }
            read = found
        }
        segmentCount += read.segmentCount
        try checkCount(
            segmentCount, limits.segments, of: "the number of segments of paths up to here", at: object.path)
        var shape = Shape(path: read.path, symbol: symbol)
        shape.transform = try readTransform(object) ?? .identity
        try checkExtent(of: read, shape.transform, at: object)
        shape.rule = try object.named("rule") ?? .nonzero
        shape.fill = try readPaint(object, "fill", isShape: true, limit: Limits.worldCoordinate) ?? .color(.black)
        shape.opacity = try object.fraction("opacity") ?? 1
        shape.mode = try object.strokeMode("mode", owner: layer.shownName) ?? .paint
        shape.text = try object.string("text")
        shape.textOf = try object.string("textOf")
        return shape
    }

    private func readTransform(_ object: JSONObject) throws(EngineError) -> AffineMap? {
        guard let numbers = try object.numbers("transform", count: 6) else { return nil }
        return AffineMap(a: numbers[0], b: numbers[1], c: numbers[2], d: numbers[3], x: numbers[4], y: numbers[5])
    }

    /// Refuses a path that leaves the limit of coordinates where it is drawn.
    private func checkExtent(
        of read: ReadPath, _ transform: AffineMap, at object: JSONObject
    ) throws(EngineError) {
        guard !read.path.isEmpty else { return }
        func reach(_ points: [Point]) -> Double {
            points.reduce(0) { farthest, point in
                let place = transform.point(point)
                // Sums of products that are infinite may be no number.
                guard place.x.isFinite, place.y.isFinite else { return .infinity }
                return max(farthest, abs(place.x), abs(place.y))
            }
        }
        // The corners of a box may leave it where no point does.
        guard reach(read.box.corners) > limits.coordinate else { return }
        let farthest = reach(read.path.withoutArcs.points)
        guard farthest > limits.coordinate else { return }
        throw .overLimit(
            object.place(object.value.field("transform") != nil ? "transform" : "path"),
            what: "the shape's largest coordinate on the canvas", found: "\(shownNumber(farthest)) pixels",
            limit: "\(shownNumber(limits.coordinate)) pixels")
    }

    // MARK: Fills

    /// A colour, a gradient or, in a shape, a pattern; nil where the key is absent.
    ///
    /// - Parameter limit: of the gradient's coordinates.
    mutating func readPaint(
        _ object: JSONObject, _ key: StaticString, isShape: Bool, limit: Double
    ) throws(EngineError) -> Paint? {
        guard let found = object.value.field(key) else { return nil }
        if let text = found.string {
            guard let color = Self.fillColor(text) else {
                return try object.refuse(
                    object.error(key, "\"\(shownText(text))\" is not #rgb, #rrggbb or #rrggbbaa"))
            }
            return .color(color)
        }
        guard found.kind == .object else {
            return try object.refuse(
                object.error(
                    key, "must be a colour, a gradient\(isShape ? " or a pattern" : ""), is \(found.kind.words)"))
        }
        return try collecting(in: object) { (parser) throws(EngineError) in
            let paint = try JSONObject(found, path: object.path(key), file: parser.file, faults: object.faults)
            return try parser.readPaint(paint, isShape: isShape, limit: limit)
        }
    }

    /// nil for what is no colour; the word that stands for no background is none.
    private static func fillColor(_ text: String) -> RGBA8? { text == "transparent" ? nil : RGBA8(hex: text) }

    private mutating func readPaint(
        _ object: JSONObject, isShape: Bool, limit: Double
    ) throws(EngineError) -> Paint {
        let kinds = ["linear", "radial"] + (isShape ? ["pattern"] : [])
        let names = kinds.dropLast().joined(separator: ", ") + " or " + kinds[kinds.count - 1]
        guard let type = try object.string("type") else { throw object.error("type", "is missing, must be \(names)") }
        guard kinds.contains(type) else {
            let reason =
                type == "pattern"
                ? "only shapes are filled with patterns; put a shape into a layer"
                : "unknown type \"\(shownText(type))\", must be \(names)" + didYouMean(type, among: kinds)
            throw object.error("type", reason)
        }
        if type == "pattern" { return .pattern(try readPattern(object)) }
        let kind: Gradient.Kind
        if type == "linear" {
            addUnknownKeys(object, .linearGradient)
            kind = .linear(from: try readPoint(object, "from", limit), to: try readPoint(object, "to", limit))
        } else {
            addUnknownKeys(object, .radialGradient)
            let center = try readPoint(object, "center", limit)
            guard let radius = try object.number("radius") else { throw object.error("radius", "is missing") }
            guard radius >= 0 else {
                throw object.error("radius", "is \(shownNumber(radius)), must not be below 0")
            }
            try checkCoordinate(radius, limit, at: object.place("radius"))
            kind = .radial(center: center, radius: radius)
        }
        return .gradient(Gradient(kind: kind, stops: try readStops(object)))
    }

    private func readPoint(_ object: JSONObject, _ key: StaticString, _ limit: Double) throws(EngineError) -> Point {
        guard let numbers = try object.numbers(key, count: 2) else { throw object.error(key, "is missing") }
        for number in numbers { try checkCoordinate(number, limit, at: object.place(key)) }
        return Point(x: numbers[0], y: numbers[1])
    }

    private func checkCoordinate(_ number: Double, _ limit: Double, at place: Place) throws(EngineError) {
        guard abs(number) > limit else { return }
        throw .overLimit(place, what: "the value", found: shownNumber(number), limit: shownNumber(limit))
    }

    private func readStops(_ object: JSONObject) throws(EngineError) -> [Gradient.Stop] {
        guard let array = try object.array("stops") else { throw object.error("stops", "is missing") }
        let path = object.path("stops")
        guard array.count > 0 else { throw object.error("stops", "has no stop, must have at least one") }
        try checkCount(array.count, Gradient.stopsMax, of: "the number of stops", at: path)
        var stops: [Gradient.Stop] = []
        for (index, value) in array.elements.enumerated() {
            var elements = value.elements
            let (offset, color) = (elements.next()?.number, elements.next()?.string.flatMap { Self.fillColor($0) })
            guard value.count == 2, let offset, let color else {
                throw .badInput(
                    Place(file: file, path: JSONPath.element(path, index).text),
                    reason: "must be a number and a colour (#rgb, #rrggbb or #rrggbbaa) in an array")
            }
            stops.append(Gradient.Stop(offset: max(min(max(offset, 0), 1), stops.last?.offset ?? 0), color: color))
        }
        return stops
    }

    /// A pattern that lies still on the canvas. Its alpha is in its colour, so a brush's opacity stands for that.
    private mutating func readPattern(_ object: JSONObject) throws(EngineError) -> Brush {
        addUnknownKeys(object, .pattern)
        var settings = try BrushSettings(pattern: object, limits: limits)
        settings.anchor = .canvas
        if let type = settings.type, !type.canLieStill {
            throw object.error(
                "brush",
                "\(type.rawValue) does not lie still on the canvas, must be parallelLines, crossHatch, dots or waves")
        }
        let brush = BrushSettings.brush(of: [settings])
        if settings.dotRadius != nil { try checkDots(of: brush, at: object, "dotRadius") }
        return brush
    }

    /// Refuses dots that are far larger than the distance between them.
    ///
    /// - Parameter key: which says the radius, or names the preset that does.
    func checkDots(of brush: Brush, at object: JSONObject, _ key: StaticString) throws(EngineError) {
        let most = Brush.dotRadiusMax * brush.spacing
        guard brush.dotRadius > most else { return }
        let radius = "\(shownNumber(brush.dotRadius)), must be at most \(shownNumber(Brush.dotRadiusMax)) times "
        let subject = "\(key)" == "preset" ? "has the dotRadius" : "is"
        try object.refuse(object.error(key, "\(subject) \(radius)the spacing, \(shownNumber(most))"))
    }
}

extension Brush {
    /// The largest radius of dots, as a multiple of the distance between them (spec section 10.4).
    package static let dotRadiusMax = 64.0
}

extension ShapePath {
    /// The box around the points, control points too; of arcs around the curves that stand for them.
    var controlBox: Rect {
        var box = Rect.empty
        for point in withoutArcs.points { box.formUnion(point) }
        return box
    }
}

extension Rect {
    fileprivate var corners: [Point] {
        [Point(x: minX, y: minY), Point(x: maxX, y: minY), Point(x: minX, y: maxY), Point(x: maxX, y: maxY)]
    }
}
