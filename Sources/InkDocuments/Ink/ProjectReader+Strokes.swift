import InkEngine

extension ProjectParser {
    /// The strokes of a layer; `layer` names it in messages.
    mutating func readStrokes(_ object: JSONObject, layer: Layer) throws(EngineError) -> [Stroke] {
        guard let array = try object.array("strokes") else { return [] }
        let path = object.path("strokes")
        // The tape's count saturates far above any sensible limit; the sum below is exact.
        try checkCount(strokeCount + array.count, limits.strokes, of: "the number of strokes up to here", at: path)
        var strokes: [Stroke] = []
        strokes.reserveCapacity(array.count)
        for (index, value) in array.elements.enumerated() {
            strokeCount += 1
            try checkCount(strokeCount, limits.strokes, of: "the number of strokes up to here", at: path)
            let stroke = try collecting(in: object) { (parser) throws(EngineError) in
                let stroke = try JSONObject(
                    value, path: .element(path, index), file: parser.file, faults: object.faults)
                return try parser.readStroke(stroke, layer: layer)
            }
            if let stroke { strokes.append(stroke) }
        }
        return strokes
    }

    private mutating func readStroke(_ object: JSONObject, layer: Layer) throws(EngineError) -> Stroke {
        var stroke = Stroke(points: [])
        addUnknownKeys(object, .stroke)
        if let brush = try object.object("brush") { stroke.brush = try readBrush(brush, layer: layer) }
        if let caps: LineCaps = try object.named("caps") { stroke.brush.caps = caps }
        stroke.mode = try object.strokeMode("mode", owner: layer.shownName) ?? .paint
        stroke.smoothing = try object.named("smoothing") ?? .uniform
        stroke.isClosed = try object.bool("closed") ?? false
        if let points = try object.array("points") {
            stroke.points = try readPoints(points, path: object.path("points"))
        }
        return stroke
    }

    private mutating func readBrush(_ object: JSONObject, layer: Layer) throws(EngineError) -> Brush {
        let own = try BrushSettings(object, owner: layer.shownName, limits: limits)
        addUnknownKeys(object, .brush)
        if let dynamics = try object.object("dynamics") { addUnknownKeys(dynamics, .dynamics) }
        var settings: [BrushSettings] = []
        if let id = try object.string("preset") {
            namesPreset = true
            if let preset = try findPreset(id) {
                settings.append(preset.settings)
            } else if own.type == nil {
                throw object.error(
                    "preset",
                    "there is no brush preset \"\(shownText(id))\"\(presets.searchNote) (in \(layer.shownName))"
                        + presets.wayOut(for: id))
            } else {
                warnings.add(
                    .missingPreset, ofEach: id, at: object.path("preset").text,
                    "brush preset \"\(shownText(id))\" was not found, its strokes are drawn with their own settings"
                        + presets.wayOut(for: id))
            }
        }
        settings.append(own)
        let brush = BrushSettings.brush(of: settings)
        if settings.contains(where: { $0.dotRadius != nil }) {
            try checkDots(of: brush, at: object, own.dotRadius != nil ? "dotRadius" : "preset")
        }
        return brush
    }

    private mutating func findPreset(_ id: String) throws(EngineError) -> BrushPreset? {
        if let known = presetsUsed[id] { return known }
        let preset = try presets.preset(id: id)
        presetsUsed[id] = preset
        if let preset { warnings.add(preset.warnings) }
        return preset
    }

    /// The points of a stroke: arrays of 2 to 6 numbers, or objects.
    mutating func readPoints(_ array: JSONNode, path: JSONPath) throws(EngineError) -> [StrokePoint] {
        if let bulk, let count = bulk.pointCount(of: array) {
            try checkCount(count, limits.pointsPerStroke, of: "the number of points of the stroke", at: path)
            pointCount += count
            try checkCount(pointCount, limits.points, of: "the number of points up to here", at: path)
            if bulk.awaitPoints(of: array) { strokesWithoutPoints.append(strokeCount) }
            return []
        }
        try checkCount(array.count, limits.pointsPerStroke, of: "the number of points of the stroke", at: path)
        try checkCount(pointCount + array.count, limits.points, of: "the number of points up to here", at: path)
        var points: [StrokePoint] = []
        points.reserveCapacity(array.count)
        var position = array.index + 1
        let end = array.endIndex - 1
        while position < end {
            let value = array.at(position)
            var point = StrokePoint(x: 0, y: 0)
            if let fault = value.readPoint(&point) ?? point.fault(limits: limits) {
                throw fault.error(at: Place(file: file, path: JSONPath.element(path, points.count).text))
            }
            if value.tag == JSONNode.Tag.object {
                let object = try JSONObject(value, path: .element(path, points.count), file: file)
                addUnknownKeys(object, .point)
                if let position = try object.object("position") { addUnknownKeys(position, .position) }
            }
            points.append(point)
            position = value.endIndex
        }
        // Counted again, because the tape's count saturates.
        try checkCount(points.count, limits.pointsPerStroke, of: "the number of points of the stroke", at: path)
        pointCount += points.count
        try checkCount(pointCount, limits.points, of: "the number of points up to here", at: path)
        return points
    }

    /// Adds the points that were not in the document to the strokes.
    func addPoints(of bulk: ProjectText, to project: inout Project) {
        var missing = zip(strokesWithoutPoints, bulk.readPoints()).makeIterator()
        var next = missing.next()
        var number = 0
        project.layers.forEachStroke { stroke in
            number += 1
            guard let (wanted, points) = next, number == wanted else { return }
            stroke.points = points
            next = missing.next()
        }
    }
}

extension [Layer] {
    /// Visits the strokes of a tree in file order.
    mutating func forEachStroke(_ body: (inout Stroke) -> Void) {
        for index in indices {
            for stroke in self[index].strokes.indices { body(&self[index].strokes[stroke]) }
            guard case .group(var children, let isPassThrough) = self[index].kind else { continue }
            // Moved out, so that the children are changed in place.
            self[index].kind = .layer
            children.forEachStroke(body)
            self[index].kind = .group(children, isPassThrough: isPassThrough)
        }
    }
}

/// The error in a point; created only if there is one.
enum PointFault {
    case bad(String)
    case tooLarge(what: String, found: Double, limit: Double)

    func error(at place: Place) -> EngineError {
        switch self {
        case .bad(let reason): .badInput(place, reason: reason)
        case .tooLarge(let what, let found, let limit):
            .overLimit(
                place, what: what, found: "\(shownNumber(found)) pixels", limit: "\(shownNumber(limit)) pixels")
        }
    }
}

extension StrokePoint {
    /// The violated range of the format; numbers of a parsed text are always finite.
    @inline(__always)
    fileprivate func fault(limits: Limits) -> PointFault? {
        guard abs(x) <= limits.coordinate else {
            return .tooLarge(what: "x", found: x, limit: limits.coordinate)
        }
        guard abs(y) <= limits.coordinate else {
            return .tooLarge(what: "y", found: y, limit: limits.coordinate)
        }
        guard pressure >= 0, pressure <= 1 else {
            return .bad("pressure is \(shownNumber(pressure)), must be from 0 to 1")
        }
        return nil
    }
}

extension JSONNode {
    /// Fills a point from its array or object; its fields must have their defaults before.
    @inline(__always)
    fileprivate func readPoint(_ point: inout StrokePoint) -> PointFault? {
        if tag == Tag.array { return readPointArray(&point) }
        guard tag == Tag.object else { return .bad("must be an array or an object, is \(kind.words)") }
        return readPointObject(&point)
    }

    @inline(__always)
    private func readPointArray(_ point: inout StrokePoint) -> PointFault? {
        var position = index + 1
        let end = endIndex - 1
        var count = 0
        while position < end {
            let element = at(position)
            if let number = element.number {
                switch count {
                case 0: point.x = number
                case 1: point.y = number
                case 2: point.pressure = number
                case 3: point.timestamp = number
                case 4: point.altitude = number
                case 5: point.azimuth = number
                default: break
                }
            } else if count < 2 || !element.isNull {
                return .bad("element \(count) must be a number, is \(element.kind.words)")
            }
            count += 1
            position = element.endIndex
        }
        guard count >= 2, count <= 6 else { return .bad("has \(count) numbers, must have 2 to 6") }
        return nil
    }

    private func readPointObject(_ point: inout StrokePoint) -> PointFault? {
        var (hasX, hasY) = (false, false)
        var fault: PointFault?
        // `position` first, so that x and y of the point itself take precedence.
        if let position = field("position") {
            guard position.kind == .object else { return .bad("position must be an object, is \(position.kind.words)") }
            hasX = position.readNumber("x", into: &point.x, &fault)
            hasY = position.readNumber("y", into: &point.y, &fault)
        }
        hasX = readNumber("x", into: &point.x, &fault) || hasX
        hasY = readNumber("y", into: &point.y, &fault) || hasY
        _ = readNumber("pressure", into: &point.pressure, &fault)
        _ = readNumber("timestamp", into: &point.timestamp, &fault)
        _ = readNumber("altitude", into: &point.altitude, &fault)
        _ = readNumber("azimuth", into: &point.azimuth, &fault)
        if let fault { return fault }
        return hasX && hasY ? nil : .bad("\(hasX ? "y" : "x") is missing")
    }

    /// Stores the number of a key in `target`; false if the key is absent or null.
    private func readNumber(_ key: StaticString, into target: inout Double, _ fault: inout PointFault?) -> Bool {
        guard let found = field(key) else { return false }
        guard let number = found.number else {
            fault = fault ?? .bad("\(key) must be a number, is \(found.kind.words)")
            return false
        }
        target = number
        return true
    }
}
