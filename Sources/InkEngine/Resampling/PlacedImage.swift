import CKernels

/// An image that lies somewhere on the canvas, as the cells of a tile see it (spec section 8.3).
struct PlacedImage {
    private let image: ImageRows
    private let geometry: PlacedGeometry
    /// The mask's value beyond the image.
    private let outside: Float
    private let kernels: CompositingKernels

    init(_ image: ImageRows, _ geometry: PlacedGeometry, outside: Double, kernels: CompositingKernels) {
        self.image = image
        self.geometry = geometry
        self.outside = Float(outside)
        self.kernels = kernels
    }

    /// Computes the premultiplied colours of `cell` in `planes`, which have the cell's size.
    ///
    /// - Throws: `internalError` if rows of the image are missing.
    func color(_ cell: PixelRect, into planes: FloatPlanes) throws(EngineError) -> Resampler.ColorContent {
        if let rotation = geometry.rotation { return try rotatedColor(cell, rotation, into: planes) }
        guard let part = part(of: cell) else { return .transparent }
        let upright = FloatPlanes(width: part.size.width, height: part.size.height)
        try fill(upright, part.columns, part.rows, isSettled: true)
        planes.fill(.transparent)
        forEachPixel(of: part, in: cell) { target, source in
            planes.red[target] = upright.red[source]
            planes.green[target] = upright.green[source]
            planes.blue[target] = upright.blue[source]
            planes.alpha[target] = upright.alpha[source]
        }
        return .varied
    }

    /// Computes the mask values of `cell`, 0...1, row-major with a stride of the cell's width.
    ///
    /// - Throws: `internalError` if rows of the image are missing.
    func mask(_ cell: PixelRect, into target: UnsafeMutablePointer<Float>) throws(EngineError) -> Resampler.MaskContent
    {
        // Samples are filtered as if nothing lay beyond the image, and so are samples of 1 everywhere: what these miss of
        // 1 is the share of what lies beyond.
        target.update(repeating: outside, count: cell.area)
        if let rotation = geometry.rotation { return try rotatedMask(cell, rotation, into: target) }
        guard let part = part(of: cell) else { return outsideContent }
        let values = AlignedFloats(count: part.size.area)
        let (columns, rows) = (part.columns, part.rows)
        try resampler(columns, rows).placedMask(image, into: values.values)
        let (columnShares, rowShares) = (columns.sums, rows.sums)
        forEachPixel(of: part, in: cell) { pixel, source in
            let share = columnShares[source % part.size.width] * rowShares[source / part.size.width]
            target[pixel] = min(max(values.values[source] + outside * (1 - share), 0), 1)
        }
        return .varied
    }

    /// What a mask is where nothing of its image shows.
    private var outsideContent: Resampler.MaskContent {
        outside == 0 ? .zero : outside == 1 ? .one : .varied
    }

    /// What of a cell, or of the upright picture for it, the image covers.
    private struct Part {
        /// Pixels of the output or of the upright picture.
        var rect: PixelRect
        /// Weights along the image's rows and columns, in its own order.
        var columns: ResampleKernel
        var rows: ResampleKernel

        var size: PixelSize { PixelSize(width: columns.outputs.count, height: rows.outputs.count) }
    }

    private func part(of cell: PixelRect) -> Part? {
        guard let rect = geometry.part(for: cell) else { return nil }
        let (columns, rows) = geometry.kernels(rect)
        return Part(rect: rect, columns: columns, rows: rows)
    }

    // MARK: - Quarter turns

    /// Visits the pixels of a part: the index in the cell, and the index in the picture in the image's own order.
    private func forEachPixel(of part: Part, in cell: PixelRect, _ body: (Int, Int) -> Void) {
        let (width, height) = (part.rect.width, part.rect.height)
        for y in 0..<height {
            let target = (part.rect.y - cell.y + y) * cell.width + part.rect.x - cell.x
            let v = geometry.rows.isReversed ? height - 1 - y : y
            for x in 0..<width {
                let u = geometry.columns.isReversed ? width - 1 - x : x
                body(target + x, geometry.isTransposed ? u * height + v : v * width + u)
            }
        }
    }

    private func resampler(_ columns: ResampleKernel, _ rows: ResampleKernel) -> Resampler {
        Resampler(source: image.size, columns: columns, rows: rows, kernels: kernels)
    }

    private func fill(
        _ planes: FloatPlanes, _ columns: ResampleKernel, _ rows: ResampleKernel, isSettled: Bool
    ) throws(EngineError) {
        try resampler(columns, rows).placedColor(image, into: planes, isSettled: isSettled)
    }

    // MARK: - Other rotations

    /// A part of the upright picture.
    private struct Patch {
        /// In pixels of the upright picture.
        var rect: PixelRect
        /// Four floats a pixel, with margins as the turn needs them. Of a mask: its value in red, and what is inside of the
        /// image in alpha.
        var pixels: AlignedFloats
    }

    /// nil if nothing of the image shows in the cell.
    private func upright(_ cell: PixelRect, _ filter: ResampleFilter, isMask: Bool) throws(EngineError) -> Patch? {
        guard let part = part(of: cell) else { return nil }
        let (columns, rows, size) = (part.columns, part.rows, part.size)
        let planes = FloatPlanes(width: size.width, height: size.height)
        if isMask {
            try resampler(columns, rows).placedMask(image, into: planes.red)
            let (columnShares, rowShares) = (columns.sums, rows.sums)
            for row in 0..<size.height {
                for column in 0..<size.width {
                    planes.alpha[row * size.width + column] = columnShares[column] * rowShares[row]
                }
            }
        } else {
            try fill(planes, columns, rows, isSettled: false)
        }
        let margin = 2 * filter.radius
        let stride = size.width + 2 * margin
        let pixels = AlignedFloats(count: 4 * stride * (size.height + 2 * margin))
        for row in 0..<size.height {
            let source = planes.rows(from: row)
            let target = pixels.values + 4 * ((row + margin) * stride + margin)
            for column in 0..<size.width {
                target[4 * column] = source.red[column]
                target[4 * column + 1] = source.green[column]
                target[4 * column + 2] = source.blue[column]
                target[4 * column + 3] = source.alpha[column]
            }
        }
        withExtendedLifetime(planes) {}
        return Patch(rect: part.rect, pixels: pixels)
    }

    private func rotatedColor(
        _ cell: PixelRect, _ rotation: PlacedGeometry.Rotation, into planes: FloatPlanes
    ) throws(EngineError) -> Resampler.ColorContent {
        guard let patch = try upright(cell, rotation.filter, isMask: false) else { return .transparent }
        withTurn(patch, rotation) { turn in
            for y in 0..<cell.height {
                var row = planes.rows(from: y)
                kernels.resample.turn_pixels(turn, Double(cell.x) + 0.5, Double(cell.y + y) + 0.5, cell.width, &row)
                kernels.resample.settle_pixels(&row, cell.width)
            }
        }
        withExtendedLifetime(planes) {}
        return .varied
    }

    private func rotatedMask(
        _ cell: PixelRect, _ rotation: PlacedGeometry.Rotation, into target: UnsafeMutablePointer<Float>
    ) throws(EngineError) -> Resampler.MaskContent {
        guard let patch = try upright(cell, rotation.filter, isMask: true) else { return outsideContent }
        let planes = FloatPlanes(width: cell.width, height: 1)
        withTurn(patch, rotation) { turn in
            for y in 0..<cell.height {
                var row = planes.rows(from: 0)
                kernels.resample.turn_pixels(turn, Double(cell.x) + 0.5, Double(cell.y + y) + 0.5, cell.width, &row)
                for x in 0..<cell.width {
                    target[y * cell.width + x] = row.red[x] + outside * (1 - row.alpha[x])
                }
                kernels.resample.settle_mask(target + y * cell.width, cell.width)
            }
        }
        withExtendedLifetime(planes) {}
        return .varied
    }

    /// What the kernel needs to read the patch; valid in `body`.
    private func withTurn(
        _ patch: Patch, _ rotation: PlacedGeometry.Rotation, _ body: (UnsafePointer<ink_turn>) -> Void
    ) {
        let (rect, radius) = (patch.rect, rotation.filter.radius)
        let weights = TapWeights.of(rotation.filter)
        weights.values.withUnsafeBufferPointer { values in
            var turn = ink_turn(
                pixels: patch.pixels.values, stride: 4 * (rect.width + 4 * radius), left: rect.x - 2 * radius,
                top: rect.y - 2 * radius, min_x: Double(rect.x - radius), min_y: Double(rect.y - radius),
                max_x: Double(rect.x + rect.width + radius), max_y: Double(rect.y + rect.height + radius),
                center_x: rotation.center.x, center_y: rotation.center.y, middle_x: rotation.middle.x,
                middle_y: rotation.middle.y, sine: rotation.sine, cosine: rotation.cosine, taps: 2 * radius,
                weights: values.baseAddress, phases: TapWeights.phases)
            body(&turn)
        }
        withExtendedLifetime(patch) {}
    }
}

/// A filter's weights for the pixels around a place, by how far the place is from a pixel's centre. Between two entries
/// they are interpolated, which is off by less than a millionth.
private struct TapWeights {
    static let phases = 1024
    /// Eight for each phase, 0 beyond the filter's.
    let values: [Float]

    static func of(_ filter: ResampleFilter) -> TapWeights { filter == .lanczos3 ? lanczos3 : triangle }

    private static let lanczos3 = TapWeights(.lanczos3)
    private static let triangle = TapWeights(.triangle)

    private init(_ filter: ResampleFilter) {
        let count = 2 * filter.radius
        values = (0...Self.phases).flatMap { phase -> [Float] in
            let share = Double(phase) / Double(Self.phases)
            let weights = (0..<count).map { filter.value(at: Double($0 - filter.radius + 1) - share) }
            let sum = weights.reduce(0, +)
            return weights.map { Float($0 / sum) } + [Float](repeating: 0, count: 8 - count)
        }
    }
}
