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
    /// Paths in SVG's words, coordinates in canvas pixels.
    private var shapes: [(operation: Operation, path: String)] = []

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
        func finish(_ shapes: inout [(operation: Operation, path: String)]) {
            let path = Self.path(knots, isClosed: isClosed)
            // What continues the path before is of one shape with it.
            if isPart, !shapes.isEmpty {
                shapes[shapes.count - 1].path += path
            } else if !path.isEmpty {
                shapes.append((operation, path))
            }
        }
        while reader.left >= Self.recordBytes {
            var record = try reader.part(Self.recordBytes)
            switch try record.uint16() {
            case 0, 3:
                finish(&shapes)
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
        finish(&shapes)
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
    private static func path(_ knots: [Knot], isClosed: Bool) -> String {
        guard knots.count > 1 else { return "" }
        var path = SVGPathText()
        path.add("M", knots[0].anchor)
        for (last, knot) in zip(knots, knots.dropFirst() + (isClosed ? knots.prefix(1) : [])) {
            path.add("C", last.after, knot.before, knot.anchor)
        }
        path.close()
        return path.text
    }

    /// The mask as an SVG of the canvas: white shows, black hides, painted path after path.
    ///
    /// - Parameter low: what shows of what it hides, 0...255.
    func svg(size: PixelSize, low: UInt8) -> String {
        let (on, off) = isInverted ? ("#000", "#fff") : ("#fff", "#000")
        let all = "M0 0H\(size.width)V\(size.height)H0Z"
        var text = "<path fill=\"\(beginsFull ? on : off)\" d=\"\(all)\"/>"
        for (index, shape) in shapes.enumerated() {
            // A first path that takes away does so from everything.
            if index == 0, !beginsFull, shape.operation == .subtract || shape.operation == .intersect {
                text += "<path fill=\"\(on)\" d=\"\(all)\"/>"
            }
            switch shape.operation {
            case .add: text += "<path fill=\"\(on)\" fill-rule=\"evenodd\" d=\"\(shape.path)\"/>"
            case .subtract: text += "<path fill=\"\(off)\" fill-rule=\"evenodd\" d=\"\(shape.path)\"/>"
            case .intersect:
                text += "<path fill=\"\(off)\" fill-rule=\"evenodd\" d=\"\(all)\(shape.path)\"/>"
            case .exclude:
                text +=
                    "<path fill=\"#fff\" fill-rule=\"evenodd\" style=\"mix-blend-mode:difference\" d=\"\(shape.path)\"/>"
            }
        }
        if low > 0 {
            // White that lets through lightens what is black and leaves what is white.
            text += "<path fill=\"#fff\" fill-opacity=\"\(Double(low) / 255)\" d=\"\(all)\"/>"
        }
        return "<svg xmlns=\"\(SVGRules.namespace)\" width=\"\(size.width)\" height=\"\(size.height)\" "
            + "viewBox=\"0 0 \(size.width) \(size.height)\" preserveAspectRatio=\"none\">\(text)</svg>"
    }
}
