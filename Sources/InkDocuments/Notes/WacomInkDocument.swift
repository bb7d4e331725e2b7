import InkEngine

/// Ink of Wacom's Universal Ink Model 3.0 as JSON: strokes on an infinite canvas, in their colours and widths, with the
/// pressures, times and tilts of the pen that drew them.
///
/// A stroke is a curve (Catmull and Rom) whose first and last points only say where it comes from and goes to, so they are
/// no points of the stroke. The curve has been smoothed: its points are not those of the pen, whose record is spread over
/// them. Where the pen has no pressure, the widths take its place.
struct WacomInkDocument: FileDocumentReader {
    let what = "an ink document"
    let label = "wacom"

    /// Other files are JSON too, so a search through folders takes none by its ending.
    func recognizes(_ head: DocumentHead) -> Bool { TextFormat(of: head.bytes) == .wacomInk }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let document = try JSONDocument(bytes, file: place.file, limits: context.limits)
        defer { withExtendedLifetime(document) {} }
        var reader = WacomInkReader(try JSONObject(document.root, path: .root, file: place.file))
        let strokes = try reader.strokes()
        return try StrokeDocuments.project(strokes, "the ink document", place, context, warnings: reader.warnings)
    }
}

/// What Wacom's library writes of an ink document's pens (`.csv`): a line with the columns' names, then a point a line, with
/// the number of its stroke as `idx`. Times are milliseconds, angles radians.
struct WacomSamplesDocument: FileDocumentReader {
    let what = "samples of a pen"
    let label = "wacom samples"

    func recognizes(_ head: DocumentHead) -> Bool { head.bytes.starts(with: "idx,SPLINE_X,SPLINE_Y".utf8) }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let lines = StrokeDocuments.lines(bytes)
        let names = lines.first?.text.split(separator: ",").map { $0.trimmingBlanks } ?? []
        func column(_ name: String) -> Int? { names.firstIndex(of: name) }
        let (time, pressure) = (column("SENSOR_TIMESTAMP"), column("SENSOR_PRESSURE"))
        let (altitude, azimuth) = (column("SENSOR_ALTITUDE"), column("SENSOR_AZIMUTH"))
        var (strokes, stroke, begin): ([FoundStroke], Double?, Double?) = ([], nil, nil)
        for (number, line) in lines.dropFirst() {
            let spaced = line.split(separator: ",", omittingEmptySubsequences: false).joined(separator: " ")
            guard let values = StrokeDocuments.numbers(spaced), values.count == names.count else {
                throw .badInput(place.inside("line \(number)"), reason: "must have \(names.count) numbers")
            }
            if values[0] != stroke { strokes.append(FoundStroke(points: [], usesPressure: pressure != nil)) }
            stroke = values[0]
            var point = StrokePoint(x: values[1], y: values[2])
            if let time {
                begin = begin ?? values[time]
                point.timestamp = values[time] - (begin ?? 0)
            }
            if let pressure { point.pressure = min(max(values[pressure], 0), 1) }
            if let altitude { point.altitude = min(max(values[altitude] * 180 / .pi, 0), 90) }
            if let azimuth { point.azimuth = (values[azimuth] * 180 / .pi).truncatingRemainder(dividingBy: 360) }
            strokes[strokes.count - 1].points.append(point)
        }
        return try StrokeDocuments.project(strokes, "the file of samples", place, context)
    }
}

private struct WacomInkReader {
    /// What a pen recorded at a moment.
    private struct Sample {
        var pressure: Double?
        /// Milliseconds since the first record of the document began.
        var time: Double?
        /// Degrees.
        var altitude: Double?
        var azimuth: Double?
    }

    /// A kind of number that a pen records.
    private struct Channel {
        /// The last part of its type's address: `Pressure`.
        var name: String
        /// What a recorded number is divided by.
        var divisor: Double
        /// From 0 to 1.
        var range: ClosedRange<Double>
    }

    private static let read: [StaticString] = ["splineX", "splineY", "size", "sensorDataID", "style"]
    private static let tip = "how the tip of a brush turns and stretches"
    private static let unread = UnreadProperties(
        of: "a stroke",
        harmless: [
            "id", "startParameter", "endParameter", "sensorDataOffset", "sensorDataMapping", "propertiesIndex",
            "precision", "layoutMask", "randomSeed",
        ],
        words: [
            "rotation": tip, "scaleX": tip, "scaleY": tip, "scaleZ": tip, "offsetX": tip, "offsetY": tip,
            "offsetZ": tip,
            "red": "how the colour of a stroke changes along it",
            "green": "how the colour of a stroke changes along it",
            "blue": "how the colour of a stroke changes along it",
            "alpha": "how the opacity of a stroke changes along it",
        ])
    private static let readOfStyle: [StaticString] = ["size", "red", "green", "blue", "alpha"]
    private static let unreadOfStyle = UnreadProperties(
        of: "the style of a stroke", harmless: [],
        words: [
            "rotation": tip, "scaleX": tip, "scaleY": tip, "scaleZ": tip, "offsetX": tip, "offsetY": tip,
            "offsetZ": tip,
        ])

    private let root: JSONObject
    private var channels: [String: Channel] = [:]
    private(set) var warnings = Warnings()

    init(_ root: JSONObject) { self.root = root }

    mutating func strokes() throws(EngineError) -> [FoundStroke] {
        guard let ink = try root.object("inkData"), let list = try ink.array("strokes") else {
            throw root.error("inkData", "has no strokes")
        }
        let input = root.value.field("inputData")
        for sensor in input?.field("inputContextData")?.field("sensorContexts")?.elements.map({ $0 }) ?? [] {
            for group in sensor.field("sensorChannelsContext")?.elements.map({ $0 }) ?? [] { addChannels(of: group) }
        }
        var records: [String: JSONNode] = [:]
        var begin: Double?
        for record in input?.field("sensorData")?.elements.map({ $0 }) ?? [] {
            if let id = record.field("id")?.string { records[id] = record }
            begin = min(begin ?? .infinity, Self.moment(record))
        }
        var found: [FoundStroke] = []
        let map = map()
        for (index, value) in list.elements.enumerated() {
            let node = try JSONObject(value, path: .element(ink.path("strokes"), index), file: root.file)
            let record = value.field("sensorDataID")?.string.flatMap { records[$0] }
            if let stroke = try stroke(node, samples: record.map { samples($0, since: begin ?? 0) } ?? [], map) {
                found.append(stroke)
            }
        }
        return found
    }

    /// When a record began: milliseconds since 1970.
    private static func moment(_ record: JSONNode) -> Double {
        let time = record.field("timestamp")
        return time?.number ?? time?.string.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil } ?? 0
    }

    // MARK: - Records

    private mutating func addChannels(of group: JSONNode) {
        for node in group.field("channels")?.elements.map({ $0 }) ?? [] {
            guard let id = node.field("id")?.string, let type = node.field("type")?.string else { continue }
            let places = min(max(node.field("precision")?.number ?? 0, 0), 15)
            let resolution = node.field("resolution")?.number ?? 1
            let (low, high) = (node.field("min")?.number ?? 0, node.field("max")?.number ?? 1)
            channels[id] = Channel(
                name: String(type.split(separator: "/").last ?? ""),
                divisor: (0..<Int(places)).reduce(resolution > 0 ? resolution : 1) { divisor, _ in divisor * 10 },
                range: high > low ? low...high : 0...1)
        }
    }

    private func samples(_ record: JSONNode, since begin: Double) -> [Sample] {
        var samples: [Sample] = []
        for data in record.field("dataChannels")?.elements.map({ $0 }) ?? [] {
            guard let channel = data.field("sensorChannelID")?.string.flatMap({ channels[$0] }),
                let values = data.field("values")
            else { continue }
            var sum = 0.0
            for (index, step) in values.elements.enumerated() {
                sum += step.number ?? 0
                let value = sum / channel.divisor
                guard value.isFinite else { break }
                if index == samples.count { samples.append(Sample()) }
                switch channel.name {
                case "Pressure":
                    let range = channel.range
                    samples[index].pressure =
                        min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
                // Seconds.
                case "Timestamp": samples[index].time = Self.moment(record) - begin + 1000 * value
                // Radians.
                case "Altitude": samples[index].altitude = min(max(value * 180 / .pi, 0), 90)
                case "Azimuth": samples[index].azimuth = (value * 180 / .pi).truncatingRemainder(dividingBy: 360)
                default: break
                }
            }
        }
        return samples
    }

    // MARK: - Strokes

    /// From the ink's coordinates to pixels.
    private func map() -> AffineMap {
        guard let matrix = root.value.field("transform"), matrix.kind == .object else { return .identity }
        func at(_ key: StaticString) -> Double { matrix.field(key)?.number ?? 0 }
        return AffineMap(
            a: at("m00"), b: at("m10"), c: at("m01"), d: at("m11"), x: at("m03"), y: at("m13"))
    }

    private mutating func stroke(
        _ node: JSONObject, samples: [Sample], _ map: AffineMap
    ) throws(EngineError) -> FoundStroke? {
        func list(_ key: StaticString) throws(EngineError) -> [Double] {
            try node.array(key)?.elements.compactMap(\.number) ?? []
        }
        let (x, y) = (try list("splineX"), try list("splineY"))
        guard x.count == y.count else { throw node.error("splineY", "has not as many numbers as splineX") }
        guard x.count >= 4 else {
            warnings.addLeftOut("a stroke of fewer than four points")
            return nil
        }
        let style = node.value.field("style")?.field("properties")
        let sizes = try list("size")
        func size(_ index: Int) -> Double? {
            sizes.count == x.count ? sizes[index] : style?.field("size")?.field("value")?.number
        }
        let drawn = 1..<(x.count - 1)
        let widest = drawn.compactMap(size).max().flatMap { $0 > 0 ? $0 : nil }
        warnings.addUnused(of: ReadObject(node.value, reading: Self.read), Self.unread, at: nil)
        if let style {
            warnings.addUnused(of: ReadObject(style, reading: Self.readOfStyle), Self.unreadOfStyle, at: nil)
        }
        var points: [StrokePoint] = []
        for index in drawn {
            let place = map.point(Point(x: x[index], y: y[index]))
            var point = StrokePoint(x: place.x, y: place.y)
            let sample = Self.sample(samples, at: Double(index - 1) / Double(drawn.count - 1))
            if let widest, let size = size(index) { point.pressure = min(max(2 * size / widest - 1, 0), 1) }
            if let pressure = sample.pressure { point.pressure = pressure }
            if let time = sample.time { point.timestamp = time }
            if let altitude = sample.altitude { point.altitude = altitude }
            if let azimuth = sample.azimuth { point.azimuth = azimuth }
            points.append(point)
        }
        return FoundStroke(
            points: points, width: widest.map { $0 * map.scale }, color: Self.color(style),
            usesPressure: Set(sizes).count > 1)
    }

    /// What the pen recorded at a share of its way, between two samples.
    private static func sample(_ samples: [Sample], at share: Double) -> Sample {
        guard !samples.isEmpty else { return Sample() }
        let place = share * Double(samples.count - 1)
        let index = min(Int(place), samples.count - 1)
        let (from, to) = (samples[index], samples[min(index + 1, samples.count - 1)])
        func between(_ a: Double?, _ b: Double?) -> Double? {
            a.map { $0 + ((b ?? $0) - $0) * (place - Double(index)) }
        }
        // Angles are not mixed: the way from one to the other may lead through 0.
        return Sample(
            pressure: between(from.pressure, to.pressure), time: between(from.time, to.time), altitude: from.altitude,
            azimuth: from.azimuth)
    }

    /// A part of the colour that is 0 has no value.
    private static func color(_ style: JSONNode?) -> RGBA8 {
        func byte(_ key: StaticString, _ absent: Double) -> UInt8 {
            let part = style?.field(key).map { $0.field("value")?.number ?? 0 } ?? absent
            return UInt8((255 * min(max(part, 0), 1)).rounded())
        }
        return RGBA8(red: byte("red", 0), green: byte("green", 0), blue: byte("blue", 0), alpha: byte("alpha", 1))
    }
}
