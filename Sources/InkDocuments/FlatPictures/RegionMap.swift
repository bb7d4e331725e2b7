package import InkEngine

/// Which region of a template each pixel shows, to see what lies beside what.
package struct RegionMap: Sendable {
    let size: PixelSize
    /// Below 0 for none.
    private(set) var numbers: [Int32]
    private(set) var count: Int

    package init(_ regions: FlatRegions) {
        size = regions.size
        numbers = regions.numbers
        count = regions.regions.count
    }

    /// A map without regions.
    package init(size: PixelSize) {
        self.size = size
        numbers = [Int32](repeating: -1, count: size.area)
        count = 0
    }

    /// Adds a region on top of the others.
    ///
    /// - Parameter mask: `size.area` values; the region is where it is at least one half.
    package mutating func add(mask: [UInt8]) {
        for index in mask.indices where mask[index] >= 128 { numbers[index] = Int32(count) }
        count += 1
    }

    /// For each region, whether it is a line, or too narrow for a pattern.
    package var thin: [Bool] { Self.thin(numbers, size, count: count) }

    /// Pixels; twice the area by the length of the border is the width of a long stripe.
    private static let thinWidth = 9

    static func thin(_ numbers: [Int32], _ size: PixelSize, count: Int) -> [Bool] {
        let (width, height) = (size.width, size.height)
        var areas = [Int](repeating: 0, count: count)
        var borders = areas
        numbers.withUnsafeBufferPointer { numbers in
            for y in 0..<height {
                for x in 0..<width {
                    let at = y * width + x
                    let own = numbers[at]
                    guard own >= 0 else { continue }
                    areas[Int(own)] += 1
                    let border =
                        (x == 0 || numbers[at - 1] != own ? 1 : 0)
                        + (x == width - 1 || numbers[at + 1] != own ? 1 : 0)
                        + (y == 0 || numbers[at - width] != own ? 1 : 0)
                        + (y == height - 1 || numbers[at + width] != own ? 1 : 0)
                    borders[Int(own)] += border
                }
            }
        }
        return (0..<count).map { 2 * areas[$0] < thinWidth * borders[$0] }
    }

    /// For each region those beside it, in order.
    package var neighbours: [[Int]] {
        var pairs: Set<[Int32]> = []
        func add(_ one: Int32, _ other: Int32) {
            if one != other, one >= 0, other >= 0 { pairs.insert([min(one, other), max(one, other)]) }
        }
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = y * size.width + x
                if x > 0 { add(numbers[at], numbers[at - 1]) }
                if y > 0 { add(numbers[at], numbers[at - size.width]) }
            }
        }
        var neighbours = [[Int]](repeating: [], count: count)
        for pair in pairs {
            neighbours[Int(pair[0])].append(Int(pair[1]))
            neighbours[Int(pair[1])].append(Int(pair[0]))
        }
        return neighbours.map { $0.sorted() }
    }

    /// Round the pixels of each region.
    var boxes: [PixelRect] {
        var bounds = [GrowingBounds](repeating: GrowingBounds(), count: count)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let number = numbers[y * size.width + x]
                if number >= 0 { bounds[Int(number)].add(columns: x..<(x + 1), row: y) }
            }
        }
        return bounds.map(\.rect)
    }

    /// A drawing of the regions' outlines, gray on white, as wide on all slopes: `size.area` values.
    ///
    /// - Parameter isLine: whether a region is a line itself, which is drawn as it is.
    package func outlines(isLine: [Bool]) -> [UInt8] {
        func isThin(_ number: Int32) -> Bool { number >= 0 && isLine[Int(number)] }
        // How much of each pixel a line covers, 0...1.
        var covered = numbers.map { isThin($0) ? Float(1) : 0 }
        let radius = 0.5 + Double(size.longestEdge) / Self.edgePerRadius
        for (number, box) in boxes.enumerated() where !isLine[number] && !box.isEmpty {
            for loop in RegionOutline(of: number, in: self, box: box).loops() {
                let places = Self.smoothed(loop.map(\.place))
                for (index, piece) in loop.enumerated() {
                    let next = (index + 1) % loop.count
                    guard let other = piece.other, !isThin(other), let after = loop[next].other, !isThin(after) else {
                        continue
                    }
                    draw(from: places[index], to: places[next], radius: radius, into: &covered)
                }
            }
        }
        return covered.map { UInt8((255 - Self.ink * $0).rounded()) }
    }

    /// The places of a border without the steps of its pixels.
    private static func smoothed(_ places: [Point]) -> [Point] {
        let count = places.count
        guard count >= 2 * smoothing.count else { return places }
        return places.indices.map { index in
            var sum = Point(x: 0, y: 0)
            for (offset, weight) in smoothing.enumerated() {
                sum = sum + weight * places[(index + offset - smoothing.count / 2 + count) % count]
            }
            return sum
        }
    }

    private func draw(from start: Point, to end: Point, radius: Double, into covered: inout [Float]) {
        let reach = radius + 1
        let columns = Self.pixels(min(start.x, end.x) - reach, max(start.x, end.x) + reach, size.width)
        let rows = Self.pixels(min(start.y, end.y) - reach, max(start.y, end.y) + reach, size.height)
        let way = end - start
        let square = way.x * way.x + way.y * way.y
        for y in rows {
            for x in columns {
                let from = Point(x: Double(x) + 0.5, y: Double(y) + 0.5) - start
                let along = square > 0 ? min(max((from.x * way.x + from.y * way.y) / square, 0), 1) : 0
                let share = Float(min(max(radius + 0.5 - (from - along * way).length, 0), 1))
                let at = y * size.width + x
                covered[at] = max(covered[at], share)
            }
        }
    }

    private static func pixels(_ low: Double, _ high: Double, _ edge: Int) -> Range<Int> {
        let first = max(0, Int(low.rounded(.down)))
        return first..<max(first, min(edge, Int(high.rounded(.up))))
    }

    /// Pixels of the longest edge for a radius of one pixel of the lines.
    private static let edgePerRadius = 1200.0
    /// Binomial weights, of neighbours along a border.
    private static let smoothing = [1, 8, 28, 56, 70, 56, 28, 8, 1].map { Double($0) / 256 }
    /// How much darker than white lines are.
    private static let ink: Float = 170
}
