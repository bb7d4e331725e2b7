/// Polygons whose areas add up, output pixels, as kernels take them. Those that turn the other way take area away.
struct Polygons {
    private(set) var corners: [Point] = []
    /// How many corners each polygon has.
    private(set) var counts: [Int32] = []
    /// Where the polygon that is being put together begins.
    private var start = 0

    mutating func removeAll() {
        corners.removeAll(keepingCapacity: true)
        counts.removeAll(keepingCapacity: true)
        start = 0
    }

    /// Bytes that they take.
    var byteCount: Int {
        corners.capacity * MemoryLayout<Point>.stride + counts.capacity * MemoryLayout<Int32>.stride
    }

    /// The same, without room for more.
    var trimmed: Polygons {
        var trimmed = self
        trimmed.corners = corners.trimmed
        trimmed.counts = counts.trimmed
        return trimmed
    }

    /// Adds a corner to the polygon that is being put together.
    mutating func append(_ corner: Point) { corners.append(corner) }

    /// Ends the polygon that is being put together.
    mutating func endPolygon() {
        counts.append(Int32(corners.count - start))
        start = corners.count
    }

    /// Calls `body` with the corners, x and y each, and how many each polygon has.
    func withKernelPolygons(_ body: (UnsafePointer<Double>, UnsafePointer<Int32>) -> Void) {
        corners.withUnsafeBytes { corners in
            guard let corners = corners.bindMemory(to: Double.self).baseAddress else { return }
            body(corners, counts)
        }
    }
}

extension Array {
    /// The same elements, without room for more.
    var trimmed: [Element] { [Element](unsafeUninitializedCapacity: count) { $1 = $0.initialize(from: self).1 } }
}
