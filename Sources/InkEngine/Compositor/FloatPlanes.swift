/// Premultiplied, sRGB-encoded colour as four planes of Float, each row-major with a stride of `width`.
///
/// Owns its memory; not shared between threads while it is written.
final class FloatPlanes {
    let width: Int
    let height: Int
    let red: UnsafeMutablePointer<Float>
    let green: UnsafeMutablePointer<Float>
    let blue: UnsafeMutablePointer<Float>
    let alpha: UnsafeMutablePointer<Float>

    /// The number of pixels, and of elements in each plane.
    var count: Int { width * height }

    /// Planes of transparent black.
    init(width: Int, height: Int) {
        precondition(width > 0 && height > 0)
        self.width = width
        self.height = height
        let count = width * height
        red = .allocate(capacity: count * 4)
        red.initialize(repeating: 0, count: count * 4)
        green = red + count
        blue = green + count
        alpha = blue + count
    }

    deinit { red.deallocate() }

    /// Fills with the premultiplied form of a straight colour.
    func fill(_ color: RGBA8) {
        let a = Float(color.alpha) / 255
        red.update(repeating: Float(color.red) / 255 * a, count: count)
        green.update(repeating: Float(color.green) / 255 * a, count: count)
        blue.update(repeating: Float(color.blue) / 255 * a, count: count)
        alpha.update(repeating: a, count: count)
    }
}
