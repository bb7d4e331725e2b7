import Glibc

/// Discs so large that Float does not represent their edge to a hundredth of a pixel.
enum LargeDisc {
    /// In output pixels.
    static let radiusMin = 16_384.0
    /// Maximum distance between a chord and its arc, in output pixels.
    private static let sagittaMax = 0.002
    /// On larger discs, Double represents positions only to some pixels. In output pixels.
    private static let radiusMax = 1e15

    /// The part of a disc within a cell and some pixels round it: a polygon whose corners on the circle are the same
    /// for every cell; empty if the disc does not reach the cell.
    static func polygon(of disc: PreparedStroke.Disc, near cell: PixelRect, scale: OutputScale) -> [Point] {
        let middle = Point(
            x: (Double(cell.x) + Double(cell.width) / 2) / scale.x,
            y: (Double(cell.y) + Double(cell.height) / 2) / scale.y)
        let reach = (Double(cell.width + cell.height) / 2 + 8) / min(scale.x, scale.y)
        let way = middle - disc.center
        let distance = way.length
        let isOnEdge = abs(distance - disc.radius) < reach && disc.radius * scale.largest < radiusMax
        guard isOnEdge else {
            guard distance < disc.radius else { return [] }
            let far = 2 * reach
            return [(-far, -far), (far, -far), (far, far), (-far, far)].map { middle + Point(x: $0.0, y: $0.1) }
        }
        let count = (Double.pi * (disc.radius * scale.largest / (2 * sagittaMax)).squareRoot()).rounded(.up)
        // Only the choice of corners depends on these values, not the position of the corners.
        let angle = atan2(way.y, way.x) / (2 * Double.pi) * count
        let half = 1.1 * reach / distance / (2 * Double.pi) * count
        let corners = stride(from: (angle - half).rounded(.down) - 1, through: angle + half + 2, by: 1).map { index in
            let turn = 2 * index / count
            return disc.center + disc.radius * Point(x: sinPi(turn + 0.5), y: sinPi(turn))
        }
        let inwards = (-4 * reach / distance) * way
        return corners + [corners[corners.count - 1] + inwards, corners[0] + inwards]
    }
}
