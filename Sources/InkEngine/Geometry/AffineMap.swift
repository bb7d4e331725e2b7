/// A map of the plane that keeps lines straight: x' = a x + c y + x, y' = b x + d y + y, as SVG's `matrix(a b c d x y)`.
struct AffineMap: Hashable {
    var a = 1.0
    var b = 0.0
    var c = 0.0
    var d = 1.0
    var x = 0.0
    var y = 0.0

    static let identity = AffineMap()

    func point(_ point: Point) -> Point {
        Point(x: a * point.x + c * point.y + x, y: b * point.x + d * point.y + y)
    }

    /// The map that does `inner` first.
    func after(_ inner: AffineMap) -> AffineMap {
        let corner = point(Point(x: inner.x, y: inner.y))
        return AffineMap(
            a: a * inner.a + c * inner.b, b: b * inner.a + d * inner.b, c: a * inner.c + c * inner.d,
            d: b * inner.c + d * inner.d, x: corner.x, y: corner.y)
    }

    /// How many times as long lengths become, in the mean of all directions that have equal areas.
    var scale: Double { abs(a * d - b * c).squareRoot() }

    var isFinite: Bool { [a, b, c, d, x, y].allSatisfy(\.isFinite) }
}
