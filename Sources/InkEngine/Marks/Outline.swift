/// Chains of points that bound a shape. All chains of a shape have the same orientation; a chain of the opposite
/// orientation subtracts its area. A single chain need not be closed, but the edges of all chains together must be.
package struct Outline: Sendable {
    /// Consecutive points, drawn at one position or several.
    struct Chain: Sendable {
        let points: [Point]
        /// The positions of the chain.
        let copies: [Point]
        /// Number of discs or lines that the chain encloses.
        let shapeCount: Int
        /// A circle round the points.
        let center: Point
        let radius: Double

        init(_ points: [Point], copies: [Point] = [Point(x: 0, y: 0)], shapeCount: Int = 1) {
            self.points = points
            self.shapeCount = shapeCount
            self.copies = copies
            var box = Rect.empty
            for point in points { box.formUnion(point) }
            center = Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
            radius = Point(x: box.maxX - center.x, y: box.maxY - center.y).length
        }
    }

    let chains: [Chain]
    /// Whether the chains are the same for every direction of a stamp, except for the positions of the copies.
    let isRound: Bool

    init(_ chains: [Chain], isRound: Bool = false) {
        self.chains = chains.filter { $0.points.count > 1 }
        self.isRound = isRound
    }

    /// Including positions.
    var pointCount: Int { chains.reduce(0) { $0 + $1.points.count + $1.copies.count } }
}
