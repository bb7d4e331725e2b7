import CKernels

/// Scales an image to the output's size, cell by cell.
///
/// Holds the filter weights for one tile. The pixels of a cell do not depend on the tile or the cell, because each is
/// the same sum in the same order: along its row, then down its column, with source samples ascending.
package struct Resampler {
    /// Properties of a finished mask over a cell, so that the caller can skip work.
    enum MaskContent: Hashable, Sendable {
        case zero, one, varied
    }

    /// Properties of a finished picture over a cell.
    package enum ColorContent: Hashable, Sendable {
        case transparent, varied
    }

    let source: PixelSize
    let output: PixelSize
    /// The part of the output that it covers.
    let rect: PixelRect
    private let columns: ResampleKernel
    private let rows: ResampleKernel
    private let kernels: CompositingKernels
    /// Whether images already have the output's size.
    let isIdentity: Bool

    /// - Parameters:
    ///   - source: the whole image's size, edges up to `ImageRows.edgePixelsMax`.
    ///   - output: the whole output's size.
    ///   - rect: the part of the output that will be requested.
    /// - Throws: `internalError` for a size out of range, or a `rect` that is empty or not within the output.
    package init(
        source: PixelSize, output: PixelSize, filter: ResampleFilter, rect: PixelRect,
        kernels: CompositingKernels = .selected
    ) throws(EngineError) {
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
        self.kernels = kernels
        isIdentity = source == output
        columns = ResampleKernel(
            filter: filter, source: source.width, destination: output.width, outputs: rect.columns)
        rows = ResampleKernel(filter: filter, source: source.height, destination: output.height, outputs: rect.rows)
    }

    /// With weights at any places: a picture of their number of columns and rows.
    init(source: PixelSize, columns: ResampleKernel, rows: ResampleKernel, kernels: CompositingKernels) {
        self.source = source
        self.columns = columns
        self.rows = rows
        self.kernels = kernels
        rect = PixelRect(x: 0, y: 0, width: columns.outputs.count, height: rows.outputs.count)
        output = rect.size
        isIdentity = false
    }

    /// The premultiplied colours of the whole picture.
    ///
    /// - Parameter isSettled: whether they are clamped to what colours can be.
    /// - Throws: `internalError` if `image` is a mask or lacks rows.
    func placedColor(_ image: ImageRows, into planes: FloatPlanes, isSettled: Bool) throws(EngineError) {
        precondition(planes.width == rect.width && planes.height == rect.height)
        filterColor(image, rect, try check(image, cell: rect, isMask: false), planes, isSettled: isSettled)
    }

    /// The mask's values of the whole picture, row by row.
    ///
    /// - Throws: `internalError` if `image` is no mask or lacks rows.
    func placedMask(_ image: ImageRows, into target: UnsafeMutablePointer<Float>) throws(EngineError) {
        let needed = try check(image, cell: rect, isMask: true)
        filterMask(image, rect, needed, columns.sourceRange, target)
    }

    /// The source rows that rows of `rect` (not empty) depend on.
    func sourceRows(_ cellRows: Range<Int>) -> Range<Int> {
        rows.sourceRange(from: cellRows.lowerBound - rect.y, count: cellRows.count)
    }

    /// Adds what the rows of `image` contribute to the premultiplied colours of a part of `rect`. They follow those that
    /// were added before, and the first contribution to an output row replaces what was there.
    ///
    /// - Parameter isSettled: whether rows that are complete are clamped to what colours can be.
    func addColor(_ image: ImageRows, cell: PixelRect, to planes: FloatPlanes, isSettled: Bool) {
        let rows = sourceRows(cell.rows).clamped(to: image.rows)
        if !rows.isEmpty { filterColor(image, cell, rows, planes, isSettled: isSettled) }
    }

    /// Adds the values of a mask, which are clamped in any case.
    func addMask(_ image: ImageRows, cell: PixelRect, to target: UnsafeMutablePointer<Float>) {
        let rows = sourceRows(cell.rows).clamped(to: image.rows)
        let span = columns.sourceRange(from: cell.x - rect.x, count: cell.width)
        if !rows.isEmpty { filterMask(image, cell, rows, span, target) }
    }

    /// The source samples along one axis for the output samples `outputs` (not empty): the data that must be sent for a
    /// tile.
    static func sourceRange(
        forOutput outputs: Range<Int>, source: Int, destination: Int, filter: ResampleFilter
    ) -> Range<Int> {
        ResampleKernel.sourceRange(forOutput: outputs, source: source, destination: destination, filter: filter)
    }

    /// Computes the mask values of `cell`, 0...1, row-major with a stride of the cell's width.
    ///
    /// - Parameter target: room for `cell.area` values; all are written, whatever is returned.
    /// - Throws: `internalError` if `image` is not a mask of the right size or lacks rows, or the cell is not in
    ///   `rect`.
    func mask(
        _ image: ImageRows, cell: PixelRect, into target: UnsafeMutablePointer<Float>
    ) throws(EngineError) -> MaskContent {
        let needed = try check(image, cell: cell, isMask: true)
        // The filter keeps exactly these two values, so the shortcut gives the same values.
        if let constant = image.constant(over: needed) {
            let value = image.format.maskValue(constant)
            if value == 0 || value >= 1 {
                target.update(repeating: value == 0 ? 0 : 1, count: cell.area)
                return value == 0 ? .zero : .one
            }
        }
        let span = columns.sourceRange(from: cell.x - rect.x, count: cell.width)
        if let isOne = image.isOne(needed, columns: span) {
            target.update(repeating: isOne ? 1 : 0, count: cell.area)
            return isOne ? .one : .zero
        }
        if isIdentity {
            copyMask(image, cell, target)
        } else {
            filterMask(image, cell, needed, span, target)
        }
        return .varied
    }

    /// Computes the premultiplied colours of `cell` in `planes`, which have the cell's size; 0...1, with no colour
    /// above its alpha. Replaces the contents of the planes.
    ///
    /// - Throws: `internalError` if `image` is a mask, has the wrong size or lacks rows, or the cell is not in `rect`.
    package func color(_ image: ImageRows, cell: PixelRect, into planes: FloatPlanes) throws(EngineError)
        -> ColorContent
    {
        precondition(planes.width == cell.width && planes.height == cell.height)
        let needed = try check(image, cell: cell, isMask: false)
        if let constant = image.constant(over: needed), image.format.isInvisible(constant) {
            planes.fill(.transparent)
            return .transparent
        }
        if isIdentity {
            copyColor(image, cell, planes)
        } else {
            filterColor(image, cell, needed, planes)
        }
        return .varied
    }

    /// The image rows that the cell depends on.
    ///
    /// - Throws: `internalError` if `image` has the wrong kind or size, lacks rows, or the cell is not in `rect`.
    func check(_ image: ImageRows, cell: PixelRect, isMask: Bool) throws(EngineError) -> Range<Int> {
        guard rect.contains(cell) else { throw .internalError("cell \(cell) is not in \(rect)") }
        guard image.size == source, image.format.isMask == isMask else {
            throw .internalError("a \(image.format) image of \(image.size) pixels where one of \(source) was expected")
        }
        let needed = sourceRows(cell.rows)
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
            readMask(image, row: cell.y + y, columns: cell.columns, into: target + y * cell.width)
        }
    }

    private func copyColor(_ image: ImageRows, _ cell: PixelRect, _ planes: FloatPlanes) {
        let scaled = AlignedFloats(count: image.format == .scaledColor ? 4 * cell.width : 0)
        for y in 0..<cell.height {
            var row = planes.rows(from: y)
            if image.format == .scaledColor {
                readColor(image, row: cell.y + y, columns: cell.columns, into: scaled.values)
                for x in 0..<cell.width {
                    row.red[x] = scaled.values[4 * x]
                    row.green[x] = scaled.values[4 * x + 1]
                    row.blue[x] = scaled.values[4 * x + 2]
                    row.alpha[x] = scaled.values[4 * x + 3]
                }
                // Changes nothing of what an honest worker sends.
                kernels.resample.settle_pixels(&row, cell.width)
                continue
            }
            image.withRow(cell.y + y) { samples in
                switch samples {
                case .constant(let value):
                    let pixel = image.format.pixelValue(value, kernels)
                    row.red.update(repeating: pixel[0], count: cell.width)
                    row.green.update(repeating: pixel[1], count: cell.width)
                    row.blue.update(repeating: pixel[2], count: cell.width)
                    row.alpha.update(repeating: pixel[3], count: cell.width)
                case .samples(let samples):
                    kernels.resample.read_planes(
                        image.format.pixels, samples + cell.x * image.format.bytesPerPixel, cell.width, &row)
                }
            }
        }
        withExtendedLifetime((planes, scaled)) {}
    }
}

// MARK: - Filtering

extension Resampler {
    /// Number of source rows that are filtered along x before they are added to their output rows: enough that most
    /// cell rows are completed at once, and few enough for a processor's first-level cache. Rows of masks are filtered
    /// together.
    private static let rowsAtOnce = 8

    /// The contribution of source rows to a cell row.
    private struct Share {
        let cellRow: Int
        /// Index of the first source row among those available.
        let firstRow: Int
        let count: Int
        /// Index of their first weight.
        let weights: Int
        let isFirst: Bool
        let isLast: Bool
    }

    /// Calls `prepare` for the source rows `needed` in ascending order, at most `rowsAtOnce` at a time, then `use` for the
    /// cell rows to which these rows contribute. The memory is therefore that of a few rows for any ratio.
    @inline(__always)
    private func forEachShare(
        _ cell: PixelRect, _ needed: Range<Int>, prepare: (_ sourceRows: Range<Int>) -> Void, use: (Share) -> Void
    ) {
        let first = cell.y - rect.y
        // The first cell row that is not finished; both ends of the ranges are ascending.
        var low = (0..<cell.height).first { rows.range(at: first + $0).upperBound > needed.lowerBound } ?? cell.height
        for begin in stride(from: needed.lowerBound, to: needed.upperBound, by: Self.rowsAtOnce) {
            let end = min(begin + Self.rowsAtOnce, needed.upperBound)
            prepare(begin..<end)
            var row = low
            while row < cell.height && rows.first[first + row] < end {
                let range = rows.range(at: first + row)
                let taken = max(begin, range.lowerBound)..<min(end, range.upperBound)
                use(
                    Share(
                        cellRow: row, firstRow: taken.lowerBound - begin, count: taken.count,
                        weights: rows.start[first + row] + taken.lowerBound - range.lowerBound,
                        isFirst: taken.lowerBound == range.lowerBound, isLast: taken.upperBound == range.upperBound))
                row += 1
                if taken.upperBound == range.upperBound { low = row }
            }
        }
    }

    private func filterMask(
        _ image: ImageRows, _ cell: PixelRect, _ needed: Range<Int>, _ span: Range<Int>,
        _ target: UnsafeMutablePointer<Float>
    ) {
        let firstColumn = cell.x - rect.x
        let rowCount = Self.rowsAtOnce
        let samples = AlignedFloats(count: rowCount * span.count)
        let interleaved = AlignedFloats(count: rowCount * span.count)
        let filtered = AlignedFloats(count: rowCount * cell.width)
        columns.withUnsafeFilter { filter in
            rows.weights.withUnsafeBufferPointer { weights in
                forEachShare(cell, needed) { sourceRows in
                    for (place, row) in sourceRows.enumerated() {
                        readMask(image, row: row, columns: span, into: samples.values + place * span.count)
                    }
                    kernels.resample.interleave_masks(samples.values, span.count, span.count, interleaved.values)
                    kernels.resample.filter_masks(
                        filter, firstColumn, cell.width, interleaved.values - rowCount * span.lowerBound,
                        filtered.values, cell.width)
                } use: { share in
                    let row = target + share.cellRow * cell.width
                    kernels.resample.add_rows(
                        filtered.values + share.firstRow * cell.width, cell.width,
                        weights.baseAddress! + share.weights, share.count, share.isFirst ? 1 : 0, cell.width, row)
                    if share.isLast { kernels.resample.settle_mask(row, cell.width) }
                }
            }
        }
        withExtendedLifetime((samples, interleaved, filtered)) {}
    }

    private func filterColor(
        _ image: ImageRows, _ cell: PixelRect, _ needed: Range<Int>, _ planes: FloatPlanes, isSettled: Bool = true
    ) {
        let firstColumn = cell.x - rect.x
        let span = columns.sourceRange(from: firstColumn, count: cell.width)
        let samples = AlignedFloats(count: 4 * span.count)
        let filtered = FloatPlanes(width: cell.width, height: Self.rowsAtOnce)
        columns.withUnsafeFilter { filter in
            rows.weights.withUnsafeBufferPointer { weights in
                forEachShare(cell, needed) { sourceRows in
                    for (place, sourceRow) in sourceRows.enumerated() {
                        if place > 0 && image.repeatsPrevious(sourceRow) {
                            filtered.copyRow(place - 1, to: place)
                            continue
                        }
                        readColor(image, row: sourceRow, columns: span, into: samples.values)
                        var row = filtered.rows(from: place)
                        kernels.resample.filter_pixels(
                            filter, firstColumn, cell.width, samples.values - 4 * span.lowerBound, &row)
                    }
                } use: { share in
                    let source = filtered.rows(from: share.firstRow)
                    var row = planes.rows(from: share.cellRow)
                    let isFirst: Int32 = share.isFirst ? 1 : 0
                    let weights = weights.baseAddress! + share.weights
                    let add = kernels.resample.add_rows!
                    add(source.red, cell.width, weights, share.count, isFirst, cell.width, row.red)
                    add(source.green, cell.width, weights, share.count, isFirst, cell.width, row.green)
                    add(source.blue, cell.width, weights, share.count, isFirst, cell.width, row.blue)
                    add(source.alpha, cell.width, weights, share.count, isFirst, cell.width, row.alpha)
                    if share.isLast && isSettled { kernels.resample.settle_pixels(&row, cell.width) }
                }
            }
        }
        withExtendedLifetime((samples, filtered, planes)) {}
    }

    private func readMask(
        _ image: ImageRows, row: Int, columns: Range<Int>, into target: UnsafeMutablePointer<Float>
    ) {
        image.withRow(row) { row in
            switch row {
            case .constant(let value):
                target.update(repeating: min(1, image.format.maskValue(value)), count: columns.count)
            case .samples(let row) where image.format == .mask8:
                kernels.resample.read_mask(row + columns.lowerBound, columns.count, target)
            case .samples(let row) where image.format == .scaledMask:
                image.format.readScaled(row, columns: columns, into: target)
            case .samples(let row): SampleFormat.readMask16(row, columns: columns, into: target)
            }
        }
    }

    private func readColor(
        _ image: ImageRows, row: Int, columns: Range<Int>, into target: UnsafeMutablePointer<Float>
    ) {
        let format = image.format
        image.withRow(row) { row in
            switch row {
            case .constant(let value):
                let pixel = format.pixelValue(value, kernels)
                for i in 0..<(4 * columns.count) { target[i] = pixel[i & 3] }
            case .samples(let row) where format == .scaledColor:
                format.readScaled(row, columns: columns, into: target)
            case .samples(let row):
                kernels.resample.read_pixels(
                    format.pixels, row + columns.lowerBound * format.bytesPerPixel, columns.count, target)
            }
        }
    }
}

extension ResampleKernel {
    /// The source samples for `count` outputs from position `first` on.
    fileprivate func sourceRange(from first: Int, count: Int) -> Range<Int> {
        range(at: first).lowerBound..<range(at: first + count - 1).upperBound
    }

    /// The weights as a C value.
    @inline(__always)
    fileprivate func withUnsafeFilter(_ body: (UnsafePointer<ink_filter>) -> Void) {
        first.withUnsafeBufferPointer { first in
            start.withUnsafeBufferPointer { start in
                weights.withUnsafeBufferPointer { weights in
                    var filter = ink_filter(
                        first: first.baseAddress, start: start.baseAddress, weights: weights.baseAddress)
                    body(&filter)
                }
            }
        }
    }
}

extension PixelRect {
    /// Whether `other` is not empty and lies within; safe for any numbers in `other`.
    fileprivate func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.width > 0 && other.height > 0 && other.width <= width
            && other.height <= height && other.x - x <= width - other.width && other.y - y <= height - other.height
    }
}
