import InkCodecs
import InkEngine

/// A stroke in a file that says no more of it.
struct FoundStroke {
    var points: [StrokePoint]
    /// Pixels; nil: as thin as suits the drawing.
    var width: Double?
    var color = RGBA8.black
    var usesPressure = false
}

/// What readers of files with strokes alone share.
enum StrokeDocuments {
    /// A project with the strokes, on an infinite canvas.
    ///
    /// - Throws: `badInput` without strokes; limits.
    static func project(
        _ strokes: [FoundStroke], _ what: String, _ place: Place, _ context: DocumentContext,
        warnings: Warnings = Warnings()
    ) throws(EngineError) -> FoundProject {
        var page = NotePage(origin: Point(x: 0, y: 0), DocumentTree(what, place: place, limits: context.limits))
        var box = Rect.empty
        for stroke in strokes { for point in stroke.points { box.formUnion(Point(x: point.x, y: point.y)) } }
        guard !box.isEmpty else { throw .badInput(place, reason: "\(what) holds no strokes") }
        let thin = max(max(box.maxX - box.minX, box.maxY - box.minY) / 250, 1e-3)
        for stroke in strokes {
            var brush = Brush(
                type: .solid, opacity: Double(stroke.color.alpha) / 255,
                lineWidth: min(max(stroke.width ?? thin, 1e-3), Limits.worldCoordinate))
            brush.color = RGBA8(red: stroke.color.red, green: stroke.color.green, blue: stroke.color.blue)
            brush.dynamics = BrushDynamics(pressureAffectsOpacity: false, pressureAffectsSize: stroke.usesPressure)
            try page.addStroke(stroke.points, brush)
        }
        page.close()
        let project = Project(canvasSize: nil, background: .white, layers: page.layers)
        return (project, warnings.all + page.tree.warnings.all)
    }

    /// The lines of a text with their numbers from 1, without those that are blank.
    static func lines(_ bytes: [UInt8]) -> [(number: Int, text: String)] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            guard let first = line.firstIndex(where: { !isBlank($0) }),
                let last = line.lastIndex(where: { !isBlank($0) })
            else { return nil }
            return (index + 1, String(decoding: line[first...last], as: UTF8.self))
        }
    }

    /// Bytes, since whole characters take ten times as long to find.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The numbers of a line; nil where something is none.
    static func numbers(_ line: String) -> [Double]? {
        var numbers: [Double] = []
        for word in line.utf8.split(whereSeparator: isBlank) {
            guard let number = Double(Substring(word)), number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

extension Warnings {
    /// Warns of something that is not drawn, once however often it is there.
    mutating func addLeftOut(_ what: String) { add(.leftOut, ofEach: what, at: nil, "left out: \(what)") }
}

/// UNIPEN 1.0: the pen's components between `.PEN_DOWN` and `.PEN_UP`.
struct UnipenDocument: FileDocumentReader {
    let what = "a UNIPEN file"
    let label = "unipen"
    let endings = [".unipen", ".unp"]

    func recognizes(_ head: DocumentHead) -> Bool {
        let text = head.bytes.prefix(8192)
        return text.holds(".COORD") && text.holds(".PEN_DOWN")
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        var (names, strokes, isDown): ([String], [FoundStroke], Bool) = (["X", "Y"], [], false)
        var warnings = Warnings()
        var strongest = 0.0
        for (number, line) in StrokeDocuments.lines(bytes) {
            if line.hasPrefix(".") {
                let words = line.split(whereSeparator: \.isWhitespace)
                switch words[0].uppercased() {
                case ".COORD":
                    names = words.dropFirst().map { $0.uppercased() }
                    for name in names where !["X", "Y", "T", "P"].contains(name) {
                        warnings.addLeftOut("the component \(shownText(name, limit: 20)) of points")
                    }
                case ".PEN_DOWN":
                    strokes.append(FoundStroke(points: []))
                    isDown = true
                case ".INCLUDE":
                    isDown = false
                    warnings.addLeftOut("what another file has (.INCLUDE)")
                default: isDown = false
                }
                continue
            }
            guard isDown else { continue }
            guard let values = StrokeDocuments.numbers(line), let x = names.firstIndex(of: "X"),
                let y = names.firstIndex(of: "Y"), values.count > max(x, y)
            else {
                throw .badInput(
                    place.inside("line \(number)"), reason: "must have the numbers \(names.joined(separator: ", "))")
            }
            var point = StrokePoint(x: values[x], y: values[y])
            if let t = names.firstIndex(of: "T"), values.count > t { point.timestamp = values[t] }
            if let p = names.firstIndex(of: "P"), values.count > p {
                point.pressure = max(values[p], 0)
                strongest = max(strongest, values[p])
            }
            strokes[strokes.count - 1].points.append(point)
        }
        strokes.removeAll { $0.points.isEmpty }
        // Counts of a device, whose greatest the file does not say.
        if strongest > 0 {
            for index in strokes.indices {
                strokes[index].usesPressure = true
                for at in strokes[index].points.indices { strokes[index].points[at].pressure /= strongest }
            }
        }
        return try StrokeDocuments.project(strokes, "the UNIPEN file", place, context, warnings: warnings)
    }
}

/// Recordings of tablets (`.svc`): the number of samples, then `x y t down azimuth altitude pressure` a line.
///
/// A search through folders does not take them, nor other raw data.
struct TabletDocument: FileDocumentReader {
    let what = "a tablet's recording"
    let label = "svc"

    func recognizes(_ head: DocumentHead) -> Bool { head.name.lowercased().hasSuffix(".svc") }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        var (strokes, isDown): ([FoundStroke], Bool) = ([], false)
        var warnings = Warnings()
        var rows: [[Double]] = []
        var claimed: Int?
        for (number, line) in StrokeDocuments.lines(bytes) {
            guard let values = StrokeDocuments.numbers(line), values.count == 7 || values.count == 1 && number == 1
            else {
                throw .badInput(
                    place.inside("line \(number)"),
                    reason: "must have seven numbers: x, y, t, down, azimuth, altitude, pressure")
            }
            if values.count == 1 { claimed = Int(exactly: values[0]) } else { rows.append(values) }
        }
        if let claimed, claimed != rows.count {
            warnings.addLeftOut("nothing: \(rows.count) samples follow a head that says \(claimed)")
        }
        // Counts of a device end at a power of two; angles are tenths of degrees then.
        let strongest = rows.reduce(0) { max($0, $1[6]) }
        var full = 1.0
        while full < strongest { full = full * 2 + 1 }
        let tenths = rows.contains { $0[5] > 90 } ? 10.0 : 1
        let start = rows.first?[2] ?? 0
        for row in rows {
            if row[3] > 0 {
                if !isDown { strokes.append(FoundStroke(points: [], usesPressure: true)) }
                // Seconds and milliseconds cannot be told apart by themselves; a recording in seconds has fractions.
                strokes[strokes.count - 1].points.append(
                    StrokePoint(
                        x: row[0], y: row[1], pressure: min(max(row[6] / full, 0), 1), timestamp: row[2] - start,
                        altitude: min(max(row[5] / tenths, 0), 90), azimuth: row[4] / tenths))
            }
            isDown = row[3] > 0
        }
        return try StrokeDocuments.project(strokes, "the recording", place, context, warnings: warnings)
    }
}

/// Events of libmypaint (`.dat`): `t x y pressure` a line, seconds and pixels; pressure 0 is the pen in the air.
struct MyPaintEventsDocument: FileDocumentReader {
    let what = "events of a pen"
    let label = "mypaint"

    /// `.dat` may be anything: a search through folders does not take it.
    func recognizes(_ head: DocumentHead) -> Bool {
        guard head.name.lowercased().hasSuffix(".dat") else { return false }
        let lines = StrokeDocuments.lines(Array(head.bytes.prefix(2048))).dropLast().prefix(8)
        return !lines.isEmpty && lines.allSatisfy { StrokeDocuments.numbers($0.text)?.count == 4 }
    }

    func project(
        _ bytes: consuming [UInt8], _ place: Place, _ context: DocumentContext
    ) throws(EngineError) -> FoundProject {
        var (strokes, isDown): ([FoundStroke], Bool) = ([], false)
        for (number, line) in StrokeDocuments.lines(bytes) {
            guard let values = StrokeDocuments.numbers(line), values.count == 4 else {
                throw .badInput(place.inside("line \(number)"), reason: "must have four numbers: t, x, y, pressure")
            }
            if values[3] > 0 {
                if !isDown { strokes.append(FoundStroke(points: [], usesPressure: true)) }
                strokes[strokes.count - 1].points.append(
                    StrokePoint(x: values[1], y: values[2], pressure: min(values[3], 1), timestamp: 1000 * values[0]))
            }
            isDown = values[3] > 0
        }
        return try StrokeDocuments.project(strokes, "the events", place, context)
    }
}
