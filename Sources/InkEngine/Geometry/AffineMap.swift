/// A map of the plane that keeps lines straight: x' = a x + c y + x, y' = b x + d y + y, as SVG's `matrix(a b c d x y)`.
public struct AffineMap: Hashable, Sendable {
    public var a: Double
    public var b: Double
    public var c: Double
    public var d: Double
    public var x: Double
    public var y: Double

    public static let identity = AffineMap()

    public init(a: Double = 1, b: Double = 0, c: Double = 0, d: Double = 1, x: Double = 0, y: Double = 0) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.x = x
        self.y = y
    }

    @inlinable
    package func point(_ point: Point) -> Point {
        Point(x: a * point.x + c * point.y + x, y: b * point.x + d * point.y + y)
    }

    /// The map that does `inner` first.
    package func after(_ inner: AffineMap) -> AffineMap {
        let corner = point(Point(x: inner.x, y: inner.y))
        return AffineMap(
            a: a * inner.a + c * inner.b, b: b * inner.a + d * inner.b, c: a * inner.c + c * inner.d,
            d: b * inner.c + d * inner.d, x: corner.x, y: corner.y)
    }

    /// How many times as long lengths become, in the mean of all directions that have equal areas.
    package var scale: Double { abs(a * d - b * c).squareRoot() }

    package var isFinite: Bool { [a, b, c, d, x, y].allSatisfy(\.isFinite) }
}
