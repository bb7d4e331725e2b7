public import InkEngine

/// Strokes on the wire. They are exact, except for values that do not affect rendering (timestamp and altitude become
/// their defaults).
///
/// Layout (numbers little-endian, v = unsigned LEB128):
///
///     1      format, 1
///     v      number of distinct brushes, then each: see Brush
///     v      number of strokes, then each: v brush index, 1 mode (0 paint, 1 erase), v number of points
///     1      planes: bit 0 pressure, bit 1 azimuth; a plane is omitted if all its values are the default
///     8 n    x of all points of all strokes, then y, then pressure, then azimuth
///
/// A plane of n doubles is written as eight runs of n bytes: all lowest bytes, ... all highest bytes. Neighbouring
/// points share sign, exponent and leading bits, so zstd finds long runs.
public struct StrokeBlock: Hashable, Sendable {
    public var strokes: [Stroke]

    /// - Precondition: for encoding, values are finite and in the ranges of the project format.
    public init(strokes: [Stroke]) { self.strokes = strokes }

    private static let format: UInt8 = 1
    private static let pressurePlane: UInt8 = 1
    private static let azimuthPlane: UInt8 = 2

    /// The content of the block, not compressed. Equal blocks give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(StrokeBlock.format)
        var indexOfBrush: [Brush: Int] = [:]
        var brushes: [Brush] = []
        for stroke in strokes where indexOfBrush[stroke.brush] == nil {
            indexOfBrush[stroke.brush] = brushes.count
            brushes.append(stroke.brush)
        }
        writer.array(brushes)
        writer.integer(strokes.count)
        for stroke in strokes {
            writer.integer(indexOfBrush[stroke.brush]!)
            writer.uint8(stroke.mode == .paint ? 0 : 1)
            writer.integer(stroke.points.count)
        }
        let points = strokes.flatMap(\.points)
        let hasPressure = points.contains { $0.pressure != 1 }
        let hasAzimuth = points.contains { $0.azimuth.bitPattern != 0 }
        writer.uint8((hasPressure ? StrokeBlock.pressurePlane : 0) | (hasAzimuth ? StrokeBlock.azimuthPlane : 0))
        writer.plane(points.map { $0.x })
        writer.plane(points.map { $0.y })
        if hasPressure { writer.plane(points.map { $0.pressure }) }
        if hasAzimuth { writer.plane(points.map { $0.azimuth }) }
        return writer.bytes
    }

    /// Decodes a block's content; every count and value is checked.
    ///
    /// - Throws: `truncated`, `badValue`, `overLimit`, `trailingBytes`.
    public init(decoding content: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(content)
        let format = try reader.uint8("stroke block format")
        guard format == StrokeBlock.format else {
            throw .badValue(what: "stroke block format", offset: 0, found: "\(format)", expected: "1")
        }
        let brushes: [Brush] = try reader.array("brushes", elementBytes: Brush.wireBytes)
        let strokeCount = try reader.count("strokes", elementBytes: 3)
        strokes = []
        strokes.reserveCapacity(strokeCount)
        // Counted before points are allocated: 16 bytes of x and y follow for each.
        var pointCounts: [Int] = []
        pointCounts.reserveCapacity(strokeCount)
        var total = 0
        for _ in 0..<strokeCount {
            let brush = try reader.integer("brush index", in: 0...max(0, brushes.count - 1))
            guard brush < brushes.count else {
                throw .badValue(what: "brush index", offset: reader.offset, found: "\(brush)", expected: "a brush")
            }
            let isErasing = try reader.bool("stroke mode")
            let points = try reader.count("points", elementBytes: 16)
            total += points
            pointCounts.append(points)
            strokes.append(Stroke(brush: brushes[brush], mode: isErasing ? .erase : .paint, points: []))
        }
        let planes = try reader.uint8("planes")
        guard planes <= 3 else {
            throw .badValue(what: "planes", offset: reader.offset - 1, found: "\(planes)", expected: "0 to 3")
        }
        let coordinates = -ProtocolLimits.coordinate...ProtocolLimits.coordinate
        let xs = try reader.plane("x", count: total, in: coordinates)
        let ys = try reader.plane("y", count: total, in: coordinates)
        let pressures =
            planes & StrokeBlock.pressurePlane == 0 ? nil : try reader.plane("pressure", count: total, in: 0...1)
        let azimuths =
            planes & StrokeBlock.azimuthPlane == 0
            ? nil
            : try reader.plane(
                "azimuth", count: total, in: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
        try reader.finish("stroke block")
        var first = 0
        for (index, count) in pointCounts.enumerated() {
            strokes[index].points = (first..<(first + count)).map { point in
                StrokePoint(
                    x: xs[point], y: ys[point], pressure: pressures?[point] ?? 1, azimuth: azimuths?[point] ?? 0)
            }
            first += count
        }
    }

    /// Compresses and names the block for transfer.
    ///
    /// - Throws: `overLimit` for a block beyond `ProtocolLimits.strokeBlockBytes`, `badCompression`.
    public func sealed(level: Zstandard.Level = .fast) throws(ProtocolError) -> Block {
        let content = encoded()
        guard content.count <= ProtocolLimits.strokeBlockBytes else {
            throw .overLimit(
                what: "stroke block", found: UInt64(content.count), limit: UInt64(ProtocolLimits.strokeBlockBytes))
        }
        return try Block(content: content, level: level)
    }
}

extension BrushType {
    /// The numbers of types on the wire: never reused, never renumbered.
    static let wireOrder: [BrushType] = [.parallelLines, .crossHatch, .dots, .contourLines, .waves, .solid]
}

/// 1 type, 8 each rotation, spacing, opacity, scale, lineWidth, 4 colour, 1 dynamics (bit 0 pressure affects opacity,
/// bit 1 pressure affects size, bit 2 tilt affects rotation, bit 3 tied to the canvas), and for a brush tied to the canvas
/// 8 size.
extension Brush: WireValue {
    static let wireBytes = 46
    private static let tiedToCanvas: UInt8 = 8

    init(from reader: inout ByteReader) throws(ProtocolError) {
        let start = reader.offset
        let typeNumber = Int(try reader.uint8("brush type"))
        guard BrushType.wireOrder.indices.contains(typeNumber) else {
            throw .badValue(what: "brush type", offset: start, found: "\(typeNumber)", expected: "0 to 5")
        }
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let positive = Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude
        let rotation = try reader.double("rotation", in: finite)
        let spacing = try reader.double("spacing", in: positive)
        let opacity = try reader.double("opacity", in: 0...1)
        let scale = try reader.double("scale", in: positive)
        let lineWidth = try reader.double("line width", in: positive)
        let color = try RGBA8(from: &reader)
        let dynamics = try reader.uint8("dynamics")
        guard dynamics <= 15 else {
            throw .badValue(what: "dynamics", offset: reader.offset - 1, found: "\(dynamics)", expected: "0 to 15")
        }
        let isTied = dynamics & Brush.tiedToCanvas != 0
        let size = isTied ? try reader.double("size", in: positive) : Brush.defaultSize
        self.init(
            type: BrushType.wireOrder[typeNumber], rotation: rotation, spacing: spacing, opacity: opacity,
            scale: scale, lineWidth: lineWidth, anchor: isTied ? .canvas : .stamp, size: size, color: color,
            dynamics: BrushDynamics(
                pressureAffectsOpacity: dynamics & 1 != 0, pressureAffectsSize: dynamics & 2 != 0,
                tiltAffectsRotation: dynamics & 4 != 0))
    }

    func write(to writer: inout ByteWriter) {
        // Every case is in the table; a test checks it.
        writer.uint8(UInt8(BrushType.wireOrder.firstIndex(of: type)!))
        writer.double(rotation)
        writer.double(spacing)
        writer.double(opacity)
        writer.double(scale)
        writer.double(lineWidth)
        color.write(to: &writer)
        writer.uint8(
            (dynamics.pressureAffectsOpacity ? 1 : 0) | (dynamics.pressureAffectsSize ? 2 : 0)
                | (dynamics.tiltAffectsRotation ? 4 : 0) | (anchor == .canvas ? Brush.tiedToCanvas : 0))
        if anchor == .canvas { writer.double(size) }
    }
}
