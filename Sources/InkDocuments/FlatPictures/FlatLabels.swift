import InkEngine

/// The colour that each pixel of a flat picture belongs to.
struct FlatLabels {
    let size: PixelSize
    private let tolerance: Int
    /// Whether single pixels beside an edge may go beyond the colours on both sides.
    private let isNoisy: Bool
    private(set) var colors: [FlatColor]
    /// Numbers of colours; `none` for pixels that belong to none.
    private(set) var labels: [UInt16]

    static let none = UInt16.max

    /// Each pixel belongs to the nearest colour, if no channel differs by more than the tolerance.
    ///
    /// - Parameter tolerance: levels.
    init(_ picture: FlatPicture, _ colors: [FlatColor], tolerance: Int, isNoisy: Bool) {
        self.isNoisy = isNoisy
        size = picture.size
        self.colors = colors
        self.tolerance = tolerance
        // Most pixels have been seen before.
        var known = [(key: UInt32, label: UInt16)](repeating: (0, Self.none), count: 1 << 12)
        // The slots begin with 0, whose own is this one.
        known[0].label = Self.nearest(.nothing, colors, tolerance)
        labels = picture.pixels.withUnsafeBufferPointer { pixels in
            [UInt16](unsafeUninitializedCapacity: picture.size.area) { labels, count in
                known.withUnsafeMutableBufferPointer { known in
                    for index in 0..<pixels.count {
                        let color = pixels[index]
                        let slot = Int((color.value &* 0x9E37_79B1) >> 20)
                        if known[slot].key != color.value {
                            known[slot] = (color.value, Self.nearest(color, colors, tolerance))
                        }
                        labels[index] = known[slot].label
                    }
                }
                count = pixels.count
            }
        }
    }

    private static func nearest(_ color: FlatColor, _ colors: [FlatColor], _ tolerance: Int) -> UInt16 {
        var best = (label: none, squares: Int.max)
        for (label, other) in colors.enumerated() where color.isNear(other, tolerance) {
            // What can be seen is drawn.
            if other == .nothing, color.channel(3) > 8 { continue }
            let squares = color.squares(other)
            if squares < best.squares { best = (UInt16(label), squares) }
        }
        return best.label
    }

    func isUnlabelled(_ index: Int) -> Bool { labels[index] == Self.none }

    var unlabelled: [Int] { labels.indices.filter { labels[$0] == Self.none } }
    var unlabelledCount: Int { labels.count { $0 == Self.none } }

    /// Adds a colour, which gets those of the given pixels that are near it.
    mutating func add(_ color: FlatColor, _ picture: FlatPicture, _ pixels: [Int]) {
        let label = UInt16(colors.count)
        colors.append(color)
        for index in pixels where picture.pixels[index].isNear(color, tolerance) { labels[index] = label }
    }

    mutating func replace(by labels: [UInt16]) { self.labels = labels }

    /// Whether a pixel is what an edge between two other colours close by shows.
    func isMixed(_ index: Int, _ picture: FlatPicture, reach: Int) -> Bool {
        let (width, height) = (size.width, size.height)
        let (x, y) = (index % width, index / width)
        let own = labels[index]
        var around: [UInt16] = []
        for row in max(0, y - reach)...min(height - 1, y + reach) {
            for column in max(0, x - reach)...min(width - 1, x + reach) {
                let label = labels[row * width + column]
                if label != Self.none, label != own, around.count < 8, !around.contains(label) { around.append(label) }
            }
        }
        let color = picture.pixels[index]
        for (number, one) in around.enumerated() {
            for other in around[(number + 1)...]
            where color.isMixed(of: colors[Int(one)], colors[Int(other)], overshoots: isNoisy) { return true }
        }
        return false
    }

    /// Whether a pixel is like a colour close by, but for the hue, which JPEG files smear.
    func isSmeared(_ index: Int, _ picture: FlatPicture, reach: Int) -> Bool {
        let (width, height) = (size.width, size.height)
        let (x, y) = (index % width, index / width)
        let color = picture.pixels[index]
        for row in max(0, y - reach)...min(height - 1, y + reach) {
            for column in max(0, x - reach)...min(width - 1, x + reach) {
                let label = labels[row * width + column]
                if label != Self.none, color.isSmeared(colors[Int(label)]) { return true }
            }
        }
        return false
    }

    // MARK: - Noise

    /// Gives pixels of no colour the one that is most like them, mostly of those close by. Luminance counts more, because JPEG files keep
    /// colours at half the resolution.
    mutating func spread(_ picture: FlatPicture) {
        let (width, height) = (size.width, size.height)
        let before = labels
        for index in before.indices where before[index] == Self.none {
            let (x, y) = (index % width, index / width)
            let color = picture.pixels[index]
            var best = (label: Self.none, cost: Int.max)
            for row in max(0, y - Self.spreadReach)...min(height - 1, y + Self.spreadReach) {
                for column in max(0, x - Self.spreadReach)...min(width - 1, x + Self.spreadReach) {
                    let label = before[row * width + column]
                    guard label != Self.none, label != best.label else { continue }
                    let cost = color.unlikeness(colors[Int(label)])
                    if (cost, label) < (best.cost, best.label) { best = (label, cost) }
                }
            }
            // Thin lines are far from any pixel that still has their colour.
            for (label, other) in colors.enumerated() where color.isSmeared(other) {
                let cost = color.unlikeness(other) + Self.farCost
                if cost < best.cost { best = (UInt16(label), cost) }
            }
            labels[index] = best.label
        }
    }

    private static let spreadReach = 3
    /// How much more like a pixel a colour must be that is not close by.
    private static let farCost = 40

    // MARK: - Slivers

    /// 1 for each pixel that lies in a square of 3 x 3 pixels of its colour. Beyond the borders the picture goes on.
    func broadPixels() -> [UInt8] {
        let (width, height) = (size.width, size.height)
        return labels.withUnsafeBufferPointer { labels in
            var broad = [UInt8](repeating: 0, count: size.area)
            broad.withUnsafeMutableBufferPointer { broad in
                for y in 0..<height {
                    let (above, below) = (max(0, y - 1) * width, min(height - 1, y + 1) * width)
                    let row = y * width
                    for x in 0..<width {
                        let own = labels[row + x]
                        let (left, right) = (max(0, x - 1), min(width - 1, x + 1))
                        guard labels[row + left] == own, labels[row + right] == own, labels[above + x] == own,
                            labels[below + x] == own, labels[above + left] == own, labels[above + right] == own,
                            labels[below + left] == own, labels[below + right] == own
                        else { continue }
                        for start in [above, row, below] {
                            broad[start + left] = 1
                            broad[start + x] = 1
                            broad[start + right] = 1
                        }
                    }
                }
            }
            return broad
        }
    }

    /// Takes thin pixels away from a colour that an edge between two others only happens to show.
    mutating func removeSlivers(_ picture: FlatPicture, broad: [UInt8]) {
        var mixed: [Int] = []
        for index in labels.indices where broad[index] == 0 && labels[index] != Self.none {
            if isMixed(index, picture, reach: 2) { mixed.append(index) }
        }
        for index in mixed { labels[index] = Self.none }
    }
}
