/// A size in canvas pixels, which need not be whole: the box round a drawing on an infinite canvas is not rounded.
public struct CanvasSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Double
    public var height: Double

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    public init(_ size: PixelSize) { self.init(width: Double(size.width), height: Double(size.height)) }

    public var longestEdge: Double { max(width, height) }

    /// In whole pixels, at least 1.
    public var pixels: PixelSize {
        func edge(_ value: Double) -> Int { value < 1e18 ? max(1, Int(value.rounded())) : .max }
        return PixelSize(width: edge(width), height: edge(height))
    }

    public var description: String { "\(shownNumber(width))x\(shownNumber(height))" }
}
