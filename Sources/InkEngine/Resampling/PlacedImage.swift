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
        guard let part = geometry.part(for: cell) else { return .transparent }
        if let rotation = geometry.rotation {
            let patch = try patch(part, margin: 2 * rotation.filter.radius) {
                (resampler, upright) throws(EngineError) in
                try resampler.placedColor(image, into: upright, isSettled: false)
            }
            withTurn(patch, rotation) { turn in
                cut(cell, of: cell, planes.all, outside: 0) { y, columns in
                    var row = planes.rows(from: y - cell.y, column: columns.lowerBound - cell.x)
                    kernels.resample.turn_pixels(
                        turn, Double(columns.lowerBound) + 0.5, Double(y) + 0.5, columns.count, &row)
                    kernels.resample.settle_pixels(&row, columns.count)
                }
            }
            return .varied
        }
        let isInPlace = part == cell && geometry.isPlain
        let upright = isInPlace ? planes : FloatPlanes(size: geometry.ownSize(part.size))
        try resampler(part).placedColor(image, into: upright, isSettled: true)
        if !isInPlace {
            planes.fill(.transparent)
            for (source, target) in zip(upright.all, planes.all) { copy(source, part, to: target, of: cell) }
        }
        if !geometry.cover.contains(part) { cut(part, of: cell, planes.all, outside: 0) }
        withExtendedLifetime((planes, upright)) {}
        return .varied
    }

    /// Computes the mask values of `cell`, 0...1, row-major with a stride of the cell's width.
    ///
    /// - Throws: `internalError` if rows of the image are missing.
    func mask(_ cell: PixelRect, into target: UnsafeMutablePointer<Float>) throws(EngineError) -> Resampler.MaskContent
    {
        guard let part = geometry.part(for: cell) else {
            target.update(repeating: outside, count: cell.area)
            return outside == 0 ? .zero : outside == 1 ? .one : .varied
        }
        if let rotation = geometry.rotation {
            let patch = try patch(part, margin: 2 * rotation.filter.radius) {
                (resampler, upright) throws(EngineError) in
                try resampler.placedMask(image, into: upright.red)
            }
            let turned = FloatPlanes(width: cell.width, height: 1)
            withTurn(patch, rotation) { turn in
                cut(cell, of: cell, [target], outside: outside) { y, columns in
                    var row = turned.rows(from: 0)
                    kernels.resample.turn_pixels(
                        turn, Double(columns.lowerBound) + 0.5, Double(y) + 0.5, columns.count, &row)
                    let values = target + (y - cell.y) * cell.width + columns.lowerBound - cell.x
                    values.update(from: turned.red, count: columns.count)
                    kernels.resample.settle_mask(values, columns.count)
                }
            }
            return .varied
        }
        if part == cell && geometry.isPlain {
            try resampler(part).placedMask(image, into: target)
        } else {
            let upright = AlignedFloats(count: part.area)
            try resampler(part).placedMask(image, into: upright.values)
            target.update(repeating: outside, count: cell.area)
            copy(upright.values, part, to: target, of: cell)
        }
        if !geometry.cover.contains(part) { cut(part, of: cell, [target], outside: outside) }
        return .varied
    }

    /// - Parameter part: pixels of the output or of the upright picture.
    private func resampler(_ part: PixelRect) -> Resampler {
        let (columns, rows) = geometry.kernels(part)
        return Resampler(source: image.size, columns: columns, rows: rows, kernels: kernels)
    }

    /// Cuts the image at the edges of its rectangle: each value of `rect` becomes cover * value + (1 - cover) * outside.
    ///
    /// - Parameters:
    ///   - planes: values of `cell`, of which `rect` is a part.
    ///   - draw: makes the values of some columns of a row, before they are cut.
    private func cut(
        _ rect: PixelRect, of cell: PixelRect, _ planes: [UnsafeMutablePointer<Float>], outside: Float,
        draw: (_ y: Int, _ columns: Range<Int>) -> Void = { _, _ in }
    ) {
        let shares = AlignedFloats(count: rect.width)
        for y in rect.rows {
            let row = geometry.cover.row(y, rect.columns, into: shares.values)
            if !row.seen.isEmpty { draw(y, row.seen) }
            let (seen, whole) = (row.seen, row.whole)
            for plane in planes {
                let values = plane + (y - cell.y) * cell.width + rect.x - cell.x
                values.update(repeating: outside, count: seen.lowerBound - rect.x)
                (values + seen.upperBound - rect.x).update(
                    repeating: outside, count: rect.x + rect.width - seen.upperBound)
                for columns in [seen.lowerBound..<whole.lowerBound, whole.upperBound..<seen.upperBound] {
                    for x in columns {
                        let value = values[x - rect.x]
                        values[x - rect.x] = min(outside + shares.values[x - rect.x] * (value - outside), 1)
                    }
                }
            }
        }
        withExtendedLifetime(shares) {}
    }

    /// Copies a part of the output to a cell.
    ///
    /// - Parameter source: its values in the image's own order.
    private func copy(
        _ source: UnsafeMutablePointer<Float>, _ part: PixelRect, to target: UnsafeMutablePointer<Float>,
        of cell: PixelRect
    ) {
        let column = geometry.isTransposed ? part.height : 1
        let row = geometry.isTransposed ? 1 : part.width
        for y in 0..<part.height {
            let values = target + (part.y - cell.y + y) * cell.width + part.x - cell.x
            let first = source + (geometry.rows.isReversed ? part.height - 1 - y : y) * row
            for x in 0..<part.width {
                values[x] = first[(geometry.columns.isReversed ? part.width - 1 - x : x) * column]
            }
        }
    }

    // MARK: - Other rotations than by 90 degrees

    /// A part of the upright picture.
    private struct Patch {
        /// In pixels of the upright picture.
        var rect: PixelRect
        /// Four floats a pixel, of which a mask has only the first, with a margin round the part in which its edges go on.
        var pixels: AlignedFloats
    }

    /// - Parameter fill: fills planes with the part's values.
    private func patch(
        _ part: PixelRect, margin: Int, fill: (Resampler, FloatPlanes) throws(EngineError) -> Void
    ) throws(EngineError) -> Patch {
        let planes = FloatPlanes(size: part.size)
        try fill(resampler(part), planes)
        let (width, height) = (part.width + 2 * margin, part.height + 2 * margin)
        let pixels = AlignedFloats(count: 4 * width * height)
        for y in 0..<height {
            let source = planes.rows(from: min(max(y - margin, 0), part.height - 1))
            let target = pixels.values + 4 * y * width
            for x in 0..<width {
                let column = min(max(x - margin, 0), part.width - 1)
                target[4 * x] = source.red[column]
                target[4 * x + 1] = source.green[column]
                target[4 * x + 2] = source.blue[column]
                target[4 * x + 3] = source.alpha[column]
            }
        }
        withExtendedLifetime(planes) {}
        return Patch(rect: part, pixels: pixels)
    }

    /// What the kernel needs to read the patch; valid in `body`.
    private func withTurn(
        _ patch: Patch, _ rotation: PlacedGeometry.Rotation, _ body: (UnsafePointer<ink_turn>) -> Void
    ) {
        let (rect, radius, center) = (patch.rect, rotation.filter.radius, geometry.cover.center)
        let weights = TapWeights.of(rotation.filter)
        weights.values.withUnsafeBufferPointer { values in
            var turn = ink_turn(
                pixels: patch.pixels.values, stride: 4 * (rect.width + 4 * radius), left: rect.x - 2 * radius,
                top: rect.y - 2 * radius, min_x: Double(rect.x - radius), min_y: Double(rect.y - radius),
                max_x: Double(rect.x + rect.width + radius), max_y: Double(rect.y + rect.height + radius),
                center_x: center.x, center_y: center.y, middle_x: rotation.middle.x, middle_y: rotation.middle.y,
                xx: rotation.xx, xy: rotation.xy, yx: rotation.yx, yy: rotation.yy, taps: 2 * radius,
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
