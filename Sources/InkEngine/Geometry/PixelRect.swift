/// A rectangle of whole pixels: columns `x ..< x + width`, rows `y ..< y + height`.
public struct PixelRect: Hashable, Sendable, CustomStringConvertible {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    public var columns: Range<Int> { x..<(x + width) }
    public var rows: Range<Int> { y..<(y + height) }
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    public var area: Int { width * height }
    public var size: PixelSize { PixelSize(width: width, height: height) }

    public var description: String { "\(width)x\(height)+\(x)+\(y)" }
}
