/// Chains of points that bound a shape. Every chain of the shape turns the same way round; one that turns the other way
/// takes its area away. The chains need not be closed one by one, but the edges of all together must be.
struct Outline: Sendable {
    /// A run of `points`, a circle that holds it, and where it is put.
    struct Chain: Sendable {
        var range: Range<Int>
        var copies: [Point]
        var center: Point
        var radius: Double
    }

    let points: [Point]
    /// The shape is all of them together, at all their places.
    let chains: [Chain]

    init(_ chains: [[Point]]) {
        self.init(chains.map { (points: $0, copies: [Point(x: 0, y: 0)]) })
    }

    init(_ chains: [(points: [Point], copies: [Point])]) {
        var points: [Point] = []
        var described: [Chain] = []
        for (chain, copies) in chains where chain.count > 1 {
            var box = Rect.empty
            for point in chain { box.formUnion(point) }
            let center = Point(x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2)
            let radius = Point(x: box.maxX - center.x, y: box.maxY - center.y).length
            let range = points.count..<(points.count + chain.count)
            described.append(Chain(range: range, copies: copies, center: center, radius: radius))
            points += chain
        }
        self.points = points
        self.chains = described
    }
}
