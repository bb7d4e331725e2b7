import InkEngine

/// Where a picture of gray values is at least half bright.
struct PlotMask: PlotArea {
    private let size: PixelSize
    private let values: [UInt8]
    private let scale: OutputScale
    /// The least and greatest value in each square block of pixels, row by row.
    private var blocks: [ClosedRange<UInt8>] = []

    private static let blockSize = 16

    /// - Parameters:
    ///   - png: a picture of the canvas.
    ///   - isAlpha: whether its alpha counts, and not the brightness of its red.
    init(_ png: [UInt8], canvas: CanvasSize, isAlpha: Bool) throws(EngineError) {
        var values: [UInt8] = []
        var pending: [DecodedChunk] = []
        let info = try PNGDecoder.decode(png, as: .color, place: Place(file: "mask")) { pending.append($0) }
        values.reserveCapacity(info.size.area)
        let byteCount = info.format.bytesPerPixel
        let offset = isAlpha ? 3 : 0
        for chunk in pending {
            switch chunk.content {
            case .constant(let value):
                let sample = offset < byteCount ? UInt8(truncatingIfNeeded: value >> (8 * offset)) : 255
                values += Array(repeating: sample, count: chunk.rows.count * info.size.width)
            case .samples(let samples):
                for start in stride(from: 0, to: samples.count, by: byteCount) {
                    values.append(offset < byteCount ? samples[start + offset] : 255)
                }
            }
        }
        self.init(values, size: info.size, canvas: canvas)
    }

    /// - Parameter values: row by row.
    init(_ values: [UInt8], size: PixelSize, canvas: CanvasSize) {
        self.size = size
        self.values = values
        scale = OutputScale(canvas: canvas, output: size)
        for top in stride(from: 0, to: size.height, by: PlotMask.blockSize) {
            for left in stride(from: 0, to: size.width, by: PlotMask.blockSize) {
                var (least, most) = (UInt8.max, UInt8.min)
                for y in top..<min(top + PlotMask.blockSize, size.height) {
                    for x in left..<min(left + PlotMask.blockSize, size.width) {
                        let value = values[y * size.width + x]
                        (least, most) = (min(least, value), max(most, value))
                    }
                }
                blocks.append(least...most)
            }
        }
    }

    func isInside(_ box: Rect) -> Bool? {
        func range(_ low: Double, _ high: Double, _ scale: Double, _ count: Int) -> ClosedRange<Int> {
            // The pixels between whose middles the values are.
            let (from, to) = (low * scale - 1, high * scale + 1)
            let last = Double(count - 1)
            return Int(min(max(from, 0), last)) / PlotMask.blockSize...Int(min(max(to, 0), last)) / PlotMask.blockSize
        }
        let across = (size.width + PlotMask.blockSize - 1) / PlotMask.blockSize
        var (least, most) = (UInt8.max, UInt8.min)
        for y in range(box.minY, box.maxY, scale.y, size.height) {
            for x in range(box.minX, box.maxX, scale.x, size.width) {
                let block = blocks[y * across + x]
                (least, most) = (min(least, block.lowerBound), max(most, block.upperBound))
            }
        }
        if Double(least) >= PlotMask.half { return true }
        return Double(most) < PlotMask.half ? false : nil
    }

    /// 0 to 255, between the middles of pixels.
    private func value(_ point: Point) -> Double {
        let (x, y) = (point.x * scale.x - 0.5, point.y * scale.y - 0.5)
        func clamped(_ value: Double, _ count: Int) -> (Int, Int, Double) {
            let inside = min(max(value, 0), Double(count - 1))
            let low = Int(inside)
            return (low, min(low + 1, count - 1), inside - Double(low))
        }
        let (left, right, alongX) = clamped(x, size.width)
        let (top, bottom, alongY) = clamped(y, size.height)
        func row(_ y: Int) -> Double {
            Double(values[y * size.width + left]) * (1 - alongX) + Double(values[y * size.width + right]) * alongX
        }
        return row(top) * (1 - alongY) + row(bottom) * alongY
    }

    private static let half = 127.5

    func contains(_ point: Point) -> Bool { value(point) >= PlotMask.half }

    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>] { parts(from: a, to: b, reach: 0) }

    func parts(from a: Point, to b: Point, reach: Double) -> [ClosedRange<Double>] {
        let way = b - a
        let pixels = Point(x: way.x * scale.x, y: way.y * scale.y).length
        let aside = way.length > 0 ? (reach / way.length) * Point(x: -way.y, y: way.x) : Point(x: 0, y: 0)
        func rest(_ t: Double) -> Double {
            let place = a + t * way
            let own = reach > 0 ? max(value(place + aside), value(place - aside)) : value(place)
            return own - PlotMask.half
        }
        // Lines are within the picture, or little longer.
        let steps = Int(min(max((2 * pixels).rounded(.up), 1), 1e6))
        var parts: [ClosedRange<Double>] = []
        var last = rest(0)
        var start = last >= 0 ? 0.0 : nil
        for step in 1...steps {
            let t = Double(step) / Double(steps)
            let next = rest(t)
            if (next >= 0) != (last >= 0) {
                let crossing = (Double(step - 1) + last / (last - next)) / Double(steps)
                if let from = start {
                    if crossing > from { parts.append(from...crossing) }
                    start = nil
                } else {
                    start = crossing
                }
            }
            last = next
        }
        if let from = start, from < 1 { parts.append(from...1) }
        return parts
    }
}

/// The discs along a stroke and the hulls between them.
struct PlotFootprint: PlotArea {
    private let discs: [PreparedStroke.Disc]
    private let box: Rect
    private let side: Int
    /// The hulls near each cell of a grid over the box, row by row.
    private var cells: [[Int32]]

    init(_ discs: [PreparedStroke.Disc]) {
        self.discs = discs
        var box = Rect.empty
        for disc in discs {
            box.formUnion(Point(x: disc.bounds.minX, y: disc.bounds.minY))
            box.formUnion(Point(x: disc.bounds.maxX, y: disc.bounds.maxY))
        }
        self.box = box
        side = min(max(Int(Double(discs.count).squareRoot()) * 2, 1), 128)
        cells = Array(repeating: [], count: side * side)
        for hull in 0..<max(discs.count - 1, 1) {
            let (a, b) = (discs[hull].bounds, discs[min(hull + 1, discs.count - 1)].bounds)
            for row in rows(min(a.minY, b.minY), max(a.maxY, b.maxY)) {
                for column in columns(min(a.minX, b.minX), max(a.maxX, b.maxX)) {
                    cells[row * side + column].append(Int32(hull))
                }
            }
        }
    }

    private func index(_ value: Double, _ low: Double, _ high: Double) -> Int {
        guard high > low else { return 0 }
        return Int(min(max((value - low) / (high - low) * Double(side), 0), Double(side - 1)))
    }

    private func rows(_ low: Double, _ high: Double) -> ClosedRange<Int> {
        index(low, box.minY, box.maxY)...index(high, box.minY, box.maxY)
    }

    private func columns(_ low: Double, _ high: Double) -> ClosedRange<Int> {
        index(low, box.minX, box.maxX)...index(high, box.minX, box.maxX)
    }

    func contains(_ point: Point) -> Bool {
        guard box.contains(point) else { return false }
        let cell = cells[index(point.y, box.minY, box.maxY) * side + index(point.x, box.minX, box.maxX)]
        // A line from the point, as short as can be.
        return cell.contains { hull in
            part(of: Int(hull), from: point, to: point + Point(x: 1e-9 * (1 + abs(point.x)), y: 0)) != nil
        }
    }

    func parts(from a: Point, to b: Point) -> [ClosedRange<Double>] {
        guard let seen = box.parts(from: a, to: b).first else { return [] }
        let way = b - a
        var near: Set<Int32> = []
        let (start, end) = (a + seen.lowerBound * way, a + seen.upperBound * way)
        for row in rows(min(start.y, end.y), max(start.y, end.y)) {
            // Where the line is in this row, and a little more.
            let height = (box.maxY - box.minY) / Double(side)
            let band = Rect(
                minX: -.infinity, minY: box.minY + (Double(row) - 0.01) * height, maxX: .infinity,
                maxY: box.minY + (Double(row) + 1.01) * height)
            guard let part = Rect.band(band, start, end) else { continue }
            let (one, other) = (start + part.lowerBound * (end - start), start + part.upperBound * (end - start))
            for column in columns(min(one.x, other.x), max(one.x, other.x)) {
                near.formUnion(cells[row * side + column])
            }
        }
        let found = near.compactMap { part(of: Int($0), from: a, to: b) }.sorted { $0.lowerBound < $1.lowerBound }
        var parts = PlotParts()
        for part in found { parts.add(part) }
        return parts.ranges
    }

    /// The part of a line inside of the hull of a disc and the next one.
    private func part(of hull: Int, from a: Point, to b: Point) -> ClosedRange<Double>? {
        let (first, second) = (discs[hull], discs[min(hull + 1, discs.count - 1)])
        let way = b - a
        var part = union(disc(first, a, way), disc(second, a, way))
        let axis = second.center - first.center
        let distance = axis.length
        guard distance > abs(first.radius - second.radius) else { return part }
        // Both tangents from outside touch along these normals.
        let along = (1 / distance) * axis
        let cosine = (first.radius - second.radius) / distance
        let sine = max(1 - cosine * cosine, 0).squareRoot()
        let across = Point(x: -along.y, y: along.x)
        let (left, right) = (cosine * along + sine * across, cosine * along - sine * across)
        let corners = [
            first.center + first.radius * left, second.center + second.radius * left,
            second.center + second.radius * right, first.center + first.radius * right,
        ]
        part = union(part, polygon(corners, a, way))
        return part
    }

    private func union(_ a: ClosedRange<Double>?, _ b: ClosedRange<Double>?) -> ClosedRange<Double>? {
        guard let a, let b else { return a ?? b }
        return min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
    }

    private func disc(_ disc: PreparedStroke.Disc, _ a: Point, _ way: Point) -> ClosedRange<Double>? {
        let from = a - disc.center
        let (square, half) = (way.x * way.x + way.y * way.y, from.x * way.x + from.y * way.y)
        let rest = half * half - square * (from.x * from.x + from.y * from.y - disc.radius * disc.radius)
        guard square > 0, rest > 0 else { return nil }
        let root = rest.squareRoot()
        return (0.0...1.0).clipped((-half - root) / square, (-half + root) / square)
    }

    /// - Parameter corners: of a convex polygon.
    private func polygon(_ corners: [Point], _ a: Point, _ way: Point) -> ClosedRange<Double>? {
        func cross(_ a: Point, _ b: Point) -> Double { a.x * b.y - a.y * b.x }
        var area = 0.0
        for index in corners.indices { area += cross(corners[index], corners[(index + 1) % corners.count]) }
        var part = 0.0...1.0
        for index in corners.indices {
            let edge = corners[(index + 1) % corners.count] - corners[index]
            let sign = area < 0 ? -1.0 : 1
            let (distance, speed) = (sign * cross(edge, a - corners[index]), sign * cross(edge, way))
            if speed == 0 {
                if distance < 0 { return nil }
                continue
            }
            let crossing = -distance / speed
            let inside = speed > 0 ? part.clipped(crossing, .infinity) : part.clipped(-.infinity, crossing)
            guard let inside else { return nil }
            part = inside
        }
        return part
    }
}

extension Rect {
    /// The part of a line that is in a band from left to right.
    fileprivate static func band(_ band: Rect, _ a: Point, _ b: Point) -> ClosedRange<Double>? {
        let step = b.y - a.y
        guard step != 0 else { return a.y >= band.minY && a.y <= band.maxY ? 0...1 : nil }
        let (one, other) = ((band.minY - a.y) / step, (band.maxY - a.y) / step)
        return (0.0...1.0).clipped(min(one, other), max(one, other))
    }
}
