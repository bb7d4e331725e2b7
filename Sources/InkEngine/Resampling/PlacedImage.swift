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
        if geometry.rotation != nil { return try rotatedColor(cell, into: planes) }
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
        if let rotation = geometry.rotation {
            guard let patch = try upright(cell, isMask: true) else { return outsideContent }
            gather(patch, cell, rotation) { pixel, sum in
                target[pixel] = min(max(sum[0] + outside * (1 - sum[3]), 0), 1)
            }
            return .varied
        }
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
        /// Of a mask: its value in red, and what is inside of the image in alpha.
        var planes: FloatPlanes
    }

    /// nil if nothing of the image shows in the cell.
    private func upright(_ cell: PixelRect, isMask: Bool) throws(EngineError) -> Patch? {
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
        return Patch(rect: part.rect, planes: planes)
    }

    private func rotatedColor(
        _ cell: PixelRect, into planes: FloatPlanes
    ) throws(EngineError) -> Resampler.ColorContent {
        guard let rotation = geometry.rotation, let patch = try upright(cell, isMask: false) else {
            return .transparent
        }
        planes.fill(.transparent)
        gather(patch, cell, rotation) { pixel, sum in
            let alpha = min(max(sum[3], 0), 1)
            planes.red[pixel] = min(max(sum[0], 0), alpha)
            planes.green[pixel] = min(max(sum[1], 0), alpha)
            planes.blue[pixel] = min(max(sum[2], 0), alpha)
            planes.alpha[pixel] = alpha
        }
        return .varied
    }

    /// Visits the pixels of a cell that the patch reaches with the filtered values of its four planes.
    private func gather(
        _ patch: Patch, _ cell: PixelRect, _ rotation: PlacedGeometry.Rotation,
        _ body: (Int, SIMD4<Float>) -> Void
    ) {
        let filter = rotation.filter
        let radius = filter.radius
        var weightsX = [Float](repeating: 0, count: 2 * radius)
        var weightsY = weightsX
        /// The first of the pixels around a place, and their weights, which add up to 1.
        func fillWeights(_ position: Double, _ weights: inout [Float]) -> Int {
            let first = Int((position - 0.5).rounded(.down)) - radius + 1
            var values = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
            var sum = 0.0
            withUnsafeMutableBytes(of: &values) { bytes in
                let values = bytes.bindMemory(to: Double.self)
                for k in 0..<(2 * radius) {
                    values[k] = filter.value(at: Double(first + k) + 0.5 - position)
                    sum += values[k]
                }
                for k in 0..<(2 * radius) { weights[k] = Float(values[k] / sum) }
            }
            return first
        }
        let (rect, planes) = (patch.rect, patch.planes)
        for y in 0..<cell.height {
            for x in 0..<cell.width {
                let place = rotation.upright(Double(cell.x + x) + 0.5, Double(cell.y + y) + 0.5)
                // Most pixels of a cell may lie beyond the image.
                guard place.x > Double(rect.x - radius), place.x < Double(rect.x + rect.width + radius),
                    place.y > Double(rect.y - radius), place.y < Double(rect.y + rect.height + radius)
                else { continue }
                let firstX = fillWeights(place.x, &weightsX)
                let firstY = fillWeights(place.y, &weightsY)
                var sum = SIMD4<Float>.zero
                for j in 0..<(2 * radius) {
                    let row = firstY + j - rect.y
                    guard row >= 0, row < rect.height else { continue }
                    var along = SIMD4<Float>.zero
                    for i in 0..<(2 * radius) {
                        let column = firstX + i - rect.x
                        guard column >= 0, column < rect.width else { continue }
                        let index = row * rect.width + column
                        along +=
                            weightsX[i]
                            * SIMD4(planes.red[index], planes.green[index], planes.blue[index], planes.alpha[index])
                    }
                    sum += weightsY[j] * along
                }
                body(y * cell.width + x, sum)
            }
        }
        withExtendedLifetime(planes) {}
    }
}
