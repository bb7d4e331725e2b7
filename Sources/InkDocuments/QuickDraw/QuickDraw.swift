public import InkEngine

/// One drawing of the Quick, Draw! data set.
public struct QuickDrawing: Hashable, Sendable {
    /// The word to be drawn; empty if the line has none.
    public var word: String
    /// The data set's number of the drawing; empty if the line has none.
    public var keyID: String
    /// The line number, from 1.
    public var line: Int
    /// x and y in pixels of the drawer's window, `timestamp` in milliseconds since the drawing's first point as the
    /// file gives it (it may go backwards). None is empty.
    public var strokes: [[StrokePoint]]

    /// A file name without extension, `word-key_id`: separators and control characters replaced by `_`, at most 200
    /// bytes; the line's number stands for a missing key.
    public var fileName: String {
        let word = QuickDrawing.safe(self.word.isEmpty ? "drawing" : self.word, bytesMax: 140)
        return word + "-" + QuickDrawing.safe(keyID.isEmpty ? "line\(line)" : keyID, bytesMax: 59)
    }

    private static func safe(_ text: String, bytesMax: Int) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isSafe =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.".unicodeScalars.contains(scalar)
            // A dot in front would hide the file.
            let replaced: Unicode.Scalar = isSafe && !(name.isEmpty && scalar == ".") ? scalar : "_"
            guard name.utf8.count + String(replaced).utf8.count <= bytesMax else { break }
            name.unicodeScalars.append(replaced)
        }
        return name
    }
}

/// Reads Quick, Draw! files in the raw form: one JSON object a line with `word`, `key_id` and `drawing`, a list of
/// strokes `[[x...], [y...], [t...]]`. The times may be missing, as in the simplified form.
public enum QuickDrawReader {
    /// Reads a file line by line; empty lines are skipped, and an invalid line does not affect the others.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - file: its name in messages.
    ///   - limits: larger drawings are rejected.
    ///   - body: gets each line's drawing, or an error that names the file and the line.
    public static func read(
        _ bytes: [UInt8], file: String, limits: Limits = Limits(),
        _ body: (Result<QuickDrawing, EngineError>) -> Void
    ) {
        var number = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let line = bytes[start..<end]
            start = end + 1
            number += 1
            guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            do throws(EngineError) {
                body(.success(try readLine(line, number: number, file: file, limits: limits)))
            } catch {
                body(.failure(error.inLine(number, of: file)))
            }
        }
    }

    private static func readLine(
        _ line: ArraySlice<UInt8>, number: Int, file: String, limits: Limits
    ) throws(EngineError) -> QuickDrawing {
        let document = try JSONDocument(Array(line), file: file, limits: limits)
        defer { withExtendedLifetime(document) {} }
        let root = try JSONObject(document.root, path: .root, file: file)
        guard let drawing = try root.array("drawing") else { throw root.error("drawing", "is missing") }
        // The key is a string of digits in the data set; a number is accepted too.
        let key = root.value.field("key_id")
        let keyID = key.flatMap { $0.string ?? $0.number.map(shownNumber) } ?? ""
        var result = QuickDrawing(word: try root.string("word") ?? "", keyID: keyID, line: number, strokes: [])
        let path = root.path("drawing")
        var pointCount = 0
        for (index, value) in drawing.elements.enumerated() {
            let stroke = try readStroke(
                value, place: Place(file: file, path: JSONPath.element(path, index).text), limits: limits)
            pointCount += stroke.count
            guard index < limits.strokes, pointCount <= limits.points else {
                throw .overLimit(
                    Place(file: file, path: path.text), what: "the drawing",
                    found: "\(index + 1) strokes, \(pointCount) points",
                    limit: "\(limits.strokes) strokes, \(limits.points) points")
            }
            if !stroke.isEmpty { result.strokes.append(stroke) }
        }
        return result
    }

    private static func readStroke(_ value: JSONNode, place: Place, limits: Limits) throws(EngineError)
        -> [StrokePoint]
    {
        let axes = Array(value.elements.prefix(4))
        guard value.kind == .array, axes.count == 2 || axes.count == 3 else {
            throw .badInput(place, reason: "must be an array of the arrays x, y and t")
        }
        guard axes.allSatisfy({ $0.kind == .array }) else {
            throw .badInput(place, reason: "must be an array of the arrays x, y and t")
        }
        guard axes[0].count <= limits.pointsPerStroke else {
            throw .overLimit(
                place, what: "the number of points of the stroke", found: "\(axes[0].count)",
                limit: "\(limits.pointsPerStroke)")
        }
        var columns: [[Double]] = []
        for (name, axis) in zip(["x", "y", "t"], axes) {
            var numbers: [Double] = []
            numbers.reserveCapacity(axis.count)
            for element in axis.elements {
                guard let number = element.number else {
                    throw .badInput(
                        place, reason: "\(name)[\(numbers.count)] must be a number, is \(element.kind.words)")
                }
                numbers.append(number)
            }
            columns.append(numbers)
        }
        let counts = columns.map(\.count)
        guard counts.allSatisfy({ $0 == counts[0] }) else {
            let lengths = counts.map(String.init).joined(separator: ", ")
            throw .badInput(place, reason: "its arrays have different lengths (\(lengths))")
        }
        return (0..<counts[0]).map { index in
            StrokePoint(
                x: columns[0][index], y: columns[1][index], timestamp: columns.count > 2 ? columns[2][index] : 0)
        }
    }
}

extension EngineError {
    /// This error, with the line of the file before its path.
    fileprivate func inLine(_ line: Int, of file: String) -> EngineError {
        func place(_ place: Place) -> Place {
            Place(file: file, path: "line \(line)" + (place.path.map { ", \($0)" } ?? ""))
        }
        return switch self {
        case .badInput(let found, let reason): .badInput(place(found), reason: reason)
        case .overLimit(let found, let what, let size, let limit):
            .overLimit(place(found), what: what, found: size, limit: limit)
        case .unavailable(let found, let reason): .unavailable(place(found), reason: reason)
        case .io, .cancelled, .internalError: self
        }
    }
}
