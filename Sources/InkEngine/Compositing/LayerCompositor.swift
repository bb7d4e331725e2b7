import CKernels

/// Composites layers onto the pixels below: mask, opacity and blend mode in one pass.
///
/// Each pixel is computed separately and in one fixed order of operations, so the division of a picture into cells does
/// not show. A layer is multiplied by its mask times its opacity, then blended with the general formula of W3C
/// Compositing and Blending Level 1, section 5.2: co = as (1 - ab) Cs + as ab B(Cb, Cs) + (1 - as) ab Cb.
struct LayerCompositor {
    /// The mask of a rectangle.
    enum Mask {
        /// 1 everywhere.
        case none
        /// 0...1, `stride` elements from one row to the next.
        case values(UnsafePointer<Float>, stride: Int)
        /// v / 255.
        case levels(UnsafePointer<UInt8>, stride: Int)
    }

    /// The pixels of a layer within a rectangle.
    enum Pixels {
        /// Planes from a row on.
        case planes(FloatPlanes, firstRow: Int)
        /// Planes of shares, from a row on.
        case shares(SharePlanes, firstRow: Int)
        /// 8-bit samples of a picture, `stride` bytes from one row to the next.
        case samples(UnsafePointer<UInt8>, SampleFormat, stride: Int)
    }

    var kernels = CompositingKernels.selected

    /// Blends some rows of a layer onto the rows of `backdrop` from `row` on.
    ///
    /// - Parameters:
    ///   - opacity: 0...1
    ///   - isOpaque: the backdrop's alpha is 1 everywhere. Alpha is then neither read nor written; the colours are the
    ///     same.
    ///   - width: at most the backdrop's.
    func blend(
        _ pixels: Pixels, mask: Mask = .none, opacity: Float = 1, mode: BlendMode, onto backdrop: FloatPlanes,
        isOpaque: Bool = false, row: Int = 0, width: Int, height: Int
    ) {
        precondition(row >= 0 && height >= 0 && row + height <= backdrop.height && width <= backdrop.width)
        if height == 0 { return }
        var layer = ink_blend_layer()
        layer.opacity = opacity
        switch pixels {
        case .planes(let planes, let firstRow):
            precondition(firstRow >= 0 && firstRow + height <= planes.height && width <= planes.width)
            layer.pixels = INK_PIXELS_PLANES
            layer.planes = planes.rows(from: firstRow)
        case .shares(let shares, let firstRow):
            precondition(firstRow >= 0 && firstRow + height <= shares.height && width <= shares.width)
            layer.pixels = INK_PIXELS_SHARES
            layer.shares = shares.rows(from: firstRow)
        case .samples(let samples, let format, let stride):
            layer.pixels = format.pixels
            layer.samples = samples
            layer.sample_stride = stride
        }
        switch mask {
        case .none: layer.mask = INK_MASK_NONE
        case .values(let values, let stride):
            layer.mask = INK_MASK_FLOAT
            layer.mask_values = UnsafeRawPointer(values)
            layer.mask_stride = stride
        case .levels(let levels, let stride):
            layer.mask = INK_MASK_8
            layer.mask_values = UnsafeRawPointer(levels)
            layer.mask_stride = stride
        }
        var target = backdrop.rows(from: row)
        kernels.blend.blend(mode.c, &target, isOpaque ? 1 : 0, &layer, width, height)
        withExtendedLifetime((pixels, backdrop)) {}
    }

    /// Blends a whole layer onto a backdrop of its size.
    ///
    /// - Parameter mask: in the same layout as the planes.
    func blend(
        _ source: FloatPlanes, mask: UnsafePointer<Float>? = nil, opacity: Float = 1, mode: BlendMode,
        onto backdrop: FloatPlanes, isOpaque: Bool = false
    ) {
        precondition(source.width == backdrop.width && source.height == backdrop.height)
        blend(
            .planes(source, firstRow: 0), mask: mask.map { .values($0, stride: source.width) } ?? .none,
            opacity: opacity, mode: mode, onto: backdrop, isOpaque: isOpaque, width: source.width,
            height: source.height)
    }
}
