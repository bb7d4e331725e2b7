import Glibc
package import InkEngine

/// A line or a curve of an outline, from where the piece before ended.
package enum SVGPiece {
    case line(Point)
    /// Bezier's, with two control points and an end.
    case cubic(Point, Point, Point)

    var end: Point {
        switch self {
        case .line(let end), .cubic(_, _, let end): end
        }
    }
}

/// A part of an outline that is drawn without lifting the pen.
package struct SVGSubpath {
    package var start: Point
    package var pieces: [SVGPiece]
    package var isClosed: Bool

    package init(start: Point, pieces: [SVGPiece] = [], isClosed: Bool = false) {
        self.start = start
        self.pieces = pieces
        self.isClosed = isClosed
    }

    var end: Point { pieces.last?.end ?? start }

    package mutating func line(to point: Point) { pieces.append(.line(point)) }

    /// Adds an arc of an ellipse as curves, which differ from it by less than a millionth of the radius.
    ///
    /// - Parameters:
    ///   - turn: of the ellipse's x axis, degrees.
    ///   - isClockwise: in the direction of increasing angles, which is clockwise where y points down.
    package mutating func arc(
        to target: Point, radiusX: Double, radiusY: Double, turn: Double, isLarge: Bool, isClockwise: Bool
    ) {
        let from = end
        let (sine, cosine) = sinCos(degrees: turn)
        var (rx, ry) = (abs(radiusX), abs(radiusY))
        guard rx > 0, ry > 0, from != target else { return line(to: target) }
        // SVG 1.1, F.6.5: to a circle of radius 1 whose middle is found from its chord.
        let half = 0.5 * (from - target)
        let (hx, hy) = ((cosine * half.x + sine * half.y), (cosine * half.y - sine * half.x))
        let size = (hx / rx) * (hx / rx) + (hy / ry) * (hy / ry)
        if size > 1 { (rx, ry) = (rx * size.squareRoot(), ry * size.squareRoot()) }
        let (ux, uy) = (hx / rx, hy / ry)
        let length = ux * ux + uy * uy
        guard length.isFinite, length > 0 else { return line(to: target) }
        let offset = max(0, 1 / length - 1).squareRoot() * (isLarge == isClockwise ? -1 : 1)
        let (cx, cy) = (offset * uy, -offset * ux)
        let first = atan2(uy - cy, ux - cx)
        var sweep = atan2(-uy - cy, -ux - cx) - first
        if isClockwise, sweep < 0 { sweep += 2 * .pi }
        if !isClockwise, sweep > 0 { sweep -= 2 * .pi }
        let middle = 0.5 * (from + target)
        func place(_ x: Double, _ y: Double) -> Point {
            let (x, y) = (rx * (x + cx), ry * (y + cy))
            return middle + Point(x: cosine * x - sine * y, y: sine * x + cosine * y)
        }
        let count = max(1, Int((abs(sweep) / (.pi / 6)).rounded(.up)))
        let step = sweep / Double(count)
        let reach = 4.0 / 3 * tan(step / 4)
        for index in 0..<count {
            let (a, b) = (first + Double(index) * step, first + Double(index + 1) * step)
            pieces.append(
                .cubic(
                    place(cos(a) - reach * sin(a), sin(a) + reach * cos(a)),
                    place(cos(b) + reach * sin(b), sin(b) - reach * cos(b)),
                    index == count - 1 ? target : place(cos(b), sin(b))))
        }
    }
}

/// Reads the data of a path, as in SVG 1.1, section 8.3. What stands before a mistake is drawn, as that section asks.
package struct SVGPathData {
    package private(set) var subpaths: [SVGSubpath] = []
    /// Whether the text ends before it is at its end.
    package private(set) var isDamaged = false
    private var words: SVGNumbers
    private var last = Point(x: 0, y: 0)
    /// The control point that a smooth curve mirrors: of a cubic and of a quadratic curve.
    private var (cubic, quadratic): (Point?, Point?)

    package init(_ text: String) {
        words = SVGNumbers(text)
        read()
    }

    private mutating func read() {
        var command: UInt8?
        while let next = words.peek() {
            if SVGPathData.isLetter(next) {
                words.skip()
                command = next
            } else if command == nil || command! | 0x20 == UInt8(ascii: "z") {
                break
            }
            guard let letter = command, subpaths.count > 0 || letter | 0x20 == UInt8(ascii: "m"), step(letter) else {
                break
            }
            // Further points of a move are lines.
            if letter == UInt8(ascii: "M") { command = UInt8(ascii: "L") }
            if letter == UInt8(ascii: "m") { command = UInt8(ascii: "l") }
        }
        isDamaged = words.peek() != nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & 0xDF) && byte | 0x20 != UInt8(ascii: "e")
    }

    /// A point, relative to the last one for small letters.
    private mutating func point(_ isRelative: Bool) -> Point? {
        guard let x = words.number(), let y = words.number() else { return nil }
        return isRelative ? last + Point(x: x, y: y) : Point(x: x, y: y)
    }

    private mutating func add(_ piece: SVGPiece) {
        // After a closed part the next one begins where that began.
        if subpaths[subpaths.count - 1].isClosed { subpaths.append(SVGSubpath(start: last)) }
        subpaths[subpaths.count - 1].pieces.append(piece)
        last = piece.end
    }

    /// False for a mistake.
    private mutating func step(_ letter: UInt8) -> Bool {
        let isRelative = letter >= 0x61
        let (mirroredCubic, mirroredQuadratic) = (cubic, quadratic)
        (cubic, quadratic) = (nil, nil)
        func mirrored(_ control: Point?) -> Point { control.map { last + (last - $0) } ?? last }
        func raise(_ control: Point, _ end: Point) -> SVGPiece {
            .cubic(last + (2.0 / 3) * (control - last), end + (2.0 / 3) * (control - end), end)
        }
        switch letter | 0x20 {
        case UInt8(ascii: "m"):
            guard let start = point(isRelative) else { return false }
            subpaths.append(SVGSubpath(start: start))
            last = start
        case UInt8(ascii: "z"):
            guard !subpaths[subpaths.count - 1].isClosed else { return true }
            subpaths[subpaths.count - 1].isClosed = true
            last = subpaths[subpaths.count - 1].start
        case UInt8(ascii: "l"):
            guard let end = point(isRelative) else { return false }
            add(.line(end))
        case UInt8(ascii: "h"):
            guard let x = words.number() else { return false }
            add(.line(Point(x: isRelative ? last.x + x : x, y: last.y)))
        case UInt8(ascii: "v"):
            guard let y = words.number() else { return false }
            add(.line(Point(x: last.x, y: isRelative ? last.y + y : y)))
        case UInt8(ascii: "c"):
            guard let first = point(isRelative), let second = point(isRelative), let end = point(isRelative) else {
                return false
            }
            add(.cubic(first, second, end))
            cubic = second
        case UInt8(ascii: "s"):
            let first = mirrored(mirroredCubic)
            guard let second = point(isRelative), let end = point(isRelative) else { return false }
            add(.cubic(first, second, end))
            cubic = second
        case UInt8(ascii: "q"):
            guard let control = point(isRelative), let end = point(isRelative) else { return false }
            add(raise(control, end))
            quadratic = control
        case UInt8(ascii: "t"):
            let control = mirrored(mirroredQuadratic)
            guard let end = point(isRelative) else { return false }
            add(raise(control, end))
            quadratic = control
        case UInt8(ascii: "a"):
            guard let rx = words.number(), let ry = words.number(), let turn = words.number(),
                let isLarge = words.flag(), let isClockwise = words.flag(), let end = point(isRelative)
            else { return false }
            var arc = SVGSubpath(start: last)
            arc.arc(to: end, radiusX: rx, radiusY: ry, turn: turn, isLarge: isLarge, isClockwise: isClockwise)
            for piece in arc.pieces { add(piece) }
        default: return false
        }
        return true
    }
}

/// Numbers in a text, between white space and commas, or one after the other.
package struct SVGNumbers {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next byte that is no separator.
    mutating func peek() -> UInt8? {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: ",")].contains(bytes[index]) {
            index += 1
        }
        return index < bytes.count ? bytes[index] : nil
    }

    mutating func skip() { index += 1 }

    /// A 0 or a 1, which need nothing behind them.
    mutating func flag() -> Bool? {
        guard let byte = peek(), byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
        index += 1
        return byte == UInt8(ascii: "1")
    }

    /// The next number; nil, without going on, for what is none.
    mutating func number() -> Double? {
        guard peek() != nil else { return nil }
        var end = index
        func isDigit(_ at: Int) -> Bool { at < bytes.count && (0x30...0x39).contains(bytes[at]) }
        func isSign(_ at: Int) -> Bool { at < bytes.count && (bytes[at] == 0x2B || bytes[at] == 0x2D) }
        if isSign(end) { end += 1 }
        while isDigit(end) { end += 1 }
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
            end += 1
            while isDigit(end) { end += 1 }
        }
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e"),
            isDigit(end + 1) || isSign(end + 1) && isDigit(end + 2)
        {
            end += 2
            while isDigit(end) { end += 1 }
        }
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { return nil }
        index = end
        return value
    }

    /// All numbers up to the first thing that is none.
    package static func all(_ text: String) -> [Double] {
        var (words, numbers) = (SVGNumbers(text), [Double]())
        while let number = words.number() { numbers.append(number) }
        return numbers
    }
}
