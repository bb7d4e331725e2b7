import InkEngine

/// A layer's mask of a built-in scene: soft discs on nothing, or all.
enum SceneMask {
    /// Full over the whole picture.
    static func full(edge: Int) -> [UInt8] { [UInt8](repeating: 255, count: edge * edge) }

    /// Discs that together cover a good half of the picture, their borders a few pixels wide.
    ///
    /// - Returns: `edge * edge` values, row-major.
    static func discs(edge: Int, numbers: inout SceneNumbers) -> [UInt8] {
        var mask = [UInt8](repeating: 0, count: edge * edge)
        for _ in 0..<numbers.integer(in: 6...9) {
            let radius = numbers.number(in: 0.16..<0.30) * Double(edge)
            let middle = Point(
                x: numbers.number(in: 0..<Double(edge)), y: numbers.number(in: 0..<Double(edge)))
            add(middle, radius: radius, softness: numbers.number(in: 8..<24), edge: edge, to: &mask)
        }
        return mask
    }

    /// - Parameter softness: the width of the border, pixels.
    private static func add(
        _ middle: Point, radius: Double, softness: Double, edge: Int, to mask: inout [UInt8]
    ) {
        let outer = radius + softness
        func range(_ middle: Double, _ reach: Double) -> Range<Int> {
            let first = max(0, Int((middle - reach).rounded(.down)))
            return first..<max(first, min(edge, Int((middle + reach).rounded(.up)) + 1))
        }
        mask.withUnsafeMutableBufferPointer { mask in
            for y in range(middle.y, outer) {
                let dy = Double(y) - middle.y
                for x in range(middle.x, max(0, outer * outer - dy * dy).squareRoot()) {
                    let dx = Double(x) - middle.x
                    let distance = (dx * dx + dy * dy).squareRoot()
                    let share = min(1, max(0, (outer - distance) / softness))
                    let value = UInt8((share * 255).rounded())
                    mask[y * edge + x] = max(mask[y * edge + x], value)
                }
            }
        }
    }
}
