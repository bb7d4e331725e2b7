package import InkEngine

/// The times that the drawing app allows its devices for a 2K export.
package enum DeviceTiers {
    /// Seconds for a longest edge of 2048 pixels.
    package static let seconds = [3.0, 5.0, 7.0]

    /// The strictest tier (0 first) whose time an export meets; nil if it is slower than all.
    ///
    /// For larger sizes the time grows with the number of pixels, the square of the edge. Smaller sizes have the time
    /// of 2K, because exporting a thumbnail is mostly starting the program.
    package static func tier(milliseconds: Double, pixels: PixelSize) -> Int? {
        limits(edge: pixels.longestEdge).firstIndex { milliseconds <= $0 * 1000 }
    }

    /// The tiers' times for a picture of this longest edge, seconds.
    package static func limits(edge: Int) -> [Double] {
        let share = max(1, Double(edge) / 2048)
        return seconds.map { $0 * share * share }
    }
}
