import CKernels

/// Premultiplied, sRGB-encoded colour as four planes of Float, each row-major with a stride of `width`.
///
/// Owns its memory. Must not be shared between threads while it is written.
package final class FloatPlanes {
    let width: Int
    let height: Int
    package let red: UnsafeMutablePointer<Float>
    package let green: UnsafeMutablePointer<Float>
    package let blue: UnsafeMutablePointer<Float>
    package let alpha: UnsafeMutablePointer<Float>
    private let storage: AlignedFloats

    /// The number of pixels, and of elements in each plane.
    var count: Int { width * height }

    /// Planes of transparent black.
    package init(width: Int, height: Int) {
        precondition(width > 0 && height > 0)
        self.width = width
        self.height = height
        // Each plane begins at its own cache line. Planes whose distance is a power of two would compete for the same
        // cache sets.
        let line = AlignedFloats.lineCount
        let distance = (width * height + line - 1) / line * line + 17 * line
        storage = AlignedFloats(count: 4 * distance)
        red = storage.values
        green = red + distance
        blue = green + distance
        alpha = blue + distance
    }

    /// Fills with the premultiplied form of a straight colour.
    ///
    /// - Parameters:
    ///   - rows: nil for all.
    ///   - hasAlpha: false if alpha is not read and may stay as it is.
    func fill(_ color: RGBA8, rows: Range<Int>? = nil, hasAlpha: Bool = true) {
        let rows = rows ?? 0..<height
        precondition(rows.lowerBound >= 0 && rows.upperBound <= height)
        let a = Float(color.alpha) / 255
        let first = rows.lowerBound * width
        let count = rows.count * width
        (red + first).update(repeating: Float(color.red) / 255 * a, count: count)
        (green + first).update(repeating: Float(color.green) / 255 * a, count: count)
        (blue + first).update(repeating: Float(color.blue) / 255 * a, count: count)
        if hasAlpha { (alpha + first).update(repeating: a, count: count) }
    }

    /// Takes over all pixels of planes of the same size.
    ///
    /// - Parameter hasAlpha: false if alpha is not read and may stay as it is.
    func copy(_ other: FloatPlanes, hasAlpha: Bool) {
        precondition(width == other.width && height == other.height)
        red.update(from: other.red, count: count)
        green.update(from: other.green, count: count)
        blue.update(from: other.blue, count: count)
        if hasAlpha { alpha.update(from: other.alpha, count: count) }
    }

    /// Makes premultiplied colours straight; 0 where alpha is 0.
    func divideByAlpha() {
        for i in 0..<count {
            let factor = alpha[i] > 0 ? 1 / alpha[i] : 0
            red[i] *= factor
            green[i] *= factor
            blue[i] *= factor
        }
    }

    /// Makes straight colours premultiplied.
    func multiplyByAlpha() {
        for i in 0..<count {
            red[i] *= alpha[i]
            green[i] *= alpha[i]
            blue[i] *= alpha[i]
        }
    }

    /// Copies a row over another one.
    func copyRow(_ source: Int, to target: Int) {
        for plane in all {
            (plane + target * width).update(from: plane + source * width, count: width)
        }
    }

    /// Planes of transparent black.
    convenience init(size: PixelSize) { self.init(width: size.width, height: size.height) }

    /// Red, green, blue and alpha. Valid as long as the planes are.
    var all: [UnsafeMutablePointer<Float>] { [red, green, blue, alpha] }

    /// The planes from a row and a column on, for kernels. Valid as long as the planes are.
    func rows(from row: Int, column: Int = 0) -> ink_planes {
        let offset = row * width + column
        return ink_planes(
            red: red + offset, green: green + offset, blue: blue + offset, alpha: alpha + offset, stride: width)
    }
}

/// Floats, initially 0, aligned to a cache line.
final class AlignedFloats {
    /// Floats in a cache line.
    static let lineCount = 16

    let values: UnsafeMutablePointer<Float>

    init(count: Int) {
        values = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<Float>.stride, alignment: Self.lineCount * MemoryLayout<Float>.stride
        ).bindMemory(to: Float.self, capacity: count)
        values.initialize(repeating: 0, count: count)
    }

    deinit { values.deallocate() }
}
