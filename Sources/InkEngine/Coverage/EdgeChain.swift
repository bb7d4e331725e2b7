import CKernels

/// Consecutive points, each at most a pixel from the previous one in either direction, in the form that kernels take.
/// It is an outline, or part of one, that is drawn at many places, at its size or smaller.
struct EdgeChain {
    /// Maximum reach, in output pixels. A larger outline is not worth keeping and would overflow the integers.
    static let reachMax = 8192.0

    /// The points' columns, then their rows, in the order of `ink_chain`.
    private var coordinates: [Float] = []
    /// Number of edges that each lane draws.
    private var partLength = 0

    private static let lanes = Int(INK_CHAIN_LANES)

    /// Number of edges, including the empty edges that fill up the last part.
    var edgeCount: Int { EdgeChain.lanes * partLength }

    /// - Parameters:
    ///   - points: in output pixels relative to the chain's position; at most `reachMax` away.
    ///   - areaMax: the largest area by which omitting a point may change the outline, in pixels. It is reduced in
    ///     proportion if the chain encloses less than ten pixels per shape.
    ///   - shapeCount: number of shapes that the chain outlines.
    init(
        _ points: some RandomAccessCollection<Point>, areaMax: Double, shapeCount: Int = 1
    ) {
        guard var last = points.first else { return }
        // A hundred dots may lie in one pixel, and the errors would add up.
        let areaMax = areaMax * min(EdgeChain.area(of: points) / Double(10 * shapeCount), 1)
        var places = [last]
        places.reserveCapacity(2 * points.count)
        var index = points.startIndex
        while let next = points.index(index, offsetBy: 1, limitedBy: points.endIndex), next < points.endIndex {
            index = EdgeChain.end(of: points, from: next, after: last, areaMax: areaMax)
            let point = points[index]
            let step = point - last
            // Slightly more than necessary, so that rounding makes no piece longer than a pixel.
            let pieces = max(1, (max(abs(step.x), abs(step.y)) * 1.001).rounded(.up))
            for piece in 1..<Int(pieces) { places.append(last + (Double(piece) / pieces) * step) }
            places.append(point)
            last = point
        }
        take(places)
    }

    /// Stores the points so that edges drawn together come from different parts of the chain.
    private mutating func take(_ places: [Point]) {
        let lanes = EdgeChain.lanes
        partLength = (places.count + lanes - 2) / lanes
        let count = lanes * (partLength + 1)
        coordinates = [Float](unsafeUninitializedCapacity: 2 * count) { values, made in
            for slot in 0..<count {
                let place = places[min(slot % lanes * partLength + slot / lanes, places.count - 1)]
                values[slot] = Float(place.x)
                values[slot + count] = Float(place.y)
            }
            made = 2 * count
        }
    }

    /// The area enclosed by the points, closed from the last to the first.
    private static func area(of points: some RandomAccessCollection<Point>) -> Double {
        guard var last = points.last else { return 0 }
        var doubled = 0.0
        for point in points {
            doubled += last.x * point.y - last.y * point.x
            last = point
        }
        return abs(doubled) / 2
    }

    /// The last point that one edge of at most a pixel from `start` may lead to; at least `first`.
    private static func end<Points: RandomAccessCollection<Point>>(
        of points: Points, from first: Points.Index, after start: Point, areaMax: Double
    ) -> Points.Index {
        var end = first
        var area = 0.0
        while true {
            let next = points.index(after: end)
            guard next < points.endIndex else { return end }
            let step = points[next] - start
            let skipped = points[end] - start
            // The triangle between the drawn edge and the omitted points; along a bend these add up.
            area += (step.x * skipped.y - step.y * skipped.x) / 2
            guard max(abs(step.x), abs(step.y)) < 0.999, abs(area) <= areaMax else { return end }
            end = next
        }
    }

    /// Calls `body` with the chain in the form that kernels take; not for a chain without edges.
    func withKernelChain(_ body: (UnsafePointer<ink_chain>) -> Void) {
        guard partLength > 0 else { return }
        coordinates.withUnsafeBufferPointer { values in
            guard let x = values.baseAddress else { return }
            let chain = ink_chain(
                x: x, y: x + EdgeChain.lanes * (partLength + 1), part_length: Int32(partLength))
            withUnsafePointer(to: chain, body)
        }
    }
}
