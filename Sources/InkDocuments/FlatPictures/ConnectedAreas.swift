import InkEngine

/// The connected areas of labelled pixels. Pixels are connected at their edges, those of thin lines at their corners too.
struct ConnectedAreas {
    struct Area {
        var label: UInt16
        var area = 0
        /// Pixels that lie in a square of 3 x 3 of the area.
        var broadArea = 0
        var sumX = 0
        var sumY = 0
    }

    /// Equal labels in a row.
    private struct Run {
        private var row: Int32
        private var start: Int32
        private var end: Int32
        private var link: Int32
        var label: UInt16

        init(y: Int, columns: Range<Int>, label: UInt16, parent: Int) {
            (row, start, end) = (Int32(y), Int32(columns.lowerBound), Int32(columns.upperBound))
            (self.label, link) = (label, Int32(parent))
        }

        var y: Int { Int(row) }
        var columns: Range<Int> { Int(start)..<Int(end) }
        /// A run of the same area, at the end its area; -1 for none.
        var parent: Int {
            get { Int(link) }
            set { link = Int32(newValue) }
        }
    }

    /// More than a picture of flat colours has, even a large one.
    private static let runsMax = 1 << 24

    private let size: PixelSize
    private var runs: [Run] = []
    private(set) var areas: [Area] = []

    /// nil for a picture of which hardly a pixel is like the one beside it.
    init?(_ labels: FlatLabels, broad: [UInt8]) {
        size = labels.size
        guard findRuns(labels.labels) else { return nil }
        connect(broad)
        collect(broad)
    }

    private mutating func findRuns(_ labels: [UInt16]) -> Bool {
        let width = size.width
        return labels.withUnsafeBufferPointer { labels in
            for y in 0..<size.height {
                guard runs.count + width <= Self.runsMax else { return false }
                var start = 0
                while start < width {
                    let label = labels[y * width + start]
                    var end = start + 1
                    while end < width, labels[y * width + end] == label { end += 1 }
                    runs.append(Run(y: y, columns: start..<end, label: label, parent: runs.count))
                    start = end
                }
            }
            return true
        }
    }

    private mutating func root(_ run: Int) -> Int {
        var root = run
        while runs[root].parent != root { root = runs[root].parent }
        var next = run
        while runs[next].parent != root { (runs[next].parent, next) = (root, runs[next].parent) }
        return root
    }

    /// The earlier run becomes the root, so that areas come in the order of their first pixels.
    private mutating func join(_ one: Int, _ other: Int) {
        let (a, b) = (root(one), root(other))
        if a != b { runs[max(a, b)].parent = min(a, b) }
    }

    private mutating func connect(_ broad: [UInt8]) {
        let width = size.width
        var above = 0
        var row = 0
        while row < runs.count, runs[row].y == 0 { row += 1 }
        while row < runs.count {
            let y = runs[row].y
            let end = runs[row...].firstIndex { $0.y != y } ?? runs.count
            var upper = above
            for index in row..<end {
                let run = runs[index]
                // Runs above that touch this one, corners included.
                while runs[upper].columns.upperBound < run.columns.lowerBound { upper += 1 }
                var other = upper
                while other < row, runs[other].columns.lowerBound <= run.columns.upperBound {
                    defer { other += 1 }
                    guard runs[other].label == run.label, run.label != FlatLabels.none else { continue }
                    let columns = runs[other].columns
                    if columns.overlaps(run.columns) {
                        join(other, index)
                    } else {
                        let isLeft = columns.upperBound == run.columns.lowerBound
                        let (x, upperX) =
                            isLeft
                            ? (run.columns.lowerBound, columns.upperBound - 1)
                            : (run.columns.upperBound - 1, columns.lowerBound)
                        if broad[y * width + x] == 0, broad[(y - 1) * width + upperX] == 0 { join(other, index) }
                    }
                }
            }
            above = row
            row = end
        }
    }

    private mutating func collect(_ broad: [UInt8]) {
        var numbers = [Int](repeating: -1, count: runs.count)
        for index in runs.indices where runs[index].label != FlatLabels.none {
            let root = root(index)
            if numbers[root] < 0 {
                numbers[root] = areas.count
                areas.append(Area(label: runs[index].label))
            }
            numbers[index] = numbers[root]
            let (columns, y) = (runs[index].columns, runs[index].y)
            areas[numbers[index]].area += columns.count
            areas[numbers[index]].sumX += (columns.lowerBound + columns.upperBound - 1) * columns.count / 2
            areas[numbers[index]].sumY += y * columns.count
            for x in columns where broad[y * size.width + x] == 1 { areas[numbers[index]].broadArea += 1 }
        }
        for index in runs.indices { runs[index].parent = numbers[index] }
    }

    // MARK: - After the areas have been found

    /// Lets small and narrow areas belong to larger ones beside them whose colours are much the same: noise has made two
    /// colours of one.
    mutating func joinNoise(_ colors: [FlatColor], tolerance: Int, areaMax: Int) {
        let isSuspect = suspects(areaMax: areaMax)
        // For each such area, how long its border with each larger one is.
        var borders: [Int: [Int: Int]] = [:]
        forEachBorder { one, other, length in
            let (small, large) = (areas[one].area, one) < (areas[other].area, other) ? (one, other) : (other, one)
            let (a, b) = (colors[Int(areas[small].label)], colors[Int(areas[large].label)])
            guard isSuspect[small], a.isNear(b, tolerance) || a.isSmeared(b) else { return }
            borders[small, default: [:]][large, default: 0] += length
        }
        var target = Array(areas.indices)
        for (small, larger) in borders {
            guard let best = larger.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { continue }
            target[small] = best.key
        }
        for index in areas.indices {
            var last = index
            // Along areas that grow, so this ends.
            while target[last] != last { last = target[last] }
            guard last != index else { continue }
            areas[last].area += areas[index].area
            areas[last].broadArea += areas[index].broadArea
            areas[last].sumX += areas[index].sumX
            areas[last].sumY += areas[index].sumY
            target[index] = last
        }
        for index in runs.indices where runs[index].parent >= 0 { runs[index].parent = target[runs[index].parent] }
        for index in areas.indices where target[index] != index { areas[index].area = 0 }
    }

    /// For each area, whether noise may have made it: it is small, or narrower than two blocks of a JPEG file.
    private func suspects(areaMax: Int) -> [Bool] {
        var borders = [Int](repeating: 0, count: areas.count)
        forEachBorder { one, other, length in
            borders[one] += length
            borders[other] += length
        }
        return areas.indices.map { areas[$0].area < areaMax || areas[$0].area < 8 * borders[$0] }
    }

    /// Passes borders between areas, in pieces of a row each, with their lengths.
    private func forEachBorder(_ body: (_ one: Int, _ other: Int, _ length: Int) -> Void) {
        var above = 0
        var index = 0
        while index < runs.count {
            let run = runs[index]
            if index > 0, runs[index - 1].y == run.y, run.parent >= 0, runs[index - 1].parent >= 0,
                run.parent != runs[index - 1].parent
            {
                body(run.parent, runs[index - 1].parent, 1)
            }
            if run.y > 0 {
                while runs[above].y < run.y - 1
                    || runs[above].y == run.y - 1 && runs[above].columns.upperBound <= run.columns.lowerBound
                { above += 1 }
                var other = above
                while runs[other].y == run.y - 1, runs[other].columns.lowerBound < run.columns.upperBound {
                    let shared = runs[other].columns.clamped(to: run.columns).count
                    if shared > 0, run.parent >= 0, runs[other].parent >= 0, runs[other].parent != run.parent {
                        body(run.parent, runs[other].parent, shared)
                    }
                    other += 1
                }
            }
            index += 1
        }
    }

    /// The areas that are regions where there is noise: those whose colour lies between those of two neighbours are edges
    /// if they are small or narrow.
    func keptAmongNoise(_ colors: [FlatColor], minArea: Int, areaMax: Int) -> [Int] {
        let isSuspect = suspects(areaMax: areaMax)
        // By the colour of the neighbour, how long the border is.
        var borders: [Int: [UInt16: Int]] = [:]
        forEachBorder { one, other, length in
            if isSuspect[one] { borders[one, default: [:]][areas[other].label, default: 0] += length }
            if isSuspect[other] { borders[other, default: [:]][areas[one].label, default: 0] += length }
        }
        return areas.indices.filter { index in
            guard areas[index].area >= minArea else { return false }
            guard let beside = borders[index] else { return true }
            let total = beside.values.reduce(0, +)
            let labels = beside.filter { $0.value * 5 >= total && $0.key != areas[index].label }.keys.sorted()
            let color = colors[Int(areas[index].label)]
            for (number, one) in labels.enumerated() {
                for other in labels[(number + 1)...]
                where color.isMixed(of: colors[Int(one)], colors[Int(other)], overshoots: false) { return false }
            }
            return true
        }
    }

    /// The areas that are regions: of enough pixels, and not what edges between others show.
    func kept(_ labels: FlatLabels, _ picture: FlatPicture, minArea: Int) -> [Int] {
        let large = areas.indices.filter { areas[$0].area >= minArea }
        let narrow = Set(large.filter { areas[$0].broadArea * 2 < areas[$0].area })
        guard !narrow.isEmpty else { return large }
        var mixed: [Int: Int] = [:]
        for run in runs where narrow.contains(run.parent) {
            for x in run.columns where labels.isMixed(run.y * size.width + x, picture, reach: 4) {
                mixed[run.parent, default: 0] += 1
            }
        }
        return large.filter { mixed[$0, default: 0] * 10 < areas[$0].area * 7 }
    }

    /// For each pixel, the number that stands for its area; -1 for pixels of no area.
    func numbers(_ numberOfArea: [Int32]) -> [Int32] {
        [Int32](unsafeUninitializedCapacity: size.area) { numbers, count in
            for run in runs {
                let number = run.parent < 0 ? -1 : numberOfArea[run.parent]
                for x in run.columns { numbers[run.y * size.width + x] = number }
            }
            count = size.area
        }
    }
}

/// A rectangle that grows around pixels.
struct GrowingBounds {
    private var columns = Int.max..<Int.max
    private var rows = 0..<0

    mutating func add(columns added: Range<Int>, row: Int) {
        guard columns.lowerBound != .max else {
            (columns, rows) = (added, row..<(row + 1))
            return
        }
        columns = min(columns.lowerBound, added.lowerBound)..<max(columns.upperBound, added.upperBound)
        rows = min(rows.lowerBound, row)..<max(rows.upperBound, row + 1)
    }

    /// Empty before the first.
    var rect: PixelRect {
        columns.lowerBound == .max
            ? PixelRect(x: 0, y: 0, width: 0, height: 0)
            : PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
}
