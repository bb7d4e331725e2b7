package import InkEngine

/// The times that the drawing app allows its devices for a 2K export, by tier.
package enum DeviceTiers {
    /// Seconds for a longest edge of 2048 pixels.
    package static let seconds = [3.0, 5.0, 7.0]

    /// The tier (0 is the strictest) whose time an export keeps; nil when it is slower than all.
    ///
    /// For a larger size a tier's time grows with the pixels that the same canvas gives there, the square of the edge. A smaller
    /// one has the time of 2K: of a thumbnail's export most is the start of a program.
    package static func tier(milliseconds: Double, pixels: PixelSize) -> Int? {
        limits(edge: pixels.longestEdge).firstIndex { milliseconds <= $0 * 1000 }
    }

    /// The tiers' times for a picture of this longest edge, seconds.
    package static func limits(edge: Int) -> [Double] {
        let share = max(1, Double(edge) / 2048)
        return seconds.map { $0 * share * share }
    }
}
