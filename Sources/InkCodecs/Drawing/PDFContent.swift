import CZlib
import InkEngine

/// A stream of operators, packed as it grows, with the names that it uses.
struct PDFContent {
    /// The number of the form that it becomes, where that is known before.
    var number = 0
    private let packer: ZlibPacker
    private var pending: [UInt8] = []
    private var objects: [Resource: Set<Int>] = [:]
    /// Parameters of graphics by their names.
    private var states: [String: String] = [:]
    private var groupStates = 0
    private var current = Graphics()
    private var saved: [Graphics] = []

    private static let pendingBytes = 1 << 16

    /// What a stream refers to by names.
    enum Resource: String, CaseIterable {
        case image = "XObject"
        case shading = "Shading"
        case font = "Font"

        fileprivate var initial: Character { rawValue.first ?? "X" }
    }

    /// What stays as it is until it is changed. nil: not known.
    private struct Graphics {
        /// The colours of lines and of areas.
        var line: RGBA8?
        var area: RGBA8?
        var width: Double?
        var hasRoundCaps: Bool?
        var hasRoundJoins: Bool?
        /// In ten-thousandths.
        var alpha = 10_000
    }

    /// - Parameter isPage: whether it begins with the parameters of a page, and not with those of whatever draws it.
    init(_ effort: EncodingEffort, isPage: Bool) throws(EngineError) {
        packer = try ZlibPacker(effort)
        if isPage { (current.hasRoundCaps, current.hasRoundJoins) = (false, false) }
    }

    mutating func add(_ bytes: [UInt8]) throws(EngineError) {
        pending += bytes
        guard pending.count > PDFContent.pendingBytes else { return }
        try packer.add(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// The packed stream.
    func end() throws(EngineError) -> [UInt8] {
        try packer.add(pending)
        return try packer.end()
    }

    /// A dictionary of all that the stream refers to.
    var resources: String {
        var entries: [String] = []
        for kind in Resource.allCases {
            guard let numbers = objects[kind] else { continue }
            let list = numbers.sorted().map { "/\(kind.initial)\($0) \($0) 0 R" }
            entries.append("/\(kind.rawValue) << \(list.joined(separator: " ")) >>")
        }
        if !states.isEmpty {
            let list = states.sorted { $0.key < $1.key }.map { "/\($0.key) << \($0.value) >>" }
            entries.append("/ExtGState << \(list.joined(separator: " ")) >>")
        }
        return "<< \(entries.joined(separator: " ")) >>"
    }

    /// The name of an object.
    mutating func object(_ number: Int, _ kind: Resource = .image) -> String {
        objects[kind, default: []].insert(number)
        return "\(kind.initial)\(number)"
    }

    /// The name of parameters that are used once.
    mutating func state(_ entries: String) -> String {
        groupStates += 1
        let name = "G\(groupStates)"
        states[name] = entries
        return name
    }

    // MARK: Operators

    mutating func save() -> [UInt8] {
        saved.append(current)
        return Array("q\n".utf8)
    }

    mutating func restore() -> [UInt8] {
        current = saved.removeLast()
        return Array("Q\n".utf8)
    }

    /// What has to change before something is painted.
    mutating func paint(_ paint: VectorPaint) -> [UInt8] {
        var text = alpha(paint.alpha)
        var color = paint.color
        color.alpha = 255
        func add(_ color: RGBA8, _ name: String) {
            for part in [color.red, color.green, color.blue] {
                text.add(Double(part) / 255, decimals: 4)
                text.add(" ")
            }
            text.add("\(name)\n")
        }
        guard let line = paint.line else {
            if current.area != color { add(color, "rg") }
            current.area = color
            return text
        }
        if current.line != color { add(color, "RG") }
        current.line = color
        if current.width != line.width {
            text.addLength(line.width)
            text.add(" w\n")
        }
        current.width = line.width
        if current.hasRoundCaps != line.hasRoundCaps { text.add(line.hasRoundCaps ? "1 J\n" : "0 J\n") }
        current.hasRoundCaps = line.hasRoundCaps
        if current.hasRoundJoins != line.hasRoundJoins { text.add(line.hasRoundJoins ? "1 j\n" : "0 j\n") }
        current.hasRoundJoins = line.hasRoundJoins
        return text
    }

    /// What changes the alpha of lines and areas: to a thousandth, below a tenth to a ten-thousandth.
    mutating func alpha(_ alpha: Double) -> [UInt8] {
        var steps = Int((min(max(alpha, 0), 1) * 10_000).rounded())
        if steps > 1000 { steps = Int((Double(steps) / 10).rounded()) * 10 }
        guard steps != current.alpha else { return [] }
        current.alpha = steps
        let name = "A\(steps)"
        if states[name] == nil {
            let value = PDFText.number(Double(steps) / 10_000)
            states[name] = "/CA \(value) /ca \(value)"
        }
        return Array("/\(name) gs\n".utf8)
    }
}

/// A path of absolute coordinates, rounded to whole steps.
struct PDFPath: VectorPathText {
    private var text: [UInt8] = []
    private let decimals: Int
    private let steps: Double
    private var last = (x: 0, y: 0)
    private var first = (x: 0, y: 0)
    private var hasLine = false
    /// Whose outlines are written instead of the lines; nil: of none.
    private let outlined: LineStyle?
    /// The points of the line that is outlined when it is complete.
    private var points: [Point] = []

    init(decimals: Int, outlining line: LineStyle? = nil) {
        self.decimals = decimals
        outlined = line
        steps = (0..<decimals).reduce(1) { product, _ in product * 10 }
    }

    var isEmpty: Bool { text.isEmpty && points.isEmpty }
    var byteCount: Int { text.count }

    mutating func takeText() -> [UInt8] {
        outline()
        defer { text.removeAll(keepingCapacity: true) }
        return text
    }

    mutating func move(to point: Point) {
        if outlined != nil {
            outline()
            points = [point]
            return
        }
        start(at: point)
    }

    private mutating func start(at point: Point) {
        last = rounded(point)
        first = last
        add("m")
        hasLine = false
    }

    mutating func line(to point: Point) {
        if outlined != nil {
            if point != points.last { points.append(point) }
            return
        }
        go(to: point)
    }

    private mutating func go(to point: Point) {
        let next = rounded(point)
        guard next != last else { return }
        last = next
        add("l")
        hasLine = true
    }

    mutating func quadratic(_ control: Point, to point: Point) {
        let start = Point(x: Double(last.x) / steps, y: Double(last.y) / steps)
        cubic(start + (2.0 / 3) * (control - start), point + (2.0 / 3) * (control - point), to: point)
    }

    mutating func cubic(_ first: Point, _ second: Point, to point: Point) {
        if outlined != nil { return line(to: point) }
        for control in [first, second] {
            addNumbers(rounded(control))
            text.append(UInt8(ascii: " "))
        }
        last = rounded(point)
        add("c")
        hasLine = true
    }

    mutating func close() {
        text.add("h\n")
        last = first
    }

    mutating func end() {
        if outlined != nil { return outline() }
        if !hasLine { add("l") }
    }

    /// Writes the outline of the line so far: areas of one direction round, which may overlap.
    private mutating func outline() {
        guard let outlined, let first = points.first else { return }
        let half = outlined.width / 2
        var line = points
        points.removeAll()
        if line.count == 1 {
            guard outlined.hasRoundCaps else { return }
            return polygon(
                (0..<8).map { corner in
                    let turn = sinCos(degrees: 45 * Double(corner))
                    return first + (PDFPath.octagon * half) * Point(x: turn.cos, y: turn.sin)
                })
        }
        func unit(_ index: Int) -> Point {
            let way = line[index + 1] - line[index]
            return (1 / way.length) * way
        }
        if outlined.hasRoundCaps {
            // As much area as half a disc has.
            let (start, end) = (unit(0), unit(line.count - 2))
            line[0] = line[0] - (Double.pi / 4 * half) * start
            line[line.count - 1] = line[line.count - 1] + (Double.pi / 4 * half) * end
        }
        var (left, right): ([Point], [Point]) = ([], [])
        func add(_ point: Point, _ normal: Point) {
            left.append(point + half * normal)
            right.append(point - half * normal)
        }
        for index in line.indices {
            let before = index > 0 ? unit(index - 1) : unit(0)
            let after = index + 1 < line.count ? unit(index) : before
            let cosine = before.x * after.x + before.y * after.y
            let (one, other) = (Point(x: -before.y, y: before.x), Point(x: -after.y, y: after.x))
            if cosine > 0.5 {
                add(line[index], (1 / (1 + cosine)) * (one + other))
            } else {
                // Around a sharp turn two areas meet.
                add(line[index], one)
                polygon(left + right.reversed())
                left.removeAll()
                right.removeAll()
                add(line[index], other)
            }
        }
        polygon(left + right.reversed())
    }

    /// The radius of an octagon of as much area as a disc of radius 1.
    private static let octagon = 1.0539

    mutating func polygon(_ points: some Sequence<Point>) {
        var isFirst = true
        for point in points {
            if isFirst { start(at: point) } else { go(to: point) }
            isFirst = false
        }
        if !isFirst { close() }
    }

    private func rounded(_ point: Point) -> (x: Int, y: Int) {
        func whole(_ value: Double) -> Int { Int(min(max((value * steps).rounded(), -1e15), 1e15)) }
        return (whole(point.x), whole(point.y))
    }

    private mutating func addNumbers(_ place: (x: Int, y: Int)) {
        text.addNumber(place.x, decimals: decimals)
        text.append(UInt8(ascii: " "))
        text.addNumber(place.y, decimals: decimals)
    }

    private mutating func add(_ name: String) {
        addNumbers(last)
        text.add(" \(name)\n")
    }
}

extension PDFText {
    /// A length or a factor with at least five significant digits.
    static func factor(_ value: Double) -> String {
        var text: [UInt8] = []
        if value < 0 { text.append(UInt8(ascii: "-")) }
        var decimals = abs(value) < 1e6 ? 8 : 0
        var bound = 1.0
        while decimals < 14, abs(value) < bound {
            decimals += 1
            bound /= 10
        }
        text.add(abs(value), decimals: decimals)
        return String(decoding: text, as: UTF8.self)
    }
}

/// Packs bytes to a zlib stream, piece by piece.
final class ZlibPacker {
    /// At one place for its life, which zlib requires.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var packed: [UInt8] = []

    private static let bufferBytes = 1 << 16

    init(_ effort: EncodingEffort) throws(EngineError) {
        stream.initialize(to: z_stream())
        let level: Int32 =
            switch effort {
            case .fast: 1
            case .balanced: 6
            case .small: 9
            }
        guard deflateInit_(stream, level, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .internalError("no memory to pack a pdf file")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    func add(_ bytes: [UInt8]) throws(EngineError) { try run(bytes, Z_NO_FLUSH) }

    /// All of the stream. Nothing can be added afterwards.
    func end() throws(EngineError) -> [UInt8] {
        try run([], Z_FINISH)
        return packed
    }

    private func run(_ bytes: [UInt8], _ flush: Int32) throws(EngineError) {
        var input = bytes
        let status = input.withUnsafeMutableBufferPointer { source -> Int32 in
            stream.pointee.next_in = source.baseAddress
            stream.pointee.avail_in = UInt32(source.count)
            while true {
                var status = Z_OK
                packed += [UInt8](unsafeUninitializedCapacity: ZlibPacker.bufferBytes) { buffer, count in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    status = deflate(stream, flush)
                    count = buffer.count - Int(stream.pointee.avail_out)
                }
                // Room that is left means that there is nothing more to come.
                if status != Z_OK || stream.pointee.avail_out > 0 { return status }
            }
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw .internalError("zlib's deflate failed with \(status)")
        }
    }
}
