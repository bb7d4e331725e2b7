import InkEngine

/// Which columns follow; one is left out if all its values are the default.
private struct StrokePlanes: OptionSet {
    var rawValue: UInt8

    static let pressure = StrokePlanes(rawValue: 1)
    static let azimuth = StrokePlanes(rawValue: 2)
}

/// How the line of a stroke runs, in the bits above its mode.
private struct StrokeHead {
    static let erases: UInt8 = 1
    static let isClosed: UInt8 = 2
    static let smoothingShift: UInt8 = 2
    /// The numbers of smoothings on the wire: never reused, never renumbered.
    static let smoothings: [Smoothing] = [.uniform, .centripetal, .none]
}

extension ByteWriter {
    mutating func strokes(_ strokes: [Stroke]) {
        var indexOfBrush: [Brush: Int] = [:]
        var brushes: [Brush] = []
        for stroke in strokes where indexOfBrush[stroke.brush] == nil {
            indexOfBrush[stroke.brush] = brushes.count
            brushes.append(stroke.brush)
        }
        array(brushes)
        integer(strokes.count)
        for stroke in strokes {
            integer(indexOfBrush[stroke.brush]!)
            let smoothing = UInt8(StrokeHead.smoothings.firstIndex(of: stroke.smoothing)!)
            uint8(
                (stroke.mode == .paint ? 0 : StrokeHead.erases) | (stroke.isClosed ? StrokeHead.isClosed : 0)
                    | smoothing << StrokeHead.smoothingShift)
            integer(stroke.points.count)
        }
        let points = strokes.flatMap(\.points)
        var planes: StrokePlanes = []
        if points.contains(where: { $0.pressure != 1 }) { planes.insert(.pressure) }
        if points.contains(where: { $0.azimuth.bitPattern != 0 }) { planes.insert(.azimuth) }
        uint8(planes.rawValue)
        plane(points.map { $0.x })
        plane(points.map { $0.y })
        if planes.contains(.pressure) { plane(points.map { $0.pressure }) }
        if planes.contains(.azimuth) { plane(points.map { $0.azimuth }) }
    }
}

extension ByteReader {
    mutating func strokes() throws(ProtocolError) -> [Stroke] {
        let brushes: [Brush] = try array("brushes", elementBytes: Brush.leastBytes)
        let strokeCount = try count("strokes", elementBytes: 3)
        var strokes: [Stroke] = []
        strokes.reserveCapacity(strokeCount)
        // Counted before points are allocated: 16 bytes of x and y follow for each.
        var pointCounts: [Int] = []
        pointCounts.reserveCapacity(strokeCount)
        var total = 0
        for _ in 0..<strokeCount {
            let brush = try index("brush index", count: brushes.count)
            let head = try uint8("stroke")
            let smoothing = Int(head >> StrokeHead.smoothingShift)
            guard StrokeHead.smoothings.indices.contains(smoothing) else {
                throw .badValue(
                    what: "stroke", offset: offset - 1, found: "\(head)",
                    expected: "less than \(StrokeHead.smoothings.count << StrokeHead.smoothingShift)")
            }
            let points = try count("points", elementBytes: 16)
            total += points
            pointCounts.append(points)
            var stroke = Stroke(
                brush: brushes[brush], mode: head & StrokeHead.erases == 0 ? .paint : .erase, points: [])
            stroke.isClosed = head & StrokeHead.isClosed != 0
            stroke.smoothing = StrokeHead.smoothings[smoothing]
            strokes.append(stroke)
        }
        let planes: StrokePlanes = try flags("planes", of: [.pressure, .azimuth])
        let coordinates = -ProtocolLimits.coordinate...ProtocolLimits.coordinate
        let xs = try plane("x", count: total, in: coordinates)
        let ys = try plane("y", count: total, in: coordinates)
        let pressures = planes.contains(.pressure) ? try plane("pressure", count: total, in: 0...1) : nil
        let azimuths = planes.contains(.azimuth) ? try plane("azimuth", count: total, in: .finite) : nil
        var first = 0
        for (index, count) in pointCounts.enumerated() {
            strokes[index].points = (first..<(first + count)).map { point in
                StrokePoint(
                    x: xs[point], y: ys[point], pressure: pressures?[point] ?? 1, azimuth: azimuths?[point] ?? 0)
            }
            first += count
        }
        return strokes
    }

    /// The place of an entry of a table of so many.
    mutating func index(_ what: String, count: Int) throws(ProtocolError) -> Int {
        let start = offset
        let value = try varint(what)
        guard value < UInt64(count) else {
            throw .badValue(what: what, offset: start, found: "\(value)", expected: "less than \(count)")
        }
        return Int(value)
    }
}

extension ClosedRange<Double> {
    /// All numbers.
    static var finite: ClosedRange<Double> { -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude }
    /// All numbers above 0.
    static var positive: ClosedRange<Double> { Double.leastNonzeroMagnitude...Double.greatestFiniteMagnitude }
}

extension BrushType {
    /// The numbers of types on the wire: never reused, never renumbered.
    static let wireOrder: [BrushType] = [.parallelLines, .crossHatch, .dots, .contourLines, .waves, .solid]
}

/// The layout is in docs/protocol.md.
extension Brush: WireValue {
    static let leastBytes = 86
    private static let edges: [PatternEdge] = [.cut, .whole]
    private static let capsOrder: [LineCaps] = [.butt, .round]
    private static let linesMax = 63

    package init(from reader: inout ByteReader) throws(ProtocolError) {
        let type = try reader.entry("brush type", of: BrushType.wireOrder)
        let rotation = try reader.double("rotation", in: .finite)
        let spacing = try reader.double("spacing", in: .positive)
        let opacity = try reader.double("opacity", in: 0...1)
        let scale = try reader.double("scale", in: .positive)
        let lineWidth = try reader.double("line width", in: .positive)
        let color = try RGBA8(from: &reader)
        var dynamics = BrushDynamics(
            pressureAffectsOpacity: try reader.bool("pressure affects opacity"),
            pressureAffectsSize: try reader.bool("pressure affects size"),
            tiltAffectsRotation: try reader.bool("tilt affects rotation"))
        dynamics.minimumSize = try reader.double("minimum size", in: 0...1)
        dynamics.minimumOpacity = try reader.double("minimum opacity", in: 0...1)
        let size = try reader.optionalDouble("size", in: .positive)
        self.init(
            type: type, rotation: rotation, spacing: spacing, opacity: opacity, scale: scale, lineWidth: lineWidth,
            anchor: size == nil ? .stamp : .canvas, size: size ?? Brush.defaultSize, color: color, dynamics: dynamics)
        lines = try reader.integer("lines", in: 1...Self.linesMax)
        guard lines % 2 == 1 else {
            throw .badValue(what: "lines", offset: reader.offset - 1, found: "\(lines)", expected: "an odd number")
        }
        dotRadius = try reader.double("dot radius", in: .positive)
        waveLength = try reader.double("wave length", in: 0.5...Double.greatestFiniteMagnitude)
        edge = try reader.entry("edge", of: Self.edges)
        stampSpacing = try reader.optionalDouble("stamp spacing", in: .positive)
        followsPath = try reader.bool("follows path")
        caps = try reader.entry("caps", of: Self.capsOrder)
    }

    package func write(to writer: inout ByteWriter) {
        writer.entry(type, of: BrushType.wireOrder)
        for value in [rotation, spacing, opacity, scale, lineWidth] { writer.double(value) }
        color.write(to: &writer)
        writer.bool(dynamics.pressureAffectsOpacity)
        writer.bool(dynamics.pressureAffectsSize)
        writer.bool(dynamics.tiltAffectsRotation)
        writer.double(dynamics.minimumSize)
        writer.double(dynamics.minimumOpacity)
        writer.optionalDouble(anchor == .canvas ? size : nil)
        writer.integer(lines)
        writer.double(dotRadius)
        writer.double(waveLength)
        writer.entry(edge, of: Self.edges)
        writer.optionalDouble(stampSpacing)
        writer.bool(followsPath)
        writer.entry(caps, of: Self.capsOrder)
    }
}
