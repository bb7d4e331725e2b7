package import InkEngine

/// The regions of a flat picture: connected areas of one colour.
package struct FlatRegions: Sendable {
    /// How regions are found and what masks they get.
    package struct Options: Hashable, Sendable {
        /// The colours; nil: those of the picture.
        package var colors: [RGBA8]?
        /// The largest difference of a channel, of 1, within which a pixel belongs to a colour.
        package var tolerance = 0.1
        /// Radius of the disc that masks are dilated by, pixels.
        package var dilation = 2
        /// Sigma of the Gaussian that masks are blurred by, pixels.
        package var blur = 1.0
        /// Pixels of the smallest region; smaller ones go to what is around them. nil: by the size of the picture.
        package var minArea: Int?

        package init() {}

        func minArea(of size: PixelSize) -> Int { minArea ?? max(16, size.area / 40_000) }
    }

    /// An area of one colour.
    package struct Region: Hashable, Sendable {
        var color: FlatColor
        /// The number of its pixels.
        package var area: Int
        /// Around the pixels that count for its mask.
        package var bounds: PixelRect
        /// The mean of its pixels' places, pixels.
        package var centerX: Double
        package var centerY: Double
        /// Whether it is a line, or too narrow for a pattern.
        package var isThin: Bool
    }

    package let size: PixelSize
    /// The largest first, equal ones from the top.
    package let regions: [Region]
    /// The region of each pixel: its number; `nothing` where the picture is transparent.
    let numbers: [Int32]
    /// How far a pixel is from those of its region's colour: 0 for these.
    private let distances: [UInt8]
    private let options: Options
    /// The share of pixels that belong to no colour, of 1; large for pictures that are not flat.
    package let strayShare: Double

    /// Different colours of regions.
    package var colorCount: Int { Set(regions.map(\.color)).count }

    static let nothing: Int32 = -2
    private static let unknown: Int32 = -1
    /// A block of JPEG files.
    private static let noisyMinArea = 64

    /// Finds the regions.
    ///
    /// - Parameters:
    ///   - place: of the picture, for errors.
    /// - Throws: `badInput` where there is no region, `overLimit` where there are more than `limits.layers`.
    package init(
        of picture: FlatPicture, _ options: Options, place: Place, limits: Limits
    ) throws(EngineError) {
        let size = picture.size
        var minArea = options.minArea(of: size)
        let tolerance = MaskMaker.levels(of: options.tolerance)
        let colors = FlatColors(of: picture, tolerance: tolerance, minArea: minArea, given: options.colors)
        guard !colors.colors.isEmpty else {
            throw .badInput(place, reason: "no area of the picture has one colour, it is no flat picture")
        }
        if colors.isNoisy, options.minArea == nil { minArea = max(minArea, Self.noisyMinArea) }
        guard let found = FoundAreas(picture, colors, tolerance: tolerance, minArea: minArea) else {
            throw .badInput(place, reason: "hardly a pixel is like the one beside it, it is no flat picture")
        }
        let (labels, areas, kept) = (found.labels, found.areas, found.kept)
        let shown = kept.filter { labels.colors[Int(areas.areas[$0].label)] != .nothing }
        guard !shown.isEmpty else {
            throw .badInput(
                place,
                reason:
                    "no region of the picture has \(minArea) pixels of \(options.colors == nil ? "one" : "a given") colour"
            )
        }
        guard shown.count <= limits.layers else {
            throw .overLimit(
                place, what: "the number of regions", found: "\(shown.count)",
                limit: "\(limits.layers); larger --min-area or --tolerance give fewer")
        }
        var numberOfArea = [Int32](repeating: Self.unknown, count: areas.areas.count)
        let ordered = shown.sorted { (areas.areas[$1].area, $0) < (areas.areas[$0].area, $1) }
        for area in kept { numberOfArea[area] = Self.nothing }
        for (number, area) in ordered.enumerated() { numberOfArea[area] = Int32(number) }
        var numbers = areas.numbers(numberOfArea)
        strayShare = Double(found.strayCount) / Double(size.area)
        let steps = Self.fill(&numbers, size)
        // In noise, what a pixel shows does not tell whether it belongs to what is around it.
        distances = colors.isNoisy ? [UInt8](repeating: 0, count: size.area) : steps
        let thin = RegionMap.thin(numbers, size, count: ordered.count)
        let bounds = Self.bounds(numbers, distances, size, dilation: options.dilation, count: ordered.count)
        self.size = size
        self.numbers = numbers
        self.options = options
        regions = ordered.enumerated().map { number, index in
            let area = areas.areas[index]
            return Region(
                color: labels.colors[Int(area.label)], area: area.area, bounds: bounds[number],
                centerX: Double(area.sumX) / Double(area.area) + 0.5,
                centerY: Double(area.sumY) / Double(area.area) + 0.5,
                isThin: thin[number])
        }
    }

    /// The areas of a picture before they are regions.
    private struct FoundAreas {
        var labels: FlatLabels
        var areas: ConnectedAreas
        /// Those that are large enough, and no edges.
        var kept: [Int]
        /// Pixels of no such area.
        var strayCount: Int

        /// nil for a picture of which hardly a pixel is like the one beside it.
        init?(_ picture: FlatPicture, _ colors: FlatColors, tolerance: Int, minArea: Int) {
            labels = FlatLabels(picture, colors.colors, tolerance: tolerance, isNoisy: colors.isNoisy)
            labels.removeSlivers(picture, broad: labels.broadPixels())
            if colors.isNoisy { labels.spread(picture) }
            guard var areas = ConnectedAreas(labels, broad: labels.broadPixels()) else { return nil }
            if colors.isNoisy {
                areas.joinNoise(labels.colors, tolerance: tolerance * 3 / 2, areaMax: 8 * minArea)
                kept = areas.keptAmongNoise(labels.colors, minArea: minArea, areaMax: 8 * minArea)
            } else {
                kept = areas.kept(labels, picture, minArea: minArea)
            }
            strayCount = picture.size.area
            for area in kept { strayCount -= areas.areas[area].area }
            self.areas = areas
            guard colors.isNoisy else { return }
            // What edges of noise have kept apart grows together.
            var numberOfArea = [Int32](repeating: unknown, count: areas.areas.count)
            for area in kept { numberOfArea[area] = Int32(areas.areas[area].label) }
            var numbers = areas.numbers(numberOfArea)
            _ = FlatRegions.fill(&numbers, picture.size)
            labels.replace(by: numbers.map { $0 == unknown ? FlatLabels.none : UInt16($0) })
            guard let grown = ConnectedAreas(labels, broad: labels.broadPixels()) else { return nil }
            self.areas = grown
            kept = grown.areas.indices.filter { grown.areas[$0].area >= minArea }
        }
    }

    /// Gives each unknown pixel to the nearest region, step by step from all borders at once. Returns the steps, at most
    /// 255.
    private static func fill(_ numbers: inout [Int32], _ size: PixelSize) -> [UInt8] {
        let (width, height) = (size.width, size.height)
        var distances = [UInt8](repeating: 0, count: size.area)
        var front: [Int] = []
        numbers.withUnsafeMutableBufferPointer { numbers in
            func neighbours(_ index: Int, _ body: (Int) -> Void) {
                let (x, y) = (index % width, index / width)
                if y > 0 { body(index - width) }
                if x > 0 { body(index - 1) }
                if x < width - 1 { body(index + 1) }
                if y < height - 1 { body(index + width) }
            }
            for index in 0..<numbers.count where numbers[index] == unknown {
                var isNext = false
                neighbours(index) { isNext = isNext || numbers[$0] != unknown }
                if isNext { front.append(index) }
            }
            var distance: UInt8 = 0
            while !front.isEmpty {
                distance = min(254, distance) + 1
                // All decide by what was known before, so the order does not count.
                let found = front.map { index in
                    var number = unknown
                    neighbours(index) { if number < 0, numbers[$0] != unknown { number = numbers[$0] } }
                    return number
                }
                for (index, number) in zip(front, found) where number != unknown {
                    numbers[index] = number
                    distances[index] = distance
                }
                var next: [Int] = []
                for index in front {
                    neighbours(index) { neighbour in
                        if numbers[neighbour] == unknown, distances[neighbour] == 0 {
                            distances[neighbour] = 255
                            next.append(neighbour)
                        }
                    }
                }
                front = next
            }
        }
        return distances
    }

    /// Whether a pixel counts for the mask of its region: pixels of no colour do so where dilation does not reach them.
    @inline(__always) private static func isMember(_ distance: UInt8, dilation: Int) -> Bool {
        distance == 0 || Int(distance) > dilation
    }

    /// The mask of a region, `size.area` values: its pixels, dilated and blurred (spec section 6).
    package func mask(of number: Int) -> [UInt8] {
        let bounds = regions[number].bounds
        let reach = options.dilation + MaskMaker.radius(ofBlur: options.blur)
        // Beyond it the mask is 0, and so are the borders of this part but those of the picture.
        let (left, top) = (max(0, bounds.x - reach), max(0, bounds.y - reach))
        let part = PixelSize(
            width: min(size.width, bounds.columns.upperBound + reach) - left,
            height: min(size.height, bounds.rows.upperBound + reach) - top)
        var cut = [UInt8](repeating: 0, count: part.area)
        for y in bounds.rows {
            for x in bounds.columns {
                let at = y * size.width + x
                if numbers[at] == number, Self.isMember(distances[at], dilation: options.dilation) {
                    cut[(y - top) * part.width + x - left] = 1
                }
            }
        }
        let soft = MaskMaker.softened(cut, part, dilation: options.dilation, blur: options.blur)
        guard part != size else { return soft }
        var mask = [UInt8](repeating: 0, count: size.area)
        for y in 0..<part.height {
            let target = (y + top) * size.width + left
            mask.replaceSubrange(target..<(target + part.width), with: soft[(y * part.width)..<((y + 1) * part.width)])
        }
        return mask
    }

    /// Around the pixels that count for the masks of the regions.
    private static func bounds(
        _ numbers: [Int32], _ distances: [UInt8], _ size: PixelSize, dilation: Int, count: Int
    ) -> [PixelRect] {
        var bounds = [GrowingBounds](repeating: GrowingBounds(), count: count)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let at = y * size.width + x
                guard numbers[at] >= 0, isMember(distances[at], dilation: dilation) else { continue }
                bounds[Int(numbers[at])].add(columns: x..<(x + 1), row: y)
            }
        }
        return bounds.map(\.rect)
    }
}
