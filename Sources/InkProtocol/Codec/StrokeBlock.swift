public import InkEngine

/// Strokes on the wire. They are exact, except for values that do not affect rendering (timestamp and altitude become
/// their defaults).
///
/// Layout (numbers little-endian, v = unsigned LEB128):
///
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

    private struct Planes: OptionSet {
        var rawValue: UInt8

        static let pressure = Planes(rawValue: 1)
        static let azimuth = Planes(rawValue: 2)
    }

    /// The content of the block, not compressed. Equal blocks give equal bytes.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter()
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
        var planes: Planes = []
        if points.contains(where: { $0.pressure != 1 }) { planes.insert(.pressure) }
        if points.contains(where: { $0.azimuth.bitPattern != 0 }) { planes.insert(.azimuth) }
        writer.uint8(planes.rawValue)
        writer.plane(points.map { $0.x })
        writer.plane(points.map { $0.y })
        if planes.contains(.pressure) { writer.plane(points.map { $0.pressure }) }
        if planes.contains(.azimuth) { writer.plane(points.map { $0.azimuth }) }
        return writer.bytes
    }

    /// Decodes a block's content; every count and value is checked.
    ///
    /// - Throws: `truncated`, `badValue`, `overLimit`, `trailingBytes`.
    public init(decoding content: [UInt8]) throws(ProtocolError) {
        var reader = ByteReader(content)
        let brushes: [Brush] = try reader.array("brushes", elementBytes: Brush.leastBytes)
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
        let planes: Planes = try reader.flags("planes", of: [.pressure, .azimuth])
        let coordinates = -ProtocolLimits.coordinate...ProtocolLimits.coordinate
        let xs = try reader.plane("x", count: total, in: coordinates)
        let ys = try reader.plane("y", count: total, in: coordinates)
        let pressures =
            planes.contains(.pressure) ? try reader.plane("pressure", count: total, in: 0...1) : nil
        let azimuths =
            planes.contains(.azimuth)
            ? try reader.plane(
                "azimuth", count: total, in: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude) : nil
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

/// 1 type, 8 each rotation, spacing, opacity, scale, lineWidth, 4 colour, 1 each whether pressure affects opacity,
/// pressure affects size, tilt affects rotation, the pattern is tied to the canvas, and if it is, 8 size.
extension Brush: WireValue {
    static let leastBytes = 49

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        let positive = Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude
        let type = try reader.entry("brush type", of: BrushType.wireOrder)
        let rotation = try reader.double("rotation", in: finite)
        let spacing = try reader.double("spacing", in: positive)
        let opacity = try reader.double("opacity", in: 0...1)
        let scale = try reader.double("scale", in: positive)
        let lineWidth = try reader.double("line width", in: positive)
        let color = try RGBA8(from: &reader)
        let dynamics = BrushDynamics(
            pressureAffectsOpacity: try reader.bool("pressure affects opacity"),
            pressureAffectsSize: try reader.bool("pressure affects size"),
            tiltAffectsRotation: try reader.bool("tilt affects rotation"))
        let size = try reader.optionalDouble("size", in: positive)
        self.init(
            type: type, rotation: rotation, spacing: spacing, opacity: opacity, scale: scale, lineWidth: lineWidth,
            anchor: size == nil ? .stamp : .canvas, size: size ?? Brush.defaultSize, color: color, dynamics: dynamics)
    }

    package func write(to writer: inout ByteWriter) {
        writer.entry(type, of: BrushType.wireOrder)
        for value in [rotation, spacing, opacity, scale, lineWidth] { writer.double(value) }
        color.write(to: &writer)
        writer.bool(dynamics.pressureAffectsOpacity)
        writer.bool(dynamics.pressureAffectsSize)
        writer.bool(dynamics.tiltAffectsRotation)
        writer.optionalDouble(anchor == .canvas ? size : nil)
    }
}
