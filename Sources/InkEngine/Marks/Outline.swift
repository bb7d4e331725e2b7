/// Chains of points that bound a shape. Every chain of the shape turns the same way round; one that turns the other way
/// takes its area away. The chains need not be closed one by one, but the edges of all together must be.
struct Outline: Sendable {
    /// Points one after the other, at one place or several.
    struct Chain: Sendable {
        let points: [Point]
        /// Where the chain is put.
        let copies: [Point]
        /// How many discs or lines the chain goes round.
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
    /// Whether the chains are the same whichever way a stamp looks, but for where the copies lie.
    let isRound: Bool

    init(_ chains: [Chain], isRound: Bool = false) {
        self.chains = chains.filter { $0.points.count > 1 }
        self.isRound = isRound
    }

    /// Places included.
    var pointCount: Int { chains.reduce(0) { $0 + $1.points.count + $1.copies.count } }
}
