package import InkEngine

/// u8 0 colour, 1 gradient along a line (f64 x and y of both ends), 2 gradient from a centre (f64 x, y, radius), 3
/// pattern (a brush); of gradients then v stops, of each f64 offset and colour.
extension Paint: WireValue {
    static let leastBytes = 5
    private static let stopBytes = 12

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let start = reader.offset
        let kind = try reader.uint8("paint")
        switch kind {
        case 0: self = .color(try RGBA8(from: &reader))
        case 1:
            let from = try Point(from: &reader)
            let to = try Point(from: &reader)
            self = .gradient(Gradient(kind: .linear(from: from, to: to), stops: try Self.stops(from: &reader)))
        case 2:
            let center = try Point(from: &reader)
            let radius = try reader.double("radius", in: 0...Double.greatestFiniteMagnitude)
            self = .gradient(
                Gradient(kind: .radial(center: center, radius: radius), stops: try Self.stops(from: &reader)))
        case 3:
            let brush = try Brush(from: &reader)
            guard brush.isCanvasPattern else {
                throw .badValue(
                    what: "pattern", offset: start + 1, found: brush.type.rawValue, expected: "one that can lie still")
            }
            self = .pattern(brush)
        default: throw .badValue(what: "paint", offset: start, found: "\(kind)", expected: "0 to 3")
        }
    }

    private static func stops(from reader: inout ByteReader) throws(ProtocolError) -> [Gradient.Stop] {
        let start = reader.offset
        let count = try reader.count("stops", elementBytes: stopBytes, limit: Gradient.stopsMax)
        guard count > 0 else {
            throw .badValue(what: "stops", offset: start, found: "0", expected: "at least 1")
        }
        var stops: [Gradient.Stop] = []
        stops.reserveCapacity(count)
        for _ in 0..<count {
            let offset = try reader.double("offset of a stop", in: (stops.last?.offset ?? 0)...1)
            stops.append(Gradient.Stop(offset: offset, color: try RGBA8(from: &reader)))
        }
        return stops
    }

    package func write(to writer: inout ByteWriter) {
        switch self {
        case .color(let color):
            writer.uint8(0)
            color.write(to: &writer)
        case .gradient(let gradient):
            switch gradient.kind {
            case .linear(let from, let to):
                writer.uint8(1)
                from.write(to: &writer)
                to.write(to: &writer)
            case .radial(let center, let radius):
                writer.uint8(2)
                center.write(to: &writer)
                writer.double(radius)
            }
            writer.integer(gradient.stops.count)
            for stop in gradient.stops {
                writer.double(stop.offset)
                stop.color.write(to: &writer)
            }
        case .pattern(let brush):
            writer.uint8(3)
            brush.write(to: &writer)
        }
    }
}

/// The head of a shape, without its path.
private struct ShapeFlags: OptionSet {
    var rawValue: UInt8

    static let erases = ShapeFlags(rawValue: 1)
    static let evenOdd = ShapeFlags(rawValue: 2)
    static let text = ShapeFlags(rawValue: 4)
    static let textOf = ShapeFlags(rawValue: 8)
    static let all: ShapeFlags = [.erases, .evenOdd, .text, .textOf]
}

/// Which columns follow; they are left out if all their values are the default.
private struct ShapePlanes: OptionSet {
    var rawValue: UInt8

    static let transforms = ShapePlanes(rawValue: 1)
    static let opacities = ShapePlanes(rawValue: 2)
}

/// A path as a block has it, once for all shapes of one symbol.
private struct BlockPath {
    var path: ShapePath
    var symbol: String?
}

private enum ShapeBytes {
    /// A path without segments, and a shape without a transform.
    static let path = 2
    static let shape = 3
    static let transform: [any WritableKeyPath<AffineMap, Double> & Sendable] = [\.a, \.b, \.c, \.d, \.x, \.y]
}

extension ByteWriter {
    mutating func shapes(_ shapes: [Shape]) {
        var paths: [BlockPath] = []
        var pathOfSymbol: [String: Int] = [:]
        var paints: [Paint] = []
        var indexOfPaint: [Paint: Int] = [:]
        var heads = ByteWriter()
        for shape in shapes {
            var path = shape.symbol.flatMap { pathOfSymbol[$0] }
            // Copies of a symbol share their memory, so this is quick.
            if let known = path, paths[known].path != shape.path { path = nil }
            if path == nil {
                if let symbol = shape.symbol { pathOfSymbol[symbol] = paths.count }
                paths.append(BlockPath(path: shape.path, symbol: shape.symbol))
            }
            let paint = indexOfPaint[shape.fill] ?? paints.count
            if paint == paints.count {
                indexOfPaint[shape.fill] = paint
                paints.append(shape.fill)
            }
            heads.head(of: shape, path: path ?? paths.count - 1, paint: paint)
        }
        self.paths(paths)
        array(paints)
        integer(shapes.count)
        raw(heads.bytes)
        var planes: ShapePlanes = []
        if shapes.contains(where: { $0.transform != .identity }) { planes.insert(.transforms) }
        if shapes.contains(where: { $0.opacity != 1 }) { planes.insert(.opacities) }
        uint8(planes.rawValue)
        if planes.contains(.transforms) {
            for value in ShapeBytes.transform { plane(shapes.map { $0.transform[keyPath: value] }) }
        }
        if planes.contains(.opacities) { plane(shapes.map { $0.opacity }) }
    }

    private mutating func head(of shape: Shape, path: Int, paint: Int) {
        integer(path)
        integer(paint)
        var flags: ShapeFlags = []
        if shape.mode == .erase { flags.insert(.erases) }
        if shape.rule == .evenodd { flags.insert(.evenOdd) }
        if shape.text != nil { flags.insert(.text) }
        if shape.textOf != nil { flags.insert(.textOf) }
        uint8(flags.rawValue)
        for text in [shape.text, shape.textOf].compactMap({ $0 }) {
            self.text(text, limit: ProtocolLimits.blockContentBytes)
        }
    }

    private mutating func paths(_ paths: [BlockPath]) {
        integer(paths.count)
        for path in paths {
            bool(path.symbol != nil)
            if let symbol = path.symbol { text(symbol, limit: ProtocolLimits.blockContentBytes) }
            integer(path.path.verbs.count)
        }
        for path in paths { raw(path.path.verbs.map(\.rawValue)) }
        let points = paths.flatMap(\.path.points)
        plane(points.map { $0.x })
        plane(points.map { $0.y })
    }
}

extension ByteReader {
    mutating func shapes() throws(ProtocolError) -> [Shape] {
        let paths = try paths()
        let paints: [Paint] = try array("paints", elementBytes: Paint.leastBytes)
        let shapeCount = try count("shapes", elementBytes: ShapeBytes.shape)
        var shapes: [Shape] = []
        shapes.reserveCapacity(shapeCount)
        var segments = 0
        for _ in 0..<shapeCount {
            let path = paths[try index("path index", count: paths.count)]
            let paint = paints[try index("paint index", count: paints.count)]
            let flags = try flags("shape", of: ShapeFlags.all)
            var shape = Shape(
                path: path.path, symbol: path.symbol, rule: flags.contains(.evenOdd) ? .evenodd : .nonzero,
                fill: paint, mode: flags.contains(.erases) ? .erase : .paint)
            let limit = ProtocolLimits.blockContentBytes
            if flags.contains(.text) { shape.text = try text("shape's text", limit: limit) }
            if flags.contains(.textOf) { shape.textOf = try text("word of a shape", limit: limit) }
            // A path of any length takes a few bytes for each shape that has it.
            segments += path.path.verbs.count
            guard segments <= ProtocolLimits.markBlockSegments else {
                throw .overLimit(
                    what: "segments of a block's shapes", found: UInt64(segments),
                    limit: UInt64(ProtocolLimits.markBlockSegments))
            }
            shapes.append(shape)
        }
        let planes: ShapePlanes = try flags("planes", of: [.transforms, .opacities])
        if planes.contains(.transforms) {
            for value in ShapeBytes.transform {
                let column = try plane("transform", count: shapeCount, in: .finite)
                for index in shapes.indices { shapes[index].transform[keyPath: value] = column[index] }
            }
        }
        if planes.contains(.opacities) {
            let column = try plane("opacity", count: shapeCount, in: 0...1)
            for index in shapes.indices { shapes[index].opacity = column[index] }
        }
        return shapes
    }

    private mutating func paths() throws(ProtocolError) -> [BlockPath] {
        let pathCount = try count("paths", elementBytes: ShapeBytes.path)
        var heads: [(symbol: String?, verbs: Int)] = []
        heads.reserveCapacity(pathCount)
        for _ in 0..<pathCount {
            let hasSymbol = try bool("has symbol")
            let symbol = hasSymbol ? try text("symbol", limit: ProtocolLimits.blockContentBytes) : nil
            heads.append((symbol, try count("segments", elementBytes: 1)))
        }
        // Counted before points are allocated: 16 bytes of x and y follow for each.
        var verbs: [[ShapePath.Verb]] = []
        verbs.reserveCapacity(pathCount)
        var pointCount = 0
        for head in heads {
            var own: [ShapePath.Verb] = []
            let start = offset
            for byte in try bytes(head.verbs, "segments") { own.append(try enumeration("segment", byte)) }
            guard own.first ?? .move == .move else {
                throw .badValue(what: "path", offset: start, found: "\(own[0])", expected: "a move first")
            }
            pointCount += own.reduce(0) { $0 + $1.pointCount }
            verbs.append(own)
        }
        let xs = try plane("x", count: pointCount, in: .finite)
        let ys = try plane("y", count: pointCount, in: .finite)
        var first = 0
        var paths: [BlockPath] = []
        paths.reserveCapacity(pathCount)
        for (head, verbs) in zip(heads, verbs) {
            let end = first + verbs.reduce(0) { $0 + $1.pointCount }
            let points = (first..<end).map { Point(x: xs[$0], y: ys[$0]) }
            guard let path = ShapePath(verbs: verbs, points: points) else {
                throw .badValue(what: "path", offset: offset, found: "\(points.count) points", expected: "its points")
            }
            paths.append(BlockPath(path: path, symbol: head.symbol))
            first = end
        }
        return paths
    }
}
