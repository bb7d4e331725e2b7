import CKernels

/// Premultiplied, sRGB-encoded colour as four planes in 1/65,535. It takes half the memory of `FloatPlanes`, for layers
/// onto which strokes are drawn one after the other.
///
/// Owns its memory. Must not be shared between threads while it is written.
final class SharePlanes {
    let width: Int
    let height: Int
    private let memory: UnsafeMutableBufferPointer<UInt16>
    private let distance: Int
    private let stride: Int

    /// Planes of transparent black.
    init(width: Int, height: Int) {
        precondition(width > 0 && height > 0)
        self.width = width
        self.height = height
        // Each row and plane begins at its own cache line. Planes whose distance is a power of two would compete for
        // the same cache sets.
        let line = 32
        stride = (width + line - 1) / line * line
        distance = stride * height + 17 * line
        memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8 * distance, alignment: 2 * line)
            .bindMemory(to: UInt16.self)
        clear()
    }

    deinit { memory.deallocate() }

    /// Makes all pixels transparent.
    func clear() { memory.update(repeating: 0) }

    /// Copies planes of the same size, rounded.
    func take(_ planes: FloatPlanes, kernels: CompositingKernels) {
        precondition(planes.width == width && planes.height == height)
        for row in 0..<height {
            var source = planes.rows(from: row)
            var target = rows(from: row)
            kernels.resample.to_shares(&source, width, &target)
        }
        withExtendedLifetime(planes) {}
    }

    /// Copies the pixels that have changed since `take` to `planes`. Other pixels keep their unrounded values, so a
    /// pixel that no stroke meets is unaffected, in every tile.
    func give(_ planes: FloatPlanes, kernels: CompositingKernels) {
        precondition(planes.width == width && planes.height == height)
        for row in 0..<height {
            var source = rows(from: row)
            var target = planes.rows(from: row)
            kernels.resample.from_shares(&source, width, &target)
        }
        withExtendedLifetime(planes) {}
    }

    /// Copies alpha, 0...1, row by row.
    ///
    /// - Parameters:
    ///   - target: of the planes' size, without padding.
    ///   - isFactor: whether what is there is multiplied by it.
    func copyAlpha(to target: UnsafeMutablePointer<Float>, isFactor: Bool) {
        for row in 0..<height {
            guard let source = rows(from: row).alpha else { return }
            let values = target + row * width
            for column in 0..<width {
                let alpha = Float(source[column]) / 65_535
                values[column] = isFactor ? values[column] * alpha : alpha
            }
        }
    }

    /// The planes from a row on, for kernels. Valid as long as the planes are.
    func rows(from row: Int) -> ink_shares {
        let first = memory.baseAddress! + row * stride
        return ink_shares(
            red: first, green: first + distance, blue: first + 2 * distance, alpha: first + 3 * distance,
            stride: stride)
    }
}
