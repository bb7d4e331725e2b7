/// A point or a vector of the plane. Its space (canvas or output pixels) is stated where it is used.
public struct Point: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    // Where a module has an arithmetic of its own, as the reference has, that counts.
    @_disfavoredOverload @inlinable
    package static func + (a: Point, b: Point) -> Point { Point(x: a.x + b.x, y: a.y + b.y) }
    @_disfavoredOverload @inlinable
    package static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }
    @_disfavoredOverload @inlinable
    package static func * (k: Double, a: Point) -> Point { Point(x: k * a.x, y: k * a.y) }

    /// Euclidean length. `sqrt` is the only library function that IEEE 754 requires to be correctly rounded.
    @inlinable
    package var length: Double { (x * x + y * y).squareRoot() }
}

/// An axis-parallel rectangle, both edges included.
public struct Rect: Hashable, Sendable {
    public var minX: Double
    public var minY: Double
    public var maxX: Double
    public var maxY: Double

    public init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
        self.minX = minX
        self.minY = minY
        self.maxX = maxX
        self.maxY = maxY
    }

    /// The empty rectangle, which is the neutral element of `formUnion`.
    public static let empty = Rect(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)

    public var isEmpty: Bool { minX > maxX || minY > maxY }

    @inlinable
    package mutating func formUnion(_ other: Rect) {
        minX = min(minX, other.minX)
        minY = min(minY, other.minY)
        maxX = max(maxX, other.maxX)
        maxY = max(maxY, other.maxY)
    }

    public mutating func formUnion(_ p: Point) {
        minX = min(minX, p.x)
        minY = min(minY, p.y)
        maxX = max(maxX, p.x)
        maxY = max(maxY, p.y)
    }

    /// What lies in both; empty where nothing does.
    package func intersection(_ other: Rect) -> Rect {
        Rect(
            minX: max(minX, other.minX), minY: max(minY, other.minY), maxX: min(maxX, other.maxX),
            maxY: min(maxY, other.maxY))
    }

    /// The rectangle grown by `distance` on every side; empty stays empty.
    public func expanded(by distance: Double) -> Rect {
        isEmpty
            ? self
            : Rect(minX: minX - distance, minY: minY - distance, maxX: maxX + distance, maxY: maxY + distance)
    }
}
