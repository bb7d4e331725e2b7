package import InkEngine

/// Which region of a template each pixel shows, to see what lies beside what.
package struct RegionMap: Sendable {
    let size: PixelSize
    /// Below 0 for none.
    private var numbers: [Int32]
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

    /// A drawing of the regions' outlines, gray on white: `size.area` values.
    ///
    /// - Parameter isLine: whether a region is a line itself, which is drawn as it is.
    package func outlines(isLine: [Bool]) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        func isThin(_ number: Int32) -> Bool { number >= 0 && isLine[Int(number)] }
        var members = [UInt8](repeating: 0, count: size.area)
        for y in 0..<height {
            for x in 0..<width {
                let at = y * width + x
                let own = numbers[at]
                if isThin(own) {
                    members[at] = 1
                    continue
                }
                func isBorder(_ other: Int32) -> Bool { other != own && !isThin(other) }
                if x + 1 < width && isBorder(numbers[at + 1]) || y + 1 < height && isBorder(numbers[at + width]) {
                    members[at] = 1
                }
            }
        }
        let soft = MaskMaker.softened(
            members, size, dilation: size.longestEdge / Self.edgePerRadius, blur: Self.softness)
        return soft.map { 255 - UInt8((Int($0) * Self.ink + 127) / 255) }
    }

    /// Pixels of the longest edge for a radius of one pixel of the lines.
    private static let edgePerRadius = 1200
    private static let softness = 0.7
    /// How much darker than white lines are.
    private static let ink = 170
}
