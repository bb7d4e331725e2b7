import InkCodecs
import InkEngine

/// Ink Markup Language (W3C): traces as strokes on an infinite canvas, with the pressure, times and tilts that they have, in
/// the widths and colours of their brushes. Lengths in units become pixels, 96 an inch.
struct InkMLDocument: FileDocumentReader {
    let what = "an InkML document"
    let label = "inkml"
    let endings = [".inkml"]

    func recognizes(_ head: DocumentHead) -> Bool {
        TextFormat(of: head.bytes) == .inkML
            || head.name.lowercased().hasSuffix(".inkml") && !InputKind.isArchive(head.bytes)
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        let root = try XMLNode.read(bytes, "the InkML document", place: place)
        guard root.name == "ink" else { throw .badInput(place, reason: "is not an InkML document") }
        var reader = InkMLReader(root, place: place)
        let strokes = try reader.strokes()
        return try StrokeDocuments.project(
            strokes, "the InkML document", place, context, warnings: reader.warnings)
    }
}

private struct InkMLReader {
    private struct Channel {
        var name: String
        var units: String
        var lowest: Double?
        var highest: Double?
        /// Values in a unit.
        var resolution: Double?
    }

    private struct Pen {
        var width: Double?
        var color = RGBA8.black
        var usesPressure = true
    }

    private let root: XMLNode
    private let place: Place
    private(set) var warnings = Warnings()
    private var formats: [String: [Channel]] = [:]
    private var pens: [String: Pen] = [:]
    private var found: [FoundStroke] = []
    /// What traces without a reference have.
    private var current: (format: [Channel]?, pen: Pen?) = (nil, nil)
    /// Whether all values but a trace's first are differences, though nothing marks them: Livescribe's pens write so.
    private var hasBareDifferences = false

    init(_ root: XMLNode, place: Place) {
        self.root = root
        self.place = place
    }

    mutating func strokes() throws(EngineError) -> [FoundStroke] {
        try visit(root, format: nil, pen: nil, depth: 0)
        return found
    }

    private mutating func visit(_ node: XMLNode, format: [Channel]?, pen: Pen?, depth: Int) throws(EngineError) {
        for child in node.children {
            switch child.name {
            case "definitions", "context":
                define(child)
                if child.name == "context" {
                    let id = child.attributes["id"].map { "#\($0)" }
                    if let own = id.flatMap({ formats[$0] }) { current.format = own }
                    if let own = child.attributes["brushRef"].flatMap({ pens[$0] }) { current.pen = own }
                }
                if child.name == "definitions" { try visit(child, format: format, pen: pen, depth: depth + 1) }
            case "brush", "traceFormat", "inkSource": define(child)
            case "traceGroup":
                try visit(
                    child, format: child.attributes["contextRef"].flatMap { formats[$0] } ?? format,
                    pen: child.attributes["brushRef"].flatMap { pens[$0] } ?? pen, depth: depth + 1)
            case "trace":
                let format = child.attributes["contextRef"].flatMap { formats[$0] } ?? format ?? current.format
                let pen = child.attributes["brushRef"].flatMap { pens[$0] } ?? pen ?? current.pen ?? Pen()
                // What a pen does in the air is not drawn.
                if child.attributes["type"] != "penUp" { try add(child, format ?? Self.plain, pen) }
                warnings.addUnused(of: child, Self.trace, at: nil)
            case _ where Self.silent.contains(child.name): break
            default:
                warnings.addLeftOut("<\(shownText(child.name, limit: 40))>")
            }
        }
    }

    // Elements that draw nothing: who wrote what, when, and how a program read it.
    private static let silent: Set<String> = [
        "annotation", "annotationXML", "timestamp", "traceView", "text", "emma", "interpretation", "activeArea",
        "sampleRate", "audioSession", "backgroundImage", "metadata", "latency",
    ]
    private static let trace = UnreadProperties(
        of: "a trace",
        harmless: [
            "id", "timestampRef", "timeOffset", "duration", "continuation", "priorRef", "contextRef", "brushRef",
            "type",
            "<annotation>", "<annotationXML>",
        ])
    private static let brush = UnreadProperties(
        of: "a brush",
        harmless: [
            "height", "tip=ellipse", "antiAliased", "fitToCurve", "rasterOp=copyPen", "inkEffects=none",
            "pattern=solid",
        ],
        words: [
            "rasterOp": "how the ink of a highlighter mixes with what is below",
            "tip": "the shape of a brush's tip, which is round here",
        ])

    /// What a brush says of itself that nobody reads.
    private struct BrushProperties: PropertyHolder {
        var unusedProperties: [(name: String, value: String)] = []
    }

    /// Without a format, traces are pairs of numbers.
    private static let plain = [Channel(name: "X", units: ""), Channel(name: "Y", units: "")]

    private mutating func define(_ node: XMLNode) {
        let id = node.attributes["id"].map { "#\($0)" }
        if node.name == "inkSource", node.attributes["manufacturer"] == "Livescribe" { hasBareDifferences = true }
        switch node.name {
        case "brush":
            let pen = pen(node)
            if let id { pens[id] = pen }
            if id == nil { current.pen = pen }
        case "traceFormat", "inkSource", "context":
            var channels: [Channel]?
            if node.name == "traceFormat" { channels = Self.channels(node, nil) }
            if let source = node.name == "inkSource" ? node : node.child("inkSource") {
                channels = source.child("traceFormat").map { Self.channels($0, source.child("channelProperties")) }
                if let sourceID = source.attributes["id"], let channels { formats["#\(sourceID)"] = channels }
            }
            if let format = node.child("traceFormat") { channels = Self.channels(format, nil) }
            if let reference = node.attributes["inkSourceRef"] ?? node.attributes["traceFormatRef"]
                ?? node.attributes["contextRef"]
            {
                channels = channels ?? formats[reference]
            }
            if let channels {
                if let id { formats[id] = channels }
                if id == nil || current.format == nil { current.format = channels }
            }
            if node.name == "context", let brush = node.child("brush") { current.pen = pen(brush) }
        default:
            for child in node.children where child.name != "traceGroup" && child.name != "trace" { define(child) }
        }
    }

    private static func channels(_ format: XMLNode, _ properties: XMLNode?) -> [Channel] {
        let nodes = format.children("channel") + (format.child("intermittentChannels")?.children("channel") ?? [])
        return nodes.map { node in
            let name = node.attributes["name"] ?? ""
            let property = properties?.children.first {
                $0.attributes["channel"] == name && $0.attributes["name"] == "resolution"
            }
            return Channel(
                name: name, units: node.attributes["units"] ?? "", lowest: node.number("min"),
                highest: node.number("max"), resolution: property?.number("value").flatMap { $0 > 0 ? $0 : nil })
        }
    }

    private mutating func pen(_ node: XMLNode) -> Pen {
        var (pen, unread) = (Pen(), BrushProperties())
        for property in node.children("brushProperty") {
            let value = property.attributes["value"] ?? ""
            switch property.attributes["name"] {
            case "width":
                pen.width = property.number("value").map { $0 * Self.pixels(property.attributes["units"] ?? "") }
            case "color": pen.color = CSSColor.parse(value) ?? pen.color
            case "ignorePressure": pen.usesPressure = value != "1" && value != "true"
            case "transparency":
                if let amount = property.number("value") {
                    pen.color.alpha = UInt8(clamping: 255 - Int(max(0, min(amount, 255))))
                }
            case let name?: unread.unusedProperties.append((name, value))
            default: break
            }
        }
        warnings.addUnused(of: unread, Self.brush, at: nil)
        return pen
    }

    /// Pixels in a unit of length; 1 for what is none.
    private static func pixels(_ unit: String) -> Double {
        switch unit {
        case "in": 96
        case "cm": 96 / 2.54
        case "mm": 96 / 25.4
        case "m": 9600 / 2.54
        case "pt": 96.0 / 72
        case "pc": 16
        case "himetric": 0.96 / 25.4
        default: 1
        }
    }

    // MARK: - Traces

    private mutating func add(_ node: XMLNode, _ format: [Channel], _ pen: Pen) throws(EngineError) {
        let rows = try Self.values(node.text, channelCount: format.count, hasBareDifferences, place)
        func column(_ name: String) -> Int? { format.firstIndex { $0.name == name } }
        guard let x = column("X"), let y = column("Y") else {
            throw .badInput(place, reason: "the InkML document has traces without X and Y")
        }
        func scale(_ channel: Channel) -> Double { Self.pixels(channel.units) / (channel.resolution ?? 1) }
        let (scaleX, scaleY) = (scale(format[x]), scale(format[y]))
        let force = column("F")
        let time = column("T")
        let second = time.map { format[$0].units == "s" ? 1000.0 : 1 } ?? 1
        var points: [StrokePoint] = []
        for row in rows where row.count > max(x, y) {
            var point = StrokePoint(x: row[x] * scaleX, y: row[y] * scaleY)
            if let force, row.count > force, pen.usesPressure {
                let (low, high) = (format[force].lowest ?? 0, format[force].highest ?? 1)
                point.pressure = high > low ? min(max((row[force] - low) / (high - low), 0), 1) : 1
            }
            if let time, row.count > time { point.timestamp = row[time] * second }
            if let elevation = column("OE"), row.count > elevation { point.altitude = min(max(row[elevation], 0), 90) }
            if let azimuth = column("OA"), row.count > azimuth { point.azimuth = row[azimuth] }
            points.append(point)
        }
        guard !points.isEmpty else {
            warnings.addLeftOut("a trace without points")
            return
        }
        found.append(
            FoundStroke(
                points: points, width: pen.width, color: pen.color, usesPressure: pen.usesPressure && force != nil))
    }

    /// The values of a trace, a row a point: plain ones, differences to the point before ('), and differences of
    /// differences ("), as long as nothing else is said for the channel.
    private static func values(
        _ text: String, channelCount: Int, _ hasBareDifferences: Bool, _ place: Place
    ) throws(EngineError) -> [[Double]] {
        var rows: [[Double]] = []
        var kinds = [UInt8](repeating: UInt8(ascii: "!"), count: channelCount)
        var last = [Double](repeating: 0, count: channelCount)
        var speed = [Double](repeating: 0, count: channelCount)
        /// What a number of a channel comes to.
        func sum(_ value: Double, _ channel: Int) -> Double {
            switch kinds[channel] {
            case UInt8(ascii: "'"): speed[channel] = value
            case UInt8(ascii: "\""): speed[channel] += value
            default: speed[channel] = value - last[channel]
            }
            return last[channel] + speed[channel]
        }
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            var (row, channel): ([Double], Int) = ([], 0)
            var index = part.startIndex
            while index < part.endIndex, channel < channelCount {
                let byte = part[index]
                if byte <= 0x20 {
                    index = part.index(after: index)
                    continue
                }
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "!"):
                    kinds[channel] = byte
                    index = part.index(after: index)
                    continue
                case UInt8(ascii: "*"), UInt8(ascii: "?"):
                    // As before, or unknown.
                    row.append(last[channel])
                    index = part.index(after: index)
                case UInt8(ascii: "T"), UInt8(ascii: "F"):
                    row.append(byte == UInt8(ascii: "T") ? 1 : 0)
                    index = part.index(after: index)
                default:
                    if let found = hexadecimal(part[index...]) {
                        row.append(sum(found.value, channel))
                        index = found.end
                        break
                    }
                    var end = part.index(after: index)
                    while end < part.endIndex, isOfNumber(part[end], after: part[part.index(before: end)]) {
                        end = part.index(after: end)
                    }
                    guard let value = Double(String(decoding: part[index..<end], as: UTF8.self)), value.isFinite else {
                        let shown = String(decoding: part[index..<end], as: UTF8.self)
                        throw .badInput(
                            place,
                            reason: "the InkML document has a trace with \"\(shownText(shown, limit: 20))\", no number")
                    }
                    row.append(sum(value, channel))
                    index = end
                }
                last[channel] = row[channel]
                channel += 1
            }
            if !row.isEmpty { rows.append(row) }
            if hasBareDifferences, rows.count == 1 { kinds = kinds.map { _ in UInt8(ascii: "'") } }
        }
        return rows
    }

    /// A number such as `#1F` or `-#1F`, and where it ends; nil for what is none.
    private static func hexadecimal(
        _ text: Substring.UTF8View
    ) -> (value: Double, end: Substring.UTF8View.Index)? {
        let isNegative = text.first == UInt8(ascii: "-")
        let rest = isNegative ? text.dropFirst() : text
        guard rest.first == UInt8(ascii: "#") else { return nil }
        let digits = rest.dropFirst().prefix { byte in
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
        }
        guard !digits.isEmpty, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
            return nil
        }
        return (isNegative ? -Double(value) : Double(value), digits.endIndex)
    }

    private static func isOfNumber(_ byte: UInt8, after before: UInt8) -> Bool {
        let isExponent = before | 0x20 == UInt8(ascii: "e")
        return (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
            || isExponent && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
    }
}
