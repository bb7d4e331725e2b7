import CKernels

/// Points one after the other, each at most a pixel from the last either way, in the form that kernels take: an outline,
/// or a part of one, that is drawn at many places, as large or smaller.
struct EdgeChain {
    /// A larger outline is not worth being kept and would not fit whole numbers, output pixels.
    static let reachMax = 8192.0

    /// The points' columns, then their rows, as `ink_chain` has them.
    private var coordinates: [Float] = []
    /// Edges that each lane draws.
    private var partLength = 0

    private static let lanes = Int(INK_CHAIN_LANES)

    /// How many edges there are, those without a length that fill up the last part included.
    var edgeCount: Int { EdgeChain.lanes * partLength }

    /// - Parameters:
    ///   - points: output pixels, from where the chain is to be put on; at most `reachMax` away.
    ///   - areaMax: the largest area by which leaving out a point may move the outline, pixels; in proportion less if the
    ///     chain goes round less than ten pixels for each shape.
    ///   - shapeCount: of how many shapes the chain is the outline.
    init(
        _ points: some RandomAccessCollection<Point>, areaMax: Double = Pattern.Fineness.usual.areaMax,
        shapeCount: Int = 1
    ) {
        guard var last = points.first else { return }
        // A hundred dots may lie in one pixel, and each would lack as much.
        let areaMax = areaMax * min(EdgeChain.area(of: points) / Double(10 * shapeCount), 1)
        var places = [last]
        places.reserveCapacity(2 * points.count)
        var index = points.startIndex
        while let next = points.index(index, offsetBy: 1, limitedBy: points.endIndex), next < points.endIndex {
            index = EdgeChain.end(of: points, from: next, after: last, areaMax: areaMax)
            let point = points[index]
            let step = point - last
            // A little more than enough, so that rounding makes no piece longer than a pixel.
            let pieces = max(1, (max(abs(step.x), abs(step.y)) * 1.001).rounded(.up))
            for piece in 1..<Int(pieces) { places.append(last + (Double(piece) / pieces) * step) }
            places.append(point)
            last = point
        }
        take(places)
    }

    /// Edges that are drawn together come from as many parts of the chain.
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

    /// The area that points go round, from the last one back to the first.
    private static func area(of points: some RandomAccessCollection<Point>) -> Double {
        guard var last = points.last else { return 0 }
        var doubled = 0.0
        for point in points {
            doubled += last.x * point.y - last.y * point.x
            last = point
        }
        return abs(doubled) / 2
    }

    /// The last point that one edge of at most a pixel from `start` may lead to; `first` at least.
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
            // The triangle between what is drawn and what is left out; those of a bend add up.
            area += (step.x * skipped.y - step.y * skipped.x) / 2
            guard max(abs(step.x), abs(step.y)) < 0.999, abs(area) <= areaMax else { return end }
            end = next
        }
    }

    /// Calls `body` with the chain as kernels take it; not for a chain without edges.
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
