import InkCodecs
import InkEngine

/// The paths of a vector mask: shapes that one after the other add to what shows, or take away from it.
struct PSDVectorMask {
    private enum Operation: Int {
        case exclude = 0
        case add = 1
        case subtract = 2
        case intersect = 3
    }

    private var isInverted = false
    private(set) var isDisabled = false
    /// Whether all shows before the first path.
    private var beginsFull = false
    /// Coordinates in canvas pixels.
    private var paths: [(operation: Operation, path: ShapePath)] = []

    private static let recordBytes = 26

    /// - Parameter size: the canvas, to which coordinates are relative.
    /// - Throws: `badInput` for damage.
    init(_ block: ByteReader, size: PixelSize) throws(EngineError) {
        var reader = block
        try reader.skip(4)
        let flags = try reader.uint32()
        isInverted = flags & 1 != 0
        isDisabled = flags & 4 != 0
        var knots: [Knot] = []
        var (wanted, isClosed) = (0, true)
        var operation = Operation.add
        var isPart = false
        func finish(_ paths: inout [(operation: Operation, path: ShapePath)]) {
            guard knots.count > 1 else { return }
            // What continues the path before is of one shape with it.
            if !isPart || paths.isEmpty { paths.append((operation, ShapePath())) }
            Self.add(knots, isClosed: isClosed, to: &paths[paths.count - 1].path)
        }
        while reader.left >= Self.recordBytes {
            var record = try reader.part(Self.recordBytes)
            switch try record.uint16() {
            case 0, 3:
                finish(&paths)
                isClosed = reader.bytes[record.offset - 1] == 0
                knots = []
                wanted = try record.uint16()
                let number = try record.int16()
                isPart = number < 0
                operation = Operation(rawValue: number) ?? .add
            case 1, 2, 4, 5:
                guard knots.count < wanted else { throw record.fault("a path has more points than it says") }
                knots.append(try Knot(&record, size: size))
            case 8: beginsFull = try record.uint16() == 1
            // Fill rules and clipboards say nothing about shapes.
            default: break
            }
        }
        finish(&paths)
    }

    private struct Knot {
        let before: Point
        let anchor: Point
        let after: Point

        init(_ reader: inout ByteReader, size: PixelSize) throws(EngineError) {
            func point() throws(EngineError) -> Point {
                // Fixed point with 24 bits behind the point; y comes first.
                let (y, x) = (Double(try reader.int32()), Double(try reader.int32()))
                return Point(x: x / Double(1 << 24) * Double(size.width), y: y / Double(1 << 24) * Double(size.height))
            }
            before = try point()
            anchor = try point()
            after = try point()
        }
    }

    /// An open path is filled as if it were closed, by a straight line.
    private static func add(_ knots: [Knot], isClosed: Bool, to path: inout ShapePath) {
        path.move(to: knots[0].anchor)
        for (last, knot) in zip(knots, knots.dropFirst() + (isClosed ? knots.prefix(1) : [])) {
            path.cubic(last.after, knot.before, to: knot.anchor)
        }
        path.close()
    }

    /// Segments of all paths, and of the longest one.
    var segmentCounts: (all: Int, longest: Int) {
        let counts = paths.map(\.path.segmentCount)
        return (counts.reduce(0, +), counts.max() ?? 0)
    }

    /// Whether all shows before a path. A first one that takes away does so from everything.
    private var showsAll: Bool {
        let first = paths.first?.operation
        return beginsFull || first == .subtract || first == .intersect
    }

    /// The mask as shapes, one after the other on nothing.
    ///
    /// - Parameter low: what shows of what it hides, 0...255.
    /// - Returns: nil where shapes cannot say it: a path that turns round what several shapes before it show.
    func shapes(size: PixelSize, low: UInt8) -> [Shape]? {
        let all = ShapePath(box: Rect(minX: 0, minY: 0, maxX: Double(size.width), maxY: Double(size.height)))
        var shapes: [Shape] = []
        func add(_ path: ShapePath, shows: Bool) {
            // Nothing has to be taken from nothing.
            guard shows || !shapes.isEmpty else { return }
            shapes.append(Shape(path: path, rule: .evenodd, mode: shows ? .paint : .erase))
        }
        if showsAll != isInverted { add(all, shows: true) }
        for (operation, path) in paths {
            switch operation {
            case .add: add(path, shows: !isInverted)
            case .subtract: add(path, shows: isInverted)
            case .intersect: add(all.appending(path), shows: isInverted)
            case .exclude:
                guard shapes.count <= 1 else { return nil }
                shapes = [Shape(path: (shapes.first?.path ?? ShapePath()).appending(path), rule: .evenodd)]
            }
        }
        if low > 0 { shapes.append(Shape(path: all, opacity: Double(low) / 255)) }
        return shapes
    }

    /// The mask as an SVG of the canvas: white shows, black hides, painted path after path.
    ///
    /// - Parameter low: what shows of what it hides, 0...255.
    func svg(size: PixelSize, low: UInt8) -> String {
        let (on, off) = isInverted ? ("#000", "#fff") : ("#fff", "#000")
        let all = "M0 0H\(size.width)V\(size.height)H0Z"
        var text = "<path fill=\"\(showsAll ? on : off)\" d=\"\(all)\"/>"
        func add(_ fill: String, _ data: String, _ style: String = "") {
            text += "<path fill=\"\(fill)\" fill-rule=\"evenodd\"\(style) d=\"\(data)\"/>"
        }
        for (operation, path) in paths {
            let data = String(decoding: path.data, as: UTF8.self)
            switch operation {
            case .add: add(on, data)
            case .subtract: add(off, data)
            case .intersect: add(off, all + data)
            case .exclude: add("#fff", data, " style=\"mix-blend-mode:difference\"")
            }
        }
        // White that lets through lightens what is black and leaves what is white.
        if low > 0 { add("#fff", all, " fill-opacity=\"\(Double(low) / 255)\"") }
        return "<svg xmlns=\"\(SVGRules.namespace)\" width=\"\(size.width)\" height=\"\(size.height)\" "
            + "viewBox=\"0 0 \(size.width) \(size.height)\" preserveAspectRatio=\"none\">\(text)</svg>"
    }
}
