/// Chains of points that bound a shape. Every chain of the shape turns the same way round; one that turns the other way
/// takes its area away. The chains need not be closed one by one, but the edges of all together must be.
struct Outline: Sendable {
    /// A run of `points`, and a circle that holds it.
    struct Chain: Sendable {
        var range: Range<Int>
        var center: Point
        var radius: Double
    }

    let points: [Point]
    let chains: [Chain]
    /// Where the chains are put; the shape is all of them together.
    let copies: [Point]
    /// Whether the chains are the same whichever way a stamp looks, but for where the copies lie.
    let isRound: Bool

    init(_ chains: [[Point]], copies: [Point] = [Point(x: 0, y: 0)], isRound: Bool = false) {
        self.copies = copies
        self.isRound = isRound
        var points: [Point] = []
        var described: [Chain] = []
        for chain in chains where chain.count > 1 {
            var box = Rect.empty
            for point in chain { box.formUnion(point) }
            let center = Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
            let radius = Point(x: box.maxX - center.x, y: box.maxY - center.y).length
            described.append(Chain(range: points.count..<(points.count + chain.count), center: center, radius: radius))
            points += chain
        }
        self.points = points
        self.chains = described
    }
}
