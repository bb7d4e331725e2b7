import InkEngine

/// Finds the colours of a flat picture without being told how many there are.
///
/// Colours are peaks among the pixels that look like their neighbours, so edges have no say; only what is drawn in thin
/// lines has no such pixels. Those colours are found among the pixels that no edge between the others explains.
struct FlatColors {
    /// The most frequent first. `FlatColor.nothing` is one of them where the picture has transparent areas.
    private(set) var colors: [FlatColor]
    /// Whether areas of one colour differ by noise, as those of JPEG files do.
    private(set) var isNoisy = false

    /// More colours than a picture of flat colours has.
    static let countMax = 256

    /// Differences of neighbours in an area of one colour.
    private static let flatLevels = 6
    /// Bits of a channel that a cell of the histogram keeps; alpha keeps two.
    private static let cellBits = 6
    private static let cellLevels = 4

    /// - Parameters:
    ///   - tolerance: levels within which a pixel belongs to a colour.
    ///   - minArea: pixels that a colour must have.
    ///   - given: the colours, where they need not be found; transparency is added if the picture has some.
    init(of picture: FlatPicture, tolerance: Int, minArea: Int, given: [RGBA8]?) {
        colors = []
        let flat = picture.flatPixels(levels: Self.flatLevels)
        findPeaks(picture, flat, tolerance: tolerance, minArea: minArea)
        if let given {
            colors = given.map { FlatColor($0) }
            if picture.pixels.contains(.nothing) { colors.append(.nothing) }
        } else {
            findThin(picture, tolerance: tolerance, minArea: minArea)
        }
    }

    // MARK: - Areas

    private static func cell(_ color: FlatColor) -> Int {
        let shift = 8 - cellBits
        return color.channel(0) >> shift | (color.channel(1) >> shift) << 6 | (color.channel(2) >> shift) << 12
            | (color.channel(3) >> 6) << 18
    }

    private static func place(_ cell: Int) -> [Int] { [cell & 63, cell >> 6 & 63, cell >> 12 & 63, cell >> 18] }

    private static func cell(_ place: [Int]) -> Int { place[0] | place[1] << 6 | place[2] << 12 | place[3] << 18 }

    /// The cells at a distance of at most 1, with the same alpha.
    private static func near(_ cell: Int) -> [Int] {
        let own = place(cell)
        var cells: [Int] = []
        for blue in max(0, own[2] - 1)...min(63, own[2] + 1) {
            for green in max(0, own[1] - 1)...min(63, own[1] + 1) {
                for red in max(0, own[0] - 1)...min(63, own[0] + 1) {
                    cells.append(Self.cell([red, green, blue, own[3]]))
                }
            }
        }
        return cells
    }

    private mutating func findPeaks(_ picture: FlatPicture, _ flat: [UInt8], tolerance: Int, minArea: Int) {
        var counts = [UInt32](repeating: 0, count: 1 << 20)
        for index in picture.pixels.indices where flat[index] == 1 { counts[Self.cell(picture.pixels[index])] += 1 }
        let least = UInt32(clamping: max(4, minArea / 8))
        let candidates = counts.indices.filter { counts[$0] >= least }
            .sorted { (counts[$1], $0) < (counts[$0], $1) }
        var peaks: [Int] = []
        for cell in candidates where peaks.count < Self.countMax {
            guard Self.near(cell).reduce(0, { $0 + Int(counts[$1]) }) >= minArea / 2,
                !peaks.contains(where: { Self.isPart(cell, of: $0, counts, tolerance: tolerance) })
            else { continue }
            peaks.append(cell)
        }
        refine(peaks, picture, flat)
    }

    /// Whether a cell is not a peak of its own beside a higher one: there is no valley between them.
    private static func isPart(_ cell: Int, of peak: Int, _ counts: [UInt32], tolerance: Int) -> Bool {
        let (a, b) = (place(peak), place(cell))
        guard a[3] == b[3] else { return false }
        let distance = zip(a, b).map { abs($0 - $1) }.max() ?? 0
        guard distance > 1 else { return true }
        guard distance * cellLevels <= 2 * tolerance else { return false }
        for step in 1..<distance {
            let between = zip(a, b).map { $0 + (($1 - $0) * step * 2 + distance) / (2 * distance) }
            if counts[Self.cell(between)] < counts[cell] / 4 { return false }
        }
        return true
    }

    /// The median of the pixels at each peak, which is the colour itself where there is no noise.
    private mutating func refine(_ peaks: [Int], _ picture: FlatPicture, _ flat: [UInt8]) {
        guard !peaks.isEmpty else { return }
        var numbers = [UInt16](repeating: .max, count: 1 << 20)
        for (number, peak) in peaks.enumerated().reversed() {
            for cell in Self.near(peak) { numbers[cell] = UInt16(number) }
        }
        var histograms = [Int](repeating: 0, count: peaks.count * 1024)
        for index in picture.pixels.indices where flat[index] == 1 {
            let color = picture.pixels[index]
            let number = Int(numbers[Self.cell(color)])
            guard number < peaks.count else { continue }
            for channel: UInt32 in 0..<4 {
                histograms[number * 1024 + Int(channel) * 256 + color.channel(channel)] += 1
            }
        }
        var exact = 0
        var all = 0
        for number in peaks.indices {
            var value: UInt32 = 0
            var least = Int.max
            for channel in 0..<4 {
                let counts = histograms[(number * 1024 + channel * 256)..<(number * 1024 + channel * 256 + 256)]
                let total = counts.reduce(0, +)
                var sum = 0
                let median = counts.firstIndex { count in
                    sum += count
                    return 2 * sum >= total
                }
                let level = (median ?? counts.startIndex) - counts.startIndex
                least = min(least, counts[counts.startIndex + level])
                if channel == 0 { all += total }
                value |= UInt32(level) << (8 * UInt32(channel))
            }
            exact += least
            let color = FlatColor(value: value)
            if !colors.contains(color) { colors.append(color) }
        }
        isNoisy = exact * 100 < all * 98
    }

    // MARK: - Lines

    /// More lines of different colours than anybody draws.
    private static let thinRoundsMax = 24
    /// How far the colours are that an edge is between.
    private static let reach = 3
    private static let noisyReach = 5

    private mutating func findThin(_ picture: FlatPicture, tolerance: Int, minArea: Int) {
        var labels = FlatLabels(picture, colors, tolerance: tolerance, isNoisy: isNoisy)
        // Where much of the picture is no colour, it is not of flat colours.
        guard labels.unlabelledCount < picture.size.area / 3 else { return }
        let reach = isNoisy ? Self.noisyReach : Self.reach
        func isExplained(_ index: Int) -> Bool {
            labels.isMixed(index, picture, reach: reach)
                || isNoisy && labels.isSmeared(index, picture, reach: reach)
        }
        var left = labels.unlabelled.filter { !isExplained($0) }
        for _ in 0..<Self.thinRoundsMax where left.count >= minArea && colors.count < Self.countMax {
            guard let color = thinColor(picture, left, tolerance: tolerance, minArea: minArea) else { return }
            colors.append(color)
            labels.add(color, picture, left)
            left = left.filter { labels.isUnlabelled($0) && !isExplained($0) }
        }
    }

    /// The frequent colour that is furthest from all others: those between are mixtures.
    private func thinColor(_ picture: FlatPicture, _ left: [Int], tolerance: Int, minArea: Int) -> FlatColor? {
        var counts: [Int: Int] = [:]
        for index in left { counts[Self.cell(picture.pixels[index]), default: 0] += 1 }
        var best: (score: Int, cell: Int)?
        for (cell, count) in counts where count >= max(4, minArea / 8) {
            guard Self.near(cell).reduce(0, { $0 + counts[$1, default: 0] }) >= minArea / 2 else { continue }
            let place = Self.place(cell)
            let middle = FlatColor(
                value: UInt32(place[0] * 4 + 2) | UInt32(place[1] * 4 + 2) << 8 | UInt32(place[2] * 4 + 2) << 16
                    | UInt32(min(255, place[3] * 85)) << 24)
            let distance = colors.map { $0.distance(middle) }.min() ?? 255
            let score = count * distance * distance
            if let best, (best.score, cell) >= (score, best.cell) { continue }
            best = (score, cell)
        }
        guard let best else { return nil }
        // The most frequent colour of the cell.
        var exact: [UInt32: Int] = [:]
        for index in left where Self.cell(picture.pixels[index]) == best.cell {
            exact[picture.pixels[index].value, default: 0] += 1
        }
        return exact.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { FlatColor(value: $0.key) }
    }
}
