package import InkEngine

/// Reads the data of a path, as in SVG 2, section 9.3, with SVG 1.1's exponents of numbers.
///
/// The path goes up to the first mistake. A part that goes on after it was closed gets a move of its own.
package struct SVGPathData {
    package private(set) var path = ShapePath()
    /// The first mistake.
    package private(set) var fault: SVGPathFault?

    /// - Parameters:
    ///   - text: must exist until this returns.
    ///   - segmentsMax: the most segments.
    ///   - coordinateMax: the largest distance of a coordinate from 0.
    package init(
        _ text: UnsafeBufferPointer<UInt8>, segmentsMax: Int = .max,
        coordinateMax: Double = .greatestFiniteMagnitude
    ) {
        var reader = Reader(text: text, segmentsMax: segmentsMax, coordinateMax: coordinateMax)
        do throws(SVGPathFault) {
            try reader.read()
        } catch {
            fault = error
        }
        path = reader.path
    }

    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { SVGPathData($0) }
    }
}

/// A mistake in the data of a path.
package struct SVGPathFault: Error, Hashable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// What should be there instead.
        case missing(String)
        /// A coordinate or an arc beyond the limit.
        case tooLarge
        /// More segments than this.
        case tooManySegments(Int)
    }

    package let reason: Reason
    /// The place of the first character that does not belong there, from 0.
    package let offset: Int
    /// Some characters from there; empty at the end of the text.
    package let excerpt: String

    package var description: String {
        let found = excerpt.isEmpty ? "at its end" : "at character \(offset + 1) (\"\(excerpt)\")"
        return switch reason {
        case .missing(let what): "\(found): must have \(what) there"
        case .tooLarge: "\(found): the coordinates are too large"
        case .tooManySegments(let limit): "\(found): more than \(limit) segments"
        }
    }
}

private struct Reader {
    let text: UnsafeBufferPointer<UInt8>
    let segmentsMax: Int
    let coordinateMax: Double
    var path = ShapePath()
    private var index = 0
    private var segmentCount = 0
    private var (start, last) = (Point(x: 0, y: 0), Point(x: 0, y: 0))
    private var isClosed = false
    /// The control point that a smooth curve mirrors: of a cubic and of a quadratic curve.
    private var (cubic, quadratic): (Point?, Point?)

    init(text: UnsafeBufferPointer<UInt8>, segmentsMax: Int, coordinateMax: Double) {
        self.text = text
        self.segmentsMax = segmentsMax
        self.coordinateMax = coordinateMax
    }

    mutating func read() throws(SVGPathFault) {
        skipBlanks()
        while index < text.count {
            let command = text[index]
            let letter = command | 0x20
            guard "mlhvcsqtaz".utf8.contains(letter), command >= 0x41 else {
                throw fault(.missing("a command (one of MLHVCSQTAZ)"))
            }
            guard !path.isEmpty || letter == UInt8(ascii: "m") else { throw fault(.missing("a move (M)")) }
            index += 1
            skipBlanks()
            if letter == UInt8(ascii: "z") { try close() } else { try readSegments(letter, command >= 0x61) }
        }
    }

    /// The segments of one command.
    private mutating func readSegments(_ command: UInt8, _ isRelative: Bool) throws(SVGPathFault) {
        var letter = command
        repeat {
            let segment = index
            if letter != UInt8(ascii: "m") { try beginSegment() }
            try readSegment(letter, isRelative)
            guard isWithinLimit(last) else { throw fault(.tooLarge, at: segment) }
            // Further points of a move are lines.
            if letter == UInt8(ascii: "m") { letter = UInt8(ascii: "l") }
        } while try hasFurtherNumbers()
    }

    private func isWithinLimit(_ point: Point) -> Bool {
        abs(point.x) <= coordinateMax && abs(point.y) <= coordinateMax
    }

    private mutating func beginSegment() throws(SVGPathFault) {
        guard segmentCount < segmentsMax else { throw fault(.tooManySegments(segmentsMax)) }
        segmentCount += 1
        if isClosed { path.move(to: start) }
        isClosed = false
    }

    private mutating func close() throws(SVGPathFault) {
        (cubic, quadratic) = (nil, nil)
        guard !isClosed else { return }
        try beginSegment()
        path.close()
        (isClosed, last) = (true, start)
    }

    private mutating func readSegment(_ letter: UInt8, _ isRelative: Bool) throws(SVGPathFault) {
        let (mirroredCubic, mirroredQuadratic) = (cubic, quadratic)
        (cubic, quadratic) = (nil, nil)
        func mirrored(_ control: Point?) -> Point { control.map { last + (last - $0) } ?? last }
        switch letter {
        case UInt8(ascii: "m"):
            last = try point(isRelative)
            (start, isClosed) = (last, false)
            path.move(to: last)
        case UInt8(ascii: "l"):
            last = try point(isRelative)
            path.line(to: last)
        case UInt8(ascii: "h"):
            let x = try number()
            last.x = isRelative ? last.x + x : x
            path.line(to: last)
        case UInt8(ascii: "v"):
            let y = try number()
            last.y = isRelative ? last.y + y : y
            path.line(to: last)
        case UInt8(ascii: "c"), UInt8(ascii: "s"):
            var first = mirrored(mirroredCubic)
            if letter == UInt8(ascii: "c") {
                first = try point(isRelative)
                skipComma()
            }
            let second = try point(isRelative)
            skipComma()
            last = try point(isRelative)
            path.cubic(first, second, to: last)
            cubic = second
        case UInt8(ascii: "q"), UInt8(ascii: "t"):
            var control = mirrored(mirroredQuadratic)
            if letter == UInt8(ascii: "q") {
                control = try point(isRelative)
                skipComma()
            }
            last = try point(isRelative)
            path.quadratic(control, to: last)
            quadratic = control
        default:
            let place = index
            let radiusX = try number()
            let radiusY = try furtherNumber()
            let turn = try furtherNumber()
            let isLarge = try flag()
            let isClockwise = try flag()
            skipComma()
            last = try point(isRelative)
            guard isWithinLimit(last),
                path.arc(
                    to: last, radiusX: radiusX, radiusY: radiusY, turn: turn, isLarge: isLarge,
                    isClockwise: isClockwise)
            else { throw fault(.tooLarge, at: place) }
        }
    }

    /// A point, relative to the last one for small letters.
    private mutating func point(_ isRelative: Bool) throws(SVGPathFault) -> Point {
        let place = index
        let x = try number()
        let y = try furtherNumber()
        let point = isRelative ? last + Point(x: x, y: y) : Point(x: x, y: y)
        guard isWithinLimit(point) else { throw fault(.tooLarge, at: place) }
        return point
    }

    private mutating func number() throws(SVGPathFault) -> Double {
        guard let number = SVGNumbers.read(text, at: &index) else {
            var end = index
            // A number that has no finite value is one that is too large.
            while end < text.count, SVGNumbers.begins(with: text[end]) { end += 1 }
            let isNumber = text[index..<end].contains { (0x30...0x39).contains($0) }
            throw fault(isNumber ? .tooLarge : .missing("a number"))
        }
        return number
    }

    private mutating func furtherNumber() throws(SVGPathFault) -> Double {
        skipComma()
        return try number()
    }

    /// A 0 or a 1, which need nothing behind them.
    private mutating func flag() throws(SVGPathFault) -> Bool {
        skipComma()
        guard index < text.count, text[index] == 0x30 || text[index] == 0x31 else {
            throw fault(.missing("a flag (0 or 1)"))
        }
        index += 1
        return text[index - 1] == 0x31
    }

    private mutating func hasFurtherNumbers() throws(SVGPathFault) -> Bool {
        skipBlanks()
        guard index < text.count else { return false }
        guard text[index] == UInt8(ascii: ",") else { return SVGNumbers.begins(with: text[index]) }
        index += 1
        skipBlanks()
        return true
    }

    private mutating func skipBlanks() {
        while index < text.count, SVGNumbers.isBlank(text[index]) { index += 1 }
    }

    private mutating func skipComma() {
        skipBlanks()
        guard index < text.count, text[index] == UInt8(ascii: ",") else { return }
        index += 1
        skipBlanks()
    }

    private func fault(_ reason: SVGPathFault.Reason, at place: Int? = nil) -> SVGPathFault {
        let offset = place ?? index
        let excerpt = shownText(String(decoding: text[offset..<min(offset + 12, text.count)], as: UTF8.self))
        return SVGPathFault(reason: reason, offset: offset, excerpt: excerpt)
    }
}
