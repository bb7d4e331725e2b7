/// The pixels and the mask of a layer in a cell. Each is either computed for the cell or, if the image has the output's
/// size, taken directly from the image's samples. Both ways give the same values.
struct CellLayer {
    enum Mask {
        case one
        /// The cell's values, row by row.
        case values(UnsafePointer<Float>)
        /// An 8-bit mask of the output's size, with its rows available.
        case samples(ImageRows)
    }

    enum Pixels {
        /// Planes of the cell's size.
        case planes(FloatPlanes)
        case shares(SharePlanes)
        /// A picture of the output's size, with its rows available.
        case samples(ImageRows)
    }

    var pixels: Pixels
    var mask: Mask
    /// 0...1
    var opacity: Float
    var mode: BlendMode

    /// Blends the layer onto a backdrop of the cell's size.
    ///
    /// - Parameter isOpaque: the backdrop's alpha is 1 everywhere; it is then neither read nor written.
    func blend(
        onto backdrop: FloatPlanes, isOpaque: Bool, cell: PixelRect, constants: ConstantRows,
        compositor: LayerCompositor
    ) {
        var y = cell.y
        while y < cell.y + cell.height {
            let end = min(cell.y + cell.height, ImageRows.chunkEnd(after: y))
            withMask(at: y, cell, constants) { mask in
                withPixels(at: y, cell, constants) { pixels in
                    compositor.blend(
                        pixels, mask: mask, opacity: opacity, mode: mode, onto: backdrop, isOpaque: isOpaque,
                        row: y - cell.y, width: cell.width, height: end - y)
                }
            }
            y = end
        }
    }

    /// Lets a picture show only as far as mask and opacity say: (1 - m) times these pixels plus m times the picture's.
    ///
    /// - Precondition: the pixels are planes of the picture's size.
    func fade(_ picture: FloatPlanes, isOpaque: Bool, cell: PixelRect, constants: ConstantRows) {
        guard case .planes(let before) = pixels else { preconditionFailure("only planes fade") }
        func fadeRow(_ row: Int, _ share: (Int) -> Float) {
            let first = row * cell.width
            for x in 0..<cell.width {
                let m = share(x)
                let i = first + x
                picture.red[i] = (1 - m) * before.red[i] + m * picture.red[i]
                picture.green[i] = (1 - m) * before.green[i] + m * picture.green[i]
                picture.blue[i] = (1 - m) * before.blue[i] + m * picture.blue[i]
                if !isOpaque { picture.alpha[i] = (1 - m) * before.alpha[i] + m * picture.alpha[i] }
            }
        }
        for row in 0..<cell.height {
            // A constant mask of 0 calls nothing.
            var isHidden = true
            withMask(at: cell.y + row, cell, constants) { mask in
                isHidden = false
                switch mask {
                case .none: fadeRow(row) { _ in opacity }
                case .values(let values, _): fadeRow(row) { opacity * values[$0] }
                case .levels(let levels, _): fadeRow(row) { opacity * (Float(levels[$0]) / 255) }
                }
            }
            if isHidden { fadeRow(row) { _ in 0 } }
        }
    }

    private func withMask(
        at y: Int, _ cell: PixelRect, _ constants: ConstantRows, _ body: (LayerCompositor.Mask) -> Void
    ) {
        switch mask {
        case .one: body(.none)
        case .values(let values): body(.values(values + (y - cell.y) * cell.width, stride: cell.width))
        case .samples(let image):
            image.withRow(y) { row in
                switch row {
                case .constant(let value):
                    if value & 0xFF != 0 { body(.levels(constants.mask(value, count: cell.width), stride: 0)) }
                case .samples(let samples): body(.levels(samples + cell.x, stride: image.size.width))
                }
            }
        }
    }

    private func withPixels(
        at y: Int, _ cell: PixelRect, _ constants: ConstantRows, _ body: (LayerCompositor.Pixels) -> Void
    ) {
        switch pixels {
        case .planes(let planes): body(.planes(planes, firstRow: y - cell.y))
        case .shares(let shares): body(.shares(shares, firstRow: y - cell.y))
        case .samples(let image):
            let format = image.format
            image.withRow(y) { row in
                switch row {
                case .constant(let value):
                    body(.samples(constants.pixels(value, format, count: cell.width), format, stride: 0))
                case .samples(let samples):
                    body(
                        .samples(
                            samples + cell.x * format.bytesPerPixel, format,
                            stride: image.size.width * format.bytesPerPixel))
                }
            }
        }
    }
}

/// Rows of constant value, for constant chunks.
final class ConstantRows {
    private let maskRow: UnsafeMutablePointer<UInt8>
    private let pixelRow: UnsafeMutablePointer<UInt8>
    private let maxCount: Int

    /// - Parameter maxCount: length of the longest row, in pixels.
    init(maxCount: Int) {
        self.maxCount = maxCount
        maskRow = .allocate(capacity: 5 * maxCount)
        maskRow.initialize(repeating: 0, count: 5 * maxCount)
        pixelRow = maskRow + maxCount
    }

    deinit { maskRow.deallocate() }

    /// `count` values of an 8-bit mask; valid until the next call.
    func mask(_ value: UInt32, count: Int) -> UnsafePointer<UInt8> {
        precondition(count <= maxCount)
        maskRow.update(repeating: UInt8(truncatingIfNeeded: value), count: count)
        return UnsafePointer(maskRow)
    }

    /// `count` pixels of `rgb8` or `rgba8`; valid until the next call.
    func pixels(_ value: UInt32, _ format: SampleFormat, count: Int) -> UnsafePointer<UInt8> {
        precondition(count <= maxCount)
        let bytes = format.bytesPerPixel
        for i in 0..<(count * bytes) { pixelRow[i] = UInt8(truncatingIfNeeded: value >> UInt32(8 * (i % bytes))) }
        return UnsafePointer(pixelRow)
    }
}
