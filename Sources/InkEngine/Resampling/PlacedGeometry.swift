/// Where the samples of a placed image lie in the output (spec section 8.3). All positions start from absolute output
/// coordinates, so that tiles and cells do not show.
struct PlacedGeometry: Sendable {
    /// How one axis of the output, or of the picture that is rotated afterwards, reads one axis of the image.
    struct Axis: Sendable {
        /// Source samples.
        let count: Int
        /// Source samples in an output sample.
        let ratio: Double
        /// The source coordinate of the output coordinate 0.
        let origin: Double
        /// Whether the source samples run against the output.
        let isReversed: Bool
        let filter: ResampleFilter

        /// - Parameters:
        ///   - start: where the image begins, in output samples.
        ///   - length: of the image, in output samples.
        init(count: Int, start: Double, length: Double, isReversed: Bool = false, filter: ResampleFilter) {
            self.count = count
            self.isReversed = isReversed
            self.filter = filter
            ratio = Double(count) / length
            origin = -start * ratio
        }

        /// Half of the filter's width, in source samples.
        var reach: Double { Double(filter.radius) * max(1, ratio) }

        /// The place of an output sample's centre in the turned image, in source samples.
        private func position(_ output: Int) -> Double { (Double(output) + 0.5) * ratio + origin }

        /// The output samples among `outputs` for which any source sample counts. They follow one another.
        func covered(_ outputs: Range<Int>) -> Range<Int> {
            // Positions grow with the outputs: the first one that is not too far left, and the first that is too far
            // right.
            func first(_ isPast: (Double) -> Bool) -> Int {
                var (low, high) = (outputs.lowerBound, outputs.upperBound)
                while low < high {
                    let middle = low + (high - low) / 2
                    if isPast(position(middle)) { high = middle } else { low = middle + 1 }
                }
                return low
            }
            let begin = first { $0 + reach > 0.5 }
            return begin..<max(begin, first { !($0 - reach < Double(count) - 0.5) })
        }

        /// The source samples that count for some of the output samples, in the image's own order; nil for none.
        func sources(_ outputs: Range<Int>) -> Range<Int>? {
            let covered = covered(outputs)
            guard !covered.isEmpty else { return nil }
            let low = max(0, Int((max(0, position(covered.lowerBound) - reach - 1)).rounded(.down)))
            let high = min(
                count, Int((min(Double(count), position(covered.upperBound - 1) + reach + 1)).rounded(.up)))
            return isReversed ? (count - high)..<(count - low) : low..<high
        }

        /// The weights for consecutive output samples, which all must be covered; in the image's own order, so the last
        /// output comes first on a reversed axis.
        func kernel(_ outputs: Range<Int>) -> ResampleKernel {
            let centers = outputs.map { position($0) }
            return ResampleKernel(
                filter: filter, source: count, ratio: ratio,
                centers: isReversed ? centers.reversed().map { Double(count) - $0 } : centers)
        }
    }

    /// What the output's columns and rows read; for a turn by an odd number of quarters, columns read the image's rows.
    let columns: Axis
    let rows: Axis
    let isTransposed: Bool
    /// For other rotations than quarter turns: `columns` and `rows` are those of an upright picture of this size, which
    /// is then rotated.
    let rotation: Rotation?

    struct Rotation: Sendable {
        /// The upright picture, in output pixels.
        let size: PixelSize
        /// Its middle in the output.
        let center: Point
        let sine: Double
        let cosine: Double
        /// Its kernel has the size of a pixel.
        let filter: ResampleFilter

        /// What lies there in the upright picture.
        var middle: Point { Point(x: Double(size.width) / 2, y: Double(size.height) / 2) }

        /// The place in the upright picture of a place in the output, as the kernel computes it.
        func upright(_ x: Double, _ y: Double) -> Point {
            let (dx, dy) = (x - center.x, y - center.y)
            return Point(x: middle.x + cosine * dx + sine * dy, y: middle.y - sine * dx + cosine * dy)
        }

        /// The pixels of the upright picture that the pixels of a rectangle read.
        func needed(_ rect: PixelRect) -> PixelRect? {
            var box = Rect.empty
            for x in [rect.x, rect.x + rect.width] {
                for y in [rect.y, rect.y + rect.height] { box.formUnion(upright(Double(x), Double(y))) }
            }
            let margin = Double(filter.radius + 1)
            func range(_ low: Double, _ high: Double, _ edge: Int) -> Range<Int>? {
                let first = Int(max(0, min(Double(edge), (low - margin).rounded(.down))))
                let end = Int(max(0, min(Double(edge), (high + margin).rounded(.up))))
                return first < end ? first..<end : nil
            }
            guard let columns = range(box.minX, box.maxX, size.width),
                let rows = range(box.minY, box.maxY, size.height)
            else { return nil }
            return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
        }
    }

    /// - Parameters:
    ///   - placement: lengths above 0, all numbers finite.
    ///   - image: its size in samples.
    init(_ placement: Placement, image: PixelSize, scale: OutputScale, filter: ResampleFilter) {
        let turn = placement.rotation.truncatingRemainder(dividingBy: 360)
        guard turn.truncatingRemainder(dividingBy: 90) == 0 else {
            let (sine, cosine) = sinCos(degrees: placement.rotation)
            func edge(_ length: Double) -> Int { max(1, Int(min((length + 0.5).rounded(.down), 1e15))) }
            let size = PixelSize(width: edge(placement.width * scale.x), height: edge(placement.height * scale.y))
            rotation = Rotation(
                size: size, center: scale.output(placement.center), sine: sine, cosine: cosine, filter: filter)
            isTransposed = false
            columns = Axis(count: image.width, start: 0, length: Double(size.width), filter: filter)
            rows = Axis(count: image.height, start: 0, length: Double(size.height), filter: filter)
            return
        }
        rotation = nil
        let quarters = (Int(turn / 90) + 4) % 4
        isTransposed = quarters % 2 == 1
        let (width, height) =
            isTransposed ? (placement.height, placement.width) : (placement.width, placement.height)
        // Without a turn the corner as it was given, not by way of the centre.
        let x = isTransposed ? placement.center.x - width / 2 : placement.x
        let y = isTransposed ? placement.center.y - height / 2 : placement.y
        columns = Axis(
            count: isTransposed ? image.height : image.width, start: x * scale.x, length: width * scale.x,
            isReversed: quarters == 1 || quarters == 2, filter: filter)
        rows = Axis(
            count: isTransposed ? image.width : image.height, start: y * scale.y, length: height * scale.y,
            isReversed: quarters == 2 || quarters == 3, filter: filter)
    }

    /// - Parameters:
    ///   - image: its size in samples.
    ///   - part: of an image that was scaled when it was decoded, the pixels that its samples are, of the output or of the
    ///     upright picture; nil for others.
    init(
        _ placement: Placement, image: PixelSize, part: PixelRect?, scale: OutputScale, filter: ResampleFilter
    ) {
        let whole = PlacedGeometry(placement, image: image, scale: scale, filter: filter)
        guard let part else {
            self = whole
            return
        }
        // The triangle of one sample keeps each sample as it is.
        func axis(_ axis: Axis, _ range: Range<Int>) -> Axis {
            Axis(
                count: range.count, start: Double(range.lowerBound), length: Double(range.count),
                isReversed: axis.isReversed, filter: .triangle)
        }
        columns = axis(whole.columns, part.columns)
        rows = axis(whole.rows, part.rows)
        isTransposed = whole.isTransposed
        rotation = whole.rotation
    }

    /// The pixels that a rectangle of the output needs, of the output or of the upright picture; nil if the image shows
    /// in none of them.
    func part(for rect: PixelRect) -> PixelRect? {
        let needed: PixelRect
        if let rotation {
            guard let upright = rotation.needed(rect) else { return nil }
            needed = upright
        } else {
            needed = rect
        }
        let (x, y) = (columns.covered(needed.columns), rows.covered(needed.rows))
        guard !x.isEmpty, !y.isEmpty else { return nil }
        return PixelRect(x: x.lowerBound, y: y.lowerBound, width: x.count, height: y.count)
    }

    /// The weights along the image's rows and columns for such a part, in the image's own order.
    func kernels(_ part: PixelRect) -> (columns: ResampleKernel, rows: ResampleKernel) {
        let (x, y) = (columns.kernel(part.columns), rows.kernel(part.rows))
        return isTransposed ? (y, x) : (x, y)
    }

    /// Of the image, in samples.
    var imageSize: PixelSize {
        isTransposed
            ? PixelSize(width: rows.count, height: columns.count) : PixelSize(width: columns.count, height: rows.count)
    }

    /// The image's rows that the pixels of a rectangle of the output depend on; nil if it shows in none of them.
    func imageRows(for rect: PixelRect) -> Range<Int>? {
        if let rotation {
            guard let needed = rotation.needed(rect),
                columns.sources(needed.columns) != nil
            else { return nil }
            return rows.sources(needed.rows)
        }
        guard let columns = columns.sources(rect.columns), let rows = rows.sources(rect.rows) else { return nil }
        return isTransposed ? columns : rows
    }
}
