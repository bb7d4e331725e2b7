import InkEngine

/// The data of an SVG path: relative coordinates, rounded to whole steps, so that rounding does not add up.
struct VectorPath: VectorPathText {
    private(set) var text: [UInt8] = []
    /// Digits behind the decimal point.
    let decimals: Int
    private let steps: Double
    private var last = (x: 0, y: 0)
    private var start = (x: 0, y: 0)
    private var hasLine = false
    /// What numbers without a letter before them are.
    private var command = UInt8(ascii: "l")

    init(decimals: Int) {
        self.decimals = decimals
        steps = (0..<decimals).reduce(1) { product, _ in product * 10 }
    }

    var isEmpty: Bool { text.isEmpty }
    var byteCount: Int { text.count }

    /// The text so far; what follows continues it.
    mutating func takeText() -> [UInt8] {
        defer { text.removeAll(keepingCapacity: true) }
        return text
    }

    mutating func move(to point: Point) {
        let next = rounded(point)
        // The first is absolute, whatever its letter.
        text.append(UInt8(ascii: "m"))
        add([next])
        start = next
        hasLine = false
        command = UInt8(ascii: "l")
    }

    mutating func line(to point: Point) {
        let next = rounded(point)
        guard next != last else { return }
        draw("l", [next])
    }

    mutating func quadratic(_ control: Point, to point: Point) { draw("q", [rounded(control), rounded(point)]) }

    mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
        draw("c", [rounded(first), rounded(second), rounded(point)])
    }

    mutating func end() {
        if !hasLine { text += Array("h0".utf8) }
    }

    mutating func close() {
        text.append(UInt8(ascii: "z"))
        last = start
        command = UInt8(ascii: "z")
    }

    private mutating func draw(_ letter: Unicode.Scalar, _ points: [(x: Int, y: Int)]) {
        if command != UInt8(ascii: letter) { text.append(UInt8(ascii: letter)) }
        command = UInt8(ascii: letter)
        add(points)
        hasLine = true
    }

    mutating func polygon(_ points: some Sequence<Point>) {
        var isFirst = true
        for point in points {
            if isFirst { move(to: point) } else { line(to: point) }
            isFirst = false
        }
        if !isFirst { close() }
    }

    private func rounded(_ point: Point) -> (x: Int, y: Int) {
        func whole(_ value: Double) -> Int { Int(min(max((value * steps).rounded(), -1e15), 1e15)) }
        return (whole(point.x), whole(point.y))
    }

    /// Adds points relative to the one before the first of them.
    private mutating func add(_ points: [(x: Int, y: Int)]) {
        let from = last
        for next in points {
            text.addDecimal(next.x - from.x, decimals: decimals)
            text.addDecimal(next.y - from.y, decimals: decimals)
            last = next
        }
    }
}

extension [UInt8] {
    /// Appends value / 10^decimals without needless zeros, after a blank if it would run into the number before it.
    fileprivate mutating func addDecimal(_ value: Int, decimals: Int) {
        if let before = last, value >= 0, before >= UInt8(ascii: "0") && before <= UInt8(ascii: "9") {
            append(UInt8(ascii: " "))
        }
        addNumber(value, decimals: decimals)
    }

    /// Appends value / 10^decimals, without zeros at its end and before its point.
    mutating func addNumber(_ value: Int, decimals: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var digits = decimals
        while digits > 0, rest % 10 == 0 {
            rest /= 10
            digits -= 1
        }
        let text = Array(String(rest).utf8)
        if digits == 0 {
            self += text
            return
        }
        self += text.dropLast(digits)
        append(UInt8(ascii: "."))
        for _ in 0..<Swift.max(0, digits - text.count) { append(UInt8(ascii: "0")) }
        self += text.suffix(digits)
    }

    mutating func add(_ text: String) { self += text.utf8 }

    /// Appends a number with at most so many digits behind its point.
    mutating func add(_ value: Double, decimals: Int) {
        let steps = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
        addNumber(Int(Swift.min(Swift.max((value * steps).rounded(), -1e15), 1e15)), decimals: decimals)
    }

    /// Appends a length or a factor with about five significant digits.
    mutating func addLength(_ value: Double) {
        var decimals = 4
        var bound = 1.0
        while decimals < 12, value < bound {
            decimals += 1
            bound /= 10
        }
        add(value, decimals: decimals)
    }
}

extension RGBA8 {
    /// `#rgb` or `#rrggbb`, without alpha.
    var shortHex: String {
        var opaque = self
        opaque.alpha = 255
        let text = Array(opaque.description)
        guard text[1] == text[2], text[3] == text[4], text[5] == text[6] else { return String(text) }
        return String([text[0], text[1], text[3], text[5]])
    }
}
