/// An image at the output's size, cell by cell.
///
/// Holds the filter's weights for one tile; the pixels of a cell do not depend on the tile or the cell, since each is
/// the same sum in the same order: along its row, then down its column, source samples ascending.
struct Resampler {
    /// What a finished mask turned out to be over a cell, so that the caller can leave out work.
    enum MaskContent: Hashable, Sendable {
        case zero, one, varied
    }

    /// What a finished picture turned out to be over a cell.
    enum ColorContent: Hashable, Sendable {
        case transparent, varied
    }

    let source: PixelSize
    let output: PixelSize
    /// The part of the output that it serves.
    let rect: PixelRect
    private let columns: ResampleKernel
    private let rows: ResampleKernel

    /// - Parameters:
    ///   - source: the whole image's size, edges up to `ImageRows.edgePixelsMax`.
    ///   - output: the whole output's size.
    ///   - rect: the part of the output that will be asked for.
    /// - Throws: `internalError` for a size out of range or a `rect` that is empty or not in the output.
    init(source: PixelSize, output: PixelSize, filter: ResampleFilter, rect: PixelRect) throws(EngineError) {
        let edges = 1...ImageRows.edgePixelsMax
        guard [source.width, source.height, output.width, output.height].allSatisfy(edges.contains) else {
            throw .internalError("cannot scale \(source) pixels to \(output); edges may be \(edges) pixels")
        }
        guard PixelRect(x: 0, y: 0, width: output.width, height: output.height).contains(rect) else {
            throw .internalError("\(rect) is not a part of \(output) pixels")
        }
        self.source = source
        self.output = output
        self.rect = rect
        columns = ResampleKernel(
            filter: filter, source: source.width, destination: output.width, outputs: rect.columns)
        rows = ResampleKernel(filter: filter, source: source.height, destination: output.height, outputs: rect.rows)
    }

    /// The source samples along one axis that the output samples `outputs` (not empty) are made of: what has to be
    /// sent for a tile.
    static func sourceRange(
        forOutput outputs: Range<Int>, source: Int, destination: Int, filter: ResampleFilter
    ) -> Range<Int> {
        ResampleKernel.sourceRange(forOutput: outputs, source: source, destination: destination, filter: filter)
    }

    /// Makes the mask values of `cell`, 0...1, row-major with a stride of the cell's width.
    ///
    /// - Parameter target: room for `cell.area` values; all are written, whatever is returned.
    /// - Throws: `internalError` when `image` is no mask of the right size, lacks rows, or the cell is not in `rect`.
    func mask(
        _ image: ImageRows, cell: PixelRect, into target: UnsafeMutablePointer<Float>
    ) throws(EngineError) -> MaskContent {
        let needed = try check(image, cell: cell, isMask: true)
        // Exactly these two come out of the filter as they go in, so that the short way gives the same values.
        if let constant = image.constant(over: needed) {
            let value = image.format.maskValue(constant)
            if value == 0 || value >= 1 {
                target.update(repeating: value == 0 ? 0 : 1, count: cell.area)
                return value == 0 ? .zero : .one
            }
        }
        if source == output {
            copyMask(image, cell, target)
        } else {
            filterMask(image, cell, needed, target)
        }
        return MaskContent(target, count: cell.area)
    }

    /// Makes the premultiplied colours of `cell` in `planes`, which have the cell's size; 0...1, no colour above its
    /// alpha. What was in the planes is replaced.
    ///
    /// - Throws: `internalError` when `image` is a mask or of the wrong size, lacks rows, or the cell is not in `rect`.
    func color(_ image: ImageRows, cell: PixelRect, into planes: FloatPlanes) throws(EngineError) -> ColorContent {
        precondition(planes.width == cell.width && planes.height == cell.height)
        let needed = try check(image, cell: cell, isMask: false)
        if image.format == .rgba8, let constant = image.constant(over: needed), constant >> 24 == 0 {
            planes.fill(.transparent)
            return .transparent
        }
        if source == output {
            copyColor(image, cell, planes)
        } else {
            filterColor(image, cell, needed, planes)
        }
        return .varied
    }

    /// The image rows that the cell is made of.
    private func check(_ image: ImageRows, cell: PixelRect, isMask: Bool) throws(EngineError) -> Range<Int> {
        guard rect.contains(cell) else { throw .internalError("cell \(cell) is not in \(rect)") }
        guard image.size == source, image.format.isMask == isMask else {
            throw .internalError("a \(image.format) image of \(image.size) pixels where one of \(source) was expected")
        }
        let last = rows.range(at: cell.y + cell.height - 1 - rect.y)
        let needed = rows.range(at: cell.y - rect.y).lowerBound..<last.upperBound
        guard image.rows.lowerBound <= needed.lowerBound, needed.upperBound <= image.rows.upperBound else {
            throw .internalError("rows \(needed) of an image were not sent, only \(image.rows)")
        }
        return needed
    }
}

// MARK: - Equal sizes

extension Resampler {
    private func copyMask(_ image: ImageRows, _ cell: PixelRect, _ target: UnsafeMutablePointer<Float>) {
        for y in 0..<cell.height {
            let row = target + y * cell.width
            image.withRow(cell.y + y) { samples in
                switch samples {
                case .constant(let value):
                    row.update(repeating: min(1, image.format.maskValue(value)), count: cell.width)
                case .samples(let samples): image.format.readMask(samples, columns: cell.columns, into: row)
                }
            }
        }
    }

    private func copyColor(_ image: ImageRows, _ cell: PixelRect, _ planes: FloatPlanes) {
        let format = image.format
        let start = PlanePointers(planes)
        for y in 0..<cell.height {
            let row = start.advanced(by: y * cell.width)
            image.withRow(cell.y + y) { samples in
                switch samples {
                case .constant(let value):
                    let pixel = format.pixelValue(value)
                    for x in 0..<cell.width { row.advanced(by: x).set(pixel) }
                case .samples(let samples) where format == .rgb8:
                    for x in 0..<cell.width {
                        row.advanced(by: x).set(SampleFormat.rgb8.pixel(at: cell.x + x, in: samples))
                    }
                case .samples(let samples):
                    for x in 0..<cell.width {
                        row.advanced(by: x).set(SampleFormat.rgba8.pixel(at: cell.x + x, in: samples))
                    }
                }
            }
        }
        withExtendedLifetime(planes) {}
    }
}

extension PlanePointers {
    @inline(__always)
    fileprivate func set(_ pixel: SIMD4<Float>) {
        red.pointee = pixel[0]
        green.pointee = pixel[1]
        blue.pointee = pixel[2]
        alpha.pointee = pixel[3]
    }
}

// MARK: - Filtering

extension Resampler {
    /// Calls `use` for the source rows in ascending order and the cell rows that each has a share in, with its weight.
    /// `prepare` runs once for each source row, before.
    ///
    /// A source row is filtered horizontally once and added to the rows it belongs to, so that the memory needed is
    /// that of a row whatever the ratio is.
    @inline(__always)
    private func forEachShare(
        _ cell: PixelRect, _ needed: Range<Int>, prepare: (_ sourceRow: Int) -> Void,
        use: (_ cellRow: Int, _ weight: Float) -> Void
    ) {
        let first = cell.y - rect.y
        // The cell rows whose ranges may hold the source row; both ends of the ranges ascend.
        var low = 0
        var high = 0
        for sourceRow in needed {
            while low < cell.height && rows.range(at: first + low).upperBound <= sourceRow { low += 1 }
            while high < cell.height && rows.first[first + high] <= sourceRow { high += 1 }
            if low >= high { continue }
            prepare(sourceRow)
            for row in low..<high {
                let position = first + row
                use(row, rows.weights[rows.start[position] + sourceRow - rows.first[position]])
            }
        }
    }

    private func filterMask(
        _ image: ImageRows, _ cell: PixelRect, _ needed: Range<Int>, _ target: UnsafeMutablePointer<Float>
    ) {
        target.update(repeating: 0, count: cell.area)
        let firstColumn = cell.x - rect.x
        let span =
            columns.range(at: firstColumn).lowerBound..<columns.range(at: firstColumn + cell.width - 1).upperBound
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: span.count + cell.width)
        defer { samples.deallocate() }
        let filtered = samples + span.count
        var previous: Int?
        forEachShare(cell, needed) { sourceRow in
            if previous == sourceRow - 1 && image.repeatsPrevious(sourceRow) {
                previous = sourceRow
                return
            }
            previous = sourceRow
            image.withRow(sourceRow) { row in
                switch row {
                case .constant(let value):
                    samples.update(repeating: min(1, image.format.maskValue(value)), count: span.count)
                case .samples(let row): image.format.readMask(row, columns: span, into: samples)
                }
            }
            filterRow(UnsafePointer(samples) - span.lowerBound, firstColumn, cell.width, into: filtered)
        } use: { cellRow, weight in
            Self.accumulate(filtered, weight, cell.width, onto: target + cellRow * cell.width)
        }
        for offset in stride(from: 0, to: cell.area, by: laneCount) {
            let count = min(laneCount, cell.area - offset)
            Self.settled(Lanes.load(target + offset, count: count), limit: Lanes(repeating: 1))
                .store(target + offset, count: count)
        }
    }

    private func filterColor(_ image: ImageRows, _ cell: PixelRect, _ needed: Range<Int>, _ planes: FloatPlanes) {
        planes.fill(.transparent)
        let firstColumn = cell.x - rect.x
        let span =
            columns.range(at: firstColumn).lowerBound..<columns.range(at: firstColumn + cell.width - 1).upperBound
        let samples = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: span.count)
        defer { samples.deallocate() }
        let line = FloatPlanes(width: cell.width, height: 1)
        let filtered = PlanePointers(line)
        let target = PlanePointers(planes)
        var previous: Int?
        forEachShare(cell, needed) { sourceRow in
            if previous == sourceRow - 1 && image.repeatsPrevious(sourceRow) {
                previous = sourceRow
                return
            }
            previous = sourceRow
            image.withRow(sourceRow) { Self.readColor($0, image.format, span, into: samples) }
            filterRow(UnsafePointer(samples) - span.lowerBound, firstColumn, cell.width, into: filtered)
        } use: { cellRow, weight in
            let row = target.advanced(by: cellRow * cell.width)
            Self.accumulate(filtered.red, weight, cell.width, onto: row.red)
            Self.accumulate(filtered.green, weight, cell.width, onto: row.green)
            Self.accumulate(filtered.blue, weight, cell.width, onto: row.blue)
            Self.accumulate(filtered.alpha, weight, cell.width, onto: row.alpha)
        }
        Self.settle(target, count: cell.area)
        withExtendedLifetime((planes, line)) {}
    }

    private static func readColor(
        _ row: ImageRows.Row, _ format: SampleFormat, _ columns: Range<Int>,
        into target: UnsafeMutablePointer<SIMD4<Float>>
    ) {
        switch row {
        case .constant(let value): target.update(repeating: format.pixelValue(value), count: columns.count)
        case .samples(let row) where format == .rgb8:
            for x in columns { target[x - columns.lowerBound] = SampleFormat.rgb8.pixel(at: x, in: row) }
        case .samples(let row):
            for x in columns { target[x - columns.lowerBound] = SampleFormat.rgba8.pixel(at: x, in: row) }
        }
    }

    /// One row of a mask along x; `samples[i]` is the image's column i.
    private func filterRow(
        _ samples: UnsafePointer<Float>, _ firstColumn: Int, _ count: Int, into target: UnsafeMutablePointer<Float>
    ) {
        columns.withUnsafePointers { first, start, weights in
            for x in 0..<count {
                let taps = start[firstColumn + x]..<start[firstColumn + x + 1]
                let source = samples + first[firstColumn + x] - taps.lowerBound
                var sum: Float = 0
                for tap in taps { sum += weights[tap] * source[tap] }
                target[x] = sum
            }
        }
    }

    /// One row of a picture along x; `samples[i]` is the image's column i.
    private func filterRow(
        _ samples: UnsafePointer<SIMD4<Float>>, _ firstColumn: Int, _ count: Int, into target: PlanePointers
    ) {
        columns.withUnsafePointers { first, start, weights in
            for x in 0..<count {
                let taps = start[firstColumn + x]..<start[firstColumn + x + 1]
                let source = samples + first[firstColumn + x] - taps.lowerBound
                var sum = SIMD4<Float>.zero
                for tap in taps { sum += weights[tap] * source[tap] }
                target.advanced(by: x).set(sum)
            }
        }
    }

    @inline(__always)
    private static func accumulate(
        _ row: UnsafePointer<Float>, _ weight: Float, _ count: Int, onto target: UnsafeMutablePointer<Float>
    ) {
        let factor = Lanes(repeating: weight)
        var x = 0
        while x + laneCount <= count {
            (Lanes.load(target + x, count: laneCount) + factor * Lanes.load(row + x, count: laneCount))
                .store(target + x, count: laneCount)
            x += laneCount
        }
        while x < count {
            target[x] += weight * row[x]
            x += 1
        }
    }

    private static func settle(_ target: PlanePointers, count: Int) {
        for offset in stride(from: 0, to: count, by: laneCount) {
            let group = target.advanced(by: offset)
            let width = min(laneCount, count - offset)
            let pixels = LanePixels.load(group, count: width)
            let alpha = settled(pixels.alpha, limit: Lanes(repeating: 1))
            LanePixels(
                color: LaneColor(
                    settled(pixels.red, limit: alpha), settled(pixels.green, limit: alpha),
                    settled(pixels.blue, limit: alpha)),
                alpha: alpha
            ).store(group, count: width)
        }
    }

    /// Clamps to 0...limit; what misses the limit by no more than the sums' rounding errors is at it.
    @inline(__always)
    private static func settled(_ value: Lanes, limit: Lanes) -> Lanes {
        let nearly = limit * Lanes(repeating: 1 - 0x1p-18)
        return choose(value .>= nearly, limit, greater(value, .zero))
    }
}

extension ResampleKernel {
    @inline(__always)
    fileprivate func withUnsafePointers(
        _ body: (_ first: UnsafePointer<Int>, _ start: UnsafePointer<Int>, _ weights: UnsafePointer<Float>) -> Void
    ) {
        first.withUnsafeBufferPointer { first in
            start.withUnsafeBufferPointer { start in
                weights.withUnsafeBufferPointer { weights in
                    body(first.baseAddress!, start.baseAddress!, weights.baseAddress!)
                }
            }
        }
    }
}

extension Resampler.MaskContent {
    /// What `count` values, at least one, are.
    fileprivate init(_ values: UnsafePointer<Float>, count: Int) {
        let value = values[0]
        guard value == 0 || value == 1 else {
            self = .varied
            return
        }
        var index = 1
        while index < count && values[index] == value { index += 1 }
        self = index < count ? .varied : value == 0 ? .zero : .one
    }
}

extension PixelRect {
    /// Whether `other` is not empty and lies within; safe for any numbers in `other`.
    fileprivate func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.width > 0 && other.height > 0 && other.width <= width
            && other.height <= height && other.x - x <= width - other.width && other.y - y <= height - other.height
    }
}
