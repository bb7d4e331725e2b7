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
        /// Whether each output sample is the mean of all source samples.
        let isMean: Bool

        /// - Parameters:
        ///   - start: where the image begins, in output samples.
        ///   - length: of the image, in output samples.
        init(
            count: Int, start: Double, length: Double, isReversed: Bool = false, isMean: Bool = false,
            filter: ResampleFilter
        ) {
            self.count = count
            self.isReversed = isReversed
            self.isMean = isMean
            self.filter = filter
            ratio = Double(count) / length
            origin = -start * ratio
        }

        /// Half of the filter's width, in source samples.
        private var reach: Double { Double(filter.radius) * max(1, ratio) }

        /// The place of an output sample's centre in the turned image, in source samples.
        private func position(_ output: Int) -> Double { (Double(output) + 0.5) * ratio + origin }

        /// The source samples that count for some of the output samples (not empty), in the image's own order.
        func sources(_ outputs: Range<Int>) -> Range<Int> {
            guard !isMean else { return 0..<count }
            func sample(_ position: Double) -> Int { Int(min(max(position, 0), Double(count - 1))) }
            let low = sample(position(outputs.lowerBound) - reach - 1)
            let high = sample(position(outputs.upperBound - 1) + reach + 1) + 1
            return isReversed ? (count - high)..<(count - low) : low..<high
        }

        /// The weights for consecutive output samples; in the image's own order, so the last output comes first on a
        /// reversed axis.
        func kernel(_ outputs: Range<Int>) -> ResampleKernel {
            if isMean { return ResampleKernel(meanOf: count, outputs: outputs.count) }
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

    /// What of each pixel the image covers.
    let cover: PlacedCover

    struct Rotation: Sendable {
        /// The upright picture, in pixels that are nearly those of the output.
        let size: PixelSize
        /// Its kernel has the size of such a pixel.
        let filter: ResampleFilter
        /// The place in the upright picture of a place (dx, dy) from the rectangle's centre in the output is its middle plus
        /// (xx dx + xy dy, yx dx + yy dy).
        let xx: Double
        let xy: Double
        let yx: Double
        let yy: Double

        /// - Parameters:
        ///   - width: of the rectangle that the upright picture fills, output pixels.
        ///   - height: likewise.
        init(size: PixelSize, width: Double, height: Double, _ cover: PlacedCover, filter: ResampleFilter) {
            self.size = size
            self.filter = filter
            let (stretchX, stretchY) = (Double(size.width) / width, Double(size.height) / height)
            (xx, xy) = (stretchX * cover.cosine, stretchX * cover.sine)
            (yx, yy) = (-stretchY * cover.sine, stretchY * cover.cosine)
        }

        /// What lies at the rectangle's centre.
        var middle: Point { Point(x: Double(size.width) / 2, y: Double(size.height) / 2) }

        /// The place in the upright picture of a place at a distance from the rectangle's centre, as the kernel computes it.
        func upright(_ dx: Double, _ dy: Double) -> Point {
            Point(x: middle.x + xx * dx + xy * dy, y: middle.y + yx * dx + yy * dy)
        }
    }

    /// - Parameters:
    ///   - placement: lengths above 0, all numbers finite.
    ///   - image: its size in samples.
    init(_ placement: Placement, image: PixelSize, scale: OutputScale, filter: ResampleFilter) {
        let (width, height) = (placement.width * scale.x, placement.height * scale.y)
        let center = scale.output(placement.center)
        // A picture this small would be gone between the samples that a filter takes.
        let meanBelow = 2.0
        guard let quarters = placement.quarterTurns else {
            let (sine, cosine) = sinCos(degrees: placement.rotation)
            cover = PlacedCover(center: center, width: width, height: height, sine: sine, cosine: cosine)
            func edge(_ length: Double) -> Int { max(1, Int(min((length + 0.5).rounded(.down), 1e15))) }
            let size = PixelSize(width: edge(width), height: edge(height))
            rotation = Rotation(size: size, width: width, height: height, cover, filter: filter)
            isTransposed = false
            columns = Axis(
                count: image.width, start: 0, length: Double(size.width), isMean: width < meanBelow, filter: filter)
            rows = Axis(
                count: image.height, start: 0, length: Double(size.height), isMean: height < meanBelow, filter: filter)
            return
        }
        rotation = nil
        isTransposed = quarters % 2 == 1
        let (turnedWidth, turnedHeight) =
            isTransposed ? (placement.height * scale.x, placement.width * scale.y) : (width, height)
        // Without a turn the corner as it was given, not by way of the centre.
        let corner =
            isTransposed
            ? Point(x: center.x - turnedWidth / 2, y: center.y - turnedHeight / 2)
            : scale.output(Point(x: placement.x, y: placement.y))
        cover = PlacedCover(center: center, width: turnedWidth, height: turnedHeight)
        columns = Axis(
            count: isTransposed ? image.height : image.width, start: corner.x, length: turnedWidth,
            isReversed: quarters == 1 || quarters == 2, isMean: turnedWidth < meanBelow, filter: filter)
        rows = Axis(
            count: isTransposed ? image.width : image.height, start: corner.y, length: turnedHeight,
            isReversed: quarters == 2 || quarters == 3, isMean: turnedHeight < meanBelow, filter: filter)
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
        cover = whole.cover
    }

    /// The pixels that a rectangle of the output needs, of the output or of the upright picture; nil if the image shows
    /// in none of them.
    func part(for rect: PixelRect) -> PixelRect? {
        guard let rotation else { return cover.bounds(in: rect) }
        var box = Rect.empty
        for x in [rect.x, rect.x + rect.width] {
            for y in [rect.y, rect.y + rect.height] {
                box.formUnion(rotation.upright(Double(x) - cover.center.x, Double(y) - cover.center.y))
            }
        }
        let margin = Double(rotation.filter.radius + 1)
        func range(_ low: Double, _ high: Double, _ edge: Int) -> Range<Int>? {
            guard high > 0, low < Double(edge) else { return nil }
            let first = Int(max(0, (low - margin).rounded(.down)))
            return first..<Int(min(Double(edge), (high + margin).rounded(.up)))
        }
        guard let columns = range(box.minX, box.maxX, rotation.size.width),
            let rows = range(box.minY, box.maxY, rotation.size.height)
        else { return nil }
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    /// The weights along the image's rows and columns for such a part, in the image's own order.
    func kernels(_ part: PixelRect) -> (columns: ResampleKernel, rows: ResampleKernel) {
        let (x, y) = (columns.kernel(part.columns), rows.kernel(part.rows))
        return isTransposed ? (y, x) : (x, y)
    }

    /// The size of the image, in samples.
    var imageSize: PixelSize { ownSize(PixelSize(width: columns.count, height: rows.count)) }

    /// The size of a part of the output in the image's own order of rows and columns.
    func ownSize(_ size: PixelSize) -> PixelSize {
        isTransposed ? PixelSize(width: size.height, height: size.width) : size
    }

    /// Whether the image's own order of rows and columns is that of the output.
    var isPlain: Bool { !isTransposed && !columns.isReversed && !rows.isReversed }

    /// The image's rows that the pixels of a rectangle of the output depend on; nil if it shows in none of them.
    func imageRows(for rect: PixelRect) -> Range<Int>? {
        part(for: rect).map { isTransposed ? columns.sources($0.columns) : rows.sources($0.rows) }
    }
}
