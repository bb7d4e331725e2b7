import CKernels

/// Points one after the other, each at most a pixel from the last either way, in the form that kernels take: an outline,
/// or a part of one, that is drawn at many places.
struct EdgeChain {
    /// A larger outline is not worth being kept and would not fit whole numbers, output pixels.
    static let reachMax = 8192.0

    // One after the other, each for all edges, as `ink_chain` has them.
    /// Columns of the upper ends, ways to the lower ends, slopes, steepnesses.
    private var columns: [Float] = []
    /// Rows of the upper ends, heights, whether edges lead upwards.
    private var rows: [Int32] = []
    private(set) var edgeCount = 0

    private static let lanes = Int(INK_CHAIN_LANES)

    /// The areas beside an edge that leads less to the side, pixels, are too small to be told apart.
    private static let wayMin = 1.0 / 1024

    /// The largest area by which leaving out a point may move an outline, pixels.
    private static let areaMax = 0.001

    /// - Parameter points: output pixels, from where the chain is to be put on; at most `reachMax` away.
    init(_ points: some RandomAccessCollection<Point>) {
        guard var last = points.first else { return }
        var places = [last]
        places.reserveCapacity(2 * points.count)
        var index = points.startIndex
        while let next = points.index(index, offsetBy: 1, limitedBy: points.endIndex), next < points.endIndex {
            index = EdgeChain.end(of: points, from: next, after: last)
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
        let partLength = (places.count + lanes - 2) / lanes
        edgeCount = lanes * partLength
        columns = [Float](repeating: 0, count: 4 * edgeCount)
        rows = [Int32](repeating: 0, count: 3 * edgeCount)
        for part in 0..<lanes {
            let first = part * partLength
            for edge in first..<max(first, min(first + partLength, places.count - 1)) {
                put(edge: (places[edge], places[edge + 1]), at: (edge - first) * lanes + part)
            }
        }
    }

    @inline(__always)
    private mutating func put(edge: (Point, Point), at slot: Int) {
        var (upper, lower) = edge
        let isUpward = lower.y < upper.y
        if isUpward { swap(&upper, &lower) }
        let top = EdgeChain.row(upper.y)
        let height = EdgeChain.row(lower.y) - top
        let way = lower.x - upper.x
        columns[slot] = Float(upper.x)
        columns[slot + edgeCount] = Float(way)
        columns[slot + 2 * edgeCount] = height > 0 ? Float(way / Double(height)) : 0
        let steepness = Float(0.5 * Double(height) / max(abs(way), EdgeChain.wayMin))
        columns[slot + 3 * edgeCount] = isUpward ? -steepness : steepness
        rows[slot] = top
        rows[slot + edgeCount] = height
        rows[slot + 2 * edgeCount] = isUpward ? -1 : 0
    }

    /// 1/65,536 pixel. Without `rounded()`, which is a call where processors before SSE4.1 count.
    @inline(__always)
    private static func row(_ y: Double) -> Int32 { Int32(y * 65_536 + (y < 0 ? -0.5 : 0.5)) }

    /// The last point that one edge of at most a pixel from `start` may lead to; `first` at least.
    private static func end<Points: RandomAccessCollection<Point>>(
        of points: Points, from first: Points.Index, after start: Point
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

    /// Calls `body` with the chain as kernels take it; not for an empty chain.
    func withKernelChain(_ body: (UnsafePointer<ink_chain>) -> Void) {
        guard edgeCount > 0 else { return }
        columns.withUnsafeBufferPointer { columns in
            rows.withUnsafeBufferPointer { rows in
                guard let x = columns.baseAddress, let y = rows.baseAddress else { return }
                let chain = ink_chain(
                    x: x, width: x + edgeCount, slope: x + 2 * edgeCount, steepness: x + 3 * edgeCount, y: y,
                    height: y + edgeCount,
                    is_upward: y + 2 * edgeCount, count: Int32(edgeCount))
                withUnsafePointer(to: chain, body)
            }
        }
    }
}
